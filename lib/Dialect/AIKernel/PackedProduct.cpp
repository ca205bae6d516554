//===- PackedProduct.cpp - Verification of packed products ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks and maps, effects on memory, and the shapes of results.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static int64_t rankOf(Value value) {
  return cast<ShapedType>(value.getType()).getRank();
}

static int64_t sizeFromEnd(Value value, int64_t fromEnd) {
  auto type = cast<ShapedType>(value.getType());
  return type.getDimSize(type.getRank() - fromEnd);
}

static void addEffect(Effects &effects, OpOperand &operand, bool reads,
                      bool writes) {
  if (!isa<MemRefType>(operand.get().getType()))
    return;
  if (reads)
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  if (writes)
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

//===----------------------------------------------------------------------===//
// PackPanelsOp
//===----------------------------------------------------------------------===//

LogicalResult PackPanelsOp::verify() {
  int64_t rank = rankOf(getSource());
  int64_t panel = getPanelDim(), depth = getDepthDim();
  if (panel < 0 || panel >= rank || depth < 0 || depth >= rank ||
      panel == depth)
    return emitOpError() << "panel_dim " << panel << " and depth_dim " << depth
                         << " are not two dimensions of a tensor of rank "
                         << rank;
  if (rankOf(getDest()) != rank + 3)
    return emitOpError() << "'dest' has rank " << rankOf(getDest())
                         << ", expected " << rank + 3;
  for (int64_t fromEnd : {1, 2, 3})
    if (ShapedType::isDynamic(sizeFromEnd(getDest(), fromEnd)) ||
        sizeFromEnd(getDest(), fromEnd) == 0)
      return emitOpError() << "the last three sizes of 'dest' must be static"
                              " and not 0";
  int64_t multiple = getStepMultiple();
  if (multiple < 1 || sizeFromEnd(getDest(), 3) % multiple != 0)
    return emitOpError() << "step_multiple " << multiple
                         << " does not divide the steps of a block";
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value); };
  int64_t parts = getParts(), steps = sizeFromEnd(getDest(), 3) / multiple;
  if (parts < 1 || (parts > 1 && (steps <= parts || (steps - 1) % parts != 0)))
    return emitOpError() << "the " << steps
                         << " steps of a block are not as many for each of "
                         << parts << " parts and one more";
  if (parts > 1 && (parts != 3 || !elementOf(getSource()).isF32() ||
                    !elementOf(getDest()).isBF16()))
    return emitOpError() << "only f32 is packed in parts, three of bf16";
  constexpr int64_t kMagnitudes = 64; // bf16 numbers that they take
  if (parts > 1 &&
      multiple * sizeFromEnd(getDest(), 2) * sizeFromEnd(getDest(), 1) <
          kMagnitudes)
    return emitOpError() << "a step of parts has fewer than " << kMagnitudes
                         << " numbers";
  if (getFlipSign() &&
      !cast<ShapedType>(getDest().getType()).getElementType().isInteger(8))
    return emitOpError() << "only 8-bit integers may have their sign flipped";
  return success();
}

void PackPanelsOp::getEffects(Effects &effects) {
  addEffect(effects, getSourceMutable(), true, false);
  addEffect(effects, getDestMutable(), false, true);
}

LogicalResult
PackPanelsOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getDest()));
  return success();
}

//===----------------------------------------------------------------------===//
// PackedProductOp
//===----------------------------------------------------------------------===//

int64_t PackedProductOp::getPanelRows() { return sizeFromEnd(getLhs(), 2); }
int64_t PackedProductOp::getPanelColumns() { return sizeFromEnd(getRhs(), 2); }

LogicalResult PackedProductOp::verify() {
  unsigned loops = getOutMap().getNumDims();
  if (loops < 2 || !getOutMap().isPermutation() ||
      rankOf(getOut()) != (int64_t)loops)
    return emitOpError() << "'out_map' must permute the loops onto the "
                         << rankOf(getOut()) << " dimensions of 'out'";
  std::pair<Value, AffineMap> sides[] = {{getLhs(), getLhsMap()},
                                         {getRhs(), getRhsMap()}};
  for (auto [operand, map] : sides) {
    if (map.getNumDims() != loops ||
        rankOf(operand) != (int64_t)map.getNumResults() + 5)
      return emitOpError() << "a packed operand has rank " << rankOf(operand)
                           << ", expected " << map.getNumResults() + 5;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!isa<AffineConstantExpr>(expr) &&
          !(dim && dim.getPosition() + 2 < loops))
        return emitOpError()
               << "a packed operand may be indexed by batch loops alone";
    }
    for (int64_t fromEnd : {1, 2, 3})
      if (ShapedType::isDynamic(sizeFromEnd(operand, fromEnd)))
        return emitOpError()
               << "the last three sizes of a packed operand must be static";
  }
  return success();
}

void PackedProductOp::getEffects(Effects &effects) {
  addEffect(effects, getLhsMutable(), true, false);
  addEffect(effects, getRhsMutable(), true, false);
  addEffect(effects, getOutMutable(), !getOverwrite(), true);
}

LogicalResult
PackedProductOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getOut()));
  return success();
}
