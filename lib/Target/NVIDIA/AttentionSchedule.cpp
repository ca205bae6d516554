//===- AttentionSchedule.cpp - The schedules of attention -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes of attention. Out: of the tiles that were measured on an H200, the
// best for such sizes.
//
//===----------------------------------------------------------------------===//

#include "AttentionSchedule.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Blocks that run at the same time, one on each processor of an H100 or H200.
constexpr int64_t kBlocks = 132;
/// Up to so many queries, tiles of few rows leave less of the last one empty.
constexpr int64_t kFewQueries = 2048;

/// Two warpgroups of 232 registers or three of 160 share those of a block.
struct Candidate {
  int64_t features, rows, keys, queryStages, boxes, registers, loadRegisters;
  bool keepMaximum, isForFewQueries;
};

/// Without a mask.
constexpr Candidate kCandidates[] = {
    {64, 192, 128, 2, 1, 160, 32, true, false},
    {96, 128, 128, 2, 2, 232, 40, false, false},
    {128, 128, 128, 2, 2, 232, 40, false, true},
    {128, 192, 80, 2, 2, 160, 32, true, false},
    {256, 128, 64, 1, 2, 232, 40, false, false},
};

/// Caps take registers too, in part of these.
constexpr Candidate kCapCandidates[] = {
    {64, 192, 112, 2, 1, 160, 32, true, false},
};

/// Elements of a mask take registers beside the scores.
constexpr Candidate kMaskCandidates[] = {
    {64, 128, 96, 2, 1, 232, 40, false, false},
    {96, 128, 80, 2, 2, 232, 40, false, false},
    {128, 128, 80, 2, 2, 232, 40, false, false},
    {256, 128, 32, 1, 2, 224, 48, false, false},
};

} // namespace

tile::AttentionScheduleAttr
aikernel::chooseAttentionSchedule(MLIRContext *context, int64_t features,
                                  int64_t queries, bool hasWindow, bool hasMask,
                                  bool hasSoftcap) {
  // A tile of few rows sees less beside its window.
  bool isFew =
      hasWindow || (!ShapedType::isDynamic(queries) && queries <= kFewQueries);
  SmallVector<Candidate> candidates;
  if (hasSoftcap && !hasMask)
    llvm::append_range(candidates, kCapCandidates);
  llvm::append_range(candidates, hasMask ? ArrayRef(kMaskCandidates)
                                         : ArrayRef(kCandidates));
  for (const Candidate &candidate : candidates)
    if (candidate.features == features && (isFew || !candidate.isForFewQueries))
      return tile::AttentionScheduleAttr::get(
          context, candidate.rows, candidate.keys, /*stages=*/2,
          candidate.queryStages, candidate.boxes, candidate.registers,
          candidate.loadRegisters, kBlocks,
          // Maxima of capped scores seldom grow, and other work is dear there;
          // with 256 features no register is left for the choice.
          candidate.keepMaximum || (hasSoftcap && features < 256));
  return {};
}
