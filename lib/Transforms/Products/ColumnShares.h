//===- ColumnShares.h - Columns for threads that pack them ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the lowering of packed products: threads multiply the columns that
// they have packed. In: a product, the loop over its rows and what packs its
// columns. Out: both by shares of the columns.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_COLUMNSHARES_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_COLUMNSHARES_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

struct ColumnShares {
  PackPanelsOp packing;
  /// How many there are when the code runs: one, if there is but one thread.
  mlir::Value count;
  /// From the start of a share to that of the next. The last one has the rest,
  /// and is the widest.
  mlir::Value width, widest;
  /// The widest of several.
  int64_t widestOfSeveral;
  /// Where the share of a tile begins, and how wide it is.
  mlir::Value start, extent;
};

/// Makes a loop over shares of a product's loop over rows. Only if tiles go by
/// rows, each has all columns and does nothing else, and these are numbers of
/// 16 bits that are packed just before.
std::optional<ColumnShares> shareColumns(PackedProductOp product,
                                         mlir::IRRewriter &rewriter);

/// Is this, by its number, the one that has the rest?
mlir::Value isLast(LoopBuilder &b, const ColumnShares &shares,
                   mlir::Value share);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_COLUMNSHARES_H
