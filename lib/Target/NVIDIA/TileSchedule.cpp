//===- TileSchedule.cpp - The schedules of tile programs ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes of a product. Out: of the tiles that were measured, the one whose
// waves of blocks take the least time.
//
//===----------------------------------------------------------------------===//

#include "TileSchedule.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// What an unknown number of rows is taken to be.
constexpr int64_t kUnknownRows = 4096;
/// Blocks that run at the same time, one on each processor of an H100 or H200.
constexpr int64_t kBlocks = 132;
/// Where it costs no wave, fewer blocks in a square find more in the L2 cache.
constexpr int64_t kSquareBlocks = 128;
/// Rows of clusters whose tiles follow each other.
constexpr int64_t kGroup = 8;

/// A tile, and how long a block takes for it, in terms of the first.
struct Candidate {
  int64_t rows, columns, stages, boxes, cluster;
  double cost;
};

constexpr Candidate kCandidates[] = {
    {128, 256, 3, 4, 2, 1.0},
    {128, 128, 6, 2, 2, 0.54},
};

int64_t wavesOf(const Candidate &candidate, int64_t rows, int64_t columns,
                int64_t blocks) {
  int64_t clusters =
      llvm::divideCeil(rows, candidate.rows * candidate.cluster) *
      llvm::divideCeil(columns, candidate.columns);
  return llvm::divideCeil(clusters, blocks / candidate.cluster);
}

} // namespace

tile::ScheduleAttr aikernel::chooseTileSchedule(MLIRContext *context,
                                                int64_t rows, int64_t columns) {
  if (ShapedType::isDynamic(rows))
    rows = kUnknownRows;
  const Candidate *best = nullptr;
  double least = 0;
  for (const Candidate &candidate : kCandidates) {
    double time = wavesOf(candidate, rows, columns, kBlocks) * candidate.cost;
    if (!best || time < least) {
      best = &candidate;
      least = time;
    }
  }
  int64_t cluster = rows > best->rows ? best->cluster : 1;
  bool square = wavesOf(*best, rows, columns, kSquareBlocks) ==
                wavesOf(*best, rows, columns, kBlocks);
  return tile::ScheduleAttr::get(
      context, best->rows, best->columns, /*depth=*/64, best->stages,
      best->boxes, cluster, /*warpgroups=*/2, /*registers=*/232,
      /*load_registers=*/40, square ? kSquareBlocks : kBlocks, kGroup,
      /*serpentine=*/true);
}
