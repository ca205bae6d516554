//===- AttentionTileOperands.h - What tile registers of attention hold ----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: where operands lie in memory, packed or not. Out: halves of squares of
// two by two tiles that are read into registers, multiplied step by step, and
// written. The caller writes the loop over steps, and so what else happens in
// it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONTILEOPERANDS_H
#define AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONTILEOPERANDS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "Tiles/MatrixInstructions.h"

namespace aikernel {

class AttentionTileOperands {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  AttentionTileOperands(LoopBuilder &builder,
                        const MatrixInstruction &instruction)
      : b(builder), op(instruction) {}

  /// Distances in bytes, from one to the next.
  struct Lines {
    Value start;
    Value rowBytes;  // rows of a tile
    Value tileBytes; // tiles of a step, of the left or the right operand
    Value stepBytes;
  };
  /// A panel as PackPanelsOp writes it.
  Lines leftPanel(Value panel);
  Lines rightPanel(Value panel);
  /// Rows of a matrix as the left operand, where they lie.
  Lines leftRows(Value matrix, Value firstRow);
  /// One or the other; they are lines of the same operand.
  Lines select(Value condition, const Lines &yes, const Lines &no);
  Lines after(const Lines &lines, Value bytes);

  /// The sums of half a square, which begins at a row of a matrix of as many
  /// columns as it has.
  Values zeros();
  Values read(Value matrix, Value row, Value half);
  void write(ValueRange sums, Value matrix, Value row, Value half);
  /// Adds a step's products to them.
  Values multiplyStep(const Lines &left, const Lines &right, Value step,
                      Value half, ValueRange sums,
                      llvm::function_ref<void(int64_t)> between);

private:
  void
  forEachTile(Value matrix, Value row, Value half,
              llvm::function_ref<void(Value address, Value rowBytes)> body);

  LoopBuilder &b;
  const MatrixInstruction &op;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONTILEOPERANDS_H
