//===- LoadBuiltins.cpp - lib/Builtins, as LLVM IR ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an architecture. Out: the bitcode of lib/Builtins for it, opened, or its
// object file.
//
//===----------------------------------------------------------------------===//

#include "LoadBuiltins.h"
#include "AIKernel/Builtins/Builtins.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Bitcode/BitcodeReader.h"

using namespace llvm;
using namespace aikernel;

static BuiltinArch archNamed(StringRef arch) {
  return StringSwitch<BuiltinArch>(arch)
      .Case("x86_64", BuiltinArch::X86_64)
      .Case("nvptx64", BuiltinArch::NVPTX64)
      .Case("amdgcn", BuiltinArch::AMDGCN)
      .Default(BuiltinArch::AArch64);
}

static StringRef asString(BuiltinBytes bytes) {
  return StringRef(reinterpret_cast<const char *>(bytes.data), bytes.size);
}

Expected<std::unique_ptr<Module>> aikernel::loadBuiltins(LLVMContext &context,
                                                         StringRef arch) {
  StringRef bytes = asString(getBuiltins(archNamed(arch)));
  return getLazyBitcodeModule(MemoryBufferRef(bytes, "builtins"), context);
}

StringRef aikernel::compiledBuiltins(StringRef arch) {
  return asString(getCompiledBuiltins(archNamed(arch)));
}
