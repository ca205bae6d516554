//===- AbiProbe.c - Code that makes LLVM call the builtins itself ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled for the baseline processor; the symbols of the object then get the
// tests' prefix, so that LLVM's calls meet our functions. CallTest checks that
// arguments and results arrive: both sides must agree on how f16 and bf16
// travel.
//
//===----------------------------------------------------------------------===//

_Float16 halfOfFloat(float x) { return (_Float16)x; }
_Float16 halfOfDouble(double x) { return (_Float16)x; }
float floatOfHalf(_Float16 x) { return (float)x; }
double doubleOfHalf(_Float16 x) { return (double)x; }
__bf16 bfloatOfFloat(float x) { return (__bf16)x; }
__bf16 bfloatOfDouble(double x) { return (__bf16)x; }
float floatOfBfloat(__bf16 x) { return (float)x; }
_Float16 halfSum(_Float16 x, _Float16 y) { return x + y; }
__bf16 bfloatProduct(__bf16 x, __bf16 y) { return x * y; }

double floorOf(double x) { return __builtin_floor(x); }
float roundOf(float x) { return __builtin_roundevenf(x); }
float fusedSingle(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }
float expOf(float x) { return __builtin_expf(x); }
double powOf(double x, double y) { return __builtin_pow(x, y); }
double scaled(double x, int n) { return __builtin_ldexp(x, n); }

typedef struct Large {
  char bytes[4096];
} Large;
void copyLarge(Large *to, const Large *from) { *to = *from; }
void clearLarge(Large *to) { __builtin_memset(to, 0, sizeof(*to)); }
