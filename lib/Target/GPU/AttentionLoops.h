//===- AttentionLoops.h - Attention as plain loops ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: attention that a tile program computes. Out: loops that compute it on the
// host, for its twin.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_ATTENTIONLOOPS_H
#define AIKERNEL_LIB_TARGET_GPU_ATTENTIONLOOPS_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// Puts loops over batches, heads, queries and keys in its place.
void expandAttention(tile::AttentionOp op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_ATTENTIONLOOPS_H
