//===- QuantOps.td - Quantized tensors and products with them -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on tensors of packed bytes. Which bits mean what is said once per format,
// in QuantFormats.cpp; docs/QuantFormats.md describes it for people.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_QUANTOPS_TD
#define AIKERNEL_QUANTOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelComputeOp.td"

// The block formats have the numbers that GGUF gives them.
def AIKernel_QuantKind
    : AIKernel_Enum<"QuantKind", "how numbers are packed into bytes", [
        I32EnumAttrCase<"Q4_0", 2, "q4_0">, I32EnumAttrCase<"Q4_1", 3, "q4_1">,
        I32EnumAttrCase<"Q5_0", 6, "q5_0">, I32EnumAttrCase<"Q5_1", 7, "q5_1">,
        I32EnumAttrCase<"Q8_0", 8, "q8_0">, I32EnumAttrCase<"Q4_K", 12, "q4_k">,
        I32EnumAttrCase<"Q5_K", 13, "q5_k">,
        I32EnumAttrCase<"Q6_K", 14, "q6_k">,
        I32EnumAttrCase<"MXFP4", 39, "mxfp4">,
        I32EnumAttrCase<"I4", 104, "i4">, I32EnumAttrCase<"I8", 108, "i8">
      ]>;

def AIKernel_QuantAttr : AttrDef<AIKernel_Dialect, "Quant"> {
  let mnemonic = "quant";
  let summary = "a format of quantized numbers";
  let description = [{
    - `#aikernel.quant<q4_0>`, `q4_1`, `q5_0`, `q5_1`, `q8_0`, `q4_k`, `q5_k`,
      `q6_k`, `mxfp4`: blocks of 32 or 256 elements with their scales inside,
      bit for bit those of GGUF.
    - `#aikernel.quant<i4, group = 32>`, `#aikernel.quant<i8, group = 128>`:
      signed integers (i4: the even element is the low half of a byte) with
      scales, and optionally zero points, in tensors of their own: one for each
      `group` elements of a row. The group is a multiple of 8 up to 65536.
  }];
  let parameters = (ins "::aikernel::QuantKind":$kind, "int64_t":$group);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True for i4 and i8: scales are operands, not bytes of the block.
    bool isGrouped() const;
  }];
}

def AIKernel_QuantActivations
    : AIKernel_Enum<"QuantActivations",
                    "what a quantized product does with its float operand", [
        I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"Q8", 1, "q8">
      ]>;
def AIKernel_QuantActivationsAttr
    : AIKernel_EnumAttr<AIKernel_QuantActivations, "quant_activations">;

