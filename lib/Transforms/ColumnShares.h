//===- ColumnShares.h - Columns that threads pack for themselves ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the lowering of packed products: where rows are read in place, a
// thread multiplies the columns that it has packed. In: a product, the loop
// over its rows and what packs its columns. Out: both by shares of the columns.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_COLUMNSHARES_H
#define AIKERNEL_LIB_TRANSFORMS_COLUMNSHARES_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/LoopBuilder.h"

namespace aikernel {

class ColumnShares {
public:
  /// Only if every tile has all of the columns, these are packed just before,
  /// and tiles do nothing else.
  static std::optional<ColumnShares> match(PackedProductOp product);

  /// Makes a loop over shares of the one over rows.
  void apply(mlir::IRRewriter &rewriter);

  PackPanelsOp getPacking() const { return packing; }
  /// How many shares there are, when the code runs, and how wide all of them
  /// are but the last.
  mlir::Value getCount() const { return count; }
  mlir::Value getWidth() const { return width; }
  /// If there are several.
  int64_t getNarrowWidth() const { return narrow; }
  /// Where the share of a tile begins, and how wide it is.
  mlir::Value getStart() const { return start; }
  mlir::Value getExtent() const { return extent; }

private:
  PackPanelsOp packing;
  mlir::scf::ForallOp loop;
  int64_t columns = 0, narrow = 0;
  mlir::Value count, width, start, extent;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_COLUMNSHARES_H
