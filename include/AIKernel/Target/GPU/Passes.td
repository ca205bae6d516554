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

def PackLanesPass : Pass<"aik-pack-lanes", "::mlir::ModuleOp"> {
  let summary = "Let quantized products of few rows read weights for lanes";
  let description = [{
    Products with a quantized weight and up to eight rows of activations become
    `aikernel.lane_product`, whose weights are laid out so that the lanes of a
    warp read whole lines, and whose activations are quantized where they are
    used. Other block products stay.

    ```mlir
    %y = aikernel.block_gemv %w, %q scales %d sums %s source %x outs %o
    // becomes
    %c = aikernel.pack_lanes %w outs %e {section = #aikernel.lane_section<codes>, ...}
    %v = aikernel.pack_lanes %w outs %f {section = #aikernel.lane_section<scales>, ...}
    %y = aikernel.lane_product %c scales %v, %x outs %o
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FormTileProductsPass : Pass<"aik-form-tile-products", "::mlir::ModuleOp"> {
  let summary = "Products that tile programs compute, and their schedules";
  let description = [{
    A kernel that is one product of matrices and what is done to each of its
    sums becomes one `aik_tile.product`, where the target has the instructions
    and the rows of matrices are a multiple of 16 bytes apart, so that tensor
    maps can describe them and threads copy 16 bytes at once. Matrices of bf16
    or f16 may be transposed; those of 8-bit floats and of i8, and f32 where the
    program permits it with `fast`, which only sm_90a multiplies so, are read
    along the sums. The schedule is chosen from the sizes; one
    that the root already has as `aik_tile.schedule` stays.

    ```mlir
    %s = linalg.generic (product) ins(%x, %w) outs(%zeros)
    %y = linalg.generic (bias, activation) ins(%s, %b) outs(%d)
    // becomes
    %y = aik_tile.product %x, %w extras(%b : ...) outs %d attributes {schedule = ...} { ... }
    ```
  }];
  let dependentDialects = ["::aikernel::tile::AIKTileDialect"];
}

def LowerLanePackingPass : Pass<"aik-lower-lane-packing", "::mlir::ModuleOp"> {
  let summary = "Packing for lanes becomes structured ops";
  let description = [{
    Each word of the packed weights is computed from the bytes that it needs.

    ```mlir
    aikernel.pack_lanes %w outs %d {section = #aikernel.lane_section<codes>, ...}
    // becomes
    linalg.generic outs(%d : memref<25x4x1x2x4xi32>) { loads of %w, shifts and masks }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def LowerLaneTwinsPass : Pass<"aik-lower-lane-twins", "::mlir::func::FuncOp"> {
  let summary = "Quantized products of the host's twins become loops";
  let description = [{
    The kernel's part is written by `aik-distribute-threads`; this is the same
    on the host, from the same packed weights.

    ```mlir
    aikernel.lane_product %c scales %v, %x outs %o (on memrefs)
    // becomes
    scf.for %group = ... { scf.for %unit = ... { quantize, multiply, add } store }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SelectBlocksPass : Pass<"aik-select-blocks", "::mlir::ModuleOp"> {
  let summary = "Choose what a block of threads computes of each kernel";
  let description = [{
    Writes the #aikernel.schedule of each kernel's root, as
    `aik-select-schedule` does for CPUs: a tile is what one block of threads
    computes. A schedule that is there stays. Products of matrices that threads
    multiply from shared memory are told the tile that is chosen here, too
    (`aikernel.shared_tile`); with a schedule that is there they have none.

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

def SplitKeysPass : Pass<"aik-split-keys", "::mlir::ModuleOp"> {
  let summary = "Blocks share the keys of attention with few queries";
  let description = [{
    `aikernel.online_attention` that is still whole after bufferization gets a
    further loop, over parts of its keys; compiled host code chooses their number
    from the sizes of tensors. What a part finds is kept in the workspace, and
    the block that arrives last adds up all parts and goes on.

    ```mlir
    scf.forall (%b, %h) in (%batches, %heads) {
      aikernel.online_attention ... outs %acc, %max, %sum
      linalg.generic ins(%acc, %sum : ...)
    }
    // becomes
    scf.forall (%b, %h, %p) in (%batches, %heads, %parts) {
      %done = aikernel.attention_part ... part %p of %used parts %accs, %maxs, %sums outs %acc, %max, %sum
      scf.if %done { linalg.generic ins(%acc, %sum : ...) }
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def LowerPartTwinsPass : Pass<"aik-lower-part-twins", "::mlir::func::FuncOp"> {
  let summary = "Parts of attention as plain loops, in twins";
  let description = [{
    The twin of a kernel is checked against it, so it is written as simply as
    can be: `aikernel.attention_part` becomes loops over rows, keys and features.

    ```mlir
    %done = aikernel.attention_part ... part %p of %used ...
    // becomes
    scf.for %row ... { scf.for %key ... { ... } }
    %done = arith.cmpi eq, %p + 1, %used
    scf.if %done { scf.for %row ... { ... } }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect"];
}

def ParallelizeCopiesPass : Pass<"aik-parallelize-copies", "::mlir::func::FuncOp"> {
  let summary = "Loops that copy a slice per iteration become parallel";
  let description = [{
    A loop whose iterations copy to places of their own, such as `kv_append`
    over its batches, becomes a parallel loop over the iterations and over
    pieces of each copy: a grid of blocks.

    ```mlir
    scf.for %b = %c0 to %batches step %c1 {
      %p = memref.load %pos[%b]
      memref.copy %new[%b, ...], %cache[%b, 0, %p, 0]
    }
    // becomes
    scf.forall (%b, %h, %s) in (%batches, ...) {
      %p = memref.load %pos[%b]
      memref.copy (a piece of it)
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def FormLaunchesPass : Pass<"aik-form-launches", "::mlir::ModuleOp"> {
  let summary = "Outline what touches tensors into kernels of a gpu.module";
  let description = [{
    Each parallel loop of a function that runs or prepares becomes a kernel of
    which a block computes one iteration; so does each other op that touches
    tensors. What remains computes sizes and launches. Every kernel has a twin,
    a function of the host that does the same. The commands of an
    `aikernel.gpu.commands` become launches in its region, functions that it
    launches included.

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
    a matrix times at most eight vectors is read once, in vectors of 16 bytes,
    and tiles of matrices are multiplied from shared memory.

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
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def MergeLaunchesPass : Pass<"aik-merge-launches", "::mlir::ModuleOp"> {
  let summary = "Kernels of a function that do not need each other are one";
  let description = [{
    Launches are ordered by what they need, each as early as it can be done, and
    those of the same time whose kernels have as many threads become one launch,
    whose blocks are the blocks of all of them. A kernel with checks is merged
    only with those that write nothing but the workspace, at addresses that do
    not come from memory; others stay behind it.

    ```mlir
    gpu.launch_func @device::@f_0 blocks in (%n, 1, 1) threads in (256, 1, 1) args(%x, %y)
    gpu.launch_func @device::@f_1 blocks in (%m, 1, 1) threads in (256, 1, 1) args(%x, %z)
    // becomes
    gpu.func @f_0_1(%x, %n, %y, %z) kernel {
      %block = gpu.block_id x
      %is_first = arith.cmpi ult, %block, %n
      scf.if %is_first { ... } else { ... }
    gpu.launch_func @device::@f_0_1 blocks in (%n + %m, 1, 1) threads in (256, 1, 1) args(%x, %n, %y, %z)
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
    "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
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
