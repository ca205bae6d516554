//===- Common.h - What the lowerings share --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to AIKernelToLinalg: short ways to write tensors, fills and generic
// ops, and the rule of numbers: compute in f32 (f64 for f64), round once.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_COMMON_H
#define AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_COMMON_H

#include "AIKernel/Conversion/AIKernelToLinalg/AIKernelToLinalg.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace aikernel::tolinalg {

using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

/// Writes the scalar body of a generic op: the values of its inputs and outputs
/// go in, the values to yield come out.
using BodyFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

mlir::RankedTensorType typeOf(mlir::Value tensor);
mlir::Type elementOf(mlir::Value tensor);

/// f64 if any of `elements` is f64, else f32.
mlir::Type computeType(mlir::TypeRange elements);

/// Converts a float scalar between types of different width; the same type
/// passes.
mlir::Value convertFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                         mlir::Type to);
mlir::Value floatConstant(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                          double value);
mlir::Value negativeInfinity(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

/// The dimensions of `tensor`, static where known.
Sizes sizesOf(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor);
/// `sizes`, with the static dimensions of `declared` wherever it has them.
Sizes refineSizes(mlir::ImplicitLocOpBuilder &b, Sizes sizes,
                  mlir::ShapedType declared);
Sizes withoutDim(llvm::ArrayRef<mlir::OpFoldResult> sizes, int64_t dim);

mlir::Value emptyTensor(mlir::ImplicitLocOpBuilder &b,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        mlir::Type element);
mlir::Value filledTensor(mlir::ImplicitLocOpBuilder &b,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes,
                         mlir::Value scalar);
/// The value as `type`, which differs at most in what is static.
mlir::Value castTo(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                   mlir::Type type);
/// A dimension's size as a float, for means.
mlir::Value sizeAsFloat(mlir::ImplicitLocOpBuilder &b, mlir::OpFoldResult size,
                        mlir::Type type);

/// A generic op with one map per operand (inputs, then outputs).
mlir::linalg::GenericOp
createGeneric(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange inputs,
              mlir::ValueRange outputs, llvm::ArrayRef<mlir::AffineMap> maps,
              llvm::ArrayRef<mlir::utils::IteratorType> iterators, BodyFn body);
/// All loops parallel, one new output of `sizes` x `element` over all of them.
mlir::Value createElementwise(mlir::ImplicitLocOpBuilder &b,
                              mlir::ValueRange inputs,
                              llvm::ArrayRef<mlir::AffineMap> inputMaps,
                              llvm::ArrayRef<mlir::OpFoldResult> sizes,
                              mlir::Type element, BodyFn body);

mlir::AffineMap identityMap(mlir::ImplicitLocOpBuilder &b, unsigned rank);
/// (d0, ..., dn) without `dim`.
mlir::AffineMap mapWithout(mlir::ImplicitLocOpBuilder &b, unsigned rank,
                           unsigned dim);
/// (d0, ..., dn) -> (dims...).
mlir::AffineMap mapTo(mlir::ImplicitLocOpBuilder &b, unsigned rank,
                      llvm::ArrayRef<unsigned> dims);

/// The sizes of a result, from the op's shape contract.
Sizes resultSizesOf(mlir::ImplicitLocOpBuilder &b, ShapeContractOpInterface op,
                    unsigned result);

/// Sum of products of `lhs` and `rhs` in `compute`; the last loop reduces.
mlir::Value createContraction(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                              mlir::Value rhs,
                              llvm::ArrayRef<mlir::AffineMap> maps,
                              llvm::ArrayRef<mlir::OpFoldResult> sizes,
                              mlir::Type compute);
/// One float operation per element, then the rounding to `element`.
mlir::Value createEpilogue(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                           mlir::Value bias, Activation activation,
                           mlir::Type element);

/// How exact an activation is: within 2 units of the last place of f32 (gelu:
/// 8), or, relative to the result, within 2^-12, which does not show once it is
/// rounded to 16 bits. Of a sum below -7.5 gelu is within 2^-54.
enum class Accuracy { Full, Rough, RoughOfSum };
/// By the type that the result is rounded to.
Accuracy accuracyFor(mlir::Type element, bool ofSum = false);

/// Activations on scalars in their compute type.
mlir::Value buildActivation(mlir::ImplicitLocOpBuilder &b, Activation kind,
                            mlir::Value x, Accuracy accuracy);
mlir::Value buildSigmoid(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                         Accuracy accuracy);
mlir::Value buildTanh(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                      Accuracy accuracy);

} // namespace aikernel::tolinalg

#endif // AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_COMMON_H
