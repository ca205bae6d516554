//===- AttentionSchedule.h - The schedules of attention -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes of attention. Out: the schedule of its tile program.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONSCHEDULE_H
#define AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONSCHEDULE_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// None where there is no schedule for so many features. Numbers of queries may
/// be unknown.
tile::AttentionScheduleAttr
chooseAttentionSchedule(mlir::MLIRContext *context, int64_t features,
                        int64_t queries, bool hasWindow, bool hasMask,
                        bool hasSoftcap);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONSCHEDULE_H
