//===- LaneCode.h - What one lane does of a quantized product -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an aikernel.lane_product on memrefs, and a unit (QuantLanes.h). Out: code
// that quantizes a unit of x, loads a unit of four rows of W, and adds their
// products. Kernels and their twins use the same.
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

  /// All that is loaded for a unit of the four rows of `group`.
  Values loadUnit(Value group, Value unit);
  /// The sums of the four rows with the products of a unit added.
  Values addUnit(mlir::ValueRange loaded, const Activations &x,
                 mlir::ValueRange sums);

private:
  Value constant(int64_t value);
  Value loadWords(Value memref, mlir::ValueRange at, int64_t count);
  /// Byte `byte` of some words, with or without its sign.
  Value byteOf(Value words, unsigned byte, bool isSigned);
  Value wordOf(Value words, unsigned word);
  Value halfOf(Value words, unsigned half);
  Values codesOf(mlir::ValueRange loaded, unsigned row);
  Value scaleOf(mlir::ValueRange loaded, unsigned row);
  Value minimumOf(mlir::ValueRange loaded, unsigned row);
  Value multiplyAdd(Value sum, Value x, Value y);
  Value toFloat(Value integer);

  LoopBuilder &b;
  LaneProductOp op;
  ByteWords bytes;
  // Where in what is loaded the parts of a unit begin.
  unsigned highAt, smallAt, scalesAt, wScalesAt, wZerosAt;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_LANECODE_H
