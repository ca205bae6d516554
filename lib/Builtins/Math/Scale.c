//===- Scale.c - ldexp, frexp, modf, fmin, fmax ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that take numbers apart or choose between them; all exact but for
// the one rounding of ldexp into the subnormal range.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

double frexp(double x, int *exponent) {
  *exponent = 0;
  if (x == 0 || !isFinite(x))
    return x;
  int adjust = 0;
  if (magnitude(x) < 0x1p-1022) {
    x *= 0x1p54;
    adjust = -54;
  }
  *exponent = exponentOf(x) + 1 + adjust;
  const uint64_t half = UINT64_C(1022) << 52;
  return fromBits((bitsOf(x) & ~AIK_INFINITY_BITS) | half);
}

double ldexp(double x, int exponent) {
  int own;
  double fraction = frexp(x, &own);
  if (x == 0 || !isFinite(x))
    return x;
  if (exponent > 3000)
    exponent = 3000;
  if (exponent < -3000)
    exponent = -3000;
  exponent += own;
  if (exponent > 1024)
    return withSignOf(AIK_INFINITY, x);
  if (exponent > 1023)
    return fraction * 2 * powerOfTwo(1023);
  if (exponent >= -1021)
    return fraction * powerOfTwo(exponent);
  if (exponent < -1080)
    exponent = -1080;
  // The first product is exact, the second rounds.
  return fraction * powerOfTwo(-1021) * powerOfTwo(exponent + 1021);
}

double modf(double x, double *whole) {
  *whole = trunc(x);
  if (!isFinite(x))
    return isNaN(x) ? x : withSignOf(0, x);
  return withSignOf(x - *whole, x);
}

/// A NaN loses against a number, and -0 is below +0.
double fmin(double x, double y) {
  if (isNaN(x) || isNaN(y))
    return isNaN(x) ? y : x;
  if (x == y)
    return signBit(x) ? x : y;
  return x < y ? x : y;
}

double fmax(double x, double y) {
  if (isNaN(x) || isNaN(y))
    return isNaN(x) ? y : x;
  if (x == y)
    return signBit(x) ? y : x;
  return x > y ? x : y;
}

float frexpf(float x, int *exponent) { return (float)frexp(x, exponent); }
float ldexpf(float x, int exponent) { return (float)ldexp(x, exponent); }
