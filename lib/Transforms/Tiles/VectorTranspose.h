//===- VectorTranspose.h - Squares of vectors are transposed --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As many vectors of 32-bit elements as each has lanes become the columns of
// their square. Each shuffle is of two registers, and one that x86 has without
// a table of positions: what LLVM makes of one large shuffle takes twice as
// many.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_VECTORTRANSPOSE_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_VECTORTRANSPOSE_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

/// Lanes that transposeSquare knows: one, two or four quarters of 512 bits.
inline bool canTransposeSquare(int64_t lanes) {
  return lanes == 4 || lanes == 8 || lanes == 16;
}

LoopBuilder::Values transposeSquare(LoopBuilder &b,
                                    llvm::ArrayRef<mlir::Value> rows);

/// In each 128 bits: the elements of the lower halves of x and y by turns, or
/// of the upper halves.
mlir::Value unpack(LoopBuilder &b, mlir::Value x, mlir::Value y,
                   int64_t elementsAtOnce, bool isUpper);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_VECTORTRANSPOSE_H
