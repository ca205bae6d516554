//===- ThinProduct.h - A matrix times a few vectors -------------*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a product of a large matrix, of which a block has a few rows or columns,
// and a few vectors. Out: code that reads the matrix once, in vectors of 16
// bytes, many of them under way at a time: such a product is as fast as memory.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_THINPRODUCT_H
#define AIKERNEL_LIB_TARGET_GPU_THINPRODUCT_H

#include "ThreadReduction.h"

namespace aikernel {

/// Which loops of a product are which; on tensors or on buffers.
struct ThinLoops {
  /// Nothing when the op is not the product of a matrix and at most
  /// kMostVectors vectors, their number known.
  static std::optional<ThinLoops> match(mlir::linalg::LinalgOp op);

  static constexpr int64_t kMostVectors = 8;

  mlir::OpOperand *matrix, *vectors;
  unsigned outer; // over the rows or columns of the matrix
  unsigned sum;   // the one that is summed over
  std::optional<unsigned>
      vectorNumber; // over the vectors, if there are several
  int64_t vectorCount = 1;
  /// What lies next to each other in the matrix is summed up.
  bool isRowwise;
};

class ThinProduct {
public:
  /// Nothing when threads cannot divide the product.
  static std::optional<ThinProduct> match(mlir::linalg::LinalgOp op);

  /// Threads, and rows (columns) of the matrix, that a block should have.
  static int64_t threadsFor(mlir::linalg::LinalgOp op, const ThinLoops &loops);
  static int64_t outerTile(mlir::linalg::LinalgOp op, const ThinLoops &loops);

  /// A barrier stands before the first access to the result.
  void emit(LoopBuilder &b, mlir::gpu::GPUFuncOp kernel, mlir::Value thread,
            int64_t threads);

private:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  ThinProduct(mlir::linalg::LinalgOp op, ThinLoops loops,
              ThreadReduction reduction)
      : op(op), loops(loops), reduction(std::move(reduction)) {}

  void emitRows(LoopBuilder &b, mlir::gpu::GPUFuncOp kernel, Value thread,
                int64_t threads);
  void emitColumns(LoopBuilder &b, mlir::gpu::GPUFuncOp kernel, Value thread,
                   int64_t threads);

  /// Where an operand's element is, at a row or column, a place in the sum and
  /// a vector.
  Values indices(LoopBuilder &b, mlir::OpOperand &operand, Value outer,
                 Value sum, int64_t vector);
  /// `width` elements from there on.
  Value load(LoopBuilder &b, mlir::OpOperand &operand, Value outer, Value sum,
             int64_t vector);
  /// `count` numbers of a vector.
  Values loadNumbers(LoopBuilder &b, Value outer, Value sum, int64_t vector,
                     int64_t count);
  /// The op's body: `sum` with more products.
  Value add(LoopBuilder &b, Value matrix, Value vector, Value sum);
  Value neutral(LoopBuilder &b, bool asVector);
  /// The block has no more rows (columns) than these.
  bool isOnce(int64_t tile);
  /// Adds what was there, and stores.
  void store(LoopBuilder &b, Value outer, int64_t vector, Value sum);

  mlir::linalg::LinalgOp op;
  ThinLoops loops;
  ThreadReduction reduction;
  int64_t width = 1;         // elements of the matrix that are read at once
  int64_t numbersAtOnce = 1; // of a vector, where the matrix is read by columns
  Value outerCount, sumCount;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_THINPRODUCT_H
