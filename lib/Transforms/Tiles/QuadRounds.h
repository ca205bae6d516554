//===- QuadRounds.h - Rounds of NEON's matrix instructions ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two packed panels of a row of the instruction table whose sums are
// squares of two rows and two columns. Out: a loop of eight steps each, as
// assembly. Two loads stand before every four multiplications there; where
// LLVM's scheduler puts them they cost 6 to 16 % of the time. The loop takes
// all registers, and LLVM would spill them between rounds (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_QUADROUNDS_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_QUADROUNDS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "MatrixInstructions.h"

namespace aikernel {

class NeonAssembly;

class QuadRounds {
public:
  using Values = LoopBuilder::Values;
  /// Steps of a round; with two and four they were 4 and 8 % slower.
  static constexpr unsigned kSteps = 8;

  QuadRounds(LoopBuilder &builder, const MatrixInstruction &instruction,
             mlir::Value left, mlir::Value right);

  /// Is it NEON's tile of 8 x 12, and are its operands in one line after the
  /// other, so near that an instruction can tell their distance?
  bool canMultiply() const;

  /// The sums, from zero, of as many steps as make whole rounds, which are
  /// `done` then.
  Values multiply(mlir::Value steps, mlir::Value &done);

private:
  Values emitRounds(mlir::Value count);
  void loadLefts(NeonAssembly &block, unsigned first, unsigned step);
  void loadRights(NeonAssembly &block, unsigned first, unsigned step);
  void multiplyRound(NeonAssembly &block, bool isLast);
  void multiplyStep(NeonAssembly &block, unsigned step, bool isLast);

  LoopBuilder &b;
  const MatrixInstruction &op;
  mlir::Value left, right;
  /// From one step to the next; 0 if it is not known.
  int64_t leftBytes, rightBytes;
  mlir::VectorType sumType;
  size_t leftAddress = 0, rightAddress = 0; // operands of the block
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_QUADROUNDS_H
