//===- Serialize.h - LLVM dialect to object code --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of all CPU images, and of the reference's.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_CPU_SERIALIZE_H
#define AIKERNEL_LIB_TARGET_CPU_SERIALIZE_H

#include "AIKernel/Target/Target.h"

namespace aikernel {

/// What a program's builtins are linked from.
enum class BuiltinForm {
  /// So that they are optimised with the program, for its features.
  Bitcode,
  /// For a shared object of a baseline, where their speed is no matter.
  Object
};

/// Translates a module in the LLVM dialect to LLVM IR; what is returned
/// compiles that, and makes the bytes of `image`. `vscale` is the length of SVE
/// vectors in units of 128 bits, or 0 for any.
llvm::Expected<ImageMaker>
serializeForCPU(mlir::ModuleOp module, Image image, llvm::StringRef arch,
                llvm::StringRef features, unsigned vscale,
                const SerializeOptions &options,
                BuiltinForm builtins = BuiltinForm::Bitcode);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_CPU_SERIALIZE_H
