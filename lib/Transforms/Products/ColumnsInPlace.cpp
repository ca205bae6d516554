//===- ColumnsInPlace.cpp - Columns that their first rows pack ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a packed product and what packs its right operand. Out: the columns that
// its tiles read, where they were before.
//
//===----------------------------------------------------------------------===//

#include "ColumnsInPlace.h"
#include "Tiles/MatrixViews.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace aikernel;

/// A matrix is read once for each tile of rows: one or two, unless there are so
/// few columns that more are needed for several threads. Of more rows than
/// these it is quicker packed once. One panel of rows needs no packing.
static constexpr int64_t kMostRows = 512;
static constexpr int64_t kFewestPanels = 2;
/// The rows of a tile, a block of their sum, stay in an L2 of 1 MiB while the
/// columns go by.
static constexpr int64_t kBytesOfRows = 704 << 10;
/// A panel may be longer than the blocks of the sum, so that products of other
/// lengths have the same tile.
static constexpr int64_t kStepsOfPanel = 128;

bool aikernel::packsColumnsInTile(const MatrixInstruction &instruction,
                                  int64_t rows) {
  // A vector of neighbours in a row of the matrix is multiplied as it is.
  if (instruction.arch != "x86_64" || instruction.vectorBits <= 128 ||
      instruction.accumulators != Accumulators::Rows ||
      instruction.left != LeftOperand::Broadcast || instruction.depth != 1 ||
      instruction.widensRight || ShapedType::isDynamic(rows))
    return false;
  // By panels, since of what is packed their number is known.
  int64_t panels = llvm::divideCeil(rows, instruction.rows);
  return panels >= kFewestPanels &&
         panels <= int64_t(llvm::divideCeil(kMostRows, instruction.rows));
}

int64_t aikernel::sumBesideColumns(int64_t rows, int64_t elementBits) {
  return kBytesOfRows * 8 / elementBits / rows;
}

/// Of a packed operand: blocks, panels, steps, width and depth come last.
static ArrayRef<int64_t> panelSizes(Value packed) {
  return cast<ShapedType>(packed.getType()).getShape().take_back(5);
}

std::optional<int64_t> aikernel::rowsBesideColumns(PackedProductOp product,
                                                   PackPanelsOp packing) {
  const MatrixInstruction *instruction =
      findInstruction(product.getInstruction());
  auto source = cast<ShapedType>(packing.getSource().getType());
  if (!instruction || product.getNumLoops() != 2 || source.getRank() != 2 ||
      packing.getPanelDim() != 1 || !product.getOutMap().isIdentity())
    return std::nullopt;
  // All rows, of which the product may be a tile.
  Value panels = product.getLhs();
  while (auto part = panels.getDefiningOp<memref::SubViewOp>())
    panels = part.getSource();
  int64_t rows = panelSizes(panels)[1];
  if (!ShapedType::isDynamic(rows))
    rows *= instruction->rows;
  if (!packsColumnsInTile(*instruction, rows))
    return std::nullopt;
  ArrayRef<int64_t> columns = panelSizes(packing.getDest());
  bool hasOneBlock = columns[0] == 1;
  int64_t bits =
      cast<ShapedType>(packing.getDest().getType()).getElementTypeBitWidth();
  if (!hasOneBlock || columns[2] <= sumBesideColumns(rows, bits))
    return rows;
  return llvm::divideCeil(rows, 2);
}

std::optional<ColumnsInPlace>
ColumnsInPlace::matchAlone(PackedProductOp product) {
  std::optional<PackedSource> panels = PackedSource::of(product.getRhs());
  if (!panels || !rowsBesideColumns(product, panels->getPacking()))
    return std::nullopt;
  auto source = cast<MemRefType>(panels->getPacking().getSource().getType());
  auto result = cast<MemRefType>(product.getOut().getType());
  if (source.getStridesAndOffset().first[1] != 1 ||
      result.getStridesAndOffset().first[1] != 1 ||
      !panels->staysUntilDone(product))
    return std::nullopt;
  return ColumnsInPlace(*panels);
}

std::optional<ColumnsInPlace> ColumnsInPlace::match(PackedProductOp product) {
  std::optional<ColumnsInPlace> columns = matchAlone(product);
  bool allCan =
      columns && llvm::all_of(columns->panels.getReaders(), [&](auto reader) {
        std::optional<ColumnsInPlace> other = matchAlone(reader);
        return other && other->getPacking() == columns->getPacking();
      });
  return allCan ? columns : std::nullopt;
}

MemRefType aikernel::panelOfColumns(PackedProductOp product) {
  auto packed = cast<MemRefType>(product.getRhs().getType());
  ArrayRef<int64_t> sizes = packed.getShape().take_back(3);
  return MemRefType::get(
      {int64_t(llvm::alignTo(sizes[0], kStepsOfPanel)), sizes[1]},
      packed.getElementType());
}

Value ColumnsInPlace::view(LoopBuilder &b, PackedProductOp product) const {
  Value source = panels.getMatrix();
  return viewAsMatrix(
      b, b.getLoc(), source,
      {b.getIndexAttr(0), panels.startOfPanels(b, product.getPanelColumns())},
      {0, 1},
      {memref::getMixedSize(b, b.getLoc(), source, 0),
       memref::getMixedSize(b, b.getLoc(), product.getOut(), 1)});
}
