//===- Builtins.h - The functions that generated code may call ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an architecture. Out: memcpy and friends, the math functions, the float
// conversions and the reference operations (aik_ref_*) as LLVM bitcode, and for
// hosts compiled, too, held in this library as constant bytes.
// lib/Builtins/README.md lists the functions and says how to link them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_BUILTINS_BUILTINS_H
#define AIKERNEL_BUILTINS_BUILTINS_H

#include <cstddef>

namespace aikernel {

enum class BuiltinArch { X86_64, AArch64, NVPTX64, AMDGCN };

struct BuiltinBytes {
  const unsigned char *data;
  size_t size;
};

/// The bytes live as long as the program.
BuiltinBytes getBuiltins(BuiltinArch arch);

/// The same functions as an object file for the baseline of a host; empty for a
/// GPU.
BuiltinBytes getCompiledBuiltins(BuiltinArch arch);

} // namespace aikernel

#endif // AIKERNEL_BUILTINS_BUILTINS_H
