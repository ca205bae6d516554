//===- PackedProductTiling.cpp - Tiling of packed_product -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tile of batches, rows and columns that starts at a multiple of the
// panels. Out: the op on the panels that the tile needs.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel;

using Bounds = SmallVector<OpFoldResult>;

static Value slice(OpBuilder &b, Location loc, Value tensor,
                   const Bounds &offsets, const Bounds &sizes) {
  Bounds strides(offsets.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes,
                                        strides);
}

/// The panels of a packed operand that the tile [offset, offset + size) needs.
static Value slicePanels(OpBuilder &b, Location loc, Value packed,
                         AffineMap map, ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes, unsigned loop) {
  Bounds all = tensor::getMixedSizes(b, loc, packed);
  Bounds from(all.size(), b.getIndexAttr(0)), count = all;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim)
      from[position] = offsets[dim.getPosition()];
    count[position] =
        dim ? sizes[dim.getPosition()] : OpFoldResult(b.getIndexAttr(1));
  }
  unsigned panels = map.getNumResults() + 1;
  int64_t width =
      cast<RankedTensorType>(packed.getType()).getShape()[all.size() - 2];
  AffineExpr d0 = b.getAffineDimExpr(0);
  from[panels] = affine::makeComposedFoldedAffineApply(
      b, loc, d0.floorDiv(width), {offsets[loop]});
  count[panels] = affine::makeComposedFoldedAffineApply(
      b, loc, d0.ceilDiv(width), {sizes[loop]});
  return slice(b, loc, packed, from, count);
}

SmallVector<utils::IteratorType> PackedProductOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getNumLoops(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> PackedProductOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> domain(getNumLoops());
  for (auto [dim, expr] : llvm::enumerate(getOutMap().getResults()))
    domain[cast<AffineDimExpr>(expr).getPosition()] = Range{
        b.getIndexAttr(0), tensor::getMixedSize(b, getLoc(), getOut(), dim),
        b.getIndexAttr(1)};
  return domain;
}

FailureOr<TilingResult>
PackedProductOp::getTiledImplementation(OpBuilder &b,
                                        ArrayRef<OpFoldResult> offsets,
                                        ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  unsigned rows = getNumLoops() - 2, columns = getNumLoops() - 1;
  Value lhs = slicePanels(b, loc, getLhs(), getLhsMap(), offsets, sizes, rows);
  Value rhs =
      slicePanels(b, loc, getRhs(), getRhsMap(), offsets, sizes, columns);
  SmallVector<OpFoldResult> outOffsets, outSizes;
  if (failed(getResultTilePosition(b, 0, offsets, sizes, outOffsets, outSizes)))
    return failure();
  Value out = slice(b, loc, getOut(), outOffsets, outSizes);
  auto tiled = PackedProductOp::create(
      b, loc, TypeRange{out.getType()}, lhs, rhs, getDepth(), out,
      getInstructionAttr(), getLhsMapAttr(), getRhsMapAttr(), getOutMapAttr(),
      getOverwriteAttr());
  if (Attribute inPlace = (*this)->getAttr(kRowsInPlaceAttrName))
    tiled->setAttr(kRowsInPlaceAttrName, inPlace);
  SmallVector<Operation *> slices;
  for (Value operand : {lhs, rhs, out})
    slices.push_back(operand.getDefiningOp());
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

LogicalResult PackedProductOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  for (AffineExpr expr : getOutMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    resultOffsets.push_back(offsets[loop]);
    resultSizes.push_back(sizes[loop]);
  }
  return success();
}

LogicalResult PackedProductOp::getIterationDomainTileFromResultTile(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes,
    SmallVectorImpl<OpFoldResult> &iterDomainOffsets,
    SmallVectorImpl<OpFoldResult> &iterDomainSizes) {
  iterDomainOffsets.resize(getNumLoops());
  iterDomainSizes.resize(getNumLoops());
  for (auto [dim, expr] : llvm::enumerate(getOutMap().getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    iterDomainOffsets[loop] = offsets[dim];
    iterDomainSizes[loop] = sizes[dim];
  }
  return success();
}

FailureOr<TilingResult>
PackedProductOp::generateResultTileValue(OpBuilder &b, unsigned resultNumber,
                                         ArrayRef<OpFoldResult> offsets,
                                         ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> domainOffsets, domainSizes;
  if (failed(getIterationDomainTileFromResultTile(
          b, resultNumber, offsets, sizes, domainOffsets, domainSizes)))
    return failure();
  return getTiledImplementation(b, domainOffsets, domainSizes);
}
