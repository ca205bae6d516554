//===- TileSchedule.h - The schedules of tile programs --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes of a product. Out: the schedule of its tile program.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_TILESCHEDULE_H
#define AIKERNEL_LIB_TARGET_NVIDIA_TILESCHEDULE_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// For a product of that many rows and columns and sums of that length, of
/// operands of that type; rows may be dynamic.
tile::ScheduleAttr chooseTileSchedule(mlir::MLIRContext *context, int64_t rows,
                                      int64_t columns, int64_t depth,
                                      mlir::Type element);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_TILESCHEDULE_H
