//===- ParallelizeCopies.cpp - Loops of copies become grids ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: loops of the host that copy one slice per iteration, each to a place of
// its own, as kv_append does for each batch. Out: a parallel loop over the
// iterations and over pieces of what each copies, which becomes a grid of
// blocks rather than the work of one.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

#define DEBUG_TYPE "aik-parallelize-copies"

namespace aikernel {
#define GEN_PASS_DEF_PARALLELIZECOPIESPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Elements that a block copies.
constexpr int64_t kBlockElements = 8 * kThreadsPerBlock;
/// What an unknown extent is taken to be.
constexpr int64_t kUnknownExtent = 4096;

class CopyLoop {
public:
  CopyLoop(scf::ForOp loop) : loop(loop), b(loop.getLoc(), loop) {}

  /// One copy, of sizes that are the same each time, and else only what
  /// computes its place.
  bool match() {
    if (loop.getNumResults() != 0)
      return false;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto found = dyn_cast<memref::CopyOp>(op)) {
        if (copy)
          return false;
        copy = found;
      } else if (!isMemoryEffectFree(&op) && !isa<memref::LoadOp>(op)) {
        return false;
      }
    }
    return copy && goesToOwnPlaces() && readsNothingWritten() &&
           llvm::all_of(sizesOfCopy(), [&](OpFoldResult size) {
             auto value = dyn_cast<Value>(size);
             return !value || loop.isDefinedOutsideOfLoop(value);
           });
  }

  void emit() {
    auto type = cast<MemRefType>(copy.getTarget().getType());
    SmallVector<int64_t> tiles = tilesOf(type);
    SmallVector<OpFoldResult> from{getAsOpFoldResult(loop.getLowerBound())};
    SmallVector<OpFoldResult> to{getAsOpFoldResult(loop.getUpperBound())};
    SmallVector<OpFoldResult> by{getAsOpFoldResult(loop.getStep())};
    SmallVector<OpFoldResult> sizes = sizesOfCopy();
    for (auto [tile, size] : llvm::zip(tiles, sizes)) {
      from.push_back(b.getIndexAttr(0));
      to.push_back(size);
      by.push_back(b.getIndexAttr(tile));
    }
    auto grid = scf::ForallOp::create(b, from, to, by, ValueRange(),
                                      /*mapping=*/std::nullopt);
    b.setInsertionPoint(grid.getTerminator());
    IRMapping values;
    values.map(loop.getInductionVar(), grid.getInductionVars()[0]);
    for (Operation &op : loop.getBody()->without_terminator())
      if (&op != copy)
        b.clone(op, values);
    SmallVector<OpFoldResult> offsets, counts,
        steps(tiles.size(), b.getIndexAttr(1));
    SmallVector<Value> ivs = grid.getInductionVars();
    for (auto [iv, tile, size] :
         llvm::zip(ArrayRef(ivs).drop_front(), tiles, sizes)) {
      offsets.push_back(iv);
      std::optional<int64_t> known = getConstantIntValue(size);
      if (known && *known % tile == 0) {
        counts.push_back(b.getIndexAttr(tile));
        continue;
      }
      Value all = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
      counts.push_back(b.smaller(b.index(tile), b.minus(all, iv)));
    }
    auto piece = [&](Value memref) -> Value {
      return memref::SubViewOp::create(b, values.lookupOrDefault(memref),
                                       offsets, counts, steps);
    };
    memref::CopyOp::create(b, piece(copy.getSource()), piece(copy.getTarget()));
    loop.erase();
  }

private:
  /// Is some offset of the target the number of the iteration, and the slice 1
  /// wide there?
  bool goesToOwnPlaces() {
    auto slice = copy.getTarget().getDefiningOp<memref::SubViewOp>();
    if (!slice || slice->getBlock() != loop.getBody() ||
        !isa<BlockArgument>(rootOf(slice)) ||
        slice.getSourceType().getRank() != slice.getType().getRank())
      return false;
    return llvm::any_of(
        llvm::zip(slice.getMixedOffsets(), slice.getMixedSizes()),
        [&](auto place) {
          auto offset = dyn_cast<Value>(std::get<0>(place));
          return offset == loop.getInductionVar() &&
                 isConstantIntValue(std::get<1>(place), 1);
        });
  }

  /// The memory of a result may be that of its donor, and no other argument's.
  bool readsNothingWritten() {
    auto target = cast<BlockArgument>(rootOf(copy.getTarget()));
    auto function = dyn_cast<func::FuncOp>(target.getOwner()->getParentOp());
    if (!function)
      return false;
    auto donor = function.getArgAttrOfType<IntegerAttr>(target.getArgNumber(),
                                                        kDonorAttrName);
    auto isOther = [&](Value memref) {
      Value root = rootOf(memref);
      auto argument = dyn_cast<BlockArgument>(root);
      return argument && argument.getOwner() == target.getOwner() &&
             argument != target &&
             !(donor && donor.getInt() == argument.getArgNumber());
    };
    bool allOther = isOther(copy.getSource());
    loop.walk(
        [&](memref::LoadOp load) { allOther &= isOther(load.getMemRef()); });
    return allOther;
  }

  /// Whole rows first.
  static SmallVector<int64_t> tilesOf(MemRefType type) {
    SmallVector<int64_t> tiles(type.getRank());
    int64_t budget = kBlockElements;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      int64_t extent =
          type.isDynamicDim(dim) ? kUnknownExtent : type.getDimSize(dim);
      tiles[dim] = std::max<int64_t>(1, std::min(extent, budget));
      budget /= tiles[dim];
    }
    return tiles;
  }

  SmallVector<OpFoldResult> sizesOfCopy() {
    auto slice = copy.getTarget().getDefiningOp<memref::SubViewOp>();
    return slice.getMixedSizes();
  }

  scf::ForOp loop;
  LoopBuilder b;
  memref::CopyOp copy;
};

struct ParallelizeCopiesPass
    : aikernel::impl::ParallelizeCopiesPassBase<ParallelizeCopiesPass> {
  using ParallelizeCopiesPassBase::ParallelizeCopiesPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->getParentOp() == getOperation())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      CopyLoop copies(loop);
      if (copies.match())
        copies.emit();
    }
  }
};

} // namespace
