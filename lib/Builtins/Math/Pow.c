//===- Pow.c - pow and powers with integer exponents ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x^y = e^(y ln x), with ln x and the product kept as sums of two doubles: an
// exponent near 700 needs ten more bits of the logarithm than a double holds.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

enum Parity { NotInteger, Even, Odd };

static enum Parity parityOf(double y) {
  int exponent = exponentOf(y);
  if (exponent >= 53)
    return Even;
  if (exponent < 0)
    return y == 0 ? Even : NotInteger;
  uint64_t significand = (bitsOf(y) & AIK_FRACTION_MASK) | (UINT64_C(1) << 52);
  uint64_t unit = UINT64_C(1) << (52 - exponent);
  if (significand & (unit - 1))
    return NotInteger;
  return significand & unit ? Odd : Even;
}

/// x^y for positive finite x and finite y.
static double powPositive(double x, double y) {
  DoubleDouble logX = aik_log_pair(x);
  double estimate = y * logX.hi;
  if (estimate > 710)
    return AIK_INFINITY;
  if (estimate < -746)
    return 0;
  if (magnitude(estimate) < 0x1p-60)
    return 1 + estimate;
  DoubleDouble power = multiplyExact(y, logX.hi);
  ScaledExp e = aik_exp_scaled(power.hi, power.lo + y * logX.lo);
  return scaleByPowerOfTwo(e.value.hi + e.value.lo, e.exponent);
}

double pow(double x, double y) {
  if (y == 0 || x == 1)
    return 1;
  if (isNaN(x) || isNaN(y))
    return x + y;
  double size = magnitude(x);
  if (!isFinite(y)) {
    if (size == 1)
      return 1;
    return (size > 1) == (y > 0) ? AIK_INFINITY : 0;
  }
  enum Parity parity = parityOf(y);
  double sign = signBit(x) && parity == Odd ? -1.0 : 1.0;
  if (size == 0)
    return y < 0 ? sign * AIK_INFINITY : sign * 0;
  if (!isFinite(x))
    return y > 0 ? sign * AIK_INFINITY : sign * 0;
  if (x < 0 && parity == NotInteger)
    return AIK_NAN;
  return sign * powPositive(size, y);
}

double __powidf2(double x, int n) { return pow(x, n); }
float __powisf2(float x, int n) { return (float)__powidf2(x, n); }
