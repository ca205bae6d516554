//===- NumberParts.h - f32 numbers as sums of bf16 numbers ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of f32 is exactly the sum of three of bf16: 24 bits are three times
// eight. Each part is what rounding to the ones before has left: of 1.x at most
// 2^-8 and 2^-17. Of the nine products of the parts of two numbers the six
// largest are exact in f32 and leave 2^-24 of the product at most, which is
// what f32 rounds off itself. A sum of tile registers rounds half as often as
// one of multiply-adds and six times for every 32 products, so that from 16
// products on it has the same bound. What is below the least normal number is
// lost in a part as it is in a number: tile registers take it as zero.
//
// Numbers of 2^63 and more, infinities and NaNs are not multiplied so: an
// infinity times a part that is zero, or has another sign than its number, is
// no infinity, and the product of the first parts may be beyond f32 when that
// of the numbers is not. Each block of a panel says how large its numbers are,
// in a step of its own after the others.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_NUMBERPARTS_H
#define AIKERNEL_TRANSFORMS_NUMBERPARTS_H

#include "AIKernel/Transforms/LoopBuilder.h"
#include "AIKernel/Transforms/MatrixInstructions.h"

namespace aikernel {

/// Steps of a block as it is packed, for so many steps of the sum; and back.
constexpr int64_t packedSteps(int64_t steps, int64_t parts) {
  return parts == 1 ? steps : steps * parts + 1;
}
constexpr int64_t stepsOfPacked(int64_t packed, int64_t parts) {
  return parts == 1 ? packed : (packed - 1) / parts;
}

/// The pairs (part on the left, part on the right) whose products are added up,
/// in an order in which one of the two stays the same from each to the next.
llvm::ArrayRef<std::pair<unsigned, unsigned>> multipliedParts(unsigned parts);

/// The parts of f32 vectors as the bits of bf16. Right for all numbers but
/// those that are too large.
LoopBuilder::Values splitVector(LoopBuilder &b, mlir::Value numbers);
/// The parts of any one f32 number, as bf16.
LoopBuilder::Values splitNumber(LoopBuilder &b, mlir::Value number);

/// |numbers| as integers that are in the same order.
mlir::Value magnitudesOf(LoopBuilder &b, mlir::Value numbers);
/// Is one of these magnitudes too large?
mlir::Value hasLarge(LoopBuilder &b, mlir::Value magnitudes);

/// Which of the magnitudes of a panel a packed block keeps: those of so many
/// numbers side by side.
constexpr int64_t kKeptMagnitudes = 32;
/// Has the block of this panel, memref<packed steps x width>, numbers that are
/// too large?
mlir::Value panelHasLarge(LoopBuilder &b, mlir::Value panel, mlir::Value steps);

/// The product of two panels, memref<packed steps x width> each, of a row of
/// the table with parts, into `sums`, memref<rows x columns>: number by number,
/// as f32 has it.
void multiplyNumbers(LoopBuilder &b, const MatrixInstruction &instruction,
                     mlir::Value left, mlir::Value right, mlir::Value steps,
                     mlir::Value sums);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_NUMBERPARTS_H
