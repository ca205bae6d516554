//===- QuantActivations.h - Scalar code that quantizes activations --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: numbers of a block of activations, in f32, and the block's largest
// magnitude (NaN if there is any). Out: arithmetic, at the insertion point,
// that gives the integers and what they are multiplied with. A product of any
// target that quantizes by these gets the same integers.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_QUANTACTIVATIONS_H
#define AIKERNEL_DIALECT_AIKERNEL_QUANTACTIVATIONS_H

#include "AIKernel/Dialect/AIKernel/QuantFormats.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aikernel {

/// What integers are the rounded products with.
mlir::Value buildInverse(mlir::ImplicitLocOpBuilder &b, ActivationBlock kind,
                         mlir::Value largest);
/// What the block's integers are multiplied with.
mlir::Value buildActivationScale(mlir::ImplicitLocOpBuilder &b,
                                 ActivationBlock kind, mlir::Value largest);
/// The integer nearest to x in [-127, 127], as i8; 0 for NaN.
mlir::Value buildActivation(mlir::ImplicitLocOpBuilder &b, ActivationBlock kind,
                            mlir::Value x);
/// What minimums of whole blocks are multiplied with, given the sum (i32) of
/// the block's integers.
mlir::Value buildScaledSum(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                           mlir::Value largest);

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_QUANTACTIVATIONS_H
