//===- AttentionScores.h - The score of a query and a key -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel and its twin compute alike of aikernel.attention_part.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_ATTENTIONSCORES_H
#define AIKERNEL_LIB_TARGET_GPU_ATTENTIONSCORES_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

/// Where an element of q, k or v is.
LoopBuilder::Values placeOf(LoopBuilder &b, AttentionPartOp op,
                            mlir::Value head, mlir::Value position,
                            mlir::Value feature);

/// Scaled, soft-capped and with the mask added.
mlir::Value scoreOf(LoopBuilder &b, AttentionPartOp op, mlir::Value product,
                    mlir::Value head, mlir::Value query, mlir::Value key);

/// The keys of this part that a query sees: the first and past the last.
std::pair<mlir::Value, mlir::Value> seenKeys(LoopBuilder &b, AttentionPartOp op,
                                             mlir::Value query);

/// What the number of a row means.
mlir::Value headOfRow(LoopBuilder &b, AttentionPartOp op, mlir::Value row);
mlir::Value queryOfRow(LoopBuilder &b, AttentionPartOp op, mlir::Value row);

mlir::Value constantF32(LoopBuilder &b, float value);
mlir::Value minusInfinity(LoopBuilder &b);
/// A maximum that can be subtracted: 0 where there was none.
mlir::Value shiftOf(LoopBuilder &b, mlir::Value maximum);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_ATTENTIONSCORES_H
