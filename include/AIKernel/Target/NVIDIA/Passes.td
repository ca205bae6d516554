//===- Passes.td - From shared GPU code to NVIDIA's own ----*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only NVIDIA has instructions for, and the one conversion of the device's
// part.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_NVIDIA_PASSES
#define AIKERNEL_TARGET_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def SelectDecodePass : Pass<"aik-select-decode", "::mlir::ModuleOp"> {
  let summary = "Choose the attention that is split along its keys";
  let description = [{
    Attention with at most 16 rows (queries times heads that share a key head),
    in bf16 or f16, with a multiple of 16 features and with keys and values that
    are tensors of the kernel's caller, names its instruction and gets a
    schedule of one block per key head. What does not fit is left alone, for
    `aik-select-blocks`.

    ```mlir
    aikernel.online_attention %q, %k, %v ...
    linalg.generic ... attrs = {aikernel.root = array<i64: 0, 1, 2>}
    // becomes
    aikernel.online_attention %q, %k, %v ... {instruction = "mma.m16n8k16"}
    linalg.generic ... attrs = {aikernel.root = array<i64: 0, 1, 2>,
                                aikernel.schedule = #aikernel.schedule<tiles = [1, 4, 0, 0]>}
    ```
  }];
}

def LowerDecodePass : Pass<"aik-lower-decode", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Parts of attention as matrix instructions";
  let description = [{
    What one thread does of `aikernel.attention_part`: keys and values go from
    memory straight into the registers that `mma.sync` multiplies, sixteen keys
    per warp and step; warps are added up in shared memory, parts by the block
    that arrives last. The only part of a head goes into the outputs at once.
    Quotients of the kernel that are rounded to 16 bits are approximations.

    ```mlir
    %done = aikernel.attention_part %q, %k, %v ...
    // becomes
    scf.for %key = ... { vector.load ... nvvm.mma.sync ... nvvm.vote.sync any ... }
    gpu.barrier ...
    llvm.atomicrmw add ...
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def ApproximateExpPass : Pass<"aik-approximate-exp", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Exponentials by the hardware's power of two";
  let description = [{
    A `math.exp` of f32 whose argument is known to be never above zero, as in
    softmax, takes seven instructions in place of a polynomial: what the product
    with log2(e) loses to rounding is put right afterwards, unless what it is
    for is rounded to 16 bits (`aikernel.narrow`). A `math.exp2` in range that may be
    approximated is the instruction itself. Others are left to
    `aik-expand-math`: the hardware flushes the smallest results to zero, and its
    relative error of 2^-22.5 is too much for a sigmoid within 2 ulp.

    ```mlir
    %y = math.exp %x {aikernel.at_most_zero} : f32
    // becomes
    %hi = arith.mulf %x, %log2e : f32
    %lo = math.fma ... // what %hi has lost
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%hi)
    %y = math.fma %e * ln2, %lo, %e : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"];
}

def FormTileAttentionPass : Pass<"aik-form-tile-attention", "::mlir::ModuleOp"> {
  let summary = "Attention that tile programs compute, and its schedule";
  let description = [{
    A kernel that is attention of 17 or more queries of bf16 or f16, with as many
    features of queries and keys as of values, becomes one
    `aik_tile.attention` where the target has the instructions (sm_90a): causal,
    with a window, a soft cap, a mask, grouped heads, a number of valid
    keys, in both layouts, and with its logarithms. Where there is a sink it
    stays as it is. The schedule is that of the root, where it has one as
    `aik_tile.attention_schedule`, that of a table of measured ones, or the best
    known for 64, 96, 128 or 256 features; where there is none of these the
    kernel stays as it is, too.

    ```mlir
    %a:3 = aikernel.online_attention %q, %k, %v end %end ... {causal}
    %y = linalg.generic (quotient) ins(%a#0, %a#2) outs(%d)
    // becomes
    %y:2 = aik_tile.attention %q, %k, %v outs %d, %counter {causal, schedule = ...}
    ```
  }];
  let dependentDialects = ["::aikernel::tile::AIKTileDialect"];
}

def SeparateProductsPass : Pass<"aik-separate-products", "::mlir::ModuleOp"> {
  let summary = "One product of matrices per kernel, for tile programs";
  let description = [{
    Of a kernel with several products that tile programs can compute, each but
    the last becomes a kernel of its own, which is called before it and rounds
    its sums as their readers would have done.

    ```mlir
    func.func private @k(%x, %wg, %wu, %out) attributes {aikernel.kernel} {
      %g = linalg.generic (product) ins(%x, %wg)
      %u = linalg.generic (product) ins(%x, %wu)
      %y = linalg.generic (swiglu) ins(%g, %u) outs(%out)
    // becomes
    func.func private @k$0(%x, %wg, %out) attributes {aikernel.kernel}
    func.func private @k(%g, %x, %wu, %out) attributes {aikernel.kernel}
    ```
  }];
}

