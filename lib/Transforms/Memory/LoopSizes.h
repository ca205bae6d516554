//===- LoopSizes.h - Where a tensor that a loop carries started -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tensor inside or after an scf.for or scf.while. Out: the tensor in
// front of the loop that it started as. CheckArguments refuses loops that
// change a size, so both have the same sizes.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_MEMORY_LOOPSIZES_H
#define AIKERNEL_LIB_TRANSFORMS_MEMORY_LOOPSIZES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace aikernel {

/// The initial value of what a loop carries: for an argument of its body, or
/// for one of its results. None for other values.
mlir::Value startOfCarried(mlir::Value carried);

/// For a result of an scf.while, or an argument of its second region: what the
/// condition hands over, and the loop. None for other values.
mlir::Value handedOver(mlir::Value value, mlir::scf::WhileOp &loop);

/// Of an elementwise op on tensors, an operand with the sizes of its result.
mlir::Value elementwiseOperand(mlir::Operation *op);

/// Dimension `dim` of `tensor`, a value inside `loop`, computed where the
/// builder stands, in front of the loop. None where that is not known.
mlir::Value sizeOutside(mlir::OpBuilder &builder, mlir::Operation *loop,
                        mlir::Value tensor, int64_t dim);

/// Dimension `dim` of a result of an scf.if whose branches agree on it,
/// computed where the builder stands, in front of it. None otherwise.
mlir::Value sizeOfChoice(mlir::OpBuilder &builder, mlir::OpResult result,
                         int64_t dim);

/// Dimension `dim` of `tensor`, asked of the earliest tensor that has it.
mlir::Value earliestSize(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor, int64_t dim);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_MEMORY_LOOPSIZES_H
