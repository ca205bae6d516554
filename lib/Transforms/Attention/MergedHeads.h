//===- MergedHeads.h - Query heads that share keys, as one head -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to aik-lower-attention. In: online attention on memrefs whose query
// heads share key heads in groups, with a known number of queries. Out: the
// queries of a group, one head after the other, as rows of one head.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_ATTENTION_MERGEDHEADS_H
#define AIKERNEL_LIB_TRANSFORMS_ATTENTION_MERGEDHEADS_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

struct MergedHeads {
  mlir::Value queries;    // [batch, key head, row, feature]
  mlir::Value begin, end; // [batch, row], or null: the keys that a row sees
};

/// Copies the queries, in parallel, and what bounds the keys that they see.
MergedHeads mergeHeads(LoopBuilder &b, OnlineAttentionOp op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_ATTENTION_MERGEDHEADS_H
