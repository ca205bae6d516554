//===- NormOps.td - Normalizations over one axis --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops whose result at one element depends on all elements along one axis.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_NORMOPS_TD
#define AIKERNEL_NORMOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelComputeOp.td"

def AIKernel_RmsNormOp : AIKernel_ComputeOp<"rms_norm"> {
  let summary = "divide rows by their root mean square";
  let description = [{
    y = gamma * x / sqrt(mean(x^2) + eps) over the last axis, rounded once at
    the result. `x` is `[*, N]` in f64, f32, bf16 or f16; `gamma` is `[N]` in
    the element type of `x` or in f32. The squares are summed in f32 (f64 for
    f64), so a row longer than about 1.8e19 (1.3e154) counts as infinitely long.

    ```mlir
    %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x4096xbf16>, tensor<4096xbf16>) -> tensor<?x4096xbf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$gamma,
      F32Attr:$eps);
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$gamma,
                                 "float":$eps), [{
    build($_builder, $_state, x.getType(), x, gamma,
          $_builder.getF32FloatAttr(eps));
  }]>];
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $x `,` $gamma attr-dict `:` functional-type(operands, results)
  }];
}

def AIKernel_LayerNormOp : AIKernel_ComputeOp<"layer_norm"> {
  let summary = "shift and scale rows to mean 0 and variance 1";
  let description = [{
    y = gamma * (x - mean(x)) / sqrt(var(x) + eps) + beta over the last axis
    with the biased variance, to the accuracy of two passes or Welford's update,
    rounded once at the result. `x` is `[*, N]` in f64, f32, bf16 or f16;
    `gamma` and `beta` are `[N]` in the element type of `x` or in f32. Elements
    and squares of their distances from the mean are summed in f32 (f64 for
    f64): a row whose sum is beyond it becomes NaN, and one whose distances are
    together longer than about 1.8e19 (1.3e154) counts as infinitely far apart.

    ```mlir
    %y = aikernel.layer_norm %x, %g, %b {eps = 1.0e-6 : f32} : (tensor<2x?x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<2x?x512xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$gamma,
      AnyRankedTensor:$beta, F32Attr:$eps);
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$gamma,
                                 "::mlir::Value":$beta, "float":$eps), [{
    build($_builder, $_state, x.getType(), x, gamma, beta,
          $_builder.getF32FloatAttr(eps));
  }]>];
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $x `,` $gamma `,` $beta attr-dict `:` functional-type(operands, results)
  }];
}

def AIKernel_L2NormOp : AIKernel_ComputeOp<"l2_norm"> {
  let summary = "divide rows by their Euclidean length";
  let description = [{
    y = x / max(sqrt(sum(x^2)), eps) over the last axis, rounded once at the
    result. `x` is `[*, N]` in f64, f32, bf16 or f16. A row of zeros stays zero
    when eps is positive and becomes NaN when it is 0; a NaN makes its whole row
    NaN; an infinity becomes NaN and the rest of its row 0. The squares are
    summed in f32 (f64 for f64), so a row longer than about 1.8e19 (1.3e154)
    counts as infinitely long.

    ```mlir
    %y = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<?x128xf32>) -> tensor<?x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, F32Attr:$eps);
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "float":$eps), [{
    build($_builder, $_state, x.getType(), x,
          $_builder.getF32FloatAttr(eps));
  }]>];
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def AIKernel_SoftmaxOp : AIKernel_ComputeOp<"softmax"> {
  let summary = "exponentials that sum to one along an axis";
  let description = [{
    exp(x - max) / sum(exp(x - max)) along `axis` (negative: counted from the
    end). A row that is all -inf gives zeros. On f64, f32, bf16 and f16.

    ```mlir
    %y = aikernel.softmax %x {axis = 1 : i64} : (tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let builders = [OpBuilder<(ins "::mlir::Value":$x,
                                 CArg<"int64_t", "-1">:$axis), [{
    build($_builder, $_state, x.getType(), x, axis);
  }]>];
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The axis counted from the front.
    int64_t getNormalizedAxis() {
      int64_t axis = getAxis();
      return axis < 0
                 ? axis + ::llvm::cast<::mlir::RankedTensorType>(getX().getType())
                              .getRank()
                 : axis;
    }
  }];
}

#endif // AIKERNEL_NORMOPS_TD
