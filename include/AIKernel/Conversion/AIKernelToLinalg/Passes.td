//===- Passes.td - The pass that lowers aikernel to linalg ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_CONVERSION_AIKERNELTOLINALG_PASSES_TD
#define AIKERNEL_CONVERSION_AIKERNELTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def AIKernelToLinalgPass : Pass<"aik-aikernel-to-linalg"> {
  let summary = "Lower compute ops to linalg on tensors";
  let description = [{
    Rewrites each compute op, looking at nothing but the op, into `linalg`,
    `tensor` and `scf` ops on tensors. Operands are extended to f32 (f64 stays
    f64) where they are read, sums are kept in that type, and the result of each
    op is rounded once. `aikernel.attention` becomes
    `aikernel.online_attention`, which is destination style and tiles along its
    keys; `aik-decompose-attention` lowers that one after tiling.

    ```mlir
    // Before:
    %y = aikernel.relu %x : (tensor<4xbf16>) -> tensor<4xbf16>
    // After:
    %e = tensor.empty() : tensor<4xbf16>
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%x : tensor<4xbf16>) outs(%e : tensor<4xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %w = arith.extf %in : bf16 to f32
      %z = arith.constant 0.0 : f32
      %m = arith.maximumf %w, %z : f32
      %r = arith.truncf %m : f32 to bf16
      linalg.yield %r : bf16
    } -> tensor<4xbf16>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def DecomposeBlockProductsPass
    : Pass<"aik-decompose-block-products", "::mlir::ModuleOp"> {
  let summary = "Lower products with quantized blocks that have no kernel";
  let description = [{
    For targets without kernels of their own for them: the products of integers
    that `aik-to-linalg` left to targets become linalg, as those whose weights
    are no arguments.

    ```mlir
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = ...} : ...
    // becomes
    %sums = linalg.generic ... // integers, per row and block
    %y = linalg.generic ...    // the sum over the blocks
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // AIKERNEL_CONVERSION_AIKERNELTOLINALG_PASSES_TD
