//===- TargetAttrs.h - What passes may ask of the target ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions that target-independent passes ask of the #aikernel.target on the
// module around an operation. Without one, as in a pass test, the answers are
// those of a machine with vector registers of 128 bits.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_TARGETATTRS_H
#define AIKERNEL_DIALECT_AIKERNEL_TARGETATTRS_H

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"

namespace aikernel {

inline constexpr llvm::StringLiteral kTargetAttrName = "aikernel.target";
inline constexpr llvm::StringLiteral kScheduleAttrName = "aikernel.schedule";
/// On a math.exp or math.exp2 whose argument is never above zero, and whose
/// result may be off by 2^-126 where it is as small as that.
inline constexpr llvm::StringLiteral kAtMostZeroAttrName =
    "aikernel.at_most_zero";
/// On an exponential: what it is for will be rounded to 16 bits, so it may be
/// off by 2^-17 of its result.
inline constexpr llvm::StringLiteral kNarrowAttrName = "aikernel.narrow";
/// On a math.exp whose argument is within [-87, 88], or a math.exp2 whose
/// argument is within [-127, 128]; the ends give 0 and infinity.
inline constexpr llvm::StringLiteral kInRangeAttrName = "aikernel.in_range";
/// On an arith.maximumf: what is computed from it is NaN anyway if an operand
/// is, so it may give the other one.
inline constexpr llvm::StringLiteral kMayDropNaNAttrName =
    "aikernel.may_drop_nan";
/// On a packed product in tile registers: its tiles are such that rows of the
/// left operand are better read in place.
inline constexpr llvm::StringLiteral kRowsInPlaceAttrName =
    "aikernel.rows_in_place";
/// On a product: it may lose bits as `fast` of matmul says.
inline constexpr llvm::StringLiteral kFastAttrName = "aikernel.fast";

/// The target of the closest module that names one, or null.
TargetAttr getTarget(mlir::Operation *op);
unsigned getVectorBits(mlir::Operation *op);
/// Is there an instruction that multiplies and adds with one rounding?
/// `otherwise` is the answer where there is no target.
bool fusesMultiplyAdd(mlir::Operation *op, bool otherwise);
/// Is there an instruction for the larger of two numbers that keeps NaN?
bool keepsNaNInMinMax(mlir::Operation *op);
/// Is there an instruction that rounds f32 to bf16 as IEEE 754 asks? (That of
/// x86 flushes subnormals.)
bool roundsToBf16(mlir::Operation *op);
/// Do masks choose among 16-bit words, and does one instruction permute those
/// of two registers? (AVX-512BW.)
bool hasWordMasks(mlir::Operation *op);
/// Is it cheaper to take the even and the odd halves of 32-bit words than to
/// widen 16-bit words in their order?
bool partsPairsOfWords(mlir::Operation *op);
/// Do lines that are written stay in the cache? (Cores of AArch64 write long
/// streams past it.)
bool keepsWrittenLines(mlir::Operation *op);
/// May a thread be quicker to ask for lines and overwrite them than to store
/// past the caches? (VNNI without VBMI: a Cascade Lake, where it was seen.)
bool mayAskToOverwrite(mlir::Operation *op);
/// Are vectors those of NEON, SVE being absent or of a length that is not
/// known?
bool hasOnlyNeon(mlir::Operation *op);
/// The lanes of the instruction for 1 / x with an error of 2^-8 of its result
/// or less, or 0 if there is none.
int64_t getRoughReciprocalLanes(mlir::Operation *op);

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_TARGETATTRS_H
