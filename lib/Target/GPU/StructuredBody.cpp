//===- StructuredBody.cpp - One element of a structured op ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a structured op on buffers and a point of its loops. Out: loads, the
// op's scalar body, stores.
//
//===----------------------------------------------------------------------===//

#include "StructuredBody.h"
#include "AIKernel/Transforms/Vectors/VectorBodies.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace aikernel;

StructuredBody::StructuredBody(linalg::LinalgOp op, LoopBuilder &b) : op(op) {
  for (Range range : op.createLoopRanges(b, b.getLoc()))
    extents.push_back(range.size);
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    (iterator == utils::IteratorType::reduction ? reductionDims : parallelDims)
        .push_back(dim);
}

std::optional<int64_t> StructuredBody::staticParallelCount() const {
  int64_t count = 1;
  for (unsigned dim : parallelDims) {
    std::optional<int64_t> extent = getConstantIntValue(extents[dim]);
    if (!extent)
      return std::nullopt;
    count *= *extent;
  }
  return count;
}

Value StructuredBody::product(LoopBuilder &b, ArrayRef<unsigned> dims) {
  Value count = b.index(1);
  for (unsigned dim : dims) {
    Value extent = getValueOrCreateConstantIndexOp(b, b.getLoc(), extents[dim]);
    count = b.createOrFold<arith::MulIOp>(count, extent);
  }
  return count;
}

void StructuredBody::delinearize(LoopBuilder &b, Value linear,
                                 ArrayRef<unsigned> dims, Values &ivs) {
  for (unsigned position = dims.size(); position-- > 0;) {
    unsigned dim = dims[position];
    if (position == 0) {
      ivs[dim] = linear;
      return;
    }
    Value extent = getValueOrCreateConstantIndexOp(b, b.getLoc(), extents[dim]);
    ivs[dim] = arith::RemUIOp::create(b, linear, extent);
    linear = arith::DivUIOp::create(b, linear, extent);
  }
}

StructuredBody::Values StructuredBody::indicesOf(LoopBuilder &b,
                                                 OpOperand &operand,
                                                 const Values &ivs) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Values indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(ivs[dim.getPosition()]);
      continue;
    }
    indices.push_back(affine::AffineApplyOp::create(
        b, AffineMap::get(map.getNumDims(), 0, expr), ivs));
  }
  return indices;
}

StructuredBody::Values StructuredBody::loadResults(LoopBuilder &b,
                                                   const Values &ivs) {
  Values results;
  for (OpOperand &init : op.getDpsInitsMutable())
    results.push_back(op.payloadUsesValueFromOperand(&init)
                          ? b.load(init.get(), indicesOf(b, init, ivs))
                          : Value());
  return results;
}

void StructuredBody::storeResults(LoopBuilder &b, const Values &ivs,
                                  ValueRange values) {
  for (auto [init, value] : llvm::zip(op.getDpsInitsMutable(), values))
    b.store(value, init.get(), indicesOf(b, init, ivs));
}

StructuredBody::Values
StructuredBody::compute(LoopBuilder &b, const Values &ivs, ValueRange results) {
  Block *block = op.getBlock();
  IRMapping values;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    values.map(argument, isa<MemRefType>(input->get().getType())
                             ? b.load(input->get(), indicesOf(b, *input, ivs))
                             : input->get());
  }
  for (auto [init, result] : llvm::zip(op.getDpsInitsMutable(), results))
    if (result)
      values.map(op.getMatchingBlockArgument(&init), result);
  for (Operation &inner : block->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values.map(index.getResult(), ivs[index.getDim()]);
    else
      b.clone(inner, values);
  }
  Values yielded;
  for (Value value : block->getTerminator()->getOperands())
    yielded.push_back(values.lookupOrDefault(value));
  return yielded;
}

void StructuredBody::emitElement(LoopBuilder &b, Value linear) {
  Values ivs = makeIvs();
  setParallel(b, linear, ivs);
  Values results = loadResults(b, ivs);
  if (!isReduction()) {
    storeResults(b, ivs, compute(b, ivs, results));
    return;
  }
  // Reductions that do not read their results would be strange but legal.
  for (auto [init, result] : llvm::zip(op.getDpsInitsMutable(), results))
    if (!result)
      result = b.load(init.get(), indicesOf(b, init, ivs));
  std::function<Values(unsigned, ValueRange)> nest =
      [&](unsigned depth, ValueRange carried) -> Values {
    if (depth == reductionDims.size())
      return compute(b, ivs, carried);
    unsigned dim = reductionDims[depth];
    Value extent = getValueOrCreateConstantIndexOp(b, b.getLoc(), extents[dim]);
    return b.loop(b.index(0), extent, 1, carried,
                  [&](Value iv, ValueRange inner) {
                    ivs[dim] = iv;
                    return nest(depth + 1, inner);
                  });
  };
  storeResults(b, ivs, nest(0, results));
}

Value aikernel::emitMultiplyAdd(LoopBuilder &b, linalg::LinalgOp op,
                                IRMapping &values, int64_t width) {
  Block *body = op.getBlock();
  for (Operation &inner : body->without_terminator()) {
    cloneScalarOrVector(b, b.getLoc(), inner, width, values);
    if (!isa<arith::MulFOp, arith::AddFOp>(inner))
      continue;
    auto flags = cast<arith::ArithFastMathInterface>(inner)
                     .getFastMathFlagsAttr()
                     .getValue();
    values.lookup(inner.getResult(0))
        .getDefiningOp()
        ->setAttr("fastmath",
                  arith::FastMathFlagsAttr::get(
                      b.getContext(), flags | arith::FastMathFlags::contract));
  }
  return values.lookup(body->getTerminator()->getOperand(0));
}