def FormFragmentProductsPass : Pass<"aik-form-fragment-products", "::mlir::ModuleOp"> {
  let summary = "Products of tile programs that read 4-bit weights";
  let description = [{
    A call of a kernel that multiplies rows of bf16 or f16 with what another
    kernel has made of `i4` weights in groups of 128 becomes, where the target
    has the instructions (sm_90a), one of a kernel that reads the weights: one
    packed `aik_tile.product`. Codes and scales are laid out as its threads take
    them, which `aik-prepare-weights` moves to `f$prepare`. Weights and scales
    have to be marked as weights, and the weights' rows are a multiple of 64.

    ```mlir
    %f = call @dequantize(%scales, %w, %e)
    %y = call @product(%x, %f, %d)
    // becomes
    %c = linalg.generic (codes) ins(%w, %w) attrs = {aikernel.packs}
    %t = linalg.generic (scales) ins(%scales) attrs = {aikernel.packs}
    %y = call @product$packed(%x, %c, %t, %d)
    ```
  }];
  let dependentDialects = ["::aikernel::tile::AIKTileDialect"];
}

def BuildTileProgramsPass : Pass<"aik-build-tile-programs", "::mlir::gpu::GPUModuleOp"> {
  let summary = "The tile program of each product, as its schedule says";
  let description = [{
    Two roles: one loads tiles of both matrices into a ring, the other
    multiplies them and stores what the product's region makes of the sums. In
    that of attention one role claims tiles of queries and loads keys and
    values, the other multiplies both and keeps all in between in registers.

    ```mlir
    aik_tile.product %x, %w outs %y attributes {schedule = #aik_tile.schedule<rows = 128, ...>} { ... }
    // becomes
    %map = aik_tile.tensor_map %x : ...
    aik_tile.program cluster 2 { aik_tile.role ... { ... } aik_tile.role ... { ... } }
    ```
  }];
  let dependentDialects = ["::aikernel::tile::AIKTileDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LowerTileProgramsPass : Pass<"aik-lower-tile-programs", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Tile programs become what threads do";
  let description = [{
    Roles become branches on the warpgroup's number, rings mbarriers and places
    in shared memory, loads and stores bulk copies by tensor maps, products
    wgmma instructions. Element rules are written out for the elements that a
    thread holds. For sm_90a.

    ```mlir
    %stage = aik_tile.acquire %ring : ...
    // becomes
    scf.while : () -> () { %done = nvvm.mbarrier.try_wait %full, %phase ... }
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerWarpProductsPass : Pass<"aik-lower-warp-products", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Products become what threads do with matrix instructions of warps";
  let description = [{
    For devices before sm_90a: all threads of a block copy tiles of both
    matrices into a ring of shared memory (`cp.async`, zeros beyond the edges),
    and each warp reads its part (`ldmatrix`) and multiplies it (`mma.sync`)
    while later tiles arrive. Sums go through shared memory to the product's
    region, 16 bytes of the result at a time.

    ```mlir
    aik_tile.product %x, %w outs %y attributes {schedule = #aik_tile.schedule<..., load_registers = 0, ...>} { ... }
    // becomes
    scf.for %step = ... {
      nvvm.cp.async.shared.global ...
      nvvm.cp.async.wait.group 2
      %a = nvvm.ldmatrix ...
      %d = nvvm.mma.sync A[...] B[...] C[...] ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def StreamLongRowsPass : Pass<"aik-stream-long-rows", "::mlir::ModuleOp"> {
  let summary = "Clusters of blocks share rows that are too long for one";
  let description = [{
    Where a kernel computes one row per block and the row does not fit into the
    registers of a block, up to eight blocks of a cluster share it and reduce
    through each other's shared memory. Clusters stay and take row after row,
    while the next rows are on their way to shared memory. Devices before sm_90
    have no clusters.

    ```mlir
    gpu.launch_func @device::@f_0 blocks in (%rows, %c1, %c1) ... // of 131072
    // becomes
    gpu.launch_func @device::@f_0 blocks in (%rows * 8, %c1, %c1) ...
    gpu.func @f_0(..., %rows: index) kernel
        attributes {aikernel.resident, aikernel.shared_bytes = 98304 : i32,
                    known_cluster_size = array<i32: 8, 1, 1>} {
      scf.for %row = %cluster to %rows step %clusters { ... }
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def OverlapLaunchesPass : Pass<"aik-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Kernels of a function begin before those before them have ended";
  let description = [{
    Every kernel of a function that launches several lets the next one begin at
    once, and waits for those before it. What it loads first of arguments that
    no kernel of the function writes (weights) is asked for before the wait, so
    that memory is busy while one kernel ends and the next begins. All other
    accesses come after it. Devices before sm_90 cannot do this.

    ```mlir
    gpu.func @f_1(%w: memref<..>, %x: memref<..>, %y: memref<..>) kernel {
      %0 = vector.load %x ...
      %1 = vector.load %w ...
    // becomes
    gpu.func @f_1(...) kernel attributes {aikernel.overlaps} {
      llvm.inline_asm has_side_effects "griddepcontrol.launch_dependents;"
      %1 = vector.load %w ...
      llvm.inline_asm has_side_effects {aikernel.awaits} "griddepcontrol.wait;", "~{memory}"
      %0 = vector.load %x ...
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

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
