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

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// Null: the target has no such instructions. Rows may be dynamic.
tile::ScheduleAttr chooseProductSchedule(TargetAttr target, mlir::Type element,
                                         int64_t rows, int64_t columns,
                                         int64_t depth);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_PRODUCTSCHEDULE_H
