//===- Lowerings.h - Pieces of the pipelines of all back ends -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function adds passes that several back ends run alike.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_LOWERINGS_H
#define AIKERNEL_LIB_TARGET_LOWERINGS_H

#include "mlir/Pass/PassManager.h"

namespace aikernel {

/// Kernels on tensors to loops on buffers; weights that are packed are packed
/// in f$prepare.
void populateBufferization(mlir::OpPassManager &pm);

/// Loops on buffers to blocks and branches, of scalars and vectors that LLVM
/// has; calls of the runtime are made explicit.
void populateControlFlow(mlir::OpPassManager &pm);

/// Blocks and branches of host code to the LLVM dialect.
void populateHostLLVM(mlir::OpPassManager &pm);

/// The two above: all that host code needs.
void populateHostLowering(mlir::OpPassManager &pm);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_LOWERINGS_H
