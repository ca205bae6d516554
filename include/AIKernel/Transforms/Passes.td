//===- Passes.td - Target-independent passes ---------------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order in which a compilation runs them. Flag, def, file and test are
// one name: aik-tile-and-fuse = TileAndFusePass = TileAndFuse.cpp =
// tile-and-fuse.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_PASSES
#define AIKERNEL_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def CheckArgumentsPass : Pass<"aik-check-arguments", "::mlir::ModuleOp"> {
  let summary = "Check at run time what the verifier could not see";
  let description = [{
    Adds an `aikernel.check` to public functions for each requirement of their
    ops (RuntimeCheckOpInterface; RuntimeChecks.h for other dialects), for loops
    that must keep the sizes of the tensors they carry, for donated arguments
    and for each dimension fact. Checks that depend only on arguments move to the start of the
    function, so that nothing is computed or written when one fails.

    ```mlir
    func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %c = aikernel.matmul %a, %b : ...
    // becomes
    func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %k = tensor.dim %a, %c1 : tensor<?x?xf32>
      %n = tensor.dim %b, %c0 : tensor<?x8xf32>
      %ok = arith.cmpi eq, %n, %k : index
      aikernel.check %ok, 22, "aikernel.matmul: dimension 0 (K) of operand 'b' differs from dimension 1 (K) of operand 'a'"
      %c = aikernel.matmul %a, %b : ...
    ```
  }];
  let dependentDialects = ["::aikernel::AIKernelDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::affine::AffineDialect"];
}

