//===- AttentionOps.td - attention, rope and kv_append --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention, and what turns and stores its keys and values. All three read the
// attribute `layout`, so that projections need no transpose.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_ATTENTIONOPS_TD
#define AIKERNEL_ATTENTIONOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelComputeOp.td"

// Where the four dimensions of a tensor lie, from the attribute `layout`.
class AIKernel_LaidOutOp {
  code layoutDeclaration = [{
    /// Positions of the batch, head, sequence and feature dimensions.
    int64_t getBatchDim() { return 0; }
    int64_t getHeadDim() { return getLayout() == LayoutKind::Bhsd ? 1 : 2; }
    int64_t getSequenceDim() { return getLayout() == LayoutKind::Bhsd ? 2 : 1; }
    int64_t getFeatureDim() { return 3; }
  }];
}
def AIKernel_LaidOut : AIKernel_LaidOutOp;

def AIKernel_AttentionOp
    : AIKernel_ComputeOp<"attention", [
        AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<AIKernel_ShapeContractOpInterface,
                                  ["adjustTile"]>]> {
  let summary = "softmax(Q K^T) V with masks, without the score matrix";
  let description = [{
    `q` is `[B, Hq, Sq, D]`, `k` is `[B, Hkv, Skv, D]`, `v` is
    `[B, Hkv, Skv, Dv]` and the result `[B, Hq, Sq, Dv]` (layout bhsd; in bshd
    head and sequence change places). Hq is a multiple of Hkv: query head h
    reads key head h / (Hq / Hkv).

    S = scale Q K^T (`scale` defaults to 1 / sqrt(D)); with `softcap` c,
    S = c tanh(S / c); then S += `mask`. The result is softmax(S) V over the
    visible keys:

    - `kv_len`, `i32[B]`: how many keys of each batch are valid (default Skv).
    - `causal`: key j is visible to query i when j <= i + (len - Sq).
    - `window` w, with causal only: also j > i + (len - Sq) - w.
    - `mask`: additive, broadcastable to `[B, Hq, Sq, Skv]` in either layout.
    - `sinks`, `f32[Hq]`: adds exp(sink) to the denominator of each row.

    A query that sees no key gives zeros (and lse -inf, or the sink's value).
    The optional second result `lse`, `f32[B, Hq, Sq]` in either layout, is the
    logarithm of each row's denominator. q, k, v and the result share one
    element type of f64, f32, bf16 and f16; the mask has it too, or f32.

    Scores, and sums of values before they are divided, are kept in f32 (f64 for
    f64), and have to be within its range.

    ```mlir
    %o = aikernel.attention %q, %k, %v mask %m kv_len %n sinks %s {causal, layout = #aikernel.layout_kind<bshd>, scale = 0.125 : f32, softcap = 3.0e1 : f32, window = 64 : i64} : (tensor<2x?x8x64xbf16>, tensor<2x?x2x64xbf16>, tensor<2x?x2x64xbf16>, tensor<1x1x?x?xf32>, tensor<2xi32>, tensor<8xf32>) -> tensor<2x?x8x64xbf16>
    %o2, %lse = aikernel.attention %q2, %k2, %v2 {causal} : (tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>) -> (tensor<1x8x?x64xf32>, tensor<1x8x?xf32>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$q, AnyRankedTensor:$k,
      AnyRankedTensor:$v, Optional<AnyRankedTensor>:$mask,
      Optional<AnyRankedTensor>:$kv_len, Optional<AnyRankedTensor>:$sinks,
      OptionalAttr<F32Attr>:$scale, UnitAttr:$causal,
      OptionalAttr<I64Attr>:$window, OptionalAttr<F32Attr>:$softcap,
      DefaultValuedAttr<AIKernel_LayoutKindAttr,
                        "::aikernel::LayoutKind::Bhsd">:$layout);
  let results = (outs AnyRankedTensor:$result, Optional<AnyRankedTensor>:$lse);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? (`kv_len` $kv_len^)? (`sinks` $sinks^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = AIKernel_LaidOut.layoutDeclaration;
}

def AIKernel_RopeOp : AIKernel_ComputeOp<"rope"> {
  let summary = "rotate pairs of features by position";
  let description = [{
    `x` is `[B, H, S, D]` (bhsd; `[B, S, H, D]` in bshd) in f64, f32, bf16 or
    f16, `pos` is `i32[B, S]`, not negative. Pair i of the first `dim` features
    (even; default D) turns by the angle pos * base^(-2i/dim); the rest pass.
    Style `half` pairs feature i with i + dim/2, `interleaved` 2i with 2i + 1.

    Turns are held as 64-bit fixed point, pos * round(2^64 f / 2 pi) mod 2^64,
    so that every target gets the same angle, also at position 1,000,000.

    ```mlir
    %y = aikernel.rope %x, %pos {base = 1.0e4 : f32, dim = 64 : i64, layout = #aikernel.layout_kind<bshd>, scaling = #aikernel.rope_scaling<llama3, 8.0, 1.0, 4.0, 8192.0>, style = #aikernel.rope_style<interleaved>} : (tensor<1x?x8x128xf16>, tensor<1x?xi32>) -> tensor<1x?x8x128xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$pos, F32Attr:$base,
      OptionalAttr<I64Attr>:$dim,
      DefaultValuedAttr<AIKernel_RopeStyleAttr,
                        "::aikernel::RopeStyle::Half">:$style,
      OptionalAttr<AIKernel_RopeScalingAttr>:$scaling,
      DefaultValuedAttr<AIKernel_LayoutKindAttr,
                        "::aikernel::LayoutKind::Bhsd">:$layout);
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $x `,` $pos attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = AIKernel_LaidOut.layoutDeclaration # [{
    /// How many features are rotated: `dim`, or all (D is static then).
    int64_t getRotatedDim() {
      if (::std::optional<uint64_t> dim = getDim())
        return *dim;
      return ::llvm::cast<::mlir::RankedTensorType>(getX().getType())
          .getDimSize(getFeatureDim());
    }
  }];
}

def AIKernel_KvAppendOp : AIKernel_ComputeOp<"kv_append"> {
  let summary = "write new rows into a cache";
  let description = [{
    Writes `new` into `cache` from row pos[b] on and gives the new cache. `cache`
    is `[B, H, Smax, D]`, `new` is `[B, H, S, D]` (bhsd; in bshd head and
    sequence change places), `pos` is `i32[B]`. A negative position, or
    pos[b] + S > Smax, is a run-time error found before anything is written.
    Both tensors have one element type, f64, f32, bf16 or f16.

    ```mlir
    %c = aikernel.kv_append %cache, %new, %pos {layout = #aikernel.layout_kind<bshd>} : (tensor<2x1024x8x64xf16>, tensor<2x?x8x64xf16>, tensor<2xi32>) -> tensor<2x1024x8x64xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$cache, AnyRankedTensor:$new_rows,
      AnyRankedTensor:$pos,
      DefaultValuedAttr<AIKernel_LayoutKindAttr,
                        "::aikernel::LayoutKind::Bhsd">:$layout);
  let builders = [OpBuilder<(ins "::mlir::Value":$cache,
                                 "::mlir::Value":$newRows,
                                 "::mlir::Value":$pos,
                                 CArg<"::aikernel::LayoutKind",
                                      "::aikernel::LayoutKind::Bhsd">:$layout),
    [{
      build($_builder, $_state, cache.getType(), cache, newRows, pos, layout);
    }]>];
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $cache `,` $new_rows `,` $pos attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = AIKernel_LaidOut.layoutDeclaration;
}

#endif // AIKERNEL_ATTENTIONOPS_TD
