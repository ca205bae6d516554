//===- CPUBackend.h - x86-64 and AArch64 ----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The back end of all `cpu:` targets, native and cross.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_CPU_CPUBACKEND_H
#define AIKERNEL_TARGET_CPU_CPUBACKEND_H

#include "AIKernel/Target/Target.h"

namespace aikernel {

const TargetBackend *getCPUBackend();

/// What the image of a `cpu:` target says of itself, without its bytes.
Image describeImage(TargetAttr target);

/// Is the code of a module that of another, whose target has fewer features?
/// Both are in the LLVM dialect.
bool givesSameCode(mlir::ModuleOp module, mlir::ModuleOp other);

/// What the back end's `serialize` is for targets: @reference has none.
llvm::Expected<ImageMaker> serializeReference(mlir::ModuleOp module,
                                              llvm::StringRef arch,
                                              const SerializeOptions &options);

} // namespace aikernel

#endif // AIKERNEL_TARGET_CPU_CPUBACKEND_H
