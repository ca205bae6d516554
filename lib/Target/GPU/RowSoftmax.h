//===- RowSoftmax.h - The maximum, exponentials and their sum ---*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the ops of a row program. Out: the three of a softmax, if they are there:
//
//   m = max x    e = exp(x - m)    s = sum e
//
// Threads that do not know the row's maximum yet may use their own, since
// exp(x - m) = exp(x - own) * exp(own - m): one exchange does for both.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_ROWSOFTMAX_H
#define AIKERNEL_LIB_TARGET_GPU_ROWSOFTMAX_H

#include "RowProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace aikernel {

struct RowSoftmax {
  static std::optional<RowSoftmax> find(llvm::ArrayRef<RowOp> ops);

  /// exp(from - to), where `to` is a maximum that `from` had a part in.
  mlir::Value factor(LoopBuilder &b, mlir::Value from, mlir::Value to) const;

  /// The product, in the one op after the sum that uses the exponentials, of an
  /// exponential and a number of the row; null when they are used otherwise.
  mlir::arith::MulFOp findOnlyUse(llvm::ArrayRef<RowOp> ops) const;

  const RowOp *maximum, *exponentials, *sum;
  mlir::math::ExpOp exp;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_ROWSOFTMAX_H
