//===- InlineCommands.h - What commands do, where they are recorded -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function with aikernel.gpu.commands. Out: the same, with the bodies of
// the functions that they launch in them, copies and fills as ops on memrefs,
// and without barriers: what a queue of a GPU is given it does in order.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_INLINECOMMANDS_H
#define AIKERNEL_LIB_TARGET_GPU_INLINECOMMANDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace aikernel {

/// Adds the functions that were launched to `inlined`. What is left in the
/// regions is no command: only for who makes commands of it at once.
mlir::LogicalResult
inlineCommands(mlir::func::FuncOp function,
               llvm::SetVector<mlir::func::FuncOp> &inlined);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_INLINECOMMANDS_H
