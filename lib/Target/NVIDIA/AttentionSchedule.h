//===- AttentionSchedule.h - The schedules of attention -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what attention is of. Out: schedules of its tile program, the best first.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONSCHEDULE_H
#define AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONSCHEDULE_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// What decides which schedule is best. The number of queries may be unknown.
struct AttentionInfo {
  int64_t features, queries;
  bool hasWindow, hasMask, hasSoftcap;
};

/// The best first. None where there is no schedule for so many features.
llvm::SmallVector<tile::AttentionScheduleAttr>
rankAttentionSchedules(mlir::MLIRContext *context, const AttentionInfo &info);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONSCHEDULE_H
