//===- AttentionOp.cpp - Attention that a tile program computes -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an attention op. Out: whether it is valid, what memory it touches, and
// the shapes of its results.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel::tile;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

int64_t AttentionOp::getHeads() {
  return shaped(getQ()).getDimSize(getHeadDim());
}
int64_t AttentionOp::getFeatures() { return shaped(getQ()).getDimSize(3); }
int64_t AttentionOp::getGroup() {
  return getHeads() / shaped(getK()).getDimSize(getHeadDim());
}

/// Aligned from the right; what has size 1 is the same for all.
std::array<bool, 4> AttentionOp::getMaskDims() {
  std::array<bool, 4> dims = {};
  ArrayRef<int64_t> shape = shaped(getMask()).getShape();
  for (auto [i, size] : llvm::enumerate(shape))
    dims[dims.size() - shape.size() + i] = size != 1;
  return dims;
}

LogicalResult AttentionOp::verify() {
  unsigned outputs = getOutputs().size();
  if (outputs != 2 && outputs != 4)
    return emitOpError("gives its result, maximums and sums or neither, and "
                       "a counter");
  Type element = shaped(getQ()).getElementType();
  if (!element.isBF16() && !element.isF16())
    return emitOpError("is of bf16 or f16");
  Value tensors[] = {getQ(), getK(), getV(), getOut()};
  for (Value tensor : tensors)
    if (shaped(tensor).getRank() != 4 ||
        shaped(tensor).getElementType() != element)
      return emitOpError("takes and gives tensors of rank 4 of one type");
  int64_t features = getFeatures(), heads = getHeads();
  for (Value tensor : tensors)
    if (shaped(tensor).getDimSize(3) != features)
      return emitOpError() << "has " << features
                           << " features in q and not everywhere";
  if (std::string objection = getSchedule().objectionTo(features);
      !objection.empty())
    return emitOpError() << "has a schedule that is not one for it: "
                         << objection;
  int64_t keyHeads = shaped(getK()).getDimSize(getHeadDim());
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(keyHeads) ||
      heads < 1 || keyHeads < 1 || heads % keyHeads != 0)
    return emitOpError("has heads that are known, a multiple of those of k");
  for (Value rows : getStatistics())
    if (shaped(rows).getRank() != 3 || !shaped(rows).getElementType().isF32())
      return emitOpError("gives maximums and sums in f32, of rank 3");
  if (shaped(getCounter()).getRank() != 1 ||
      !shaped(getCounter()).getElementType().isInteger(32))
    return emitOpError("counts tiles in i32[1]");
  if (Value length = getKvLen())
    if (shaped(length).getRank() != 1 ||
        !shaped(length).getElementType().isInteger(32))
      return emitOpError("takes the numbers of keys as i32[B]");
  if (Value mask = getMask())
    if (shaped(mask).getRank() > 4 ||
        (!shaped(mask).getElementType().isF32() &&
         shaped(mask).getElementType() != element))
      return emitOpError("adds a mask of its type or f32, of rank 4 or less");
  if (Value mask = getMask()) {
    ShapedType q = shaped(getQ()), k = shaped(getK());
    unsigned sequence = 3 - getHeadDim();
    int64_t scores[] = {q.getDimSize(0), heads, q.getDimSize(sequence),
                        k.getDimSize(sequence)};
    for (auto [size, all] : llvm::zip(llvm::reverse(shaped(mask).getShape()),
                                      llvm::reverse(scores)))
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(all) &&
          size != 1 && size != all)
        return emitOpError() << "adds a mask that has " << size
                             << " where scores have " << all;
  }
  if (getWindow() && !getCausal())
    return emitOpError("has a window, which needs causal");
  if (!getScale().isNegative() && !getScale().isZero())
    return success();
  return emitOpError("scales scores by a positive number");
}

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    if (!isDpsInit(&operand) || operand.get() == getCounter())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  for (Value output : getOutputs())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), output));
  return success();
}
