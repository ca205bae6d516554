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

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace aikernel {

/// What `ptxas -v` says about one kernel.
struct PtxasReport {
  std::string kernel;
  unsigned registers = 0;
  unsigned sharedBytes = 0;
  unsigned stackBytes = 0;
  unsigned spillBytes = 0;
};

struct PtxasResult {
  std::string cubin;
  llvm::SmallVector<PtxasReport> kernels;
  /// Notes of the kind (C75xx): what it did to keep wgmma right.
  llvm::SmallVector<std::string> notes;
};

/// Runs the program `ptxas` on PTX for a target such as nvidia:sm_90a.
llvm::Expected<PtxasResult> runPtxas(llvm::StringRef ptxas, llvm::StringRef ptx,
                                     llvm::StringRef target);

/// The text of `ptxas -v`, understood.
void parsePtxasOutput(llvm::StringRef output, PtxasResult &result);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_PTXAS_H
