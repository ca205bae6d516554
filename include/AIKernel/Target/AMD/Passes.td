//===- Passes.td - From shared GPU code to AMD's own -------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products, and the one conversion of the device's part.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_AMD_PASSES
#define AIKERNEL_TARGET_AMD_PASSES

include "mlir/Pass/PassBase.td"

def LowerWaveProductsPass : Pass<"aik-lower-wave-products", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Products become what threads do with matrix instructions of waves";
  let description = [{
    All threads of a block load tiles of both matrices (zeros beyond the edges)
    and store them into local memory, while each wave multiplies what is there
    already, by MFMA (gfx942) or WMMA (gfx1100). Sums go through local memory
    to the product's region, 16 bytes of the result at a time.

    ```mlir
    aik_tile.product %x, %w outs %y attributes {schedule = #aik_tile.schedule<..., load_registers = 0, ...>} { ... }
    // becomes
    scf.for %step = ... {
      %next = llvm.load ...
      %d = rocdl.mfma.f32.16x16x16bf16.1k %b, %a, %c, ...
      llvm.store %next, ...
      gpu.barrier
    }
    ```
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

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
