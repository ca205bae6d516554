//===- KernelAccesses.h - What a kernel does to memory ----------*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel that says what a thread does. Out: which of its parameters it
// only loads from, and whether it could go astray.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_KERNELACCESSES_H
#define AIKERNEL_LIB_TARGET_GPU_KERNELACCESSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace aikernel {

/// What a load reads from; null for all other ops.
mlir::Value loadedFrom(mlir::Operation *op);

/// Nothing is done with the memref, or views of it, but to load from it.
bool isOnlyLoaded(mlir::Value memref);

/// Where the kernel reads and writes follows from its parameters, whatever is
/// in memory: it needs no check of what is there.
bool hasKnownAddresses(mlir::gpu::GPUFuncOp kernel);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_KERNELACCESSES_H
