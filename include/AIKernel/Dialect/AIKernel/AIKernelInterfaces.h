//===- AIKernelInterfaces.h - Interfaces of the compute ops ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_AIKERNELINTERFACES_H
#define AIKERNEL_DIALECT_AIKERNEL_AIKERNELINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace aikernel {

/// Receives one requirement: a condition that is true when it holds, the error
/// number to return otherwise, and the sentence that says what is wrong.
using RequireFn = llvm::function_ref<void(mlir::Value ok, int code,
                                          const llvm::Twine &message)>;

} // namespace aikernel

#include "AIKernel/Dialect/AIKernel/AIKernelInterfaces.h.inc"

#endif // AIKERNEL_DIALECT_AIKERNEL_AIKERNELINTERFACES_H
