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

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace aikernel {

/// What ptxas says about one kernel.
struct PtxasKernel {
  std::string name;
  unsigned registers = 0;
  unsigned stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  /// What it says of matrix instructions (C75xx), word for word: that they wait
  /// for each other, or that it put in an arrival.
  llvm::SmallVector<std::string> notes;

  /// Registers did not suffice, or waits were put in that nobody wrote. An
  /// arrival (C7519) is none: products of one step are given one, for nothing.
  bool isFlawed() const {
    bool waits = llvm::any_of(notes, [](llvm::StringRef note) {
      return !note.starts_with("(C7519)");
    });
    return stackBytes || spillStoreBytes || spillLoadBytes || waits;
  }
  /// "32 registers, 8 bytes of stack, ...".
  std::string describe() const;
};

struct PtxasResult {
  std::string cubin;
  llvm::SmallVector<PtxasKernel, 0> kernels;
};

/// Runs the program `ptxas` on PTX for a target such as nvidia:sm_90a.
llvm::Expected<PtxasResult> runPtxas(llvm::StringRef ptxas, llvm::StringRef ptx,
                                     llvm::StringRef target);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_PTXAS_H
