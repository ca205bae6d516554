//===- NumberParts.h - f32 numbers as sums of bf16 numbers ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of f32, from 2^-103 on, is exactly the sum of three of bf16: 24 bits
// are three times eight. Each part is what rounding to the ones before has
// left: of 1.x at most 2^-8 and 2^-17. Of the nine products of the parts of two
// numbers the six largest are exact in f32 and leave 2^-24 of the product at
// most, which is what f32 rounds off itself. A sum of tile registers rounds
// half as often as one of multiply-adds and six times for every 32 products, so
// that from 16 products on it has the same bound. What is below the least
// normal number is lost in a part as it is in a number: tile registers take it
// as zero.
//
// Numbers of 2^61 and more, infinities and NaNs are not multiplied so: an
// infinity times a part that is zero, or has another sign than its number, is
// no infinity, and what an instruction adds up of first parts, 32 products, may
// be beyond f32 when the sum is not. After the other steps of a block of a
// panel there is one that says how large its numbers are: the first
// kKeptMagnitudes words are what is largest in each lane of the vectors that
// were packed.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_NUMBERPARTS_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_NUMBERPARTS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "MatrixInstructions.h"

namespace aikernel {

/// Steps of a block as it is packed, for so many steps of the sum; and back.
constexpr int64_t packedSteps(int64_t steps, int64_t parts) {
  return parts == 1 ? steps : steps * parts + 1;
}
constexpr int64_t stepsOfPacked(int64_t packed, int64_t parts) {
  return parts == 1 ? packed : (packed - 1) / parts;
}

/// The pairs (part on the left, part on the right) whose products are added up.
/// Neighbors share one of them, so that fewer are loaded.
llvm::ArrayRef<std::pair<unsigned, unsigned>> multipliedParts(unsigned parts);

/// f32 numbers rounded to bf16, as f32; halves away from zero.
mlir::Value roundToPart(LoopBuilder &b, mlir::Value numbers);
/// The parts of f32 vectors, as bits of bf16. Right for all numbers but those
/// that are too large.
LoopBuilder::Values splitVector(LoopBuilder &b, mlir::Value numbers);
/// The parts of any one f32 number, as bits of bf16.
LoopBuilder::Values splitNumber(LoopBuilder &b, mlir::Value number);

/// |numbers| as integers that are in the same order.
mlir::Value magnitudesOf(LoopBuilder &b, mlir::Value numbers);

constexpr int64_t kKeptMagnitudes = 32;
/// Where a panel, memref<packed steps x width>, keeps them: `together` steps of
/// it are one of the sum.
mlir::Value magnitudeStep(LoopBuilder &b, mlir::Value panel, int64_t together);
/// Are numbers of it too large?
mlir::Value panelHasLarge(LoopBuilder &b, mlir::Value panel, int64_t together);

/// The product of two panels, memref<packed steps x width> each, of a row of
/// the table with parts, into `sums`, memref<rows x columns>: number by number,
/// as f32 has it.
void multiplyNumbers(LoopBuilder &b, const MatrixInstruction &instruction,
                     mlir::Value left, mlir::Value right, mlir::Value steps,
                     mlir::Value sums);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_NUMBERPARTS_H
