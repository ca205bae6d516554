//===- TileAndFuse.cpp - Each kernel becomes one parallel loop nest -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels whose root carries an #aikernel.schedule.
// Out: one scf.forall per kernel that computes a tile of the root and, inside
// it, the tiles of all producers that the tile needs.
//
//   %p = linalg.generic (product) ; %y = linalg.generic (root) {tiles = [64,
//   128]}
//   ==>  scf.forall (%i, %j) ... { product of a tile ; root of a tile }
//
// All ops are tiled through TilingInterface; there is no case per op here.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "AIKernel/Transforms/Passes.h"
#include "SumBlocks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "aik-tile-and-fuse"

namespace aikernel {
#define GEN_PASS_DEF_TILEANDFUSEPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

SmallVector<OpFoldResult> asTileSizes(ArrayRef<int64_t> tiles,
                                      OpBuilder &builder) {
  return llvm::map_to_vector(tiles, [&](int64_t tile) -> OpFoldResult {
    return builder.getIndexAttr(tile);
  });
}

bool isReturned(OpResult result) {
  return llvm::any_of(result.getUsers(), llvm::IsaPred<func::ReturnOp>);
}

/// Fuses producers into the loop around their consumers, the last one first:
/// its slices are then all there, and equal ones are computed once. Upstream's
/// driver follows each use by itself and computes what two ops use twice, so
/// that a chain of such ops takes a time that doubles with each of them.
class ProducerFusion {
public:
  ProducerFusion(IRRewriter &rewriter, func::FuncOp kernel,
                 SmallVectorImpl<LoopLikeOpInterface> &loops)
      : rewriter(rewriter), kernel(kernel), loops(loops) {}

  LogicalResult fuse(Operation *producer) {
    DominanceInfo dominance(kernel);
    eliminateCommonSubExpressions(rewriter, dominance, loops.front());
    SmallVector<tensor::ExtractSliceOp> slices;
    loops.front()->walk([&](tensor::ExtractSliceOp slice) {
      if (sourceOf(slice).getDefiningOp() == producer)
        slices.push_back(slice);
    });
    for (tensor::ExtractSliceOp slice : slices) {
      auto result = cast<OpResult>(sourceOf(slice));
      auto fused = scf::tileAndFuseProducerOfSlice(rewriter, slice, loops);
      // What the function also returns must come out of the loops.
      if (fused && isReturned(result) && failed(yield(slice, *fused)))
        return failure();
    }
    return success();
  }

  void replaceReturned() {
    for (auto [from, number] : resultNumbers)
      rewriter.replaceAllUsesWith(from, loops.front()->getResult(number));
  }

private:
  /// What is sliced, from outside the loop.
  Value sourceOf(tensor::ExtractSliceOp slice) {
    auto argument = dyn_cast<BlockArgument>(slice.getSource());
    if (!argument || argument.getOwner()->getParentOp() != loops.front())
      return slice.getSource();
    OpOperand *init = loops.front().getTiedLoopInit(argument);
    return init ? init->get() : Value(argument);
  }

  LogicalResult yield(tensor::ExtractSliceOp slice,
                      scf::SCFFuseProducerOfSliceResult &fused) {
    Operation *producer = fused.origProducer.getOwner();
    if (resultNumbers.count(producer->getResult(0)))
      return success();
    if (failed(scf::yieldReplacementForFusedProducer(rewriter, slice, fused,
                                                     loops)))
      return failure();
    unsigned first = loops.front()->getNumResults() - producer->getNumResults();
    for (OpResult result : producer->getResults())
      resultNumbers[result] = first + result.getResultNumber();
    return success();
  }

  IRRewriter &rewriter;
  func::FuncOp kernel;
  SmallVectorImpl<LoopLikeOpInterface> &loops;
  llvm::MapVector<Value, unsigned> resultNumbers; // of the loop
};

/// Does a block do each of several ops alone?
bool isForOneBlock(func::FuncOp kernel, scf::ForallOp loop,
                   int64_t mostIterations) {
  auto isOneTile = [&](ArrayRef<int64_t> lower, ArrayRef<int64_t> upper,
                       ArrayRef<int64_t> step) {
    for (auto [from, to, by] : llvm::zip(lower, upper, step))
      if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to) ||
          ShapedType::isDynamic(by) || to - from > by)
        return false;
    return true;
  };
  if (!isOneTile(loop.getStaticLowerBound(), loop.getStaticUpperBound(),
                 loop.getStaticStep()))
    return false;
  unsigned count = 0;
  WalkResult small = kernel.walk([&](TilingInterface tiled) {
    auto op = dyn_cast<linalg::LinalgOp>(tiled.getOperation());
    if (!op)
      return WalkResult::interrupt();
    int64_t iterations = 1;
    for (int64_t extent : op.getStaticLoopRanges()) {
      if (ShapedType::isDynamic(extent))
        return WalkResult::interrupt();
      iterations *= extent;
    }
    ++count;
    return iterations <= mostIterations ? WalkResult::advance()
                                        : WalkResult::interrupt();
  });
  return !small.wasInterrupted() && count > 1;
}

