//===- RowProgram.h - Rows that stay in registers -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel whose block computes a few whole rows: elementwise ops on them,
// and reductions of each row to a number. Out: code in which each thread holds
// its pieces of the row in registers from the first load to the last store, and
// rows are read once.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_ROWPROGRAM_H
#define AIKERNEL_LIB_TARGET_GPU_ROWPROGRAM_H

#include "AIKernel/Transforms/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace aikernel {

/// What an operand of a row program is indexed by.
enum class RowShape {
  Scalar, // nothing
  PerRow, // the row alone
  Column, // the column alone: the same for all rows
  Full    // both
};

struct RowOp {
  mlir::linalg::LinalgOp op;
  /// One for each operand, results last.
  llvm::SmallVector<RowShape> shapes;
  bool hasColumns = false; // false: computes one number per row
  bool reduces = false;
};

class RowProgram {
public:
  /// Nothing when the kernel is not of this form.
  static std::optional<RowProgram> match(mlir::gpu::GPUFuncOp kernel);

  /// Replaces the structured ops of the kernel.
  void emit();

private:
  explicit RowProgram(mlir::gpu::GPUFuncOp kernel) : kernel(kernel) {}

  bool add(mlir::linalg::LinalgOp op);
  bool chooseLayout();

  mlir::gpu::GPUFuncOp kernel;
  llvm::SmallVector<RowOp> ops;
  int64_t columns = 0;       // of a row
  int64_t threads = 0;       // of the block
  int64_t perRow = 0;        // threads that share a row
  int64_t vector = 0;        // elements that a thread loads at once
  int64_t narrowest = 64;    // bits of the narrowest element in memory
  int64_t mostElements = 16; // of a vector, where rows begin at odd places
  llvm::SmallVector<int64_t> rowExtents; // of the loops that are rows
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_ROWPROGRAM_H
