//===- Passes.td - Passes that hand modules to back ends ---*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes that run each nested module through the pipeline of its own
// target.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_PIPELINE_PASSES
#define AIKERNEL_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def ScheduleTargetPass : Pass<"aik-schedule-target", "::mlir::ModuleOp"> {
  let summary = "Schedule a nested module as its target wants";
  let description = [{
    ```mlir
    module @target0 attributes {aikernel.target = ...} { kernels on tensors }
    // becomes
    module @target0 attributes {aikernel.target = ...} { loops on buffers }
    ```
  }];
}

def LowerTargetPass : Pass<"aik-lower-target", "::mlir::ModuleOp"> {
  let summary = "Lower a nested module to its target's own dialect";
  let description = [{
    ```mlir
    module @target0 attributes {aikernel.target = ...} { loops on buffers }
    // becomes
    module @target0 attributes {aikernel.target = ...} { llvm.func ... }
    ```
  }];
}

#endif // AIKERNEL_PIPELINE_PASSES
