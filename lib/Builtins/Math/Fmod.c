//===- Fmod.c - The exact remainder of a division -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long division on the significands, eleven bits of the quotient at a time.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

/// A positive finite double as integer times a power of two.
static uint64_t decompose(double x, int *exponent) {
  int field = (int)(bitsOf(x) >> 52);
  uint64_t fraction = bitsOf(x) & AIK_FRACTION_MASK;
  *exponent = field ? field - 1 : 0;
  return field ? fraction | (UINT64_C(1) << 52) : fraction;
}

double fmod(double x, double y) {
  double dividend = magnitude(x), divisor = magnitude(y);
  if (isNaN(x) || isNaN(y))
    return x + y;
  if (!isFinite(x) || y == 0)
    return AIK_NAN;
  if (dividend < divisor)
    return x;
  int exponent, divisorExponent;
  uint64_t rest = decompose(dividend, &exponent);
  uint64_t unit = decompose(divisor, &divisorExponent);
  rest %= unit;
  for (int left = exponent - divisorExponent; left > 0;) {
    int step = left < 11 ? left : 11;
    rest = (rest << step) % unit;
    left -= step;
  }
  if (rest == 0)
    return withSignOf(0, x);
  int shift = __builtin_clzll(rest) - 11;
  if (shift > divisorExponent)
    shift = divisorExponent;
  rest <<= shift;
  // The leading bit of a normal significand adds one to the exponent field.
  uint64_t field = (uint64_t)(divisorExponent - shift);
  return withSignOf(fromBits((field << 52) + rest), x);
}
