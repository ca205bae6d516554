//===- RowsInPlace.cpp - Left operands that need not be packed ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a packed product and what packs its left operand. Out: the rows that the
// product reads, where they were before.
//
//===----------------------------------------------------------------------===//

#include "RowsInPlace.h"
#include "Tiles/MatrixInstructions.h"
#include "Tiles/MatrixViews.h"
#include "Tiles/TileInstructions.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;

/// A panel of rows is a tile, so that there are as many tiles as can be, and
/// stays in L1 while it goes through all of its columns: many, but no more than
/// these.
static constexpr int64_t kColumnsOfTile = 1024;
static constexpr int64_t kFewestColumnsOfTile = 256;
/// A panel of longer rows would come from L2 for each of the columns.
static constexpr int64_t kMostRowBytes = 1664;
/// The panels of the right operand, which all rows go through, stay in L2.
static constexpr int64_t kMostRightBytes = 1600 << 10;
/// Fewer rows are packed in no time.
static constexpr int64_t kFewestRows = 256;

/// For vectors: rows so many bytes apart at most, fewer where L1 is small. The
/// eight rows of a tile are as many as a set of it has lines.
static constexpr int64_t kMostBytesApart = 6 << 10;
static constexpr int64_t kMostBytesApartInSmallL1 = 3 << 10;

static bool isWhole(int64_t size, int64_t part) {
  return size > 0 && size % part == 0;
}

/// The largest multiple of `panel`, up to `most`, of which `size` is one.
static int64_t equalParts(int64_t size, int64_t panel, int64_t most) {
  int64_t part = std::min(size, most / panel * panel);
  while (size % part != 0)
    part -= panel;
  return part;
}

std::optional<int64_t>
aikernel::columnsBesideRowsInPlace(const MatrixInstruction &instruction,
                                   int64_t rows, int64_t columns, int64_t depth,
                                   int64_t elementBits) {
  int64_t panel = instruction.columns();
  if (instruction.accumulators != Accumulators::Tiles ||
      !isWhole(rows, instruction.rows) || !isWhole(columns, panel) ||
      !isWhole(depth, instruction.depth) || rows < kFewestRows ||
      depth > kMostRowBytes * 8 / elementBits ||
      columns > kMostRightBytes * 8 / elementBits / depth)
    return std::nullopt;
  int64_t wide = equalParts(columns, panel, kColumnsOfTile);
  if (wide < std::min(columns, kFewestColumnsOfTile))
    return std::nullopt;
  return wide;
}

/// Of a packed operand: the blocks of the sum come before the other four sizes
/// of panels.
static bool hasOneBlock(Value packed) {
  ArrayRef<int64_t> sizes = cast<ShapedType>(packed.getType()).getShape();
  return sizes[sizes.size() - 5] == 1;
}

std::optional<int64_t>
aikernel::columnsBesideRowsInPlace(PackedProductOp product,
                                   PackPanelsOp packing) {
  const MatrixInstruction *instruction =
      findInstruction(product.getInstruction());
  auto rows = cast<ShapedType>(packing.getSource().getType());
  auto right = cast<ShapedType>(product.getRhs().getType());
  if (!instruction || product.getNumLoops() != 2 || packing.getFlipSign() ||
      rows.getRank() != 2 || !rows.hasStaticShape() ||
      !right.hasStaticShape() || !hasOneBlock(packing.getDest()) ||
      packing.getPanelDim() != 0 ||
      getElementTypeOrSelf(packing.getDest().getType()) !=
          rows.getElementType())
    return std::nullopt;
  ShapedType result = cast<ShapedType>(product.getOut().getType());
  std::optional<unsigned> columns = product.getOutMap().getResultPosition(
      getAffineDimExpr(1, product.getContext()));
  if (!columns || result.getRank() != 2)
    return std::nullopt;
  return columnsBesideRowsInPlace(
      *instruction, rows.getDimSize(0), result.getDimSize(*columns),
      rows.getDimSize(1), right.getElementTypeBitWidth());
}

