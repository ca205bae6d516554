//===- LinearOps.td - matmul and linear -----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products, alone and with what usually follows them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LINEAROPS_TD
#define AIKERNEL_LINEAROPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelComputeOp.td"

def AIKernel_MatmulOp : AIKernel_ComputeOp<"matmul"> {
  let summary = "matrix product, batched";
  let description = [{
    C = op(A) op(B), where op transposes the last two dimensions if
    `transpose_a` or `transpose_b` is given. `a` is `[*B, M, K]`, `b` is
    `[*B, K, N]`, the result `[*B, M, N]`. Batch dimensions are aligned from the
    right; each is equal on both sides, or 1 or absent on one side.

    Operands are f64, f32, bf16, f16, f8E4M3FN or f8E5M2 and may differ from
    each other and from the result, which is f64, f32, bf16 or f16. An empty K
    gives zeros. Operands of 8 bits have no scales of their own: multiply the
    f32 result, and round that.

    Sums are kept in f32, or f64 for f64 operands: n terms are off by no more
    than n 2^-24 (|A| |B|), to first order. Matrix instructions may lose more
    in three cases:

    - What is below the least normal number, 2^-126, may be taken as zero: in
      operands, products and, where f32 numbers are multiplied in parts of bf16,
      in these, which takes bits from numbers below 2^-103.
    - f32 operands with `fast` are cut to 11 significant bits (tf32).
    - Where both operands are 8-bit floats, 32 products and the sum so far may
      be added at once, each cut to 13 bits behind the leading bit of the
      largest of them, and so may their sum. Without `fast` that is done for 128
      terms at a time, in order, and these sums are added in f32: each of the
      four steps adds no more than 34 2^-13 times the largest product (of factors
      that are at least normal numbers) or partial sum of the 128. With `fast` it is done for whole sums, whose partial sums
      may be those of any order of steps; more than 7680 terms have no bound.
      docs/Rationale.md has the derivation and a closer bound, which the tests
      demand.

    ```mlir
    %c = aikernel.matmul %a, %b {transpose_b} : (tensor<?x64xbf16>, tensor<128x64xbf16>) -> tensor<?x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b,
      UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$fast);
  let results = (outs AnyRankedTensor:$result);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $a `,` $b attr-dict `:` functional-type(operands, results)
  }];
}

def AIKernel_LinearOp : AIKernel_ComputeOp<"linear"> {
  let summary = "fully connected layer with bias and activation";
  let description = [{
    Y = act(X W + b). `x` is `[*, K]`, `w` is `[K, N]` (`[N, K]` with
    `transpose_b`), `bias` is `[N]`, the result `[*, N]`. Only the result is
    rounded: bias and activation see the unrounded sum. Element types are those
    of `matmul`, and so is `fast`; `bias` is f64, f32, bf16 or f16.

    ```mlir
    %y = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<gelu>} : (tensor<?x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$w,
      Optional<AnyRankedTensor>:$bias,
      DefaultValuedAttr<AIKernel_ActivationAttr,
                        "::aikernel::Activation::None">:$activation,
      UnitAttr:$transpose_b, UnitAttr:$fast);
  let results = (outs AnyRankedTensor:$result);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $x `,` $w (`bias` $bias^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // AIKERNEL_LINEAROPS_TD
