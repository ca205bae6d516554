//===- Passes.h - Memory and submission to calls ------------------------===//
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

#ifndef AIKERNEL_CONVERSION_SUBMITTORUNTIME_PASSES_H
#define AIKERNEL_CONVERSION_SUBMITTORUNTIME_PASSES_H

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace aikernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "AIKernel/Conversion/SubmitToRuntime/Passes.h.inc"

} // namespace aikernel

#endif // AIKERNEL_CONVERSION_SUBMITTORUNTIME_PASSES_H