bool aikernel::goesByRows(PackedProductOp product) {
  const MatrixInstruction *instruction =
      findInstruction(product.getInstruction());
  auto result = cast<MemRefType>(product.getOut().getType());
  std::optional<int64_t> depth = getConstantIntValue(product.getDepth());
  if (!instruction || !product->hasAttr(kRowsInPlaceAttrName) ||
      instruction->accumulators != Accumulators::Tiles ||
      product.getNumLoops() != 2 || !depth ||
      !isWhole(*depth, instruction->depth) || !hasOneBlock(product.getLhs()))
    return false;
  auto dimOf = [&](unsigned loop) {
    return *product.getOutMap().getResultPosition(
        getAffineDimExpr(loop, product.getContext()));
  };
  unsigned columns = dimOf(1);
  return isWhole(result.getDimSize(dimOf(0)), instruction->rows) &&
         isWhole(result.getDimSize(columns), instruction->columns()) &&
         result.getStridesAndOffset().first[columns] == 1;
}

/// Of vectors, on memrefs: elements go from memory into all lanes. No
/// more than this was measured.
static bool mayBroadcastInPlace(PackedProductOp product, PackPanelsOp packing) {
  const MatrixInstruction *instruction =
      findInstruction(product.getInstruction());
  auto rows = cast<MemRefType>(packing.getSource().getType());
  if (!instruction || !instruction->isOfAVX512() ||
      instruction->accumulators != Accumulators::Rows ||
      instruction->left != LeftOperand::Broadcast || instruction->depth != 1 ||
      product.getNumLoops() != 2 || rows.getRank() != 2 ||
      packing.getPanelDim() != 0 ||
      getElementTypeOrSelf(packing.getDest().getType()) !=
          rows.getElementType())
    return false;
  int64_t apart = rows.getStridesAndOffset().first[0];
  int64_t most =
      mayHaveSmallL1(product) ? kMostBytesApartInSmallL1 : kMostBytesApart;
  return isWhole(rows.getDimSize(0), instruction->rows) &&
         !ShapedType::isDynamic(apart) &&
         apart * rows.getElementTypeBitWidth() / 8 <= most;
}

std::optional<RowsInPlace> RowsInPlace::matchAlone(PackedProductOp product) {
  std::optional<PackedSource> panels = PackedSource::of(product.getLhs());
  if (!panels)
    return std::nullopt;
  PackPanelsOp packing = panels->getPacking();
  RowsInPlace rows(*panels);
  rows.haveToAlign =
      goesByRows(product) && columnsBesideRowsInPlace(product, packing);
  if (!rows.haveToAlign && !mayBroadcastInPlace(product, packing))
    return std::nullopt;
  auto strides =
      cast<MemRefType>(rows.getSource().getType()).getStridesAndOffset().first;
  if (strides[1] != 1 || !product.getOutMap().isIdentity() ||
      !panels->staysUntilDone(product))
    return std::nullopt;
  return rows;
}

std::optional<RowsInPlace> RowsInPlace::match(PackedProductOp product) {
  std::optional<RowsInPlace> rows = matchAlone(product);
  bool allCan =
      rows && llvm::all_of(rows->panels.getReaders(), [&](auto reader) {
        std::optional<RowsInPlace> other = matchAlone(reader);
        return other && other->getPacking() == rows->getPacking();
      });
  return allCan ? rows : std::nullopt;
}

Value RowsInPlace::view(LoopBuilder &b, PackedProductOp product) const {
  Value source = getSource();
  return viewAsMatrix(
      b, b.getLoc(), source,
      {panels.startOfPanels(b, product.getPanelRows()), b.getIndexAttr(0)},
      {0, 1},
      {memref::getMixedSize(b, b.getLoc(), product.getOut(), 0),
       memref::getMixedSize(b, b.getLoc(), source, 1)});
}

Value aikernel::areAligned(LoopBuilder &b, Value rows) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, rows);
  int64_t bytes = cast<MemRefType>(rows.getType()).getElementTypeBitWidth() / 8;
  Value both = arith::OrIOp::create(b, startOf(b, rows),
                                    b.times(metadata.getStrides()[0], bytes));
  return b.equals(arith::AndIOp::create(b, both, b.index(kTileRowBytes - 1)),
                  0);
}
