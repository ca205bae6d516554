//===- DecodeEmitter.h - The code of a part of attention ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.attention_part in a kernel. Out: what one thread does of it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_DECODEEMITTER_H
#define AIKERNEL_LIB_TARGET_NVIDIA_DECODEEMITTER_H

#include "ArrivalCounter.h"
#include "DecodeTiles.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace aikernel {

/// What a warp has found, of the rows and sums that a lane holds.
struct WarpSums {
  LoopBuilder::Values maximums, sums; // of each set, of rowOfScores
  LoopBuilder::Values values;         // sumCount()
};

/// A thread and its place in the block.
struct DecodeThread {
  mlir::Value thread, warp, lane;
};

/// e^(x - maximum), by the hardware's power of two.
mlir::Value emitPower(LoopBuilder &b, mlir::Value x, mlir::Value maximum);

/// The keys of the part that this thread's warp reads. `meanwhile` is done when
/// the first of them are on their way.
WarpSums emitDecodeLoop(LoopBuilder &b, AttentionPartOp op, DecodeTiles &tiles,
                        const DecodeThread &where, int64_t warps,
                        llvm::function_ref<void()> meanwhile);

/// Adds up the warps of the block, then the parts of the head; replaces the op.
void emitDecodeCombination(LoopBuilder &b, AttentionPartOp op,
                           DecodeTiles &tiles, const DecodeThread &where,
                           int64_t threads, const WarpSums &found,
                           ArrivalCounter *counter,
                           mlir::gpu::GPUFuncOp kernel);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_DECODEEMITTER_H
