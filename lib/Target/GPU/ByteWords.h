//===- ByteWords.h - Four bytes in a word, multiplied and looked up -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: words (i32) of four bytes. Out: the instruction of the target, or
// arithmetic that gives the same numbers; words because NVPTX takes vectors of
// bytes apart.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_BYTEWORDS_H
#define AIKERNEL_LIB_TARGET_GPU_BYTEWORDS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

class ByteWords {
public:
  /// For code of the device that `op` is part of, or for a host.
  ByteWords(mlir::Operation *op, bool isDevice);

  /// sum + the products of the signed bytes.
  mlir::Value multiplyAdd(LoopBuilder &b, mlir::Value sum, mlir::Value left,
                          mlir::Value right) const;
  /// The sum of the products of words of signed bytes with the table's entries
  /// for four nibbles each: the low and then the high ones of each word of
  /// `nibbles`.
  mlir::Value multiplyTable(LoopBuilder &b, llvm::ArrayRef<int8_t> table,
                            llvm::ArrayRef<mlir::Value> nibbles,
                            llvm::ArrayRef<mlir::Value> right) const;

private:
  enum class Dot { None, DP4A, SDOT4, SUDOT4 };
  mlir::Value lookUp(LoopBuilder &b, llvm::ArrayRef<int8_t> table,
                     mlir::Value nibbles) const;

  Dot dot = Dot::None;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_BYTEWORDS_H
