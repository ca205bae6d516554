//===- CheckArithmetic.cpp - Steps, divisors and assertions ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: scf loops, integer divisions and cf.assert. Out: loops with an
// aikernel.check of their steps, scalar divisions with one of the divisor
// (those on tensors and in bodies of linalg stay as they are and are guarded
// later, so that vectors stay vectors), assertions as checks. Promises of no
// overflow and no NaN are dropped: broken ones would let LLVM remove checks.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "RuntimeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace aikernel;

namespace {

bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             index::DivSOp, index::DivUOp, index::RemSOp, index::RemUOp,
             index::CeilDivSOp, index::CeilDivUOp, index::FloorDivSOp>(op);
}

void require(OpBuilder &builder, Operation *op, Value ok, const Twine &what) {
  CheckOp::create(builder, op->getLoc(), ok, AIK_EINVAL,
                  (op->getName().getStringRef() + ": " + what).str());
}

void checkDivisor(Operation *op) {
  Type type = op->getResultTypes()[0];
  std::optional<int64_t> known = getConstantIntValue(op->getOperand(1));
  if (isa<ShapedType>(type) || (known && *known != 0) ||
      op->getParentOfType<linalg::LinalgOp>())
    return;
  OpBuilder builder(op);
  Value zero = arith::ConstantOp::create(builder, op->getLoc(),
                                         builder.getZeroAttr(type));
  require(builder, op,
          arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::ne,
                                op->getOperand(1), zero),
          "the divisor is 0");
}

constexpr int64_t kLongStep = int64_t(1) << 32;

/// A step of 0 would never end, a negative one is not what scf means, and one
/// that wraps beyond the end begins again.
void checkSteps(LoopLikeOpInterface loop) {
  auto steps = loop.getLoopSteps();
  auto starts = loop.getLoopLowerBounds(), ends = loop.getLoopUpperBounds();
  if (!steps || !starts || !ends)
    return;
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(b, predicate, left, right);
  };
  for (auto [step, start, end] : llvm::zip_equal(*steps, *starts, *ends)) {
    auto given = dyn_cast<Value>(step);
    Type type = given ? given.getType() : b.getIndexType();
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    // Short steps wrap only in loops that take years to get there.
    std::optional<int64_t> known = getConstantIntValue(step);
    if (known && *known > 0 &&
        (*known == 1 || (width == 64 && *known < kLongStep)))
      continue;
    Value by = getValueOrCreateConstantIndexOp(b, b.getLoc(), step);
    Value from = getValueOrCreateConstantIndexOp(b, b.getLoc(), start);
    Value to = getValueOrCreateConstantIndexOp(b, b.getLoc(), end);
    auto number = [&](const APInt &value) -> Value {
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
    };
    Value one = number(APInt(width, 1));
    require(b, loop,
            compare(arith::CmpIPredicate::sgt, by, number(APInt(width, 0))),
            "the step is not positive");
    // The last number of the loop, if it has any.
    Value most = arith::SubIOp::create(b, to, one);
    Value all = arith::SubIOp::create(b, most, from);
    Value rest =
        arith::RemUIOp::create(b, all, arith::MaxSIOp::create(b, by, one));
    Value last = arith::SubIOp::create(b, most, rest);
    Value room =
        arith::SubIOp::create(b, number(APInt::getSignedMaxValue(width)), by);
    Value ends = compare(arith::CmpIPredicate::sle, last, room);
    Value isEmpty = compare(arith::CmpIPredicate::sge, from, to);
    require(b, loop, arith::OrIOp::create(b, isEmpty, ends),
            "the step leads past the largest number");
  }
}

void dropPromises(Operation *op) {
  if (auto flagged = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr(flagged.getIntegerOverflowAttrName(),
                arith::IntegerOverflowFlagsAttr::get(
                    op->getContext(), arith::IntegerOverflowFlags::none));
  if (auto flagged = dyn_cast<arith::ArithFastMathInterface>(op))
    if (arith::FastMathFlagsAttr said = flagged.getFastMathFlagsAttr()) {
      auto flags = said.getValue() &
                   ~(arith::FastMathFlags::nnan | arith::FastMathFlags::ninf);
      // Our rough quotients know nothing of subnormal divisors.
      if (isa<arith::DivFOp>(op))
        flags = flags & ~arith::FastMathFlags::afn;
      op->setAttr(flagged.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(), flags));
    }
  for (StringRef promise : {"isExact", "exact", "nonNeg", "nneg"})
    op->removeAttr(promise);
}

} // namespace

void aikernel::checkArithmetic(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      dropPromises(op);
    if (isDivision(op))
      checkDivisor(op);
    if (isa<scf::ForOp, scf::ParallelOp, scf::ForallOp>(op))
      checkSteps(cast<LoopLikeOpInterface>(op));
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      OpBuilder builder(op);
      StringRef said = assertion.getMsg();
      CheckOp::create(builder, op->getLoc(), assertion.getArg(), AIK_EINVAL,
                      said.empty() ? "an assertion does not hold" : said);
      op->erase();
    }
  }
}
