//===- Convert.c - Conversions between f16, bf16, f32 and f64 -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names that LLVM calls where the processor has no instruction. Arguments
// and results travel as _Float16 and __bf16, which is what LLVM 22 passes on
// both architectures (in a vector register); everything else is integer work.
// All narrowing rounds once, to nearest even; a NaN stays one and becomes
// quiet.
//
//===----------------------------------------------------------------------===//

#include "Narrow.h"

_Float16 __truncdfhf2(double x) {
  return __builtin_bit_cast(_Float16, (uint16_t)narrow(x, halfFormat));
}
_Float16 __truncsfhf2(float x) { return __truncdfhf2((double)x); }

__bf16 __truncdfbf2(double x) {
  return __builtin_bit_cast(__bf16, (uint16_t)narrow(x, bfloatFormat));
}
__bf16 __truncsfbf2(float x) { return __truncdfbf2((double)x); }

float __extendhfsf2(_Float16 x) {
  return (float)widen(__builtin_bit_cast(uint16_t, x), halfFormat);
}
double __extendhfdf2(_Float16 x) {
  return widen(__builtin_bit_cast(uint16_t, x), halfFormat);
}
float __extendbfsf2(__bf16 x) {
  return (float)widen(__builtin_bit_cast(uint16_t, x), bfloatFormat);
}
