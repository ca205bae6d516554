//===- Passes.td - From shared GPU code to AMD's own -------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one conversion of the device's part.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_AMD_PASSES
#define AIKERNEL_TARGET_AMD_PASSES

include "mlir/Pass/PassBase.td"

def ConvertToROCDLPass : Pass<"aik-convert-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Kernels to the ROCDL and LLVM dialects, in one conversion";
  let description = [{
    All dialects at once and with one type converter, so that nothing is left
    between them. Math has been expanded before: no library of the vendor is
    needed.

    ```mlir
    gpu.func @f_0(%x: memref<?xf32>) kernel { ... gpu.thread_id x ... }
    // becomes
    llvm.func @f_0(%0: !llvm.ptr, ...) attributes {rocdl.kernel} { ... rocdl.workitem.id.x ... }
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"];
}

#endif // AIKERNEL_TARGET_AMD_PASSES
