//===- RowProgram.h - Rows that stay in registers -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel whose block computes a few whole rows: elementwise ops on them,
// and reductions of each row to a number. Out: how each thread can hold its
// pieces of the row in registers from the first load to the last store, so that
// rows are read once.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_ROWPROGRAM_H
#define AIKERNEL_LIB_TARGET_GPU_ROWPROGRAM_H

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

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

/// How threads divide a row.
struct RowLayout {
  int64_t columns; // of a row
  int64_t threads; // of a block
  int64_t perRow;  // threads that share a row, perhaps of several blocks
  int64_t vector;  // elements that a thread loads at once
  /// Vectors that a thread has of a row.
  int64_t pieces() const {
    return (columns + perRow * vector - 1) / (perRow * vector);
  }
};

/// A row that the blocks of a cluster share. Its inputs come through shared
/// memory: rows in stages, and what is the same for all rows once.
struct SharedRow {
  RowLayout layout;
  int64_t blocks;
  int64_t stages;
  llvm::MapVector<mlir::Value, RowShape> inputs;
};

class RowProgram {
public:
  /// What a block does, in a kernel or in the loop that will be one; nothing
  /// when it is not of this form.
  static std::optional<RowProgram> match(mlir::Block &block);

  /// How the threads of so many blocks hold a row in registers, if they can.
  std::optional<RowLayout> divide(int64_t threads, int64_t blocks = 1) const;
  /// The same for rows that are too long for one, where the target's blocks can
  /// form clusters.
  std::optional<SharedRow> divideByCluster(TargetAttr target) const;

  llvm::ArrayRef<RowOp> getOps() const { return ops; }

private:
  bool add(mlir::linalg::LinalgOp op);
  bool planStages(SharedRow &row) const;

  llvm::SmallVector<RowOp> ops;
  int64_t columns = 0;       // of a row
  int64_t narrowest = 64;    // bits of the narrowest element in memory
  int64_t mostElements = 16; // of a vector, where rows begin at odd places
  llvm::SmallVector<int64_t> rowExtents; // of the loops that are rows
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_ROWPROGRAM_H
