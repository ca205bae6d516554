//===- RowRounds.h - Rows that are packed just before their tiles ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a packed product in a parallel loop over its tiles, and what packs all of
// its rows before that loop. Out: rounds of both, each of so many rows as stay
// in the second caches of all threads.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_ROWROUNDS_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_ROWROUNDS_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

class RowRounds {
public:
  /// Only with AVX-512, for which it was measured, where the loop has several
  /// tiles of rows, nothing else reads what is packed, and nothing writes to
  /// the rows until the loop is done.
  static std::optional<RowRounds> match(PackedProductOp product);

  /// Puts the loop and a new packing into a loop over rounds.
  void apply(mlir::IRRewriter &rewriter);

private:
  /// For each thread some, in whole tiles; all rows if the number of threads is
  /// not known.
  mlir::Value rowsOfRound(LoopBuilder &b, mlir::Value allRows);

  PackPanelsOp packing;
  mlir::scf::ForallOp loop;
  unsigned rowDim = 0; // of the loop
  int64_t tileRows = 0, panelRows = 0;
  /// What of the panels the products of a tile read.
  llvm::SmallVector<mlir::memref::SubViewOp> parts;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_ROWROUNDS_H
