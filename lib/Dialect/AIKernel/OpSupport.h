//===- OpSupport.h - What the op families share in verifying and building -===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sentences about element types and attributes, and the small arithmetic that
// run-time checks and costs are made of. Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_DIALECT_AIKERNEL_OPSUPPORT_H
#define AIKERNEL_LIB_DIALECT_AIKERNEL_OPSUPPORT_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"

namespace aikernel {

/// Which element types an operand or result may have.
enum class ElementSet {
  Float,   // f64, f32, bf16, f16
  Product, // Float, f8E4M3FN, f8E5M2
  Scale,   // f32, bf16, f16
  F32,
  I32,
  I8
};

/// `tensor` has an element type of `allowed`.
mlir::LogicalResult verifyElementType(mlir::Operation *op,
                                      const TensorRole &tensor,
                                      ElementSet allowed);

/// Both have the same element type.
mlir::LogicalResult verifySameElementType(mlir::Operation *op,
                                          const TensorRole &tensor,
                                          const TensorRole &reference);

/// `tensor` has the element type of `reference`, or f32.
mlir::LogicalResult verifyParameterElementType(mlir::Operation *op,
                                               const TensorRole &tensor,
                                               const TensorRole &reference);

/// Both have the same type.
mlir::LogicalResult verifySameType(mlir::Operation *op,
                                   const TensorRole &tensor,
                                   const TensorRole &reference);

/// The rank lies in [low, high].
mlir::LogicalResult verifyRank(mlir::Operation *op, llvm::StringRef name,
                               mlir::Value value, int64_t low, int64_t high);

/// The attribute is a finite number, and not negative.
mlir::LogicalResult verifyEpsilon(mlir::Operation *op,
                                  const llvm::APFloat &eps);

/// Dimension roles that are the sizes [first, first + count) in order.
llvm::SmallVector<DimRole> consecutiveRoles(unsigned first, unsigned count);

/// A contract of one named size per dimension of `value`: d0, d1, ... All but
/// `reducedDim` (-1: none) are parallel.
ShapeContract contractOverDims(mlir::Value value, int64_t reducedDim);

/// True when the type is known to hold no element.
bool isEmptyTensor(mlir::Type type);

/// True when `value` is a constant with every element equal to zero.
bool isConstantZero(mlir::Value value);

/// The product of sizes as an index value.
mlir::Value buildProduct(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<mlir::OpFoldResult> factors);

/// How many elements `value` has, times `factor`, as an index value.
mlir::Value buildElementCount(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, int64_t factor);

/// An i1: `holds` is true for every element of an integer tensor.
mlir::Value buildForAllElements(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value element)>
        holds);

} // namespace aikernel

#endif // AIKERNEL_LIB_DIALECT_AIKERNEL_OPSUPPORT_H
