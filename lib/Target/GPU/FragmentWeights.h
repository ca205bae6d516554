//===- FragmentWeights.h - 4-bit weights as registers want them -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes of a quantized matrix [N, K] with a scale for each 128 elements of
// a row. Out: where its elements are when matrix instructions take them from
// registers.
//
// A slab has 64 rows and 128 columns: 32 lines of 128 bytes, half of them for
// the first 64 columns. Thread t of a warpgroup has the sixteen bytes from
// 16 (t mod 8) of line t / 8: a word for each 16 columns. Of thread 4 r + c of
// warp w, byte h + 2 o of a word has columns 8 h + 2 c + o, row
// 16 w + 4 (r / 2) + r mod 2 in the low half and the second row below it in the
// high one: four rows that follow each other are with threads that give away
// their sums together. Codes are 8 more than the number. Slabs of the same
// columns follow each other, and so do their scales, two lines of 32 f32.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_FRAGMENTWEIGHTS_H
#define AIKERNEL_LIB_TARGET_GPU_FRAGMENTWEIGHTS_H

#include "mlir/IR/AffineMap.h"

namespace aikernel {

struct FragmentWeights {
  static constexpr int64_t kRows = 64, kGroup = 128;
  static constexpr int64_t kCodeLines = 32, kCodesOfLine = 128;
  static constexpr int64_t kScaleLines = 2, kScalesOfLine = 32;
  static constexpr int64_t kOffset = 8;

  int64_t slabs;  // N / 64
  int64_t groups; // K / 128

  int64_t getCodeLines() const { return slabs * groups * kCodeLines; }
  int64_t getScaleLines() const { return slabs * groups * kScaleLines; }

  /// How far below the row of a low half that of the high one is.
  static constexpr int64_t kHighRow = 2;

  /// (line, byte) -> (row, byte) in the matrix as it was, of the low half; the
  /// high one is `lower` rows below.
  mlir::AffineMap getCodeSource(mlir::MLIRContext *context,
                                int64_t lower) const;
  /// (line, number) -> (row, group)
  mlir::AffineMap getScaleSource(mlir::MLIRContext *context) const;
  /// (row, column) -> (line, byte)
  mlir::AffineMap getCodePlace(mlir::MLIRContext *context) const;
  /// (row, column) -> (line, number)
  mlir::AffineMap getScalePlace(mlir::MLIRContext *context) const;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_FRAGMENTWEIGHTS_H
