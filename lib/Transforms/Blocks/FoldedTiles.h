//===- FoldedTiles.h - Codes times sub-scales, in tile registers ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: codes, sub-scales and sub-minimums of one panel of weights, and panels of
// x. Out: 32-bit sums of whole blocks.
//
// A code times its sub-scale has 14 bits, which are two bytes: high * 128 +
// low. Sums of both are tile registers that run over a whole block, 64 elements
// at a time, where one of the codes alone would have to be taken out, scaled
// and added for each sub-block.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_BLOCKS_FOLDEDTILES_H
#define AIKERNEL_LIB_TRANSFORMS_BLOCKS_FOLDEDTILES_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "BlockKernels.h"

namespace aikernel {

class FoldedTiles {
public:
  using Value = mlir::Value;

  /// Room for `blocks` of a panel.
  FoldedTiles(LoopBuilder &b, const QuantPanel &layout,
              const ByteProducts &products, int64_t blocks);

  /// Unpacked codes of a chunk, with their sign, four elements of each of the
  /// sixteen rows in a vector.
  void storeCodes(Value block, Value chunk, llvm::ArrayRef<Value> codes,
                  Value subScales);
  /// Of two chunks that follow each other.
  void storeMinimums(Value block, Value pair, Value even, Value odd);
  /// `load` gives the sums of the elements of x in a chunk, one lane per row.
  void storeSumsOfRows(Value chunks, llvm::function_ref<Value(Value)> load);

  /// Multiplies a block with `left`, the address of sixteen rows of 64 elements
  /// for each 64 elements of it. Returns where its sums are.
  Value multiply(Value left, Value block);
  /// Those of a row of x, one per lane.
  Value getSums(Value place, int64_t row);
  /// The sums of a row of x times the sub-minimums of a block.
  Value getMinimums(Value block, int64_t row);

private:
  Value placeOfPair(Value block, Value pair);

  LoopBuilder &b;
  const QuantPanel &layout;
  const ByteProducts &products;
  mlir::VectorType integers, pairs;
  Value low, high;            // bytes, in the order of steps
  Value minimums, sumsOfRows; // two of 16 bits each
  Value tileSums;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_BLOCKS_FOLDEDTILES_H
