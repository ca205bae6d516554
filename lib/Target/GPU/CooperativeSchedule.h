//===- CooperativeSchedule.h - Tiles that whole blocks compute ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target and the sizes of a product. Out: its schedule, if the target has
// matrix instructions of single warps.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_COOPERATIVESCHEDULE_H
#define AIKERNEL_LIB_TARGET_GPU_COOPERATIVESCHEDULE_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// Null: the target has no such instructions. Rows may be dynamic.
tile::ScheduleAttr chooseCooperativeSchedule(mlir::MLIRContext *context,
                                             llvm::StringRef target,
                                             int64_t rows, int64_t columns);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_COOPERATIVESCHEDULE_H
