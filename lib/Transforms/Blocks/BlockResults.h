//===- BlockResults.h - Sums of a register tile, added to the result ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sums of some rows and columns, in vectors. Out: code that stores them
// where the result has them, or adds them to what is there.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKRESULTS_H
#define AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKRESULTS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

class BlockResults {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// `out` is a matrix of f32; a tile has `rows` vectors of `lanes` columns.
  BlockResults(LoopBuilder &b, Value out, int64_t rows, int64_t lanes);

  /// One vector per row of the tile that begins at `row` and `column`. Sums of
  /// the first part are stored, others added.
  void add(const Values &sums, Value row, Value column, Value isFirst);

  /// Memory of a tile's floats, free between two calls of `add`.
  Value getEdge() const { return edge; }

private:
  Value load(Value from, mlir::ValueRange at);
  void addWhole(const Values &sums, Value row, Value column, bool adds);
  void addRows(Value row, Value column, Value rows, Value isFirst);
  void addEdge(Value row, Value column, Value rows, Value columns,
               Value isFirst);
  void addSum(Value sum, Value old, Value isFirst, const Values &at);

  LoopBuilder &b;
  Value out;
  int64_t lanes;
  Value edge;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKRESULTS_H
