//===- QuadRounds.h - Rounds of NEON's matrix instructions ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two packed panels of a row of the instruction table whose sums are
// squares of two rows and two columns. Out: a loop of blocks of assembly, eight
// steps each. Two loads stand before every four multiplications there; in other
// places, which LLVM's scheduler would choose, the same loads cost up to a fifth
// of the time (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_QUADROUNDS_H
#define AIKERNEL_TRANSFORMS_QUADROUNDS_H

#include "AIKernel/Transforms/LoopBuilder.h"
#include "AIKernel/Transforms/MatrixInstructions.h"

namespace aikernel {

class NeonAssembly;

class QuadRounds {
public:
  using Values = LoopBuilder::Values;

  QuadRounds(LoopBuilder &builder, const MatrixInstruction &instruction,
             mlir::Value left, mlir::Value right);

  /// Is it NEON's tile of 8 x 12, and are its operands in one line after the
  /// other, so near that an instruction can tell their distance?
  bool canMultiply() const;

  /// `sums` and the products of as many steps as make whole rounds, which are
  /// `done` then.
  Values multiply(mlir::Value steps, mlir::ValueRange sums, mlir::Value &done);

private:
  Values emitRound(mlir::Value step, mlir::ValueRange carried, bool isLast);
  void multiplyStep(NeonAssembly &block, unsigned step, bool isLast);
  mlir::Value loadFirst(mlir::Value panel, unsigned number);
  mlir::Value addressOf(mlir::Value panel, int64_t stepBytes, mlir::Value step);

  LoopBuilder &b;
  const MatrixInstruction &op;
  mlir::Value left, right;
  /// From one step to the next; 0 if it is not known.
  int64_t leftBytes, rightBytes;
  mlir::VectorType sumType;
  size_t leftAddress = 0, rightAddress = 0; // operands of the block
};

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_QUADROUNDS_H
