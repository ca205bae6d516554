//===- Program.h - What a program may look like ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the text of a program, then the parsed module. Out: the reason why it is
// refused, if it is: what the parser must not be given, and functions that
// cannot become entry points.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_PIPELINE_PROGRAM_H
#define AIKERNEL_PIPELINE_PROGRAM_H

#include "AIKernel/Support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace aikernel {

/// Before parsing: bytecode, nesting, and oversized literals.
std::optional<Diagnostic> scanText(llvm::StringRef text, llvm::StringRef name,
                                   bool trustInput);

/// After verification: constants, functions and what crosses their boundary.
mlir::LogicalResult checkProgram(mlir::ModuleOp module);

/// Part of it: every op and type, and attributes that only passes may write.
mlir::LogicalResult checkOperations(mlir::ModuleOp module);

} // namespace aikernel

#endif // AIKERNEL_PIPELINE_PROGRAM_H
