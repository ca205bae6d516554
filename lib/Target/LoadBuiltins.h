//===- LoadBuiltins.h - lib/Builtins, as LLVM IR --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What generated code may call, for whoever links it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_LOADBUILTINS_H
#define AIKERNEL_LIB_TARGET_LOADBUILTINS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace aikernel {

/// Lazily: only what is linked is read. `arch` is an #aikernel.target's.
llvm::Expected<std::unique_ptr<llvm::Module>>
loadBuiltins(llvm::LLVMContext &context, llvm::StringRef arch);

/// All of them compiled, an object file for the baseline of the host `arch`.
llvm::StringRef compiledBuiltins(llvm::StringRef arch);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_LOADBUILTINS_H
