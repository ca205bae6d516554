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

    With `fast` a target may use matrix instructions that lose bits: those of
    f32 cut operands to 11 significant bits (tf32), and those of 8-bit floats
    keep sums to 14 bits. Without it f32 is multiplied as f32, and sums of 8-bit
    floats are kept in f32 but for 128 terms at a time.

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
