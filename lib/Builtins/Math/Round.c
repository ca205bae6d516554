//===- Round.c - Rounding to whole numbers --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x86-64 before SSE4.1 has no instruction for these. Written on the bits, so
// that no compiler can turn one of them into a call of itself. The sign of zero
// is kept.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

double trunc(double x) {
  int exponent = exponentOf(x);
  if (exponent >= 52)
    return x;
  uint64_t bits = bitsOf(x);
  if (exponent < 0)
    return fromBits(bits & AIK_SIGN_BIT);
  return fromBits(bits & ~(AIK_FRACTION_MASK >> exponent));
}

double floor(double x) {
  double whole = trunc(x);
  return whole > x ? whole - 1 : whole;
}

double ceil(double x) {
  double whole = trunc(x);
  return whole < x ? withSignOf(whole + 1, x) : whole;
}

/// Halves away from zero.
double round(double x) {
  double whole = trunc(x);
  if (magnitude(x - whole) < 0.5 || !isFinite(x))
    return whole;
  return whole + withSignOf(1, x);
}

/// Halves to even: above 2^52 a double has no place for a fraction.
double rint(double x) {
  double size = magnitude(x);
  if (!(size < 0x1p52))
    return x;
  return withSignOf((size + 0x1p52) - 0x1p52, x);
}

double nearbyint(double x) { return rint(x); }
double roundeven(double x) { return rint(x); }

/// The integer, or the least one where none fits, as x86-64's conversion does.
static int64_t toInteger(double whole) {
  if (whole >= -0x1p63 && whole < 0x1p63)
    return (int64_t)whole;
  return INT64_MIN;
}

long lround(double x) { return (long)toInteger(round(x)); }
long lrint(double x) { return (long)toInteger(rint(x)); }
long long llround(double x) { return toInteger(round(x)); }
long long llrint(double x) { return toInteger(rint(x)); }
