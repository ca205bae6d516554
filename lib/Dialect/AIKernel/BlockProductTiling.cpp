//===- BlockProductTiling.cpp - Tiling of block products ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tile of rows of x and of rows of w, which are the dimensions of the
// result, that starts at a multiple of their panels. Out: the op on the panels
// that the tile needs.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantPanels.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel;

using Bounds = SmallVector<OpFoldResult>;

namespace {

/// Takes parts of the operands of one product.
class Slicer {
public:
  Slicer(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value slice(Value tensor, const Bounds &offsets, const Bounds &sizes) {
    Bounds strides(offsets.size(), b.getIndexAttr(1));
    Value part =
        tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes, strides);
    slices.push_back(part.getDefiningOp());
    return part;
  }

  /// All of `tensor` but for `dim`, which counts panels of `width`.
  Value slicePanels(Value tensor, unsigned dim, int64_t width,
                    OpFoldResult offset, OpFoldResult size) {
    if (!tensor)
      return Value();
    Bounds count = tensor::getMixedSizes(b, loc, tensor);
    Bounds from(count.size(), b.getIndexAttr(0));
    AffineExpr d0 = b.getAffineDimExpr(0);
    from[dim] = affine::makeComposedFoldedAffineApply(
        b, loc, d0.floorDiv(width), {offset});
    count[dim] = affine::makeComposedFoldedAffineApply(
        b, loc, d0.ceilDiv(width), {size});
    return slice(tensor, from, count);
  }

  SmallVector<Operation *> slices;

private:
  OpBuilder &b;
  Location loc;
};

} // namespace

template <typename OpTy>
static FailureOr<TilingResult> tile(OpTy op, OpBuilder &b,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  Slicer slicer(b, op.getLoc());
  bool isPacked = op.isPacked();
  int64_t width = isPacked ? QuantPanel::kRows : 1;
  auto ofWeight = [&](Value operand, unsigned dim) {
    return slicer.slicePanels(operand, dim, width, offsets.back(),
                              sizes.back());
  };
  auto ofX = [&](Value operand) {
    if (offsets.size() == 1 || !operand)
      return operand;
    int64_t rows =
        isPacked ? cast<ShapedType>(op.getX().getType()).getDimSize(3) : 1;
    return slicer.slicePanels(operand, isPacked ? 1 : 0, rows, offsets[0],
                              sizes[0]);
  };
  Value w = ofWeight(op.getW(), 0);
  Value scales = ofWeight(op.getWScales(), isPacked ? 1 : 0);
  Value zeros = ofWeight(op.getWZeros(), isPacked ? 1 : 0);
  Value out = slicer.slice(op.getOut(), Bounds(offsets), Bounds(sizes));
  auto tiled =
      OpTy::create(b, op.getLoc(), TypeRange{out.getType()}, w, scales, zeros,
                   ofX(op.getX()), ofX(op.getScales()), ofX(op.getSums()),
                   ofX(op.getScaledSums()),
                   /*source=*/Value(), out, op.getFormat(), op.getWholeBytes());
  return TilingResult{
      {tiled}, SmallVector<Value>(tiled->getResults()), slicer.slices};
}

template <typename OpTy>
static SmallVector<Range> domainOf(OpTy op, OpBuilder &b) {
  SmallVector<Range> domain;
  for (OpFoldResult size : tensor::getMixedSizes(b, op.getLoc(), op.getOut()))
    domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  return domain;
}

// The loops are the dimensions of the result.
#define AIK_TILE_LIKE_RESULT(OP)                                               \
  SmallVector<utils::IteratorType> OP::getLoopIteratorTypes() {                \
    unsigned rank = cast<ShapedType>(getOut().getType()).getRank();            \
    return SmallVector<utils::IteratorType>(rank,                              \
                                            utils::IteratorType::parallel);    \
  }                                                                            \
  SmallVector<Range> OP::getIterationDomain(OpBuilder &b) {                    \
    return domainOf(*this, b);                                                 \
  }                                                                            \
  FailureOr<TilingResult> OP::getTiledImplementation(                          \
      OpBuilder &b, ArrayRef<OpFoldResult> offsets,                            \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return tile(*this, b, offsets, sizes);                                     \
  }                                                                            \
  LogicalResult OP::getResultTilePosition(                                     \
      OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,                   \
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,  \
      SmallVector<OpFoldResult> &resultSizes) {                                \
    resultOffsets.assign(offsets.begin(), offsets.end());                      \
    resultSizes.assign(sizes.begin(), sizes.end());                            \
    return success();                                                          \
  }                                                                            \
  LogicalResult OP::getIterationDomainTileFromResultTile(                      \
      OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,                   \
      ArrayRef<OpFoldResult> sizes, SmallVectorImpl<OpFoldResult> &from,       \
      SmallVectorImpl<OpFoldResult> &count) {                                  \
    from.assign(offsets.begin(), offsets.end());                               \
    count.assign(sizes.begin(), sizes.end());                                  \
    return success();                                                          \
  }                                                                            \
  FailureOr<TilingResult> OP::generateResultTileValue(                         \
      OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,                  \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return tile(*this, b, offsets, sizes);                                     \
  }

AIK_TILE_LIKE_RESULT(BlockGemvOp)
AIK_TILE_LIKE_RESULT(BlockMatmulOp)
