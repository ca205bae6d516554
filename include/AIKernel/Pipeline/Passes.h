//===- Passes.h - Passes that hand modules to back ends -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_PIPELINE_PASSES_H
#define AIKERNEL_PIPELINE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace aikernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "AIKernel/Pipeline/Passes.h.inc"

} // namespace aikernel

#endif // AIKERNEL_PIPELINE_PASSES_H
