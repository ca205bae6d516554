//===- Builtins.cpp - Hands out the embedded builtins ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an architecture. Out: the byte arrays that embed_bitcode.py made for it.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Builtins/Builtins.h"

namespace aikernel {
namespace detail {
extern const unsigned char x86_64Bitcode[];
extern const size_t x86_64BitcodeSize;
extern const unsigned char x86_64Object[];
extern const size_t x86_64ObjectSize;
extern const unsigned char aarch64Bitcode[];
extern const size_t aarch64BitcodeSize;
extern const unsigned char aarch64Object[];
extern const size_t aarch64ObjectSize;
extern const unsigned char nvptx64Bitcode[];
extern const size_t nvptx64BitcodeSize;
extern const unsigned char amdgcnBitcode[];
extern const size_t amdgcnBitcodeSize;
} // namespace detail

BuiltinBytes getBuiltins(BuiltinArch arch) {
  switch (arch) {
  case BuiltinArch::X86_64:
    return {detail::x86_64Bitcode, detail::x86_64BitcodeSize};
  case BuiltinArch::AArch64:
    return {detail::aarch64Bitcode, detail::aarch64BitcodeSize};
  case BuiltinArch::NVPTX64:
    return {detail::nvptx64Bitcode, detail::nvptx64BitcodeSize};
  case BuiltinArch::AMDGCN:
    return {detail::amdgcnBitcode, detail::amdgcnBitcodeSize};
  }
  return {nullptr, 0};
}

BuiltinBytes getCompiledBuiltins(BuiltinArch arch) {
  if (arch == BuiltinArch::X86_64)
    return {detail::x86_64Object, detail::x86_64ObjectSize};
  if (arch == BuiltinArch::AArch64)
    return {detail::aarch64Object, detail::aarch64ObjectSize};
  return {nullptr, 0};
}

} // namespace aikernel
