//===- MatrixViews.cpp - Operands as matrices of general type -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a memref and a position. Out: memref.reinterpret_cast of what starts
// there.
//
//===----------------------------------------------------------------------===//

#include "MatrixViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kOpen = ShapedType::kDynamic;

namespace {

/// A view in the making: one dimension after the other is added.
class View {
public:
  View(OpBuilder &builder, Location loc, Value memref)
      : b(builder), loc(loc), type(cast<MemRefType>(memref.getType())),
        metadata(memref::ExtractStridedMetadataOp::create(b, loc, memref)),
        sourceStrides(metadata.getConstifiedMixedStrides()) {}

  /// A dimension of the source, its size and stride left open in the type.
  void keep(int64_t dim, OpFoldResult size) {
    add(size, sourceStrides[dim], kOpen, kOpen);
  }
  void add(OpFoldResult size, OpFoldResult stride, int64_t staticSize,
           int64_t staticStride) {
    sizes.push_back(asTyped(size, staticSize));
    strides.push_back(asTyped(stride, staticStride));
    staticSizes.push_back(staticSize);
    staticStrides.push_back(staticStride);
  }

  OpFoldResult strideOf(int64_t dim) const { return sourceStrides[dim]; }

  Value startAt(ArrayRef<OpFoldResult> at) {
    AffineExpr sum = b.getAffineSymbolExpr(0);
    SmallVector<OpFoldResult> terms{metadata.getConstifiedMixedOffset()};
    for (auto [position, stride] : llvm::zip_equal(at, sourceStrides)) {
      unsigned symbol = terms.size();
      sum = sum +
            b.getAffineSymbolExpr(symbol) * b.getAffineSymbolExpr(symbol + 1);
      terms.append({position, stride});
    }
    OpFoldResult offset = affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(0, terms.size(), sum), terms);
    auto layout = StridedLayoutAttr::get(b.getContext(), kOpen, staticStrides);
    auto viewType = MemRefType::get(staticSizes, type.getElementType(), layout);
    return memref::ReinterpretCastOp::create(
        b, loc, viewType, metadata.getBaseBuffer(), asTyped(offset, kOpen),
        sizes, strides);
  }

private:
  OpFoldResult asTyped(OpFoldResult value, int64_t known) {
    if (ShapedType::isStatic(known))
      return b.getIndexAttr(known);
    return getValueOrCreateConstantIndexOp(b, loc, value);
  }

  OpBuilder &b;
  Location loc;
  MemRefType type;
  memref::ExtractStridedMetadataOp metadata;
  SmallVector<OpFoldResult> sourceStrides, sizes, strides;
  SmallVector<int64_t> staticSizes, staticStrides;
};

} // namespace

Value aikernel::viewAsMatrix(OpBuilder &builder, Location loc, Value memref,
                             ArrayRef<OpFoldResult> at,
                             std::array<int64_t, 2> dims,
                             std::array<OpFoldResult, 2> sizes) {
  SmallVector<int64_t> known =
      cast<MemRefType>(memref.getType()).getStridesAndOffset().first;
  auto isContiguous = [&](int64_t dim) { return dim >= 0 && known[dim] == 1; };
  // Where both are contiguous the second one is walked.
  bool second = isContiguous(dims[1]), first = !second && isContiguous(dims[0]);
  View view(builder, loc, memref);
  auto add = [&](unsigned i, bool contiguous) {
    if (dims[i] < 0)
      view.add(sizes[i], builder.getIndexAttr(0), kOpen, 0);
    else
      view.add(sizes[i], view.strideOf(dims[i]), kOpen, contiguous ? 1 : kOpen);
  };
  add(0, first);
  add(1, second);
  return view.startAt(at);
}

static Value viewPacked(OpBuilder &builder, Location loc, Value packed,
                        ArrayRef<OpFoldResult> at, bool allPanels) {
  auto type = cast<MemRefType>(packed.getType());
  int64_t rank = type.getRank();
  int64_t blocks = rank - 5, panels = rank - 4, steps = rank - 3;
  int64_t width = type.getDimSize(rank - 2) * type.getDimSize(rank - 1);
  auto sizeOf = [&](int64_t dim) {
    return memref::getMixedSize(builder, loc, packed, dim);
  };
  View view(builder, loc, packed);
  if (allPanels) {
    view.keep(blocks, sizeOf(blocks));
    view.keep(panels, sizeOf(panels));
  }
  view.add(sizeOf(steps), builder.getIndexAttr(width), kOpen, width);
  view.add(builder.getIndexAttr(width), builder.getIndexAttr(1), width, 1);
  return view.startAt(at);
}

Value aikernel::viewPanel(OpBuilder &builder, Location loc, Value packed,
                          ArrayRef<OpFoldResult> at) {
  return viewPacked(builder, loc, packed, at, /*allPanels=*/false);
}

Value aikernel::viewPanels(OpBuilder &builder, Location loc, Value packed,
                           ArrayRef<OpFoldResult> at) {
  return viewPacked(builder, loc, packed, at, /*allPanels=*/true);
}

Value aikernel::panelAt(OpBuilder &builder, Location loc, Value panels,
                        Value block, Value panel) {
  auto type = cast<MemRefType>(panels.getType());
  Attribute zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets{block, panel, zero, zero};
  SmallVector<OpFoldResult> sizes{
      one, one, memref::DimOp::create(builder, loc, panels, 2).getResult(),
      builder.getIndexAttr(type.getDimSize(3))};
  SmallVector<OpFoldResult> strides(4, one);
  auto reduced = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(2), type, offsets, sizes, strides));
  return memref::SubViewOp::create(builder, loc, reduced, panels, offsets,
                                   sizes, strides);
}
