//===- SelectSchedule.cpp - Choose how each kernel is tiled ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with an #aikernel.target and kernels whose root is marked.
// Out: the same, each root with an #aikernel.schedule. Nothing else changes:
// later passes only read the attribute, and one that is already there stays,
// so a person may write it.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantPanels.h"
#include "AIKernel/Transforms/Kernels/Contractions.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "AIKernel/Transforms/Passes.h"
#include "Products/ColumnsInPlace.h"
#include "Products/RowsInPlace.h"
#include "SumBlocks.h"
#include "Tiles/MatrixInstructions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

#define DEBUG_TYPE "aik-select-schedule"

namespace aikernel {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Elements that one tile of memory-bound work handles: enough to hide the
/// cost of handing it to a thread, small enough to stay in L2.
constexpr int64_t kTileElements = 16384;
/// The same for work that reads its rows several times: they stay in L1.
constexpr int64_t kRowTileElements = 4096;
/// A row of f32 that fills so many registers is a tile by itself, so that it
/// can be written while the next is read.
constexpr int64_t kRegistersOfRow = 64;
/// What is summed across rows is read along them, for at least so many columns
/// at once: for as many as have these bytes where there is enough for several
/// threads; for as many as L2 keeps of all rows where these are read again.
constexpr int64_t kFewestOfColumns = 32;
constexpr int64_t kBytesOfColumnRows = 2048;
constexpr int64_t kColumnTileElements = 131072;
/// Rows and columns of a tile of what is transposed.
constexpr int64_t kTransposed = 32;
/// What an unknown extent is taken to be.
constexpr int64_t kUnknownExtent = 1024;
/// Rows and columns of the tile of a packed product: its sums stay in L2 beside
/// the panels, and its shape makes few passes over them.
constexpr int64_t kPackedRows = 384;
constexpr int64_t kPackedColumns = 240;
/// With AVX-512 blocks of the sum are longer, and as many bytes are to stay in
/// L2.
constexpr int64_t kPackedRowsOfWide = 256;
/// Rows where all tiles take one block of the sum, if that of all columns takes
/// no more bytes than this: it stays in an L2 of 2 MiB, so that lower tiles,
/// which end together, are as quick (with an L2 of 1 MiB taller ones were no
/// quicker, either). From L3 it should come for more rows.
constexpr int64_t kPackedRowsOfBlock = 128;
constexpr int64_t kBytesOfColumns = 3 << 19;
/// Rows for tile registers, which are so fast that they wait for panels that
/// have left L2; but if these are all rows, panels of columns come once, which
/// pays for bf16; for bytes nothing was seen to be gained.
constexpr int64_t kPackedRowsOfTiles = 256;
constexpr int64_t kFewerRowsOfTiles = 192;
constexpr int64_t kAllRowsOfTiles = 512;
/// Where rows of a tile with all of their sum take no more bytes than this,
/// they stay in L2 while narrow tiles go by, whose sums stay in L1; if they are
/// of bytes it pays for fewer. Somewhat fewer rows pay if these stay.
constexpr int64_t kBytesOfRows = 1 << 20;
constexpr int64_t kBytesOfByteRows = 768 << 10;
constexpr int64_t kNarrowColumns = 64;
/// Numbers in parts are multiplied six times for each panel of columns, which
/// may come from L3: wide tiles read the rows less often.
constexpr int64_t kColumnsOfParts = 480;
/// A result of fewer elements is not computed by blocks of its sums: their
/// loops are too short to be shared by threads.
constexpr int64_t kFewestOfBlocks = 256 * 256;
/// Rows of x and rows of w of the tile of a block product: those of x go
/// through all of those of w once per tile.
constexpr int64_t kBlockRows = 512;
constexpr int64_t kBlockColumns = 64;
/// Tiles become smaller to have work for several threads: for many, down to a
/// width that costs one thread nothing; further, which costs it a percent or
/// two, only for a few.
constexpr int64_t kManyTiles = 64;
constexpr int64_t kEfficientColumns = 96;
constexpr int64_t kFewTiles = 16;
constexpr int64_t kSmallestColumns = 48;
constexpr int64_t kSmallestRows = 32;
/// In tile registers fewer rows cost more, and are only for fewer tiles.
constexpr int64_t kSmallestRowsOfTiles = 128;
constexpr int64_t kFewestTiles = 8;
/// Rows of a product's tile: its packed B block is used this often.
constexpr int64_t kProductRows = 64;
/// Columns of a product's tile, in bytes of the accumulator.
constexpr int64_t kProductColumnBytes = 512;
/// Queries and keys of an attention tile.
constexpr int64_t kAttentionQueries = 64;
constexpr int64_t kAttentionKeys = 120;

/// The row of the instruction table that a product will be made of, or null.
const MatrixInstruction *instructionOf(Operation *op) {
  if (auto packed = dyn_cast<PackedProductOp>(op))
    return findInstruction(packed.getInstruction());
  if (kindOf(op) != OpKind::Contraction || !isa<linalg::LinalgOp>(op))
    return nullptr;
  return chooseInstruction(op, getElementTypeOrSelf(op->getOperand(0)),
                           getElementTypeOrSelf(op->getOperand(1)),
                           getElementTypeOrSelf(op->getResult(0)));
}

int64_t bytesOf(Value operand) {
  Type element = getElementTypeOrSelf(operand);
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

int64_t roundUp(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

/// Fills a budget of elements from the innermost tileable loop outwards.
void tileByBudget(MutableArrayRef<int64_t> tiles, ArrayRef<int64_t> extents,
                  ArrayRef<int64_t> tileable, int64_t budget) {
  for (int64_t loop : llvm::reverse(tileable)) {
    int64_t extent =
        ShapedType::isDynamic(extents[loop]) ? kUnknownExtent : extents[loop];
    int64_t tile = std::max<int64_t>(1, std::min(extent, budget));
    tiles[loop] = tile;
    budget /= tile;
  }
}

/// The columns of a tile if rows of the left operand are read where they are,
/// if that is possible.
std::optional<int64_t> columnsBesideRowsInPlace(PackedProductOp product) {
  auto packing = product.getLhs().getDefiningOp<PackPanelsOp>();
  return packing ? columnsBesideRowsInPlace(product, packing) : std::nullopt;
}

/// Its rows if tiles pack the columns that they read, if they do.
std::optional<int64_t> rowsBesideColumns(PackedProductOp product) {
  auto packing = product.getRhs().getDefiningOp<PackPanelsOp>();
  return packing && !isWeight(packing.getSource())
             ? rowsBesideColumns(product, packing)
             : std::nullopt;
}

/// May all tiles take a block of the sum before the next? Where the second
/// cache is large and the third one far, as with AVX-512, operands should be
/// packed just before they are read; the result goes to and fro more often,
/// but that can be asked for ahead.
bool canGoByBlocks(PackedProductOp product, ArrayRef<int64_t> extents) {
  const MatrixInstruction *instruction =
      findInstruction(product.getInstruction());
  if (!instruction || !instruction->isOfAVX512() ||
      instruction->accumulators != Accumulators::Rows ||
      product.getNumLoops() != 2 || !hasSumBlocks(product))
    return false;
  int64_t elements = 1;
  for (int64_t extent : extents)
    elements *= ShapedType::isDynamic(extent) ? kUnknownExtent : extent;
  return elements >= kFewestOfBlocks;
}

bool goesByBlocks(PackedProductOp product, ArrayRef<int64_t> extents) {
  std::optional<int64_t> depth = getConstantIntValue(product.getDepth());
  return canGoByBlocks(product, extents) &&
         !(depth && *depth <= getSumBlock(product));
}

/// The tile of each loop of the root that is a product's rows or columns: a
/// multiple of its panels. Pieces of a loop are of equal length.
class ProductTiles {
public:
  ProductTiles(Operation *root, ArrayRef<int64_t> tileable)
      : root(root), tileable(tileable), extents(extentsOf(root)) {}

  void choose(PackedProductOp product, const LoopsOfRoot &loops,
              MutableArrayRef<int64_t> tiles) {
    bool isInTiles = isInTileRegisters(product.getInstruction());
    std::optional<int64_t> besideRows = columnsBesideRowsInPlace(product);
    if (besideRows && chooseInPlace(*besideRows, product, loops, tiles)) {
      product->setAttr(kRowsInPlaceAttrName,
                       UnitAttr::get(product.getContext()));
      return;
    }
    int rowLoop = loops[product.getNumLoops() - 2];
    const MatrixInstruction *row = findInstruction(product.getInstruction());
    std::optional<int64_t> besideColumns = rowsBesideColumns(product);
    int64_t rowsOfVectors = besideColumns ? *besideColumns
                            : product == root && columnsStayInL2(product)
                                ? kPackedRowsOfBlock
                            : row && row->isOfAVX512() ? kPackedRowsOfWide
                                                       : kPackedRows;
    Side rows =
        sideOf(rowLoop, product.getPanelRows(),
               isInTiles ? rowsOfTiles(product, rowLoop) : rowsOfVectors);
    Side columns =
        sideOf(loops[product.getNumLoops() - 1], product.getPanelColumns(),
               isInTiles ? columnsOfTiles(product, rows.tile) : kPackedColumns);
    int64_t others = 1;
    for (int64_t loop : tileable)
      if (loop != rows.loop && loop != columns.loop)
        others *= extentOf(loop);
    auto count = [&] { return rows.count() * columns.count() * others; };
    int64_t efficient = isInTiles ? kPackedColumns : kEfficientColumns;
    while (count() < kManyTiles && columns.shrink(efficient)) {
    }
    int64_t fewRows = isInTiles ? kSmallestRowsOfTiles : kSmallestRows;
    while (count() < kFewTiles && (columns.shrink(kSmallestColumns) ||
                                   (!besideColumns && rows.shrink(fewRows)))) {
    }
    while (count() < kFewestTiles && rows.shrink(kSmallestRows)) {
    }
    for (const Side &side : {rows, columns})
      if (llvm::is_contained(tileable, side.loop))
        tiles[side.loop] = side.tile;
  }

  /// Tiles are whole panels of all products, which may be of several
  /// instructions.
  void roundUpTo(PackedProductOp product, const LoopsOfRoot &loops,
                 MutableArrayRef<int64_t> tiles) {
    int64_t panels[] = {product.getPanelRows(), product.getPanelColumns()};
    for (unsigned i : {0, 1}) {
      int loop = loops[product.getNumLoops() - 2 + i];
      if (!llvm::is_contained(tileable, loop))
        continue;
      int64_t &panel = panelOf.try_emplace(loop, panels[i]).first->second;
      panel = std::lcm(panel, panels[i]);
      tiles[loop] = roundUp(tiles[loop], panel);
    }
  }

private:
  struct Side {
    int64_t loop, extent, panel, tile;
    int64_t count() const { return (extent + tile - 1) / tile; }
    bool shrink(int64_t smallest) {
      if (tile / 2 < smallest)
        return false;
      tile = roundUp(tile / 2, panel);
      return true;
    }
  };

  /// Only into tiles of equal sizes, which are then known.
  bool chooseInPlace(int64_t columnsOfTile, PackedProductOp product,
                     const LoopsOfRoot &loops, MutableArrayRef<int64_t> tiles) {
    int64_t panel = product.getPanelRows();
    Side rows = sideOf(loops[0], panel, panel);
    Side columns = sideOf(loops[1], product.getPanelColumns(), columnsOfTile);
    for (const Side &side : {rows, columns})
      if (!llvm::is_contained(tileable, side.loop) ||
          ShapedType::isDynamic(extents[side.loop]) ||
          side.extent % side.tile != 0)
        return false;
    tiles[rows.loop] = rows.tile;
    tiles[columns.loop] = columns.tile;
    return true;
  }

  /// A block of the sum of all columns, while all tiles take it.
  bool columnsStayInL2(PackedProductOp product) const {
    ArrayRef<int64_t> panels =
        cast<ShapedType>(product.getRhs().getType()).getShape().take_back(4);
    return canGoByBlocks(product, extents) &&
           !ShapedType::isDynamicShape(panels) &&
           ShapedType::getNumElements(panels) * bytesOf(product.getRhs()) <=
               kBytesOfColumns;
  }

  int64_t rowsOfTiles(PackedProductOp product, int64_t loop) const {
    if (bytesOf(product.getLhs()) == 1 || isInParts(product))
      return kPackedRowsOfTiles;
    bool stay = stayInL2(product, kPackedRowsOfTiles);
    // Columns of prepared weights that come twice cost less than rows do.
    if (llvm::is_contained(tileable, loop) &&
        extentOf(loop) <= kAllRowsOfTiles &&
        (hasSumBlocksInTile(product) || !stay))
      return kAllRowsOfTiles;
    bool fewerStay = !stay && stayInL2(product, kFewerRowsOfTiles);
    return fewerStay ? kFewerRowsOfTiles : kPackedRowsOfTiles;
  }

  int64_t columnsOfTiles(PackedProductOp product, int64_t rows) const {
    bool stay = rows <= kPackedRowsOfTiles && stayInL2(product, rows);
    if (stay)
      return kNarrowColumns;
    return isInParts(product) ? kColumnsOfParts : kPackedColumns;
  }

  static bool isInParts(PackedProductOp product) {
    const MatrixInstruction *instruction = instructionOf(product);
    return instruction && instruction->parts > 1;
  }

  /// So many rows with all of their sum, as it is packed.
  static bool stayInL2(PackedProductOp product, int64_t rows) {
    ArrayRef<int64_t> panels =
        cast<ShapedType>(product.getLhs().getType()).getShape().take_back(5);
    int64_t bytes = bytesOf(product.getLhs());
    int64_t most = bytes == 1 ? kBytesOfByteRows : kBytesOfRows;
    return getConstantIntValue(product.getDepth()) &&
           !ShapedType::isDynamic(panels[0]) &&
           panels[0] * panels[2] * panels[4] <= most / (rows * bytes);
  }

  int64_t extentOf(int64_t loop) const {
    return ShapedType::isDynamic(extents[loop]) ? kUnknownExtent
                                                : extents[loop];
  }

  Side sideOf(int64_t loop, int64_t panel, int64_t wanted) {
    if (!llvm::is_contained(tileable, loop))
      return {loop, 1, panel, 1};
    int64_t extent = extentOf(loop);
    int64_t pieces = (extent + wanted - 1) / wanted;
    int64_t tile = roundUp((extent + pieces - 1) / pieces, panel);
    return {loop, extent, panel, tile};
  }

  Operation *root;
  ArrayRef<int64_t> tileable;
  SmallVector<int64_t> extents;
  llvm::SmallDenseMap<int64_t, int64_t> panelOf; // by loop
};

/// Rows of a panel of x, at which tiles begin.
int64_t panelRowsOf(Operation *op) {
  auto matmul = dyn_cast<BlockMatmulOp>(op);
  if (!matmul || !matmul.isPacked())
    return 1;
  return cast<ShapedType>(matmul.getX().getType()).getDimSize(3);
}

/// Rows of w are the last loop of a block product, those of x the one before.
void chooseBlockTiles(Operation *op, const LoopsOfRoot &loops,
                      ArrayRef<int64_t> extents,
                      MutableArrayRef<int64_t> tiles) {
  for (auto [position, loop] : llvm::enumerate(loops)) {
    if (loop < 0 || tiles[loop] == 0)
      continue;
    bool isColumns = position + 1 == loops.size();
    int64_t tile = isColumns ? kBlockColumns : kBlockRows;
    int64_t extent = extents[loop];
    int64_t panel = isColumns ? QuantPanel::kRows : panelRowsOf(op);
    if (isColumns && !ShapedType::isDynamic(extent))
      tile = std::clamp(roundUp(extent / kFewTiles, panel), panel, tile);
    // A product of another kind in the same kernel has panels of its own.
    tiles[loop] = tiles[loop] == 1 ? tile : std::lcm(tiles[loop], panel);
  }
}

/// Is a tile's part of the right operand packed in the tile, a block at a time?
/// If the tile has all rows nobody else reads that part, and it need not go
/// through L3.
bool packsInTile(PackedProductOp product, const LoopsOfRoot &loops,
                 ArrayRef<int64_t> extents, ArrayRef<int64_t> tiles) {
  if (!takesBlocksInTile(product) || product.getNumLoops() != 2 ||
      !hasSumBlocks(product))
    return false;
  if (getConstantIntValue(product.getDepth()) == 0)
    return false;
  auto right = product.getRhs().getDefiningOp<PackPanelsOp>();
  int rows = loops[0], columns = loops[1];
  return !isWeight(right.getSource()) && rows >= 0 && columns >= 0 &&
         !ShapedType::isDynamic(extents[rows]) &&
         tiles[rows] >= extents[rows] && tiles[columns] > 0;
}

/// Does a reduction read along results, which lie beside each other, instead of
/// along what it sums?
bool readsAlongResults(Operation *op) {
  auto reduction = dyn_cast<linalg::LinalgOp>(op);
  return reduction &&
         llvm::any_of(reduction.getDpsInputOperands(), [&](OpOperand *input) {
           AffineMap map = reduction.getMatchingIndexingMap(input);
           if (map.getNumResults() < 2)
             return false;
           AffineExpr last = map.getResults().back();
           return llvm::any_of(
               llvm::enumerate(reduction.getIteratorTypesArray()),
               [&](auto loop) {
                 return linalg::isParallelIterator(loop.value()) &&
                        last.isFunctionOfDim(loop.index());
               });
         });
}

/// Does a reduction read rows of wide numbers, along memory?
bool readsWideRows(Operation *op) {
  auto reduction = dyn_cast<linalg::LinalgOp>(op);
  return reduction &&
         llvm::all_of(reduction.getDpsInputOperands(), [&](OpOperand *input) {
           AffineMap map = reduction.getMatchingIndexingMap(input);
           if (map.getNumResults() < 2) // what belongs to a row or a column
             return true;
           auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
           Type element = getElementTypeOrSelf(input->get());
           return last && element.isIntOrFloat() &&
                  element.getIntOrFloatBitWidth() >= 32 &&
                  linalg::isReductionIterator(
                      reduction.getIteratorTypesArray()[last.getPosition()]);
         });
}

/// Is it a product of one row, which goes along the rows of the matrix?
bool isOneRow(Operation *op) {
  auto product = dyn_cast<linalg::GenericOp>(op);
  std::optional<ContractionLoops> loops;
  if (product)
    loops = matchContraction(product);
  return loops && extentsOf(op)[loops->m] == 1;
}

/// The loop along which an elementwise op reads what it writes along another.
std::optional<int64_t> readingLoop(Operation *op) {
  auto elementwise = dyn_cast<linalg::LinalgOp>(op);
  if (!elementwise || kindOf(op) != OpKind::Elementwise)
    return std::nullopt;
  auto lastOf = [](AffineMap map) -> AffineDimExpr {
    return map.getNumResults() < 2
               ? AffineDimExpr(nullptr)
               : dyn_cast<AffineDimExpr>(map.getResults().back());
  };
  AffineDimExpr written = lastOf(
      elementwise.getMatchingIndexingMap(&elementwise.getDpsInitsMutable()[0]));
  for (OpOperand *input : elementwise.getDpsInputOperands()) {
    AffineMap map = elementwise.getMatchingIndexingMap(input);
    AffineDimExpr read = lastOf(map);
    if (written && read && read != written &&
        map.isFunctionOfDim(written.getPosition()))
      return read.getPosition();
  }
  return std::nullopt;
}

/// How many sums of columns a tile has, if there are so many for several tiles.
int64_t columnsOfSums(Operation *root, ArrayRef<int64_t> tileable,
                      int64_t most) {
  SmallVector<int64_t> extents = extentsOf(root);
  auto extentOf = [&](int64_t loop) {
    return ShapedType::isDynamic(extents[loop]) ? kUnknownExtent
                                                : extents[loop];
  };
  int64_t pieces = kFewestTiles;
  for (int64_t loop : tileable.drop_back())
    pieces = llvm::divideCeil(pieces, extentOf(loop));
  int64_t columns =
      roundUp(extentOf(tileable.back()) / pieces, kFewestOfColumns);
  return std::clamp(columns, kFewestOfColumns,
                    std::max(kFewestOfColumns, most));
}

ScheduleAttr choose(func::FuncOp kernel, Operation *root) {
  if (hasEmptyLoop(kernel))
    return ScheduleAttr::get(kernel.getContext(),
                             SmallVector<int64_t>(loopCountOf(root), 0), 0);
  bool hasContraction = false, hasAttention = false, hasPacked = false;
  bool hasBlocks = false, hasRowReduction = false, isSplit = false;
  bool hasOtherRows = false, hasColumns = false, hasOneRow = false;
  int64_t keys = 0, queries = kAttentionQueries;
  unsigned accumulatorBytes = 4, matrixBytes = 4;
  int64_t panelRows = 1, panelColumns = 1;
  kernel.walk([&](Operation *op) {
    OpKind kind = kindOf(op);
    hasAttention |= kind == OpKind::Attention;
    if (auto attention = dyn_cast<OnlineAttentionOp>(op)) {
      isSplit |= attention.isSplitAlongKeys();
      if (attention.getInstruction())
        queries = attention.getQueriesAtOnce();
      else
        keys = kAttentionKeys;
    }
    hasPacked |= isa<PackedProductOp>(op);
    hasBlocks |= isa<BlockGemvOp, BlockMatmulOp>(op);
    hasRowReduction |= kind == OpKind::RowReduction;
    hasOtherRows |= kind == OpKind::RowReduction && !readsWideRows(op);
    if (kind == OpKind::RowReduction && readsAlongResults(op)) {
      hasColumns = true;
      matrixBytes = bytesOf(op->getOperand(0));
    }
    if (kind == OpKind::Contraction) {
      hasContraction = true;
      hasOneRow |= isOneRow(op);
      matrixBytes = bytesOf(op->getOperand(1));
      accumulatorBytes = bytesOf(op->getResult(0));
      if (const MatrixInstruction *instruction = instructionOf(op)) {
        panelRows = instruction->rows;
        panelColumns = instruction->columns();
      }
    }
  });
  ArrayRef<int64_t> tileable =
      root->getAttrOfType<DenseI64ArrayAttr>(kRootAttrName).asArrayRef();
  SmallVector<int64_t> extents = extentsOf(root);
  SmallVector<int64_t> tiles(extents.size(), 0);
  int64_t inner = 0;
  if (isSplit) // along the keys, later
    return ScheduleAttr::get(kernel.getContext(), tiles, 0);
  if (hasContraction || hasAttention) {
    for (int64_t loop : tileable)
      tiles[loop] = 1;
    if (hasAttention) {
      inner = keys;
      if (!tileable.empty())
        tiles[tileable.back()] = queries;
    } else if (hasPacked) {
      ProductTiles chooser(root, tileable);
      unsigned products = 0;
      forEachOp(root, [&](Operation *op, const LoopsOfRoot &loops) {
        auto product = dyn_cast<PackedProductOp>(op);
        if (!product)
          return;
        chooser.choose(product, loops, tiles);
        chooser.roundUpTo(product, loops, tiles);
        inner = ++products == 1 && packsInTile(product, loops, extents, tiles)
                    ? getSumBlock(product)
                    : 0;
      });
      if (auto product = dyn_cast<PackedProductOp>(root);
          product && goesByBlocks(product, extents))
        inner = getSumBlock(product);
    } else if (!hasBlocks && !tileable.empty()) {
      int64_t columns = kProductColumnBytes / accumulatorBytes;
      tiles[tileable.back()] =
          roundUp(columns - panelColumns + 1, panelColumns);
      if (hasOneRow)
        tiles[tileable.back()] =
            columnsOfSums(root, tileable, kBytesOfColumnRows / matrixBytes);
      else if (tileable.size() > 1)
        tiles[tileable[tileable.size() - 2]] = roundUp(kProductRows, panelRows);
    }
    if (hasBlocks)
      forEachOp(root, [&](Operation *op, const LoopsOfRoot &loops) {
        if (isa<BlockGemvOp, BlockMatmulOp>(op))
          chooseBlockTiles(op, loops, extents, tiles);
      });
  } else {
    int64_t whole = 1;
    for (auto [loop, extent] : llvm::enumerate(extents))
      if (!llvm::is_contained(tileable, loop))
        whole *= ShapedType::isDynamic(extent) ? kUnknownExtent : extent;
    int64_t budget = hasRowReduction ? kRowTileElements : kTileElements;
    if (hasRowReduction && !hasOtherRows &&
        kindOf(root) != OpKind::RowReduction &&
        whole >= kRegistersOfRow * getVectorBits(kernel) / 32)
      budget = whole;
    budget /= std::max<int64_t>(1, whole);
    if (hasColumns && !tileable.empty())
      budget =
          std::max(budget, columnsOfSums(root, tileable,
                                         kindOf(root) == OpKind::RowReduction
                                             ? kBytesOfColumnRows / matrixBytes
                                             : kColumnTileElements / whole));
    // What is transposed goes by squares, so that lines are read and written
    // as a whole while they are near.
    std::optional<int64_t> read = readingLoop(root);
    if (read && !hasRowReduction && llvm::is_contained(tileable, *read)) {
      for (int64_t loop : tileable)
        tiles[loop] = 1;
      // What one of the loops does not have, the other takes.
      auto atMost = [&](int64_t loop, int64_t size) {
        return ShapedType::isDynamic(extents[loop])
                   ? size
                   : std::min(extents[loop], size);
      };
      int64_t written = tileable.back();
      tiles[*read] = atMost(*read, kTransposed);
      tiles[written] =
          atMost(written, kTransposed * kTransposed / tiles[*read]);
      tiles[*read] = atMost(*read, kTransposed * kTransposed / tiles[written]);
    } else {
      tileByBudget(tiles, extents, tileable, budget);
    }
  }
  return ScheduleAttr::get(kernel.getContext(), tiles, inner);
}

/// Says what was chosen and why, for --remarks.
void explain(func::FuncOp kernel, Operation *root, ScheduleAttr schedule) {
  unsigned counts[5] = {};
  kernel.walk([&](Operation *op) { ++counts[(unsigned)kindOf(op)]; });
  auto count = [&](OpKind kind) { return counts[(unsigned)kind]; };
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "kernel '" << kernel.getSymName() << "'";
  if (TargetAttr target = getTarget(kernel))
    out << " on " << target.getName();
  out << ": " << count(OpKind::Contraction) << " products, "
      << count(OpKind::Attention) << " attentions, "
      << count(OpKind::RowReduction) << " reductions and "
      << count(OpKind::Elementwise) << " elementwise ops in one nest";
  if (llvm::all_of(schedule.getTiles(), [](int64_t t) { return t == 0; }))
    out << ", not tiled";
  else {
    out << ", tiles [";
    llvm::interleaveComma(schedule.getTiles(), out);
    out << "]";
  }
  llvm::SetVector<const MatrixInstruction *> instructions;
  kernel.walk([&](Operation *op) {
    if (const MatrixInstruction *instruction = instructionOf(op))
      instructions.insert(instruction);
  });
  for (const MatrixInstruction *instruction : instructions)
    out << ", " << instruction->rows << " rows by " << instruction->columns()
        << " columns in registers (" << instruction->name << ")";
  remark::passed(root->getLoc(),
                 remark::RemarkOpts::name("schedule").category(DEBUG_TYPE))
      << text;
}

struct SelectSchedulePass
    : aikernel::impl::SelectSchedulePassBase<SelectSchedulePass> {
  using SelectSchedulePassBase::SelectSchedulePassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttrName))
        continue;
      kernel.walk([&](Operation *op) {
        if (!op->hasAttr(kRootAttrName) || op->hasAttr(kScheduleAttrName))
          return;
        ScheduleAttr schedule = choose(kernel, op);
        op->setAttr(kScheduleAttrName, schedule);
        explain(kernel, op, schedule);
      });
    }
  }
};

} // namespace
