//===- MathPasses.td - Passes that write out scalar and vector math -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_MATHPASSES_TD
#define AIKERNEL_TRANSFORMS_MATHPASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"aik-expand-math"> {
  let summary = "Write elementary functions of f32 as polynomials";
  let description = [{
    Rewrites `math.exp`, `exp2`, `log`, `tanh`, `erf`, `erfc`, `sin`, `cos` and
    `rsqrt` on f32, on scalars and vectors of any shape, into `arith` ops, so
    that vector code stays vector code and needs no library. On f16 and bf16 the
    function is computed in f32 and rounded. f64 is left alone.

    Largest errors in units of the last place over all f32, with and without
    fused multiply-add: exp 1, exp2 1.1, log 1, tanh 1.5, erf 1.3, erfc 5,
    sin and cos 2, rsqrt 1.5. NaN, infinities, zeros and subnormals come out as
    IEEE 754 asks.

    An op with `fastmath<afn>` may be off by 2^-13 of its result, which does not
    show once that is rounded to 16 bits. On `exp` and `exp2` of f32,
    `{aikernel.at_most_zero}` promises an argument that is not above zero, allows
    the rounding error of its product with log2(e), and errors of 2^-126 in
    results as small as that; `{aikernel.in_range}` promises an argument in
    [-87, 88] of `exp`, in [-127, 128] of `exp2`. All make shorter code, and
    `exp2` then has an error of 2.25 units. With `{aikernel.narrow}` beside
    `at_most_zero` the error is 2^-17 of the result.

    Two ops of `arith` are rewritten where the target has an instruction for what
    they may be instead: `divf` with `fastmath<afn>` becomes a product with a
    rough reciprocal (AVX-512 and NEON, whole vectors; single elements are
    divided), if no divisor is subnormal, and `maximumf` with
    `{aikernel.may_drop_nan}` a comparison where the maximum of the machine does
    not keep NaN (x86).

    With `has-fma=false` no fused multiply-add remains: polynomials use separate
    operations, and `math.fma` on f32 is computed through f64, where the product
    is exact.

    ```mlir
    // Before:
    %y = math.rsqrt %x : vector<8xf32>
    // After:
    %one = arith.constant dense<1.0> : vector<8xf32>
    %s = math.sqrt %x : vector<8xf32>
    %y = arith.divf %one, %s : vector<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
  let options = [
    Option<"hasFma", "has-fma", "bool", /*default=*/"true",
           "the target has a fused multiply-add instruction">
  ];
}

def LoadAddendsPass : Pass<"aik-load-addends"> {
  let summary = "Take constants that are added to from memory";
  let description = [{
    `fmla` of NEON overwrites what it adds to, so that a constant in a register
    has to be copied for each, by a unit that could multiply; and LLVM computes
    one register of a long vector after the other, so that a core waits for its
    own results. On AArch64 without a known length of SVE this pass writes
    `x * y + c` on vectors of f32 in several registers (`math.fma`, or `addf` of
    `mulf` that may be fused) as assembly, for eight registers at once: each time
    a load of the constant, which costs no arithmetic, and an `fmla`. A factor
    that is a constant is loaded once for all eight.

    What was loaded before the first of these sums and is used after it is
    loaded again for each use, if nothing has been stored or freed: spilling
    costs stores. So are a comparison and the magnitude of what was loaded.

    ```mlir
    // Before:
    %y = math.fma %x, %x, %c : vector<8xf32>
    // After:
    %x0 = vector.extract_strided_slice %x {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    %x1 = vector.extract_strided_slice %x {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    %s = llvm.inline_asm has_side_effects asm_dialect = att
        "ldr ${0:q}, $6 fmla $0.4s, $2.4s, $4.4s ldr ${1:q}, $6 fmla $1.4s, $3.4s, $5.4s",
        "=&w,=&w,w,w,w,w,m" %x0, %x1, %x0, %x1, %c0 : ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandFloatConversionsPass : Pass<"aik-expand-float-conversions"> {
  let summary = "Write conversions of small float types as integer operations";
  let description = [{
    Rewrites `arith.extf` and `arith.truncf` between bf16, f8E4M3FN or f8E5M2
    and wider types, on scalars and vectors, into integer operations. Code
    generation would call a library for bf16 and does not know f8 at all.

    Rounding is to nearest even and every value is handled exactly: NaN stays
    NaN (quiet, with its sign), subnormals are neither flushed nor lost. What
    overflows becomes infinity in bf16 and f8E5M2, and NaN in f8E4M3FN, which
    has no infinity, as in PyTorch's conversion without saturation. f16 is left
    to LLVM unless `expand-f16` is set, and f32 to bf16 where the target has an
    instruction that rounds the same way. Vectors of bf16 that are parted by
    `vector.deinterleave` or made by `vector.interleave` are taken as halves of
    32-bit words, which needs no permutation. On NEON other vectors of a multiple
    of eight are halves of words, too: interleaved with zeros to be widened, and
    parted to be rounded by 16-bit arithmetic.

    ```mlir
    // Before:
    %y = arith.extf %x : bf16 to f32
    // After:
    %b = arith.bitcast %x : bf16 to i16
    %w = arith.extui %b : i16 to i32
    %c = arith.constant 16 : i32
    %s = arith.shli %w, %c : i32
    %y = arith.bitcast %s : i32 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
  let options = [
    Option<"expandF16", "expand-f16", "bool", /*default=*/"false",
           "also expand f16, for targets without conversion instructions">,
    Option<"expandBf16", "expand-bf16", "bool", /*default=*/"true",
           "expand bf16; off for targets with conversion instructions">
  ];
}

#endif // AIKERNEL_TRANSFORMS_MATHPASSES_TD
