//===- SerializePTX.h - LLVM dialect to PTX -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is made in process, by LLVM's own code generator.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_SERIALIZEPTX_H
#define AIKERNEL_LIB_TARGET_NVIDIA_SERIALIZEPTX_H

#include "AIKernel/Target/Target.h"

namespace aikernel {

/// Called once, on any thread.
using PTXMaker = llvm::unique_function<llvm::Expected<std::string>()>;

/// Translates a gpu.module in the NVVM dialect (null: no kernels) to LLVM IR;
/// what is returned makes PTX of it, or the form that the options ask for.
llvm::Expected<PTXMaker> serializePTX(mlir::Operation *device,
                                      TargetAttr target,
                                      const SerializeOptions &options);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_SERIALIZEPTX_H
