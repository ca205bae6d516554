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
#include "ThreadReduction.h"
#include "llvm/ADT/MapVector.h"

namespace aikernel {

/// Scratch of the block as a whole, not a part of it.
bool isWholeScratch(mlir::Value memref);
mlir::Value scratchOf(mlir::Value memref);

class RowEmitter {
public:
  RowEmitter(mlir::gpu::GPUFuncOp kernel, llvm::ArrayRef<RowOp> ops,
             RowLayout layout);
  virtual ~RowEmitter() = default;

  /// Replaces the structured ops of the kernel.
  virtual void run();

protected:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// What the threads of a row have together, in all of them.
  virtual Values acrossRow(const ThreadReduction &reduction, Values values);
  /// A vector of an input that nothing in the kernel has written.
  virtual Value loadPiece(Value memref, RowShape shape, int64_t piece);

  virtual void emitOp(const RowOp &row);

  /// What the thread's own pieces reduce to, and what becomes of what all have.
  Values reduceOwn(const RowOp &row, const ThreadReduction &reduction);
  void putReduced(const RowOp &row, const ThreadReduction &reduction,
                  Values values);
  /// The operand of an op at a piece, as a vector or as a number that is the
  /// same for the whole row.
  Value operandAt(const RowOp &row, mlir::OpOperand &operand, int64_t piece);
  void put(const RowOp &row, mlir::OpOperand &result, int64_t piece,
           Value value);
  Value asVector(Value value);

  /// Where the pieces of this thread begin, once `lane` is set.
  void placePieces();
  /// Of those that the kernel's ops have.
  void setRow(Value row);
  void emitRow(Value row);
  void eraseOps();
  Values indicesOf(RowShape shape, int64_t piece);
  /// Code that only threads run whose piece is part of the row.
  bool isPartial(int64_t piece) const;
  Values ifInside(int64_t piece, mlir::TypeRange types, Values otherwise,
                  llvm::function_ref<Values()> body);

  mlir::gpu::GPUFuncOp kernel;
  llvm::ArrayRef<RowOp> ops;
  RowLayout layout;
  LoopBuilder b;
  Value thread, lane; // in the block, in the row

private:
  /// What a thread holds of a buffer: a vector per piece, or one number.
  struct Held {
    Values pieces;
    bool isPerRow = false;
  };

  void emitColumns(const RowOp &row);
  void emitReduction(const RowOp &row);
  void emitNumber(const RowOp &row);

  Held loadAll(mlir::OpOperand &operand, RowShape shape);
  /// Clones the op's body; vectors where an operand is one.
  Values compute(const RowOp &row, llvm::ArrayRef<Value> operands,
                 int64_t piece);
  bool isWrittenAfter(const RowOp &row, Value memref) const;

  Values rowIndices;      // of the row that is computed, per row loop
  Values columnsOfPieces; // where each piece begins
  llvm::MapVector<Value, Held> held;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_ROWEMITTER_H
