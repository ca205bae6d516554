//===- RowEmitter.h - The code of a row program ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the ops of a row program and how threads divide a row. Out: what each
// thread does with its pieces.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_ROWEMITTER_H
#define AIKERNEL_LIB_TARGET_GPU_ROWEMITTER_H

#include "RowProgram.h"
#include "llvm/ADT/MapVector.h"

namespace aikernel {

/// Scratch of the block as a whole, not a part of it.
bool isWholeScratch(mlir::Value memref);
mlir::Value scratchOf(mlir::Value memref);

struct RowLayout {
  int64_t columns; // of a row
  int64_t threads; // of a block
  int64_t perRow;  // threads that share a row
  int64_t vector;  // elements that a thread loads at once
  /// Vectors that a thread has of a row.
  int64_t pieces() const {
    return (columns + perRow * vector - 1) / (perRow * vector);
  }
};

class RowEmitter {
public:
  RowEmitter(mlir::gpu::GPUFuncOp kernel, llvm::ArrayRef<RowOp> ops,
             RowLayout layout);
  void run();

private:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// What a thread holds of a buffer: a vector per piece, or one number.
  struct Held {
    Values pieces;
    bool isPerRow = false;
  };

  void emitRow(Value row);
  void emitColumns(const RowOp &row);
  void emitReduction(const RowOp &row);
  void emitNumber(const RowOp &row);

  /// The operand of an op at a piece, as a vector or as a number that is the
  /// same for the whole row.
  Value operandAt(const RowOp &row, mlir::OpOperand &operand, int64_t piece);
  Held loadAll(mlir::OpOperand &operand, RowShape shape);
  Values indicesOf(mlir::Value memref, RowShape shape, int64_t piece);
  /// Clones the op's body; vectors where an operand is one.
  Values compute(const RowOp &row, llvm::ArrayRef<Value> operands,
                 int64_t piece);
  Value asVector(Value value);
  void put(const RowOp &row, mlir::OpOperand &result, int64_t piece,
           Value value);

  /// Code that only threads run whose piece is part of the row.
  bool isPartial(int64_t piece) const;
  Values ifInside(int64_t piece, mlir::TypeRange types, Values otherwise,
                  llvm::function_ref<Values()> body);

  mlir::gpu::GPUFuncOp kernel;
  llvm::ArrayRef<RowOp> ops;
  RowLayout layout;
  LoopBuilder b;
  Value thread, lane;     // in the block, in the row
  Values rowIndices;      // of the row that is computed, per row loop
  Values columnsOfPieces; // where each piece begins
  llvm::MapVector<Value, Held> held;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_ROWEMITTER_H
