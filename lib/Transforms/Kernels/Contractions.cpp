//===- Contractions.cpp - Which linalg ops are matrix products ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a linalg.generic. Out: its loops by their part in a product, or nothing.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Kernels/Contractions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace aikernel;

/// Follows widening conversions back to the block argument they start from.
static Value stripExtensions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// acc + a * b with a and b the (widened) inputs, in either order.
template <typename Add, typename Mul>
static bool isMultiplyAdd(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<Add>();
  if (!add)
    return false;
  Value acc = body.getArgument(2);
  Value product = add.getLhs() == acc   ? add.getRhs()
                  : add.getRhs() == acc ? add.getLhs()
                                        : Value();
  auto mul = product ? product.getDefiningOp<Mul>() : nullptr;
  if (!mul)
    return false;
  Value lhs = stripExtensions(mul.getLhs());
  Value rhs = stripExtensions(mul.getRhs());
  return (lhs == body.getArgument(0) && rhs == body.getArgument(1)) ||
         (lhs == body.getArgument(1) && rhs == body.getArgument(0));
}

std::optional<ContractionLoops>
aikernel::matchContraction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  bool isFloat = (sum.isF32() || sum.isF64()) &&
                 isMultiplyAdd<arith::AddFOp, arith::MulFOp>(op);
  bool isInteger =
      sum.isInteger(32) && isMultiplyAdd<arith::AddIOp, arith::MulIOp>(op);
  if (!isFloat && !isInteger)
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty())
    return std::nullopt;
  ContractionLoops loops{dims->m.back(), dims->n.back(), dims->k.back(), {}};
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    if (i != loops.m && i != loops.n && i != loops.k)
      loops.others.push_back(i);
  return loops;
}
