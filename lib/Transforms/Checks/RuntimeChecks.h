//===- RuntimeChecks.h - Run-time checks of other dialects' ops -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What aik-check-arguments adds in front of ops of arith, linalg, tensor,
// memref and scf. Ops of our own state their requirements themselves
// (RuntimeCheckOpInterface).
//
// Upstream's RuntimeVerifiableOpInterface knows neither insert_slice, pad,
// empty nor linalg's sizes by name, wraps on large sizes, refuses empty slices
// at the end of a dimension, and puts the op's whole text into its message.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_CHECKS_RUNTIMECHECKS_H
#define AIKERNEL_LIB_TRANSFORMS_CHECKS_RUNTIMECHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aikernel {

/// The size of a dimension of a tensor or memref.
mlir::Value sizeOf(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value shaped, int64_t dim);

/// Operands of elementwise ops and of linalg that share sizes, and every place
/// that a linalg map reaches.
void checkSharedSizes(mlir::func::FuncOp function);

/// Indices, slices, casts, reshapes and sizes of new tensors. An error for
/// constants that can never be right.
mlir::LogicalResult checkAccesses(mlir::func::FuncOp function);

/// Memory that is freed is not looked at afterwards. An error for what is, or
/// may be.
mlir::LogicalResult checkFrees(mlir::func::FuncOp function);

/// What a loop carries keeps its size: memory is planned before it runs. Fails
/// with a message where the size is known to change.
mlir::LogicalResult checkLoops(mlir::func::FuncOp function);

/// Steps of loops, integer divisions and assertions.
void checkArithmetic(mlir::func::FuncOp function);

/// Removes checks of indices that are known to be in range: positions of loops
/// that end where the data does.
void dropProvenChecks(mlir::func::FuncOp function);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_CHECKS_RUNTIMECHECKS_H
