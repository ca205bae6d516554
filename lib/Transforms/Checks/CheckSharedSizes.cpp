//===- CheckSharedSizes.cpp - Sizes on which operands must agree ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: elementwise ops on tensors, and linalg on tensors or memrefs, with sizes
// that show at run time. Out: an aikernel.check in front of each for every
// size that differs and every element that a map would reach past an end.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "RuntimeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

using namespace mlir;
using namespace aikernel;

Value aikernel::sizeOf(OpBuilder &builder, Location loc, Value shaped,
                       int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
  if (isa<MemRefType>(type))
    return memref::DimOp::create(builder, loc, shaped, dim);
  return tensor::DimOp::create(builder, loc, shaped, dim);
}

namespace {

/// A dimension of an operand.
struct OperandDim {
  unsigned operand, dim;
};

bool isStatic(Operation *op, const OperandDim &at) {
  return !cast<ShapedType>(op->getOperand(at.operand).getType())
              .isDynamicDim(at.dim);
}

Value sizeAt(OpBuilder &builder, Operation *op, const OperandDim &at) {
  return sizeOf(builder, op->getLoc(), op->getOperand(at.operand), at.dim);
}

/// The first place decides; each other one of unknown size must agree with it.
void requireEqualSizes(OpBuilder &builder, Operation *op,
                       ArrayRef<OperandDim> places) {
  for (const OperandDim &at : places.drop_front()) {
    if (isStatic(op, at) && isStatic(op, places.front()))
      continue;
    Value same = arith::CmpIOp::create(
        builder, op->getLoc(), arith::CmpIPredicate::eq,
        sizeAt(builder, op, at), sizeAt(builder, op, places.front()));
    CheckOp::create(builder, op->getLoc(), same, AIK_EINVAL,
                    (op->getName().getStringRef() + ": dimension " +
                     Twine(at.dim) + " of operand " + Twine(at.operand) +
                     " differs from dimension " + Twine(places.front().dim) +
                     " of operand " + Twine(places.front().operand))
                        .str());
  }
}

/// The smallest and the largest value of an affine expression over loops that
/// run from 0 to `last`.
struct Bounds {
  Value low, high;
};

class BoundsBuilder {
public:
  BoundsBuilder(OpBuilder &builder, Location loc, ArrayRef<Value> last)
      : builder(builder), loc(loc), last(last) {}

  /// Nothing for an expression that is not a sum of multiples of loops.
  std::optional<Bounds> visit(AffineExpr expr) {
    Value zero = constant(0);
    if (auto number = dyn_cast<AffineConstantExpr>(expr))
      return Bounds{constant(number.getValue()), constant(number.getValue())};
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      if (!last[loop.getPosition()])
        return std::nullopt;
      return Bounds{zero, last[loop.getPosition()]};
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return std::nullopt;
    std::optional<Bounds> left = visit(binary.getLHS());
    if (!left)
      return std::nullopt;
    if (expr.getKind() == AffineExprKind::Add) {
      std::optional<Bounds> right = visit(binary.getRHS());
      if (!right)
        return std::nullopt;
      return Bounds{add(left->low, right->low), add(left->high, right->high)};
    }
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!factor)
      return std::nullopt;
    Value by = constant(factor.getValue());
    switch (expr.getKind()) {
    case AffineExprKind::Mul: {
      Value a = mul(left->low, by), b = mul(left->high, by);
      return factor.getValue() < 0 ? Bounds{b, a} : Bounds{a, b};
    }
    case AffineExprKind::FloorDiv:
      return Bounds{
          builder.createOrFold<arith::FloorDivSIOp>(loc, left->low, by),
          builder.createOrFold<arith::FloorDivSIOp>(loc, left->high, by)};
    case AffineExprKind::CeilDiv:
      return Bounds{
          builder.createOrFold<arith::CeilDivSIOp>(loc, left->low, by),
          builder.createOrFold<arith::CeilDivSIOp>(loc, left->high, by)};
    case AffineExprKind::Mod:
      return Bounds{zero, constant(factor.getValue() - 1)};
    default:
      return std::nullopt;
    }
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value mul(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<Value> last;
};

/// Every element that a map of other than plain loops reaches lies inside the
/// operand, unless some loop does not run at all.
void requireReach(OpBuilder &builder, linalg::LinalgOp op,
                  const std::map<unsigned, SmallVector<OperandDim>> &places) {
  Location loc = op.getLoc();
  SmallVector<std::pair<OperandDim, AffineExpr>> reached;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineDimExpr>(expr))
        reached.push_back({{operand.getOperandNumber(), unsigned(dim)}, expr});
  }
  if (reached.empty())
    return;
  // Static ops were looked at by linalg's verifier.
  bool allStatic = llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
  if (allStatic)
    return;
  SmallVector<Value> last(op.getNumLoops());
  Value runs = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (const auto &[loop, where] : places) {
    Value size = sizeAt(builder, op, where.front());
    last[loop] = builder.createOrFold<arith::SubIOp>(loc, size, one);
    Value some = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ne, size, zero);
    runs = builder.createOrFold<arith::AndIOp>(loc, runs, some);
  }
  Value truth = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value idle = builder.createOrFold<arith::XOrIOp>(loc, runs, truth);
  for (auto &[at, expr] : reached) {
    std::optional<Bounds> bounds =
        BoundsBuilder(builder, loc, last).visit(expr);
    if (!bounds)
      continue; // refused as a program's form
    Value inside = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sge, bounds->low, zero);
    Value below = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::slt, bounds->high, sizeAt(builder, op, at));
    inside = builder.createOrFold<arith::AndIOp>(loc, inside, below);
    inside = builder.createOrFold<arith::OrIOp>(loc, inside, idle);
    CheckOp::create(builder, loc, inside, AIK_EINVAL,
                    (op->getName().getStringRef() + ": dimension " +
                     Twine(at.dim) + " of operand " + Twine(at.operand) +
                     " is too small for the sizes of the others")
                        .str());
  }
}

} // namespace

void aikernel::checkSharedSizes(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    bool elementwise = OpTrait::hasElementwiseMappableTraits(op) &&
                       op->getNumOperands() > 1 && !isa<CheckOp>(op);
    if (elementwise || isa<linalg::LinalgOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    std::map<unsigned, SmallVector<OperandDim>> placesOfLoop;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<ShapedType>(operand.get().getType());
      if (!type || !type.hasRank() || isa<VectorType>(type))
        continue;
      AffineMap map = linalgOp ? linalgOp.getMatchingIndexingMap(&operand)
                               : builder.getMultiDimIdentityMap(type.getRank());
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr))
          placesOfLoop[loop.getPosition()].push_back(
              {operand.getOperandNumber(), static_cast<unsigned>(dim)});
    }
    for (auto &[loop, places] : placesOfLoop)
      requireEqualSizes(builder, op, places);
    if (linalgOp)
      requireReach(builder, linalgOp, placesOfLoop);
  }
}
