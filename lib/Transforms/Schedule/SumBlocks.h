//===- SumBlocks.h - Products block by block of their sums ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a packed product. Out: one for each block of its sums.
//
// All tiles of a product take a block of their sums before any takes the next,
// and operands are packed a block at a time: what was packed is read while it
// is still in a cache.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_SCHEDULE_SUMBLOCKS_H
#define AIKERNEL_LIB_TRANSFORMS_SCHEDULE_SUMBLOCKS_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/IR/PatternMatch.h"

namespace aikernel {

/// The length of the blocks into which the product's operands are packed.
int64_t getSumBlock(PackedProductOp product);

/// Can its operands be packed a block at a time?
bool hasSumBlocks(PackedProductOp product);

/// Replaces the product by one of the first block and a loop over the others,
/// and returns the two products.
llvm::SmallVector<PackedProductOp> splitSum(mlir::RewriterBase &rewriter,
                                            PackedProductOp product);

/// Do products of this instruction take a block before the next in each tile by
/// itself, instead of in all tiles?
bool takesBlocksInTile(PackedProductOp product);

/// Is the right operand, or what the tile reads of it, packed in this kernel,
/// and neither a batch of matrices nor empty?
bool hasSumBlocksInTile(PackedProductOp product);

/// The same as splitSum for a product inside a tile. What it takes of the right
/// operand is packed there, a block at a time; the left one stays packed as a
/// whole.
void splitSumInTile(mlir::RewriterBase &rewriter, PackedProductOp product);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_SCHEDULE_SUMBLOCKS_H
