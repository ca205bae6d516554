//===- SelectBlocks.cpp - What a block of threads computes ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels whose root is marked, in a module for a GPU.
// Out: the same, each root with an #aikernel.schedule whose tile is the work of
// one block. One that is already there stays, so a person may write it.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantLanes.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "Processor.h"
#include "SharedProduct.h"
#include "ThinProduct.h"
#include "VectorBody.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "aik-select-blocks"

namespace aikernel {
#define GEN_PASS_DEF_SELECTBLOCKSPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Elements of memory-bound work that a block computes.
constexpr int64_t kBlockElements = 8 * kThreadsPerBlock;
/// Tiles of a larger input that all read the same part of a smaller one.
constexpr int64_t kReuse = 8;
/// Rows shorter than this share a block.
constexpr int64_t kRowElements = 4 * kThreadsPerBlock;
/// What an unknown extent is taken to be.
constexpr int64_t kUnknownExtent = 4096;
/// The block's tile of a product whose elements threads compute one by one.
constexpr int64_t kProductRows = 16;
constexpr int64_t kProductColumns = 64;
/// Blocks that are on a multiprocessor at once. Quantized products have no
/// more, since each block quantizes all of x.
constexpr int64_t kResidentBlocks = 2;
/// Queries and keys of a block's step through attention.
constexpr int64_t kQueries = 16;
constexpr int64_t kKeys = 64;

/// Of the root's loops, which are the dimensions of the products' results.
struct ThinTile {
  int64_t loop;
  int64_t size;
};

/// The tile of a kernel whose products are all with few vectors.
std::optional<ThinTile> thinTileOf(func::FuncOp kernel) {
  std::optional<ThinTile> tile;
  WalkResult all = kernel.walk([&](linalg::LinalgOp op) {
    if (kindOf(op) != OpKind::Contraction)
      return WalkResult::advance();
    std::optional<ThinLoops> thin = ThinLoops::match(op);
    if (!thin)
      return WalkResult::interrupt();
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    std::optional<unsigned> loop = result.getResultPosition(
        getAffineDimExpr(thin->outer, op.getContext()));
    int64_t size = ThinProduct::outerTile(op, *thin);
    if (!loop || (tile && tile->loop != *loop))
      return WalkResult::interrupt();
    tile = ThinTile{*loop, tile ? std::max(tile->size, size) : size};
    return WalkResult::advance();
  });
  return all.wasInterrupted() ? std::nullopt : tile;
}

/// Products that threads multiply from shared memory, if all of a kernel's are.
SmallVector<linalg::LinalgOp> sharedProducts(Operation *root, int64_t row,
                                             int64_t column) {
  SmallVector<linalg::LinalgOp> products;
  bool areAll = true;
  forEachOp(root, [&](Operation *op, const LoopsOfRoot &loopsOfRoot) {
    if (kindOf(op) != OpKind::Contraction)
      return;
    auto product = dyn_cast<linalg::LinalgOp>(op);
    std::optional<MatrixLoops> loops;
    if (product) {
      // A block has one matrix of a batch.
      SmallVector<int64_t> extents = product.getStaticLoopRanges();
      for (auto [extent, loop] : llvm::zip(extents, loopsOfRoot))
        if (loop >= 0 && loop != row && loop != column)
          extent = 1;
      loops = MatrixLoops::match(product, extents);
    }
    areAll &= loops && ThreadReduction::match(product) &&
              loopsOfRoot[loops->row] == row &&
              loopsOfRoot[loops->column] == column;
    products.push_back(product);
  });
  return areAll ? products : SmallVector<linalg::LinalgOp>();
}

/// The larger the tile, the less is read; but all multiprocessors should have
/// something to do while one of their blocks waits: three blocks for two of
/// them, and six for the last tile, which takes many registers.
constexpr ProductTile kProductTiles[] = {
    ProductTile::kLeast, {32, 32},          {32, 64}, {64, 64},
    {64, 128},           ProductTile::kMost};
/// A single row may have to wait for a tile of them.
constexpr int64_t kUnknownRows = 128;
/// What a kernel keeps of a sum, until something has been done to it.
constexpr int64_t kSumBytes = 4;

void chooseProductTile(Operation *root, ArrayRef<int64_t> extents, int64_t row,
                       int64_t column, MutableArrayRef<int64_t> tiles) {
  SmallVector<linalg::LinalgOp> products = sharedProducts(root, row, column);
  if (products.empty())
    return;
  auto extentOf = [&](int64_t loop) -> int64_t {
    if (!ShapedType::isDynamic(extents[loop]))
      return extents[loop];
    return loop == row || loop == column ? kUnknownRows : 1;
  };
  int64_t multiprocessors = getProcessor(getTarget(root)).multiprocessors;
  int64_t kept = root == products.front() ? 0 : products.size();
  ProductTile chosen = ProductTile::kLeast;
  for (ProductTile tile : kProductTiles) {
    bool isLast = tile.rows == ProductTile::kMost.rows;
    // Not twice as much as there is; and wide tiles only of many rows.
    while (tile.rows > ProductTile::kLeast.rows &&
           tile.rows / 2 >= extentOf(row)) {
      tile.rows /= 2;
      tile.columns = std::min(tile.columns, kProductColumns);
    }
    while (tile.columns > ProductTile::kLeast.columns &&
           tile.columns / 2 >= extentOf(column))
      tile.columns /= 2;
    tiles[row] = tile.rows;
    tiles[column] = tile.columns;
    int64_t blocks = 1;
    for (auto [loop, size] : llvm::enumerate(tiles))
      if (size > 0)
        blocks *= llvm::divideCeil(extentOf(loop), size);
    int64_t bytes = tile.bytes() + kept * tile.rows * tile.columns * kSumBytes;
    if (2 * blocks < multiprocessors * (isLast ? 6 : 3) ||
        bytes > kSharedBytesWithFactors)
      break;
    chosen = tile;
  }
  tiles[row] = chosen.rows;
  tiles[column] = chosen.columns;
  auto tile =
      DenseI64ArrayAttr::get(root->getContext(), {chosen.rows, chosen.columns});
  for (linalg::LinalgOp product : products)
    product->setAttr(kSharedTileAttrName, tile);
}

/// Rows of W that a block has.
int64_t laneTile(int64_t rows, TargetAttr target) {
  if (ShapedType::isDynamic(rows))
    return QuantLanes::kRows;
  int64_t blocks = kResidentBlocks * getProcessor(target).multiprocessors;
  int64_t groups = llvm::divideCeil(rows, QuantLanes::kRows);
  return llvm::divideCeil(groups, blocks) * QuantLanes::kRows;
}

/// Along how many iterations of the loops outside of `loop` a block should go,
/// since an input that is read along `loop` is the same for all of them.
int64_t reuseAround(Operation *root, int64_t loop, ArrayRef<int64_t> tileable,
                    ArrayRef<int64_t> extents) {
  auto op = dyn_cast<linalg::LinalgOp>(root);
  if (!op)
    return 1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isFunctionOfDim(loop))
      continue;
    for (int64_t outer : tileable)
      if (outer < loop && !map.isFunctionOfDim(outer) && extents[outer] > 1)
        return std::min(extents[outer], kReuse);
  }
  return 1;
}

