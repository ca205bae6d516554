//===- Passes.td - Passes that GPUs of all vendors share ---*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From kernels on tensors to a launcher for the host and a gpu.module for the
// device. What a vendor's own dialect needs is in that vendor's folder.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_GPU_PASSES
#define AIKERNEL_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

def SelectBlocksPass : Pass<"aik-select-blocks", "::mlir::ModuleOp"> {
  let summary = "Choose what a block of threads computes of each kernel";
  let description = [{
    Writes the #aikernel.schedule of each kernel's root, as
    `aik-select-schedule` does for CPUs: a tile is what one block of threads
    computes. A schedule that is there stays.

    ```mlir
    linalg.generic ... attrs = {aikernel.root = array<i64: 0>}
    // becomes
    linalg.generic ... attrs = {aikernel.root = array<i64: 0>,
                                aikernel.schedule = #aikernel.schedule<tiles = [1, 0]>}
    ```
  }];
}

def KeepRowsPass : Pass<"aik-keep-rows", "::mlir::ModuleOp"> {
  let summary = "Temporaries of rows that threads hold in registers are scratch";
  let description = [{
    What `aik-distribute-threads` keeps in registers needs neither shared memory
    nor a place in the workspace, however long the rows are.

    ```mlir
    scf.forall (%i) in (4096) {
      %row = memref.alloc() : memref<1x131072xf32>
    // becomes
      %row = memref.alloca() : memref<1x131072xf32>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def FormLaunchesPass : Pass<"aik-form-launches", "::mlir::ModuleOp"> {
  let summary = "Outline what touches tensors into kernels of a gpu.module";
  let description = [{
    Each parallel loop of a function that runs or prepares becomes a kernel of
    which a block computes one iteration; so does each other op that touches
    tensors. What remains computes sizes and launches. Every kernel has a twin,
    a function of the host that does the same.

    ```mlir
    func.func @f(%x: memref<64x32xf32>, ...) attributes {aikernel.entry = "run"} {
      scf.forall (%i) in (64) { ... }
    // becomes
    gpu.module @device {
      gpu.func @f_0(%x: memref<64x32xf32>, ...) kernel { %i = gpu.block_id x ... }
    }
    func.func private @f_0$twin(%x: memref<64x32xf32>, ...) { scf.forall ... }
    func.func @f(%x: memref<64x32xf32>, ...) attributes {aikernel.entry = "run"} {
      gpu.launch_func @device::@f_0 blocks in (64, 1, 1) threads in (256, 1, 1) args(%x, ...)
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def DistributeThreadsPass : Pass<"aik-distribute-threads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Divide the work of each block among its threads";
  let description = [{
    Structured ops on buffers become loops of which each thread takes its part,
    with barriers where one thread needs what another has written. Scratch
    buffers become shared memory. Kernels of whole rows keep them in registers,
    and a matrix times at most eight vectors is read once, in vectors of 16
    bytes.

    ```mlir
    linalg.generic {parallel, parallel} ins(%a : memref<8x64xf32>) ...
    // becomes
    scf.for %n = %thread to 512 step %threads { load, compute, store }
    gpu.barrier
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
    "::mlir::affine::AffineDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def LowerLaunchesPass : Pass<"aik-lower-launches", "::mlir::ModuleOp"> {
  let summary = "Launches become calls of the runtime";
  let description = [{
    A launch packs its operands into words and calls aik_env's launch; the
    module gets the tables of kernels, checks and tensor maps that Entry.h
    describes, from what kernels say in their attributes (Launches.h). The
    gpu.module goes: it is serialized apart.

    ```mlir
    gpu.launch_func @device::@f_0 blocks in (%n, %c1, %c1) threads in (...) args(%x : memref<?xf32>)
    // becomes
    %status = llvm.call env->launch(%env, 0, %n, %words)
    aikernel.propagate %status
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
    "::mlir::func::FuncDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

#endif // AIKERNEL_TARGET_GPU_PASSES
