//===- TileSchedule.h - The schedules of tile programs --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes of a product. Out: the schedules of its tile program, and which one
// is thought to be the quickest.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_TILESCHEDULE_H
#define AIKERNEL_LIB_TARGET_NVIDIA_TILESCHEDULE_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// What decides how a product is computed.
struct TileProductInfo {
  int64_t rows, columns, depth; // only the rows may be dynamic
  mlir::Type element;           // of the operands
  bool lhsTransposed = false, rhsTransposed = false;
  int64_t opsOnSums = 0; // what is done to each of them
  /// Bits of each result, and of what is read beside the sums of a column.
  int64_t resultBits = 16, bitsBeside = 0;
  /// Functions are computed of sums, many at once in as many registers.
  bool hasFunctions = false;
  /// What is done leaves registers in which sums of the tile before can wait.
  bool leavesRegisters = false;
};

/// Why a product cannot have that schedule, or nothing.
std::string objectionTo(tile::ScheduleAttr schedule,
                        const TileProductInfo &product);

/// All of the table's that the product can have, the quickest one first.
llvm::SmallVector<tile::ScheduleAttr>
rankTileSchedules(mlir::MLIRContext *context, const TileProductInfo &product);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_TILESCHEDULE_H
