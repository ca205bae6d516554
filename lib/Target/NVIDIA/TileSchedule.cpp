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

/// Time that a tile takes beyond its steps.
constexpr double kTileMicroseconds = 1.0;

/// A tile, and how long a block takes for a step of it, as measured on an H200.
struct Candidate {
  int64_t rows, warpgroups, columns, stages, boxes;
  double stepMicroseconds;
};

constexpr Candidate kCandidates[] = {
    {128, 2, 256, 3, 4, 0.620}, //
    {128, 2, 128, 6, 2, 0.330}, //
    {128, 2, 64, 8, 1, 0.185},  //
    {64, 1, 128, 8, 2, 0.235},  //
    {64, 1, 64, 12, 1, 0.158},
};

/// Blocks that share the tile of the right operand.
int64_t clusterOf(const Candidate &candidate, int64_t rows) {
  return rows > candidate.rows ? 2 : 1;
}

int64_t wavesOf(const Candidate &candidate, int64_t rows, int64_t columns,
                int64_t blocks) {
  int64_t cluster = clusterOf(candidate, rows);
  int64_t clusters = llvm::divideCeil(rows, candidate.rows * cluster) *
                     llvm::divideCeil(columns, candidate.columns);
  return llvm::divideCeil(clusters, blocks / cluster);
}

} // namespace

tile::ScheduleAttr aikernel::chooseTileSchedule(MLIRContext *context,
                                                int64_t rows, int64_t columns,
                                                int64_t depth, Type element) {
  if (ShapedType::isDynamic(rows))
    rows = kUnknownRows;
  // A step is a line, which takes as long for elements of any size.
  int64_t stepDepth = tile::kLineBytes * 8 / element.getIntOrFloatBitWidth();
  int64_t steps = llvm::divideCeil(depth, stepDepth);
  const Candidate *best = nullptr;
  double least = 0;
  for (const Candidate &candidate : kCandidates) {
    double time = wavesOf(candidate, rows, columns, kBlocks) *
                  (steps * candidate.stepMicroseconds + kTileMicroseconds);
    if (!best || time < least) {
      best = &candidate;
      least = time;
    }
  }
  bool square = wavesOf(*best, rows, columns, kSquareBlocks) ==
                wavesOf(*best, rows, columns, kBlocks);
  return tile::ScheduleAttr::get(
      context, best->rows, best->columns, stepDepth, best->stages, best->boxes,
      clusterOf(*best, rows), best->warpgroups, /*registers=*/232,
      /*load_registers=*/40, square ? kSquareBlocks : kBlocks, kGroup,
      /*serpentine=*/true, /*split=*/1, /*swapped=*/false);
}
