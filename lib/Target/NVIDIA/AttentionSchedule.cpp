//===- AttentionSchedule.cpp - The schedules of attention -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what attention is of. Out: the tiles that were measured on an H200, the
// best for such sizes first.
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

/// Two or three warpgroups share the registers of a block with the one that
/// loads.
struct Candidate {
  int64_t features, rows, keys, queryStages, boxes, registers, loadRegisters;
  bool keepMaximum, isForFewQueries;
};

/// Without a mask.
constexpr Candidate kCandidates[] = {
    {64, 192, 128, 2, 1, 160, 32, true, false},
    {32, 128, 128, 2, 1, 232, 40, false, false},
    {48, 128, 128, 2, 1, 232, 40, false, false},
    {80, 128, 128, 2, 2, 232, 40, false, false},
    {96, 128, 128, 2, 2, 232, 40, false, false},
    {112, 128, 128, 2, 2, 232, 40, false, false},
    {128, 128, 128, 2, 2, 232, 40, true, true},
    {128, 192, 80, 2, 2, 160, 32, true, false},
    {160, 128, 64, 1, 2, 232, 40, false, false},
    {192, 128, 64, 1, 2, 232, 40, false, false},
    {256, 128, 64, 1, 2, 232, 40, false, false},
};

/// With a cap and without a mask these come before the others: it takes
/// registers.
constexpr Candidate kCapCandidates[] = {
    {64, 192, 112, 2, 1, 160, 32, true, false},
};

/// Elements of a mask take registers beside the scores.
constexpr Candidate kMaskCandidates[] = {
    {32, 128, 96, 2, 1, 232, 40, false, false},
    {48, 128, 96, 2, 1, 232, 40, false, false},
    {64, 128, 96, 2, 1, 232, 40, false, false},
    {80, 128, 80, 2, 2, 232, 40, false, false},
    {96, 128, 80, 2, 2, 232, 40, false, false},
    {112, 128, 80, 2, 2, 232, 40, false, false},
    {128, 128, 80, 2, 2, 232, 40, false, false},
    {160, 128, 32, 1, 2, 224, 48, false, false},
    {192, 128, 32, 1, 2, 224, 48, false, false},
    {256, 128, 32, 1, 2, 224, 48, false, false},
};

} // namespace

SmallVector<tile::AttentionScheduleAttr>
aikernel::rankAttentionSchedules(MLIRContext *context,
                                 const AttentionInfo &info) {
  // A tile of few rows sees less beside its window.
  bool isFew = info.hasWindow || (!ShapedType::isDynamic(info.queries) &&
                                  info.queries <= kFewQueries);
  SmallVector<Candidate> all;
  if (info.hasSoftcap && !info.hasMask)
    llvm::append_range(all, kCapCandidates);
  llvm::append_range(all, info.hasMask ? ArrayRef(kMaskCandidates)
                                       : ArrayRef(kCandidates));
  SmallVector<Candidate> candidates;
  for (bool suits : {true, false})
    for (const Candidate &candidate : all)
      if (candidate.features == info.features &&
          (candidate.isForFewQueries == isFew) == suits)
        candidates.push_back(candidate);
  SmallVector<tile::AttentionScheduleAttr> ranked;
  auto add = [&](const Candidate &candidate, bool keepMaximum) {
    ranked.push_back(tile::AttentionScheduleAttr::get(
        context, candidate.rows, candidate.keys, /*stages=*/2,
        candidate.queryStages, candidate.boxes, candidate.registers,
        candidate.loadRegisters, kBlocks, keepMaximum));
  };
  // Maxima of capped scores seldom grow, and other work is dear there; with 256
  // features no register is left for the choice.
  bool canKeep = info.features < 256;
  auto keepsMaximum = [&](const Candidate &candidate) {
    return canKeep && (candidate.keepMaximum || info.hasSoftcap);
  };
  for (const Candidate &candidate : candidates)
    add(candidate, keepsMaximum(candidate));
  if (canKeep)
    for (const Candidate &candidate : candidates)
      add(candidate, !keepsMaximum(candidate));
  return ranked;
}