/// Loops that are mapped stay, also those of one iteration.
void mapToBlocks(scf::ForallOp loop) {
  SmallVector<Attribute> mapping;
  for (int64_t dim = 0; dim < loop.getRank(); ++dim)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(
        loop.getContext(),
        gpu::MappingId(int64_t(gpu::MappingId::LinearDim0) + dim)));
  loop.setMappingAttr(ArrayAttr::get(loop.getContext(), mapping));
}

LogicalResult tileRoot(IRRewriter &rewriter, func::FuncOp kernel,
                       Operation *root, ScheduleAttr schedule) {
  if (llvm::all_of(schedule.getTiles(), [](int64_t t) { return t == 0; }))
    return success();
  SmallVector<Operation *> producers;
  for (Operation &op : llvm::reverse(*root->getBlock()))
    if (isa<TilingInterface>(op) && op.isBeforeInBlock(root))
      producers.push_back(&op);
  scf::SCFTilingOptions tiling;
  tiling.setTileSizes(asTileSizes(schedule.getTiles(), rewriter));
  tiling.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  rewriter.setInsertionPoint(root);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, cast<TilingInterface>(root), tiling);
  if (failed(tiled) || tiled->loops.size() != 1)
    return root->emitError("cannot be tiled as its schedule says");
  ProducerFusion fusion(rewriter, kernel, tiled->loops);
  for (Operation *producer : producers)
    if (failed(fusion.fuse(producer)))
      return producer->emitError("cannot be computed inside the loop");
  for (OpResult result : root->getResults())
    rewriter.replaceAllUsesWith(
        result, tiled->loops.front()->getResult(result.getResultNumber()));
  fusion.replaceReturned();
  return success();
}

/// Tiles of packed products are whole panels, or all of a loop.
LogicalResult checkPanels(Operation *root, ScheduleAttr schedule) {
  SmallVector<int64_t> extents = extentsOf(root);
  LogicalResult checked = success();
  forEachOp(root, [&](Operation *op, const LoopsOfRoot &loops) {
    auto product = dyn_cast<PackedProductOp>(op);
    if (!product || failed(checked))
      return;
    unsigned rows = product.getNumLoops() - 2, columns = rows + 1;
    for (auto [own, panel] : {std::pair(rows, product.getPanelRows()),
                              std::pair(columns, product.getPanelColumns())}) {
      int loop = loops[own];
      int64_t tile = loop < 0 ? 0 : schedule.getTiles()[loop];
      if (tile % panel == 0 ||
          (!ShapedType::isDynamic(extents[loop]) && tile >= extents[loop]))
        continue;
      checked = op->emitError("has panels of ")
                << panel << " but its schedule has tiles of " << tile;
      return;
    }
  });
  return checked;
}

LogicalResult checkSchedule(Operation *root, ScheduleAttr schedule) {
  ArrayRef<int64_t> tiles = schedule.getTiles();
  if (tiles.size() != loopCountOf(root))
    return root->emitError("has ")
           << loopCountOf(root) << " loops but its schedule has "
           << tiles.size() << " tile sizes";
  if (schedule.getInner() < 0 ||
      llvm::any_of(tiles, [](int64_t tile) { return tile < 0; }))
    return root->emitError("has a schedule with sizes below zero");
  auto product = dyn_cast<PackedProductOp>(root);
  if (product && takesBlocksInTile(product) && schedule.getInner() > 0 &&
      llvm::all_of(tiles, [](int64_t tile) { return tile == 0; }))
    return root->emitError("takes blocks of ")
           << schedule.getInner() << " in its tiles, of which there are none";
  return checkPanels(root, schedule);
}

/// What is tiled: the root, or if that is a packed product of which all tiles
/// take a block of the sum at a time, the products of blocks.
FailureOr<SmallVector<Operation *>>
splitRoot(IRRewriter &rewriter, Operation *root, ScheduleAttr schedule) {
  auto product = dyn_cast<PackedProductOp>(root);
  int64_t length = schedule.getInner();
  if (!product || length == 0 || takesBlocksInTile(product))
    return SmallVector<Operation *>{root};
  if (!hasSumBlocks(product) || getSumBlock(product) != length)
    return root->emitError("is not packed here in blocks of ") << length;
  SmallVector<Operation *> parts;
  for (PackedProductOp part : splitSum(rewriter, product))
    parts.push_back(part);
  return parts;
}

