//===- Passes.td - From shared GPU code to NVIDIA's own ----*- tablegen -*-===//
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

#ifndef AIKERNEL_TARGET_NVIDIA_PASSES
#define AIKERNEL_TARGET_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def ConvertToNVVMPass : Pass<"aik-convert-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Kernels to the NVVM and LLVM dialects, in one conversion";
  let description = [{
    All dialects at once and with one type converter, so that nothing is left
    between them. Math has been expanded before: no library of the vendor is
    needed.

    ```mlir
    gpu.func @f_0(%x: memref<?xf32>) kernel { ... gpu.thread_id x ... }
    // becomes
    llvm.func @f_0(%0: !llvm.ptr, ...) attributes {nvvm.kernel} { ... nvvm.read.ptx.sreg.tid.x ... }
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"];
}

#endif // AIKERNEL_TARGET_NVIDIA_PASSES
