//===- LaneCode.h - What one lane does of a quantized product -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an aikernel.lane_product on memrefs, and a unit (QuantLanes.h). Out: code
// that quantizes a unit of x, loads a unit of four rows of W, multiplies them,
// and adds what the units of a block have together. Kernels and their twins use
// the same.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_LANECODE_H
#define AIKERNEL_LIB_TARGET_GPU_LANECODE_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantLanes.h"
#include "ByteWords.h"

namespace aikernel {

class LaneCode {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  LaneCode(LoopBuilder &b, LaneProductOp op, bool isDevice);

  const QuantLanes layout;

  /// The numbers of a unit of row `row` of x, as f32.
  Values loadNumbers(Value row, Value unit);
  /// The largest magnitude of some numbers, NaN if there is any.
  Value largestOf(mlir::ValueRange numbers);

  /// A unit of x as integers.
  struct Activations {
    Values words;  // of four bytes each
    Values sums;   // of the integers of each sub-block of the unit
    Value scale;   // what the integers are multiplied with
    Value minimum; // what minimums of whole blocks are multiplied with, or null
  };
  /// `largest` is of the whole block.
  Activations quantize(mlir::ValueRange numbers, Value largest);
  /// The sum of all integers of a unit.
  Value sumOf(const Activations &x);

  /// What is loaded for a unit of the four rows of `group`.
  Values loadUnit(Value group, Value unit);
  /// Integer sums of products of a unit: of the four rows, and where sub-blocks
  /// have minimums of these too.
  struct Sums {
    Values products, minimums;
  };
  Sums multiply(mlir::ValueRange loaded, const Activations &x);

  /// What is loaded for a block, given the integer sums of all its units: for
  /// all rows of the group, or only those that the caller has the sums of.
  Values loadBlock(Value group, Value unit, mlir::ValueRange rows);
  /// How many values that is for so many rows.
  unsigned getBlockValues(unsigned rows) const;
  /// The float sums of these rows with a block added. `sumOfX` is the sum of
  /// the block's integers; it may be null where there are no zero points.
  Values addBlock(mlir::ValueRange loaded, mlir::ValueRange rows,
                  const Sums &block, const Activations &x, Value sumOfX,
                  mlir::ValueRange sums);
  bool hasZeros() { return static_cast<bool>(op.getWZeros()); }

private:
  Value constant(int64_t value);
  Value loadWords(Value memref, mlir::ValueRange at, int64_t count);
  Value wordOf(Value words, unsigned word);
  /// Byte `byte` of some words, with its sign.
  Value signedByteOf(Value words, unsigned byte);
  /// The f16 whose bits a word begins with, as f32.
  Value halfOf(Value word);
  Values codesOf(mlir::ValueRange loaded, unsigned row);
  Value multiplyAdd(Value sum, Value x, Value y);
  Value toFloat(Value integer);

  LoopBuilder &b;
  LaneProductOp op;
  ByteWords bytes;
  // Where in what is loaded for a unit these parts begin.
  unsigned highAt, smallAt;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_LANECODE_H
