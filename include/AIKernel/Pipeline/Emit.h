//===- Emit.h - From the phase `target` to bytes --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module at the end of the phase `target`. Out: an artifact, or one of
// the forms of a single target.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_PIPELINE_EMIT_H
#define AIKERNEL_PIPELINE_EMIT_H

#include "AIKernel/Pipeline/Compiler.h"
#include "AIKernel/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace aikernel {

llvm::Expected<std::string> emitModule(mlir::ModuleOp module, EmitKind kind,
                                       SerializeOptions options,
                                       bool stripReference);

/// A C header that declares the entry points of every function.
llvm::Expected<std::string> emitHeader(mlir::ModuleOp module);

} // namespace aikernel

#endif // AIKERNEL_PIPELINE_EMIT_H
