//===- VectorBodies.cpp - Bodies of elementwise ops on vectors ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op on scalars. Out: what it is on vectors.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Vectors/VectorBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

bool aikernel::isLanewise(Operation &op) {
  if (isa<linalg::IndexOp, linalg::YieldOp, arith::ConstantOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(&op);
}

bool aikernel::callsLibrary(Operation &op) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isF64())
    return false;
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::TanhOp, math::ErfOp,
             math::SinOp, math::CosOp, math::PowFOp>(op);
}

bool aikernel::isPolynomial(Operation &op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::TanhOp, math::ErfOp,
             math::ErfcOp>(op);
}

Value aikernel::splat(OpBuilder &b, Location loc, Value value, int64_t width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({width}, value.getType()), value);
}

void aikernel::cloneScalarOrVector(OpBuilder &b, Location loc,
                                   Operation &source, int64_t width,
                                   IRMapping &values) {
  bool anyVector = llvm::any_of(source.getOperands(), [&](Value operand) {
    return isa<VectorType>(values.lookupOrDefault(operand).getType());
  });
  if (!anyVector) {
    b.clone(source, values);
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : source.getOperands())
    operands.push_back(splat(b, loc, values.lookupOrDefault(operand), width));
  SmallVector<Type> types;
  for (Type type : source.getResultTypes())
    types.push_back(VectorType::get({width}, type));
  Operation *clone = b.create(loc, source.getName().getIdentifier(), operands,
                              types, source.getAttrs());
  values.map(source.getResults(), clone->getResults());
}
