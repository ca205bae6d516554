//===- Declarations.h - The builtins under their test names ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every builtin is aikb_<name> in the object that the tests link.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_BUILTINS_DECLARATIONS_H
#define AIKERNEL_UNITTESTS_BUILTINS_DECLARATIONS_H

#include "AIKernel-c/Entry.h"

#include <cstddef>

// clang-format off
#define UNARY_FUNCTIONS(X)                                                     \
  X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin)     \
  X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(erf) X(erfc) \
  X(asinh) X(acosh) X(atanh) X(cbrt)
#define EXACT_FUNCTIONS(X)                                                     \
  X(floor) X(ceil) X(trunc) X(rint) X(nearbyint) X(round)
#define BINARY_FUNCTIONS(X) X(pow) X(atan2) X(fmod) X(fmin) X(fmax)
#define REFERENCE_FUNCTIONS(X)                                                 \
  X(matmul) X(linear) X(relu) X(gelu) X(silu) X(sigmoid) X(tanh) X(swiglu)     \
  X(geglu) X(rms_norm) X(layer_norm) X(l2_norm) X(softmax) X(attention)        \
  X(rope) X(kv_append) X(quantize) X(dequantize) X(quant_gemv)                 \
  X(quant_matmul) X(int8_matmul)
// clang-format on

extern "C" {
#define DECLARE(name)                                                          \
  double aikb_##name(double);                                                  \
  float aikb_##name##f(float);
UNARY_FUNCTIONS(DECLARE)
EXACT_FUNCTIONS(DECLARE)
DECLARE(roundeven)
#undef DECLARE
#define DECLARE(name)                                                          \
  double aikb_##name(double, double);                                          \
  float aikb_##name##f(float, float);
BINARY_FUNCTIONS(DECLARE)
#undef DECLARE
#define DECLARE(name)                                                          \
  void aikb_aik_ref_##name(const aik_tensor *, aik_tensor *, const double *);
REFERENCE_FUNCTIONS(DECLARE)
#undef DECLARE
void aikb_aik_ref_load_row(const aik_tensor *, int64_t, int64_t, int64_t,
                           double *);
void aikb_aik_ref_store_row(const aik_tensor *, int64_t, int64_t, int64_t,
                            const double *);
double aikb_fma(double, double, double);
float aikb_fmaf(float, float, float);
void aikb_sincos(double, double *, double *);
void aikb_sincosf(float, float *, float *);
double aikb_ldexp(double, int);
float aikb_ldexpf(float, int);
double aikb_frexp(double, int *);
float aikb_frexpf(float, int *);
double aikb_modf(double, double *);
float aikb_modff(float, float *);
long aikb_lround(double);
long aikb_lrint(double);
long long aikb_llroundf(float);
long long aikb_llrintf(float);
double aikb___powidf2(double, int);
float aikb___powisf2(float, int);
_Float16 aikb___truncsfhf2(float);
_Float16 aikb___truncdfhf2(double);
float aikb___extendhfsf2(_Float16);
double aikb___extendhfdf2(_Float16);
__bf16 aikb___truncsfbf2(float);
__bf16 aikb___truncdfbf2(double);
float aikb___extendbfsf2(__bf16);
void *aikb_memcpy(void *, const void *, size_t);
void *aikb_memmove(void *, const void *, size_t);
void *aikb_memset(void *, int, size_t);
int aikb_memcmp(const void *, const void *, size_t);
}

#endif // AIKERNEL_UNITTESTS_BUILTINS_DECLARATIONS_H
