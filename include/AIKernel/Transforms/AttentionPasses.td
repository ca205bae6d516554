//===- AttentionPasses.td - Passes on online_attention --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_ATTENTIONPASSES_TD
#define AIKERNEL_TRANSFORMS_ATTENTIONPASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposeAttentionPass : Pass<"aik-decompose-attention"> {
  let summary = "Write a tile of online attention as linalg ops";
  let description = [{
    Rewrites each `aikernel.online_attention`, normally a tile of one, into
    `linalg.generic` ops: the scores of the tile (a contraction, then scale,
    soft cap, mask and visibility), the new row maximum, the probabilities, the
    correction of what was summed before, and the two sums. Only the scores of
    the tile exist at any time.

    An op whose query heads share key heads in groups is first tiled to single
    heads, since a contraction cannot index by `head / group`.

    ```mlir
    // Before:
    %r:3 = aikernel.online_attention %q, %k, %v scale %s key_offset %j head_offset %c0 group %c1 outs %acc, %max, %sum : ...
    // After, in short:
    %scores  = linalg.generic // Q K^T
    %masked  = linalg.generic // scale, softcap, mask, -inf where hidden
    %r#1     = linalg.generic // max with the carried maximum
    %p       = linalg.generic // exp(masked - max)
    %shrink  = linalg.generic // exp(old max - max)
    %r#2     = linalg.generic // sum * shrink + rowsum(p)
    %r#0     = linalg.generic // acc * shrink + P V
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LowerAttentionPass : Pass<"aik-lower-attention", "::mlir::ModuleOp"> {
  let summary = "Online attention on buffers becomes register tiles";
  let description = [{
    For ops on memrefs that name an instruction. With few queries the keys are
    split into parts, over which parallel loops go, and the parts combined;
    query heads that share keys then have those packed once for all of them.

    ```mlir
    aikernel.online_attention %q, %k, %v ... {instruction = "fmla.f32"} : ...
    // becomes
    call @aik$attention0(%q, %k, %v, %acc, %max, %sum, %scale, %offset)
    func.func private @aik$attention0 {
      for blocks of keys { pack K ; pack V ; for strips of queries {
        scores K Q^T ; maximum, powers and sums, a lane for each query ; P V } }
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

#endif // AIKERNEL_TRANSFORMS_ATTENTIONPASSES_TD
