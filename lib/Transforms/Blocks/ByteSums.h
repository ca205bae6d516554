//===- ByteSums.h - Sums of many products of bytes ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of 32-bit sums that products of bytes are added to one after the
// other. Where the target multiplies bytes into 16 bits, as many products stay
// there as fit; then their pairs are added to the sums.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_BLOCKS_BYTESUMS_H
#define AIKERNEL_LIB_TRANSFORMS_BLOCKS_BYTESUMS_H

#include "ByteProducts.h"

namespace aikernel {

class ByteSums {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  /// What the sums begin with. Pairs meet it last, where it is made only then.
  using StartFn = std::function<Values()>;

  /// No byte of the left sides is farther from zero than `largest`; if none of
  /// them is negative they are not `isSigned`. With `isQuads` right and left
  /// are two rows each (ByteProducts::multiplyAddQuads).
  ByteSums(mlir::ImplicitLocOpBuilder &b, const ByteProducts &products,
           size_t count, int64_t largest, bool isSigned, bool isQuads,
           StartFn start);

  /// To sums `i`; see ByteProducts::multiplyAdd.
  void add(size_t i, Value left, Value right);

  Values finish();

private:
  Value inOrder(Value sum, bool isEachStep);
  void addPairs(size_t i);

  mlir::ImplicitLocOpBuilder &b;
  const ByteProducts &products;
  const bool isSigned, isQuads;
  const int64_t mostProducts; // that fit 16 bits
  StartFn start;
  Values sums, pairs;                 // null until something is in them
  llvm::SmallVector<int64_t> ofPairs; // how many products are in each
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_BLOCKS_BYTESUMS_H
