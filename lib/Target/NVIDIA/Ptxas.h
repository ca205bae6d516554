//===- Ptxas.h - PTX to machine code by NVIDIA's assembler ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas is optional: without it an artifact carries PTX, which the driver
// assembles when it is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_PTXAS_H
#define AIKERNEL_LIB_TARGET_NVIDIA_PTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace aikernel {

/// Runs the program `ptxas` on PTX for a target such as nvidia:sm_90a, and
/// returns the cubin.
llvm::Expected<std::string> runPtxas(llvm::StringRef ptxas, llvm::StringRef ptx,
                                     llvm::StringRef target);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_PTXAS_H
