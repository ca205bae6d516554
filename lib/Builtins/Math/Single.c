//===- Single.c - The f32 functions ---------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is its f64 sibling rounded to f32. That is within 0.501 ulp, and exact
// where the function is (rounding to whole numbers, remainder, choice).
//
//===----------------------------------------------------------------------===//

#include "Math.h"

#define DEFINE_UNARY(name)                                                     \
  float name##f(float x) { return (float)name((double)x); }
#define DEFINE_BINARY(name)                                                    \
  float name##f(float x, float y) { return (float)name((double)x, (double)y); }

AIK_UNARY_FUNCTIONS(DEFINE_UNARY)
AIK_BINARY_FUNCTIONS(DEFINE_BINARY)

void sincosf(float x, float *sine, float *cosine) {
  double wideSine, wideCosine;
  sincos((double)x, &wideSine, &wideCosine);
  *sine = (float)wideSine;
  *cosine = (float)wideCosine;
}

float modff(float x, float *whole) {
  double wideWhole;
  double fraction = modf((double)x, &wideWhole);
  *whole = (float)wideWhole;
  return (float)fraction;
}

long lroundf(float x) { return lround((double)x); }
long lrintf(float x) { return lrint((double)x); }
long long llroundf(float x) { return llround((double)x); }
long long llrintf(float x) { return llrint((double)x); }
