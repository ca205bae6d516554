//===- SharedProduct.h - A product whose factors are shared -----*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a product of matrices that no matrix instruction has, as of f32. Out:
// what a thread does so that a block computes a tile of it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_SHAREDPRODUCT_H
#define AIKERNEL_LIB_TARGET_GPU_SHAREDPRODUCT_H

#include "ThreadReduction.h"

namespace aikernel {

/// On a product: rows and columns that a block computes at a time.
inline constexpr llvm::StringLiteral kSharedTileAttrName =
    "aikernel.shared_tile";

struct ProductTile {
  int64_t rows, columns;

  /// Nothing when the op has none, or one that threads cannot divide.
  static std::optional<ProductTile> of(mlir::linalg::LinalgOp op);
  /// Powers of two from kLeast to kMost.
  bool isGood() const;
  /// Steps of the sum that are shared at a time.
  int64_t depth() const;
  /// Of shared memory, whatever the types are.
  int64_t bytes() const;

  static const ProductTile kLeast, kMost;
};
inline constexpr ProductTile ProductTile::kLeast = {16, 32};
inline constexpr ProductTile ProductTile::kMost = {128, 128};

/// The loops of a product of two matrices, whose sums are of products and no
/// more: all others are of one iteration.
struct MatrixLoops {
  static std::optional<MatrixLoops> match(mlir::linalg::LinalgOp op,
                                          llvm::ArrayRef<int64_t> extents);

  unsigned row, column, sum;
  mlir::OpOperand *left, *right; // with rows, with columns
};

class SharedProduct {
public:
  /// Nothing when the op has no tile, or there are other threads than it is
  /// for.
  static std::optional<SharedProduct> match(mlir::linalg::LinalgOp op,
                                            int64_t threads);

  /// A barrier comes first. `room` has the bytes of the tile, and may be used
  /// by others before and after.
  void emit(LoopBuilder &b, mlir::Value room, mlir::Value thread);

private:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// Rows of the left or columns of the right, in a tile.
  struct Factor {
    mlir::OpOperand *operand;
    unsigned loop;   // over its rows (columns)
    int64_t extent;  // of these in a tile
    int64_t each;    // of these that a thread has
    bool isAlongSum; // in memory
    int64_t width;   // elements that are read at once
    Value count;     // of its rows (columns)
    Value room;      // in shared memory, where the sum comes first
    Value lane;      // of this thread among those that have others of these

    int64_t lanes() const { return extent / each; }
    mlir::Type element() const {
      return mlir::getElementTypeOrSelf(operand->get());
    }
  };

  SharedProduct(mlir::linalg::LinalgOp op, MatrixLoops loops,
                ThreadReduction reduction, ProductTile tile, int64_t threads);

  Factor factorOf(mlir::OpOperand &operand, unsigned loop, int64_t extent);
  int64_t groups() const { return threads / (left.lanes() * right.lanes()); }
  int64_t sumsOfThread() const { return left.each * right.each; }

  void placeIn(LoopBuilder &b, Value room);
  /// Where an operand's element is.
  Values indices(LoopBuilder &b, mlir::OpOperand &operand, Value row,
                 Value column, Value sum);
  /// This thread's pieces of a tile, from `first` and `step` on.
  Values load(LoopBuilder &b, const Factor &factor, Value first, Value step);
  void share(LoopBuilder &b, const Factor &factor, Value step,
             mlir::ValueRange pieces);
  /// Where a row of a step is in shared memory.
  Value swizzle(LoopBuilder &b, const Factor &factor, Value row, Value sum);
  /// Calls `body` for each piece of this thread with its place in the tile.
  void forPieces(LoopBuilder &b, const Factor &factor,
                 llvm::function_ref<void(int64_t, Value row, Value sum)> body);
  /// Which of its rows a thread has.
  Value placeOf(LoopBuilder &b, const Factor &factor, int64_t i);
  /// What a thread multiplies at a step of the sum.
  Values fragment(LoopBuilder &b, const Factor &factor, Value step);
  Values multiply(LoopBuilder &b, mlir::ValueRange sums);
  Value add(LoopBuilder &b, Value left, Value right, Value sum);
  Values addGroups(LoopBuilder &b, mlir::ValueRange sums);
  void emitTile(LoopBuilder &b, Value row, Value column);
  void store(LoopBuilder &b, Value row, Value column, Value sum);

  mlir::linalg::LinalgOp op;
  MatrixLoops loops;
  ThreadReduction reduction;
  int64_t threads;
  int64_t depth; // steps of the sum that are shared at a time
  Factor left, right;
  Value thread, group, sumCount;
  Value partials; // of all groups, in shared memory
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_SHAREDPRODUCT_H
