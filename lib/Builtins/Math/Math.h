//===- Math.h - Declarations of the math functions ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that generated code may call (C names and meanings), and the
// two cores that several files share.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_BUILTINS_MATH_MATH_H
#define AIKERNEL_BUILTINS_MATH_MATH_H

#include "DoubleDouble.h"
#include "Float.h"

// clang-format off
#define AIK_UNARY_FUNCTIONS(X)                                                 \
  X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p)            \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh)         \
  X(erf) X(erfc) X(asinh) X(acosh) X(atanh) X(cbrt)                            \
  X(floor) X(ceil) X(trunc) X(rint) X(nearbyint) X(round) X(roundeven)
#define AIK_BINARY_FUNCTIONS(X)                                                \
  X(pow) X(atan2) X(fmod) X(fmin) X(fmax)
// clang-format on

#define AIK_DECLARE_UNARY(name)                                                \
  double name(double x);                                                       \
  float name##f(float x);
#define AIK_DECLARE_BINARY(name)                                               \
  double name(double x, double y);                                             \
  float name##f(float x, float y);
AIK_UNARY_FUNCTIONS(AIK_DECLARE_UNARY)
AIK_BINARY_FUNCTIONS(AIK_DECLARE_BINARY)
#undef AIK_DECLARE_UNARY
#undef AIK_DECLARE_BINARY

double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
void sincos(double x, double *sine, double *cosine);
void sincosf(float x, float *sine, float *cosine);
double ldexp(double x, int exponent);
float ldexpf(float x, int exponent);
double frexp(double x, int *exponent);
float frexpf(float x, int *exponent);
double modf(double x, double *whole);
float modff(float x, float *whole);
long lround(double x);
long lroundf(float x);
long long llround(double x);
long long llroundf(float x);
long lrint(double x);
long lrintf(float x);
long long llrint(double x);
long long llrintf(float x);
double __powidf2(double x, int n);
float __powisf2(float x, int n);

/// e^(x + low) = 2^exponent (hi + lo), for |x| <= 800; the relative error of
/// hi + lo is below 2^-68.
typedef struct ScaledExp {
  DoubleDouble value;
  int exponent;
} ScaledExp;
ScaledExp aik_exp_scaled(double x, double low);

/// e^(x + low) - 1 with a relative error below 2^-60, for |x| <= 700.
DoubleDouble aik_expm1_pair(double x, double low);

/// x = 2^exponent m with m near 1 (sqrt 1/2 ... sqrt 2), and ln m with a
/// relative error below 2^-66. For positive finite x; `low` is added to x.
typedef struct SplitLog {
  DoubleDouble logOfRest;
  int exponent;
} SplitLog;
SplitLog aik_log_split(double x, double low);

/// ln x, relative error below 2^-66, for positive finite x.
DoubleDouble aik_log_pair(double x);

/// ln (1 + x + low), for x above -1 and finite.
DoubleDouble aik_log1p_pair(double x, double low);

#endif // AIKERNEL_BUILTINS_MATH_MATH_H