def DecomposeForeignPass : Pass<"aik-decompose-foreign"> {
  let summary = "Ops of other dialects that later phases do not know";
  let description = [{
    `linalg.softmax` and `tensor.concat` in terms of simpler ops, large constants
    of one number as `linalg.fill`, `memref.alloca` as `memref.alloc`, and no
    `memref.dealloc`.

    ```mlir
    %c = arith.constant dense<2.0> : tensor<1000000xf32>
    // becomes
    %v = arith.constant 2.0 : f32
    %e = tensor.empty() : tensor<1000000xf32>
    %c = linalg.fill ins(%v : f32) outs(%e : tensor<1000000xf32>) -> tensor<1000000xf32>
    ```
  }];
  let dependentDialects = ["::aikernel::AIKernelDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def InlineCallsPass : Pass<"aik-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls of the module's own functions by their bodies";
  let description = [{
    ```mlir
    %0 = call @f$kernel0(%x, %destination)
    // becomes
    the body of @f$kernel0
    ```
  }];
}

def ResolveSizesPass : Pass<"aik-resolve-sizes"> {
  let summary = "Ask arguments, not intermediates, for sizes";
  let description = [{
    What reifies its shape, elementwise ops, and tensors that loops carry: those
    keep their size, which `aik-check-arguments` made sure of. A slice of all of
    a tensor becomes the tensor.

    ```mlir
    %r = scf.for ... iter_args(%a = %x) -> (tensor<?xf32>) { ... }
    %n = tensor.dim %r, %c0
    // becomes
    %n = tensor.dim %x, %c0
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"];
}

def BuildEntriesPass : Pass<"aik-build-entries", "::mlir::ModuleOp"> {
  let summary = "Add f$shape and f$cost beside every public function";
  let description = [{
    Marks each public function as the entry `run` and adds two functions that
    compute the sizes of its results and what one call costs. Records the
    signatures on the module.

    ```mlir
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32>
    // becomes
    func.func @f(...) attributes {aikernel.entry = "run"}
    func.func @f$shape(%x: tensor<?xf32>) -> i64
    func.func @f$cost(%x: tensor<?xf32>) -> (i64, i64)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def BuildReferencePass : Pass<"aik-build-reference", "::mlir::ModuleOp"> {
  let summary = "Copy the program into the nested module @reference";
  let description = [{
    ```mlir
    module { func.func @f }
    // becomes
    module { func.func @f  module @reference { func.func @f } }
    ```
  }];
}

def GeneralizeProductsPass : Pass<"aik-generalize-products"> {
  let summary = "Give named products of linalg the form that passes look for";
  let description = [{
    `linalg.matmul`, `batch_matmul`, `matvec`, `contract` and their kin, which
    programs of other compilers have, become what `aikernel.matmul` becomes.

    ```mlir
    %c = linalg.matmul ins(%a, %b) outs(%zeros)
    // becomes
    %c = linalg.generic (product) ins(%a, %b) outs(%zeros)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def FuseElementwisePass : Pass<"aik-fuse-elementwise"> {
  let summary = "Merge elementwise linalg ops into their only user";
  let description = [{
    Upstream's elementwise fusion with the policy of this compiler: not into the
    operand of a matrix product, and not through a broadcast unless the producer
    is cheap.

    ```mlir
    %0 = linalg.generic (add) ; %1 = linalg.generic ins(%0) (multiply)
    // becomes
    %1 = linalg.generic (add, multiply)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def SplitReductionsPass : Pass<"aik-split-reductions"> {
  let summary = "Make long sums of few results sums of parts";
  let description = [{
    A sum of a large tensor has too few results for threads to share, so parts
    of it become results of a kernel, which another one sums. How many parts
    there are depends on shapes alone.

    ```mlir
    %s = linalg.generic {reduction, reduction} ins(%x : tensor<2048x4096xf32>)
    // becomes
    %p = linalg.generic {parallel, reduction} ins(%x) // 2048 sums
    %s = linalg.generic {reduction} ins(%p)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FormKernelsPass : Pass<"aik-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline each fused group of ops into a kernel function";
  let description = [{
    ```mlir
    %0 = linalg.generic (product) ; %1 = linalg.generic (bias)
    // becomes
    %1 = call @f$kernel0(%a, %b, %bias, %destination)
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
    "::mlir::tensor::TensorDialect"];
}

def ForkTargetsPass : Pass<"aik-fork-targets", "::mlir::ModuleOp"> {
  let summary = "Copy all functions into one nested module per target";
  let description = [{
    ```mlir
    module attributes {aikernel.targets = [#aikernel.target<...>]} { func.func @f }
    // becomes
    module { module @target0 attributes {aikernel.target = ...} { func.func @f } }
    ```
  }];
}

def SelectSchedulePass : Pass<"aik-select-schedule", "::mlir::ModuleOp"> {
  let summary = "Write an #aikernel.schedule on the root of each kernel";
  let description = [{
    ```mlir
    linalg.generic {aikernel.root = array<i64: 0, 1>}
    // becomes
    linalg.generic {aikernel.root = ..., aikernel.schedule = #aikernel.schedule<tiles = [64, 128]>}
    ```
  }];
}

def TileAndFusePass : Pass<"aik-tile-and-fuse", "::mlir::ModuleOp"> {
  let summary = "Turn each kernel into one parallel loop nest";
  let description = [{
    ```mlir
    %0 = linalg.generic (product) ; %1 = linalg.generic (root)
    // becomes
    scf.forall (%i, %j) { product and root of one tile }
    ```

    A packed product whose schedule has an `inner` is tiled for each block of
    its sum, and its operands are packed a block at a time:

    ```mlir
    scf.for %k = ... {
      %p = aikernel.pack_panels %a[:, %k to %k + inner] ; %q = ...
      scf.forall (%i, %j) { aikernel.packed_product of one tile }
    }
    ```

    A kernel that is one tile needs no loop. Where blocks of threads run tiles,
    `block-iterations` keeps it for several small ops, mapped to a block, so
    that they stay together:

    ```mlir
    scf.forall (%i) in (1) { ... } {mapping = [#gpu.block<linear_dim_0>]}
    ```
  }];
  let options = [
    Option<"blockIterations", "block-iterations", "int64_t", "0",
           "Iterations of an op, at most, that a block does alone">];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def SeparateDestinationsPass
    : Pass<"aik-separate-destinations", "::mlir::ModuleOp"> {
  let summary = "Each op starts from an empty tensor of its own";
  let description = [{
    ```mlir
    %e = tensor.empty() ; %0 = op outs(%e) ; %1 = op outs(%e)
    // becomes
    %e = tensor.empty() ; %f = tensor.empty()
    %0 = op outs(%e) ; %1 = op outs(%f)
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ExpandInsertionsPass
    : Pass<"aik-expand-insertions", "::mlir::ModuleOp"> {
  let summary = "Insert tensors in the shape in which they were computed";
  let description = [{
    What the insertion needs moves before the empty tensor that the inserted one
    starts from, so that it can be written straight into its place.

    ```mlir
    %x = op outs(%e : tensor<4x2x64xf32>)
    %c = tensor.collapse_shape %x into tensor<4x128xf32>
    %r = tensor.insert_slice %c into %d[%at, 0] [4, 128] [1, 1]
    // becomes
    %g = tensor.expand_shape %d into tensor<32x2x64xf32>
    %x = op outs(%e : tensor<4x2x64xf32>)
    %i = tensor.insert_slice %x into %g[%at, 0, 0] [4, 2, 64] [1, 1, 1]
    %r = tensor.collapse_shape %i into tensor<32x128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def AddDestinationsPass : Pass<"aik-add-destinations", "::mlir::ModuleOp"> {
  let summary = "Entries take memrefs and write results into arguments";
  let description = [{
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32>
    // becomes
    func.func @f(%x: memref<4xf32>, %out: memref<4xf32> {aikernel.result = 0})
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CarryInPlacePass : Pass<"aik-carry-in-place"> {
  let summary = "Loops write the tensors they carry into one place";
  let description = [{
    For `scf.for` and `scf.while`. What the condition of an `scf.while` computes
    and hands over gets memory of its own.

    ```mlir
    scf.for iter_args(%a) { %y = ... ; scf.yield %y }
    // becomes
    scf.for iter_args(%a) {
      %y = ...
      %m = bufferization.materialize_in_destination %y in %a
      scf.yield %m
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::tensor::TensorDialect"];
}

def FuseRowsPass : Pass<"aik-fuse-rows"> {
  let summary = "What makes a row also reduces it";
  let description = [{
    An elementwise op on buffers and the reduction of its result along the last
    dimension become one op with two results. Where written lines stay in the
    cache (x86), rows that only the last op reads are made in its result.

    ```mlir
    linalg.generic (exp) ins(%x, %max) outs(%p)
    linalg.fill ins(%zero) outs(%sum)
    linalg.generic (add, reduction) ins(%p) outs(%sum)
    // becomes
    linalg.fill ins(%zero) outs(%sum)
    linalg.generic (exp, add) ins(%x, %max) outs(%p, %sum)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect"];
}

def PromoteScratchPass : Pass<"aik-promote-scratch"> {
  let summary = "Buffers of a tile go to the stack or into the workspace";
  let description = [{
    ```mlir
    scf.forall { memref.alloc() : memref<8xf32> }
    // becomes
    scf.forall { memref.view (memref.alloca() : memref<32xi8>) }
    ```

    The buffers of one parallel loop share a budget; what does not fit, or has no
    known bound, becomes one allocation before the loop with a part for each
    iteration.
  }];
  let options = [Option<"stackBytes", "stack-bytes", "int64_t",
                        /*default=*/"256 * 1024",
                        "What the buffers of one parallel loop may take of the "
                        "fast memory of whoever runs an iteration">];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def PackProductsPass : Pass<"aik-pack-products", "::mlir::ModuleOp"> {
  let summary = "Products in kernels read packed operands";
  let description = [{
    ```mlir
    %c = linalg.generic (product) ins(%a, %b) outs(%zeros)
    // becomes
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0, depth_dim = 1}
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1, depth_dim = 0}
    %c = aikernel.packed_product %p, %q depth %k outs %o {overwrite}
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def PackBlocksPass : Pass<"aik-pack-blocks", "::mlir::ModuleOp"> {
  let summary = "Products with quantized weights read packed ones";
  let description = [{
    ```mlir
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o
    // becomes
    %p = aikernel.pack_blocks %w outs %e
    %y = aikernel.block_gemv %p, %x scales %d sums %s outs %o
    ```

    Scales of grouped formats become panels of sixteen rows, and all operands of
    `block_matmul` that belong to rows of x panels of as many rows as the
    register tile has.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::tensor::TensorDialect"];
}

def LowerBlockProductsPass
    : Pass<"aik-lower-block-products", "::mlir::ModuleOp"> {
  let summary = "Products with packed blocks become loops over panels";
  let description = [{
    ```mlir
    aikernel.block_gemv %p, %x scales %d sums %s outs %y (on memrefs)
    // becomes
    scf.forall (%panel) { call @aik$blockgemv0(%p, %x, %d, %s, %y, %panel) }
    func.func private @aik$blockgemv0 { for block, chunk: sums of 16 rows }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def PrepareWeightsPass : Pass<"aik-prepare-weights", "::mlir::ModuleOp"> {
  let summary = "Pack weights once, in f$prepare";
  let description = [{
    ```mlir
    func.func @f(%x, %w {aikernel.weight}) { aikernel.pack_panels %w ... }
    // becomes
    func.func @f(%x, %w, %p {aikernel.prepared = [1, 0]})
    func.func @f$prepare(%x, %w) -> (the packed weight)
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def LowerPackedProductsPass
    : Pass<"aik-lower-packed-products", "::mlir::ModuleOp"> {
  let summary = "Packed products become calls of register tile loops";
  let description = [{
    ```mlir
    aikernel.packed_product %p, %q depth %k outs %c (on memrefs)
    // becomes
    call @aik$tiles0(%p, %q, %k, %c)
    func.func private @aik$tiles0 { for block, column, row: register tile }
    ```
    A short elementwise op that alone reads the product and makes another type
    of it is done in the tile too, in the last block. On x86-64 rows of the left
    operand are read where they lie, and not packed, if nothing writes to them
    meanwhile: by vectors of AVX-512 where they are close to each other, by tile
    registers where they are short enough to stay in L1 and, when the code runs,
    all of them begin at lines of the cache. Such tiles go through all columns
    for each row, of long rows to and fro. Vectors read columns of the right
    operand where they lie, too, if there are 512 rows or fewer: the first rows
    of a tile pack them for the others. Where tiles of 16-bit numbers go
    through all columns several threads have shares of these, and multiply what
    they have packed.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerContractionsPass
    : Pass<"aik-lower-contractions", "::mlir::ModuleOp"> {
  let summary = "Matrix products become packed register tiles";
  let description = [{
    ```mlir
    linalg.generic (product) on memrefs
    // becomes
    call @aik$product0(%a, %b, %c)
    func.func private @aik$product0 { loops that pack blocks and keep a tile of
                                      C in vector registers }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ShareCopiesPass : Pass<"aik-share-copies"> {
  let summary = "Threads share large copies";
  let description = [{
    What is copied outside of kernels, such as an argument that is a result or a
    cache that was not donated, becomes a parallel loop over tiles, if it is not
    small.

    ```mlir
    memref.copy %x, %y : memref<8192x4096xf32> to memref<8192x4096xf32>
    // becomes
    scf.forall over tiles { memref.copy of a tile }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def VectorizePass : Pass<"aik-vectorize"> {
  let summary = "linalg on buffers becomes loops over vectors";
  let description = [{
    ```mlir
    linalg.generic (elementwise or reduction) on memrefs
    // becomes
    scf.for over vectors, then single vectors, then scalars
    ```

    Loops ask memory in time for the rows of later tiles and, where their bodies
    are long, for what they read next. With AVX2 bf16 is parted into even and odd
    elements instead of widened in order, and results of the program of 32 MiB
    and more, whose size is known and which nothing reads again, are stored past
    the caches; on targets with VNNI, but
    without VBMI, bf16 and tile registers, up to four threads ask for the lines and overwrite them, which may be faster.
  }];
  let dependentDialects = ["::aikernel::AIKernelDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def PlanMemoryPass : Pass<"aik-plan-memory", "::mlir::ModuleOp"> {
  let summary = "All intermediate buffers share one workspace";
  let description = [{
    ```mlir
    %t = memref.alloc(%n) : memref<?xf32>
    // becomes
    %t = memref.view %workspace[%offset][%n]
    func.func @f$workspace(...)
    ```

    Buffers that are not needed at the same time share memory. Those of at most
    `apart-bytes` do not, so that what writes one need not wait for what reads
    another.
  }];
  let options = [Option<"apartBytes", "apart-bytes", "int64_t", /*default=*/"0",
                        "Buffers up to this size share memory with no other">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def OutlineParallelPass : Pass<"aik-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Parallel loops become calls of aik_env's parallel_for";
  let description = [{
    ```mlir
    scf.forall (%i) in (%n) { ... }
    // becomes
    func.func private @f$parallel0(%captures: !llvm.ptr, %begin: i64, %end: i64) -> i32
    llvm.call env->parallel_for
    ```

    A function with stores past the caches ends with a fence. Where iterations
    begin with a loop that only reads along a row of numbers of 32 bits or more,
    and end with one that writes as many, the loop that reads row i + 1 is merged
    into the one that writes row i. Where they compute a row on the stack and
    write it past the caches, the loop that writes row i is merged into the one
    that computes row i + 1.
  }];
  let dependentDialects = ["::aikernel::AIKernelDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect"];
}

def LowerEntriesPass : Pass<"aik-lower-entries", "::mlir::ModuleOp"> {
  let summary = "Build the exported symbols of the entry ABI";
  let description = [{
    ```mlir
    func.func @f(%x: memref<?xf32>, %out: memref<?xf32> {aikernel.result = 0})
    // becomes
    func.func private @f$run$body(%env: !llvm.ptr, ...) -> i32
    func.func @f$run(%env: !llvm.ptr, %args: !llvm.ptr, %results: !llvm.ptr, %workspace: !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def LowerChecksPass : Pass<"aik-lower-checks", "::mlir::ModuleOp"> {
  let summary = "Checks become branches that return at once";
  let description = [{
    Runs when control flow is blocks and branches, so that a check inside any
    loop leaves the function before what it guards is reached.

    ```mlir
    aikernel.check %ok, 34, "an index is out of bounds" env %env : !llvm.ptr
    // becomes
    cf.cond_br %ok, ^next, ^fail
    ^fail:
      %status = llvm.call env->fail(%env, 34, "an index is out of bounds")
      return %status : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"];
}

def ExpandReshapesPass : Pass<"aik-expand-reshapes"> {
  let summary = "Reshapes with several unknown sizes become casts";
  let description = [{
    `expand-strided-metadata` finds the one unknown size of a group by
    dividing. Groups with more of them become casts here.

    ```mlir
    %e = memref.expand_shape %m [[0, 1]] output_shape [%a, %b]
        : memref<?xf32> into memref<?x?xf32>
    // becomes
    %base, %at, %size, %stride = memref.extract_strided_metadata %m
    %row = arith.muli %stride, %b : index
    %e = memref.reinterpret_cast %base to offset: [%at], sizes: [%a, %b],
        strides: [%row, %stride]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def GuardDivisionsPass : Pass<"aik-guard-divisions"> {
  let summary = "Integer divisions and shifts that cannot trap";
  let description = [{
    Also conversions of single floats to integers, which saturate.

    ```mlir
    %q = arith.divui %x, %d : i32
    // becomes
    %none = arith.cmpi eq, %d, %c0 : i32
    %safe = arith.select %none, %c1, %d : i32
    %q0 = arith.divui %x, %safe : i32
    %q = arith.select %none, %c0, %q0 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect"];
}

def VerifyPhasePass : Pass<"aik-verify-phase", "::mlir::ModuleOp"> {
  let summary = "Check what may remain at the end of a phase";
  let description = [{
    The contract that closes a phase: which dialects and types may still be
    there. A violation is an error in the compiler, not in the program.
  }];
  let options = [Option<"phase", "phase", "std::string", /*default=*/"",
                        "The phase that has just ended">,
                 Option<"isInput", "is-input", "bool", /*default=*/"false",
                        "The module is a file that a person gave">];
}

def LowerReferenceCallsPass
    : Pass<"aik-lower-reference-calls", "::mlir::ModuleOp"> {
  let summary = "Turn reference calls on memrefs into calls of C functions";
  let description = [{
    Fills one `aik_tensor` (Entry.h) per operand and result on the stack and
    calls `aik_ref_<name>(operands, results, params)`. An absent operand has
    element type AIK_DTYPE_NONE and no data; so has one more result at the end,
    for references with an optional one. Addresses leave the memref world
    here, so this comes after everything that reasons about buffers' lives
    (`aik-plan-memory`).

    ```mlir
    aikernel.reference_call "relu" ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {params = array<f64>}
    // becomes
    %operands = llvm.alloca %c1 x !llvm.array<1 x struct<(ptr, i32, i32, array<8 x i64>, array<8 x i64>)>>
    %results = ...
    ... stores of data, dtype, rank, dims and strides ...
    func.call @aik_ref_relu(%operands, %results, %params) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // AIKERNEL_TRANSFORMS_PASSES