ScheduleAttr choose(func::FuncOp kernel, Operation *root) {
  MLIRContext *context = kernel.getContext();
  SmallVector<int64_t> extents = extentsOf(root);
  SmallVector<int64_t> tiles(extents.size(), 0);
  if (hasEmptyLoop(kernel))
    return ScheduleAttr::get(context, tiles, 0);
  bool hasContraction = false, hasAttention = false, hasRowReduction = false;
  bool hasLanes = false;
  kernel.walk([&](Operation *op) {
    OpKind kind = kindOf(op);
    hasAttention |= kind == OpKind::Attention;
    hasLanes |= isa<LaneProductOp>(op);
    hasContraction |= kind == OpKind::Contraction;
    hasRowReduction |= kind == OpKind::RowReduction;
  });
  ArrayRef<int64_t> tileable =
      root->getAttrOfType<DenseI64ArrayAttr>(kRootAttrName).asArrayRef();
  if (hasLanes) {
    // Rows of W are the last loop of such a product; those of x stay together.
    forEachOp(root, [&](Operation *op, const LoopsOfRoot &loops) {
      if (isa<LaneProductOp>(op) && llvm::is_contained(tileable, loops.back()))
        tiles[loops.back()] = laneTile(extentsOf(op).back(), getTarget(root));
    });
    return ScheduleAttr::get(context, tiles, 0);
  }
  if (hasContraction && !hasAttention)
    if (std::optional<ThinTile> tile = thinTileOf(kernel);
        tile && llvm::is_contained(tileable, tile->loop)) {
      for (int64_t loop : tileable)
        tiles[loop] = ShapedType::isDynamic(extents[loop]) ? 1 : extents[loop];
      tiles[tile->loop] = tile->size;
      return ScheduleAttr::get(context, tiles, 0);
    }
  if (hasContraction || hasAttention) {
    for (int64_t loop : tileable)
      tiles[loop] = 1;
    if (!tileable.empty())
      tiles[tileable.back()] = hasAttention ? kQueries : kProductColumns;
    if (!hasAttention && tileable.size() > 1) {
      int64_t row = tileable[tileable.size() - 2];
      tiles[row] = kProductRows;
      chooseProductTile(root, extents, row, tileable.back(), tiles);
    }
    return ScheduleAttr::get(context, tiles, hasAttention ? kKeys : 0);
  }
  int64_t whole = 1;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (!llvm::is_contained(tileable, loop))
      whole *= ShapedType::isDynamic(extent) ? kUnknownExtent : extent;
  int64_t budget = (hasRowReduction ? kRowElements : kBlockElements) /
                   std::max<int64_t>(1, whole);
  if (auto op = dyn_cast<linalg::LinalgOp>(root); op && !hasRowReduction)
    if (std::optional<unsigned> repeated = repeatedLoop(op))
      budget *= extents[*repeated];
  for (int64_t loop : llvm::reverse(tileable)) {
    int64_t extent =
        ShapedType::isDynamic(extents[loop]) ? kUnknownExtent : extents[loop];
    int64_t size = budget;
    if (!hasRowReduction && loop != tileable.back())
      size /= reuseAround(root, loop, tileable, extents);
    tiles[loop] = std::max<int64_t>(1, std::min(extent, size));
    budget /= tiles[loop];
  }
  return ScheduleAttr::get(context, tiles, 0);
}

void explain(func::FuncOp kernel, Operation *root, ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "kernel '" << kernel.getSymName() << "': a block of "
      << kThreadsPerBlock << " threads computes a tile [";
  llvm::interleaveComma(schedule.getTiles(), out);
  out << "]";
  remark::passed(root->getLoc(),
                 remark::RemarkOpts::name("schedule").category(DEBUG_TYPE))
      << text;
}

struct SelectBlocksPass
    : aikernel::impl::SelectBlocksPassBase<SelectBlocksPass> {
  using SelectBlocksPassBase::SelectBlocksPassBase;

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
