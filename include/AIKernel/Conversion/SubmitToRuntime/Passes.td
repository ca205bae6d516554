//===- Passes.td - Memory and submission to calls ----------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass that lowers the aikernel.mem and aikernel.gpu ops.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_CONVERSION_SUBMITTORUNTIME_PASSES
#define AIKERNEL_CONVERSION_SUBMITTORUNTIME_PASSES

include "mlir/Pass/PassBase.td"

def SubmitToRuntimePass
    : Pass<"aik-submit-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Memory, queue and command ops become calls of the runtime";
  let description = [{
    Calls go to the few functions of lib/Builtins/Submit, which make the
    numbered system calls through the function's environment. A kernel that is
    launched gets a function that unpacks its argument block; in code for a GPU
    the launches of a command buffer stay, between calls that let the runtime
    keep them.

    ```mlir
    %q = aikernel.gpu.queue_create {device = "cpu"} -> !aikernel.queue
    // becomes
    %q = llvm.alloca ... ; call @aik_submit_open(%env, %q, %name)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"];
}

#endif // AIKERNEL_CONVERSION_SUBMITTORUNTIME_PASSES
