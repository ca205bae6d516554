//===- Hints.h - What to do about an error --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a code and a sentence. Out: the one line that says what to do.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_PIPELINE_HINTS_H
#define AIKERNEL_LIB_PIPELINE_HINTS_H

#include "AIKernel/Support/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace aikernel {

/// A note that opens with this is the hint of the error that it belongs to.
inline constexpr llvm::StringLiteral kHintPrefix = "hint: ";

/// `context` knows the operations, for the one that may have been meant.
std::string chooseHint(Code code, llvm::StringRef sentence,
                       mlir::MLIRContext &context);

} // namespace aikernel

#endif // AIKERNEL_LIB_PIPELINE_HINTS_H