def AIKernel_DequantizeOp
    : AIKernel_ComputeOp<"dequantize", [AttrSizedOperandSegments]> {
  let summary = "the numbers that packed bytes stand for";
  let description = [{
    `q` is `[*, bytes]` of i8, whole blocks of `format` along the last
    dimension; the result is `[*, K]` of f64, f32, bf16 or f16. Grouped formats
    take `scales` `[*, K / group]` of f32, bf16 or f16 and optionally `zeros`
    `[*, K / group]` of i8; an element is scale (q - zero).

    The exact value is rounded once to f32 and from there to the result's type
    (f64: not rounded). Scales that are NaN or infinite act as IEEE arithmetic
    says.

    ```mlir
    %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x36xi8>) -> tensor<8x64xf32>
    %v = aikernel.dequantize %p scales %s zeros %z {format = #aikernel.quant<i4, group = 32>} : (tensor<8x?xi8>, tensor<8x?xf16>, tensor<8x?xi8>) -> tensor<8x?xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$q, Optional<AnyRankedTensor>:$scales,
      Optional<AnyRankedTensor>:$zeros, AIKernel_QuantAttr:$format);
  let results = (outs AnyRankedTensor:$result);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $q (`scales` $scales^ (`zeros` $zeros^)?)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def AIKernel_QuantizeOp : AIKernel_ComputeOp<"quantize"> {
  let summary = "packs numbers into a quantized format";
  let description = [{
    `x` is `[*, K]` of f64, f32, bf16 or f16, rounded to f32 first; the result
    is `[*, bytes]` of i8. Grouped formats have a second result, the scales
    `[*, K / group]` of f32, bf16 or f16, and may have a third, zero points of
    i8.

    `q4_0`, `q4_1`, `q5_0`, `q5_1`, `q8_0` and `mxfp4` give the bits of GGUF's
    reference quantizers (`q8_0` rounds halves away from zero). `q4_k`, `q5_k`
    and `q6_k` search for the scales with the least squared error; the bits of
    such a search are its own. `i8` has the scale amax / 127 and `i4` that of
    `q4_0`; with zero points the scale is (max - min) / 255 or 15, where max and
    min include 0.

    A block that holds a NaN gives NaN scales, so that all of it dequantizes to
    NaN; `q4_k`, `q5_k` and `q6_k` do the same for infinities. `mxfp4` knows
    neither: NaN becomes 0 and infinities the largest number.

    ```mlir
    %q = aikernel.quantize %x {format = #aikernel.quant<q6_k>} : (tensor<?x256xf32>) -> tensor<?x210xi8>
    %p, %s = aikernel.quantize %x {format = #aikernel.quant<i8, group = 64>} : (tensor<?x256xf32>) -> (tensor<?x256xi8>, tensor<?x4xf32>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AIKernel_QuantAttr:$format);
  let results = (outs AnyRankedTensor:$result,
      Variadic<AnyRankedTensor>:$parameters);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $x attr-dict `:` functional-type(operands, results)
  }];
}

// A product of floats with a quantized matrix.
class AIKernel_QuantProductOp<string mnemonic>
    : AIKernel_ComputeOp<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$w,
      Optional<AnyRankedTensor>:$scales, Optional<AnyRankedTensor>:$zeros,
      AIKernel_QuantAttr:$format,
      DefaultValuedAttr<AIKernel_QuantActivationsAttr,
                        "::aikernel::QuantActivations::F32">:$activations);
  let results = (outs AnyRankedTensor:$result);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $x `,` $w (`scales` $scales^ (`zeros` $zeros^)?)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def AIKernel_QuantGemvOp : AIKernel_QuantProductOp<"quant_gemv"> {
  let summary = "a quantized matrix times one vector";
  let description = [{
    y `[N]` = dequantize(W) x for `x` `[K]` and `w` `[N, bytes]`; grouped
    formats take `scales` and `zeros` as in `dequantize`. `x` and the result are
    f64, f32, bf16 or f16.

    With `activations = f32` (the default) the exact weights are multiplied with
    `x` in f32 (f64 if `x` or the result is f64). With `q8` each block of `x` is
    first quantized to 8-bit integers, the products of a block are summed
    exactly in i32, and the sums are scaled and added in f32. Then every result
    is NaN when `x` holds a NaN or an infinity, and infinite or NaN when its
    weights have an infinite scale; which may depend on the number of rows. The
    scales of a block of `x` and of one of the weights may be multiplied first:
    where that product is beyond f32, so is the result (infinite or NaN), and
    where it is below 2^-126 the result has fewer bits. The blocks are

    | format | block | integers and scale |
    |---|---|---|
    | `q4_0`, `q5_0`, `q8_0`, `mxfp4` | 32 | as `quantize` to `q8_0` |
    | `q4_1`, `q5_1` | 32 | the same, and the f16 of their scaled sum |
    | `q4_k`, `q5_k`, `q6_k` | 256 | s = -127 / v, v the number of largest magnitude; integers nearest to s x (halves to even), at most 127; scale 1 / s in f32 |
    | `i4`, `i8` | group | as `q8_0`, but the scale stays f32 |

    ```mlir
    %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_k>, activations = #aikernel.quant_activations<q8>} : (tensor<512xf32>, tensor<?x288xi8>) -> tensor<?xf32>
    ```
  }];
}

def AIKernel_QuantMatmulOp : AIKernel_QuantProductOp<"quant_matmul"> {
  let summary = "a matrix times a transposed quantized matrix";
  let description = [{
    Y `[M, N]` = X dequantize(W)^T for `x` `[M, K]` and `w` `[N, bytes]`: each
    row is `quant_gemv` of a row of `x`.

    ```mlir
    %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i8, group = 64>} : (tensor<?x256xbf16>, tensor<16x256xi8>, tensor<16x4xf32>) -> tensor<?x16xbf16>
    ```
  }];
}

def AIKernel_Int8MatmulOp
    : AIKernel_ComputeOp<"int8_matmul", [AttrSizedOperandSegments]> {
  let summary = "affine product of 8-bit matrices";
  let description = [{
    Y = scale_a scale_b (A - zero_a) (B - zero_b), rounded to the result's type.
    `a` is `[M, K]` and `b` `[K, N]` (`[N, K]` with `transpose_b`), both i8.
    `scale_a` is `[M]`, or `[1]` for the whole matrix; `scale_b` is `[N]` or
    `[1]`; both are f32, bf16 or f16. The zero points are i8 of the same kind of
    shape, 0 when left out. The result is f64, f32, bf16 or f16.

    The sums are i32, exact for K up to 33025; beyond that they may wrap around.
    They are converted to f32 (f64 for f64) and multiplied with the product of
    the scales.

    An unsigned 8-bit matrix with zero point z is the signed one of its values
    minus 128 with zero point z - 128.

    ```mlir
    %y = aikernel.int8_matmul %a, %b, %sa, %sb zero_a %za zero_b %zb {transpose_b} : (tensor<?x64xi8>, tensor<16x64xi8>, tensor<?xf32>, tensor<16xf32>, tensor<1xi8>, tensor<16xi8>) -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b,
      AnyRankedTensor:$scale_a, AnyRankedTensor:$scale_b,
      Optional<AnyRankedTensor>:$zero_a, Optional<AnyRankedTensor>:$zero_b,
      UnitAttr:$transpose_b);
  let results = (outs AnyRankedTensor:$result);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $a `,` $b `,` $scale_a `,` $scale_b (`zero_a` $zero_a^)? (`zero_b` $zero_b^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // AIKERNEL_QUANTOPS_TD
