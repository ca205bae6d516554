//===- GuardDivisions.cpp - Integer arithmetic that cannot trap -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: integer divisions and shifts of scalars and vectors. Out: the same with
// operands for which every machine has a result: x / 0 is 0, x % 0 is x, the
// smallest number by -1 is itself, and bits shifted too far are gone. x86 would
// raise a signal for the first three, and LLVM may assume that none of the four
// happens and remove checks because of that. Conversions of single floats to
// integers saturate for the same reason: they may be indices.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "aik-guard-divisions"

namespace aikernel {
#define GEN_PASS_DEF_GUARDDIVISIONSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

class Guard {
public:
  explicit Guard(Operation *op)
      : op(op), builder(op), loc(op->getLoc()), type(op->getResultTypes()[0]),
        left(op->getOperand(0)), right(op->getOperand(1)) {
    Type element = getElementTypeOrSelf(type);
    width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  }

  void run() {
    if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
      guardShift();
    else
      guardDivision();
  }

private:
  Value number(int64_t value) {
    Type element = getElementTypeOrSelf(type);
    APInt bits(width, static_cast<uint64_t>(value), /*isSigned=*/true,
               /*implicitTrunc=*/true);
    TypedAttr attr = builder.getIntegerAttr(element, bits);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value isRight(int64_t value) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, right,
                                 number(value));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }

  void guardDivision() {
    bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
    bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
    APInt known;
    bool isKnown = matchPattern(right, m_ConstantInt(&known));
    if (isKnown && !known.isZero() && !(isSigned && known.isAllOnes()))
      return;
    Value isZero = isRight(0);
    Value isMinusOne = isSigned ? isRight(-1) : Value();
    Value unsafe = isSigned
                       ? arith::OrIOp::create(builder, loc, isZero, isMinusOne)
                       : isZero;
    op->setOperand(1, select(unsafe, number(1), right));
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    builder.setInsertionPointAfter(op);
    Value result = op->getResult(0), zero = number(0);
    if (isSigned) {
      Value other =
          isRemainder ? zero : arith::SubIOp::create(builder, loc, zero, left);
      result = select(isMinusOne, other, result);
    }
    result = select(isZero, isRemainder ? left : zero, result);
    for (OpOperand *use : uses)
      use->set(result);
  }

  void guardShift() {
    APInt known;
    if (matchPattern(right, m_ConstantInt(&known)) && known.ult(width))
      return;
    Value inRange = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, right, number(width));
    op->setOperand(1, select(inRange, right, number(width - 1)));
    if (isa<arith::ShRSIOp>(op))
      return; // the sign is all that is left
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    builder.setInsertionPointAfter(op);
    Value result = select(inRange, op->getResult(0), number(0));
    for (OpOperand *use : uses)
      use->set(result);
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
  Type type;
  Value left, right;
  unsigned width;
};

/// NaN gives 0, the rest the nearest number.
void saturate(Operation *op) {
  OpBuilder builder(op);
  Value from = op->getOperand(0);
  auto type = dyn_cast<IntegerType>(op->getResultTypes()[0]);
  if (!type || type.getWidth() < 8 || !type.isSignless())
    return;
  if (from.getType().getIntOrFloatBitWidth() < 32)
    from = arith::ExtFOp::create(builder, op->getLoc(), builder.getF32Type(),
                                 from);
  StringRef name =
      isa<arith::FPToSIOp>(op) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  auto call = LLVM::CallIntrinsicOp::create(builder, op->getLoc(), Type(type),
                                            builder.getStringAttr(name),
                                            ValueRange(from));
  op->replaceAllUsesWith(call);
  op->erase();
}

struct GuardDivisionsPass
    : aikernel::impl::GuardDivisionsPassBase<GuardDivisionsPass> {
  using GuardDivisionsPassBase::GuardDivisionsPassBase;

  void runOnOperation() override {
    // Rounding divisions are written in terms of plain ones.
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    SmallVector<Operation *> rounding, ops, conversions;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
        rounding.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(rounding, std::move(patterns))))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
        conversions.push_back(op);
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      Guard(op).run();
    for (Operation *op : conversions)
      saturate(op);
  }
};

} // namespace