/// Products that take a block of the sum at a time within their tiles.
LogicalResult splitInTiles(IRRewriter &rewriter, func::FuncOp kernel,
                           int64_t length) {
  SmallVector<PackedProductOp> products;
  kernel.walk([&](PackedProductOp op) {
    if (length > 0 && op->getParentOfType<scf::ForallOp>() &&
        takesBlocksInTile(op))
      products.push_back(op);
  });
  for (PackedProductOp product : products) {
    if (!hasSumBlocksInTile(product) || getSumBlock(product) != length)
      return product.emitError("is not packed here in blocks of ") << length;
    splitSumInTile(rewriter, product);
  }
  return success();
}

/// After fusion the original producers are used for their sizes at most. And a
/// producer with several results was fused once per result; the copies are
/// equal.
LogicalResult dropFusedOriginals(IRRewriter &rewriter, func::FuncOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
    return failure();
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  return success();
}

/// Key tiles that no query of the tile sees are left out: with a causal mask
/// that is half of the work of a prompt.
void skipHiddenKeys(IRRewriter &rewriter, OnlineAttentionOp op,
                    scf::ForOp loop) {
  if (!op.getBegin() && !op.getEnd())
    return;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(loop);
  auto [first, past] = op.buildVisibleKeys(rewriter);
  // Tiles stay where they are, so that their sizes do.
  Value tiles = arith::DivUIOp::create(rewriter, loc, first, loop.getStep());
  loop.setLowerBound(
      arith::MulIOp::create(rewriter, loc, tiles, loop.getStep()));
  loop.setUpperBound(past);
}

bool hasOneTile(OnlineAttentionOp op, int64_t tile) {
  int64_t keys = cast<RankedTensorType>(op.getK().getType())
                     .getDimSize(op.getSequenceDim());
  return !ShapedType::isDynamic(keys) && keys <= tile;
}

/// Ops that carry their state through a reduction are tiled along it, inside
/// the tile.
LogicalResult tileCarriedReductions(IRRewriter &rewriter, func::FuncOp kernel,
                                    int64_t inner) {
  SmallVector<TilingInterface> ops;
  kernel.walk([&](TilingInterface op) {
    if (kindOf(op) == OpKind::Attention && inner > 0)
      ops.push_back(op);
  });
  for (TilingInterface op : ops) {
    SmallVector<int64_t> tiles;
    for (utils::IteratorType iterator : op.getLoopIteratorTypes())
      tiles.push_back(iterator == utils::IteratorType::reduction ? inner : 0);
    scf::SCFTilingOptions tiling;
    tiling.setTileSizes(asTileSizes(tiles, rewriter));
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTilingResult> result =
        scf::tileUsingSCF(rewriter, op, tiling);
    if (failed(result))
      return op.emitError("cannot be tiled along its reduction");
    if (auto attention = dyn_cast<OnlineAttentionOp>(op.getOperation()))
      if (!hasOneTile(attention, inner))
        skipHiddenKeys(rewriter, attention,
                       cast<scf::ForOp>(result->loops.front()));
    rewriter.replaceOp(op, result->replacements);
  }
  return success();
}

struct TileAndFusePass : aikernel::impl::TileAndFusePassBase<TileAndFusePass> {
  using TileAndFusePassBase::TileAndFusePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttrName))
        continue;
      Operation *root = nullptr;
      kernel.walk([&](Operation *op) {
        if (op->hasAttr(kRootAttrName))
          root = op;
      });
      if (!root)
        continue;
      auto schedule = root->getAttrOfType<ScheduleAttr>(kScheduleAttrName);
      if (!schedule) {
        root->emitError("is the root of a kernel but has no schedule");
        return signalPassFailure();
      }
      root->removeAttr(kRootAttrName);
      root->removeAttr(kScheduleAttrName);
      if (failed(checkSchedule(root, schedule)))
        return signalPassFailure();
      FailureOr<SmallVector<Operation *>> roots =
          splitRoot(rewriter, root, schedule);
      if (failed(roots))
        return signalPassFailure();
      for (Operation *part : *roots)
        if (failed(tileRoot(rewriter, kernel, part, schedule)))
          return signalPassFailure();
      if (failed(dropFusedOriginals(rewriter, kernel)) ||
          failed(splitInTiles(rewriter, kernel, schedule.getInner())))
        return signalPassFailure();
      kernel.walk([&](scf::ForallOp loop) {
        if (isForOneBlock(kernel, loop, blockIterations))
          mapToBlocks(loop);
      });
      if (failed(tileCarriedReductions(rewriter, kernel, schedule.getInner())))
        return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    scf::ForallOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns,
                                                        &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
