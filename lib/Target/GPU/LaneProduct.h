//===- LaneProduct.h - What a block does of a quantized product -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an aikernel.lane_product on memrefs. Out: the code of its threads.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_LANEPRODUCT_H
#define AIKERNEL_LIB_TARGET_GPU_LANEPRODUCT_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace aikernel {

/// How the warps of a block share rows of so many units: a team of them has
/// four rows at a time, and each of its lanes a few units of these.
struct LaneTeams {
  LaneTeams(int64_t units, int64_t threads);
  int64_t slots; // units of a row that a lane has
  int64_t warps; // of a team
  int64_t teams; // of a block
};

/// Can lanes hold this many rows of x in registers?
bool fitsLanes(int64_t units, int64_t rows);

/// Writes what the threads of a block do at the insertion point of `b`. Results
/// are there for other threads after a barrier.
void emitLaneProduct(LoopBuilder &b, mlir::gpu::GPUFuncOp kernel,
                     LaneProductOp op, mlir::Value thread);

/// Writes loops that compute the same on a host.
void emitLaneTwin(LoopBuilder &b, LaneProductOp op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_LANEPRODUCT_H
