//===- ProductSchedule.cpp - How targets compute products ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target, and the type and the sizes of a product. Out: where warps load
// for others, what the vendor chooses; elsewhere the largest tile of which
// there are enough to keep the device busy.
//
//===----------------------------------------------------------------------===//

#include "ProductSchedule.h"
#include "Processor.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// What an unknown number of rows is taken to be.
constexpr int64_t kUnknownRows = 4096;
/// One tile for each block: as many as a grid may have.
constexpr int64_t kAllBlocks = int64_t(1) << 30;
/// Rows of tiles whose blocks follow each other.
constexpr int64_t kGroup = 8;
constexpr int64_t kDepth = 32;

struct Candidate {
  int64_t rows, columns, stages, warpgroups;
};

/// Tiles of a target, the largest first; none where there are tile programs
/// with roles. Stages of the ring fit into the shared
/// memory of a block beside those of a second block where that pays.
struct Tiles {
  StringRef target;
  ArrayRef<Candidate> candidates;
};

constexpr Candidate kWarpTiles[] = {
    {128, 256, 4, 2}, //
    {128, 128, 4, 1}, //
    {64, 128, 4, 1},  //
    {64, 64, 4, 1},
};
/// Local memory is 64 KiB, of which two stages take half.
constexpr Candidate kWaveTiles[] = {
    {128, 128, 2, 2}, //
    {64, 64, 2, 1},
};
const Tiles kTiles[] = {
    {"nvidia:sm_80", kWarpTiles}, {"nvidia:sm_89", kWarpTiles},
    {"nvidia:sm_90a", {}},        {"amd:gfx942", kWaveTiles},
    {"amd:gfx1100", kWaveTiles},
};

} // namespace

SmallVector<tile::ScheduleAttr>
aikernel::rankProductSchedules(TargetAttr target,
                               const TileProductInfo &product) {
  MLIRContext *context = target.getContext();
  const Tiles *tiles = llvm::find_if(kTiles, [&](const Tiles &tiles) {
    return tiles.target == target.getName();
  });
  if (tiles == std::end(kTiles))
    return {};
  if (tiles->candidates.empty())
    return rankTileSchedules(context, product);
  if (!product.element.isBF16() && !product.element.isF16())
    return {};
  int64_t rows =
      ShapedType::isDynamic(product.rows) ? kUnknownRows : product.rows;
  const Candidate *best = &tiles->candidates.back();
  for (const Candidate &candidate : llvm::reverse(tiles->candidates))
    if (llvm::divideCeil(rows, candidate.rows) *
            llvm::divideCeil(product.columns, candidate.columns) >=
        (uint64_t)getProcessor(target).multiprocessors)
      best = &candidate;
  return {tile::ScheduleAttr::get(
      context, best->rows, best->columns, kDepth, best->stages, /*boxes=*/0,
      /*cluster=*/1, best->warpgroups, /*registers=*/0, /*load_registers=*/0,
      kAllBlocks, kGroup, /*serpentine=*/false, /*split=*/1,
      /*swapped=*/false, /*clustered=*/false, /*share_left=*/false,
      /*at_once=*/1, /*keep=*/0)};
}
