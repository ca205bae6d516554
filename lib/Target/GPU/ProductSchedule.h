//===- ProductSchedule.h - How targets compute products ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target, and the type and the sizes of a product. Out: its schedule, if
// the target has matrix instructions for it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_PRODUCTSCHEDULE_H
#define AIKERNEL_LIB_TARGET_GPU_PRODUCTSCHEDULE_H

#include "../NVIDIA/TileSchedule.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"

namespace aikernel {

/// Schedules that a product can have, the best one first; none where the target
/// has no instructions for it.
llvm::SmallVector<tile::ScheduleAttr>
rankProductSchedules(TargetAttr target, const TileProductInfo &product);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_PRODUCTSCHEDULE_H
