//===- Log.c - log, log2, log10, log1p ------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = 2^k m with m around 1; j = round(128 m) picks a short constant c near
// 128/j, and ln m = -ln c + ln(1 + r) with r = c m - 1 computed exactly. Around
// m = 1 the constant is 1, so that the logarithm of a number near 1 keeps its
// relative accuracy.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

#include "LogTables.inc"

enum { FirstIndex = 90 };

/// ln(1 + r + low) for |r| < 2^-7.
static DoubleDouble logOnePlus(double r, double low) {
  double series = 1.0 / 7 + r * (-1.0 / 8 + r * (1.0 / 9 + r * -0.1));
  series = 1.0 / 5 + r * (-1.0 / 6 + r * series);
  series = r * r * r * (1.0 / 3 + r * (-0.25 + r * series));
  // The square is exact only where it matters: a tiny r leaves it no bits.
  double square = r * r;
  double error = magnitude(r) < 0x1p-400 ? 0 : multiplyExact(r, r).lo;
  DoubleDouble sum = addOrdered(r, -0.5 * square);
  return addOrdered(sum.hi, sum.lo + (low - 0.5 * error - low * r + series));
}

SplitLog aik_log_split(double x, double low) {
  int exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    low *= 0x1p54;
    exponent = -54;
  }
  // Adding the distance from sqrt(1/2) to 1 carries into the exponent exactly
  // when the fraction is above sqrt 2.
  const uint64_t sqrtHalf = UINT64_C(0x3fe6a09e667f3bcd);
  uint64_t bits = bitsOf(x);
  int k = (int)((int64_t)(bits - sqrtHalf) >> 52);
  double m = fromBits(bits - ((uint64_t)(int64_t)k << 52));
  // The same scaling, in two steps as 2^-1023 is no normal number.
  low = low * powerOfTwo(-k / 2) * powerOfTwo(-k - -k / 2);
  exponent += k;

  int index = (int)(m * 128 + 0.5) - FirstIndex;
  double c = inverseAndLog[index][0];
  double mHi = fromBits(bitsOf(m) & ~UINT64_C(0x7ffffff));
  DoubleDouble r = addExact(mHi * c - 1, (m - mHi) * c);
  DoubleDouble tail = logOnePlus(r.hi, r.lo + low * c);
  DoubleDouble sum = addExact(inverseAndLog[index][1], tail.hi);
  double rest = sum.lo + (tail.lo + inverseAndLog[index][2]);
  return (SplitLog){addOrdered(sum.hi, rest), exponent};
}

static DoubleDouble natural(SplitLog split) {
  double k = split.exponent;
  DoubleDouble sum = addExact(k * ln2Hi, split.logOfRest.hi);
  return addOrdered(sum.hi, sum.lo + (split.logOfRest.lo + k * ln2Lo));
}

DoubleDouble aik_log_pair(double x) { return natural(aik_log_split(x, 0)); }

/// True where a logarithm is not an ordinary number; then sets *result.
static int isSpecial(double x, double *result) {
  if (x > 0 && x < AIK_INFINITY)
    return 0;
  *result = x == 0 ? -AIK_INFINITY : x < 0 ? AIK_NAN : x;
  return 1;
}

double log(double x) {
  double special;
  if (isSpecial(x, &special))
    return special;
  DoubleDouble result = aik_log_pair(x);
  return result.hi + result.lo;
}

double log2(double x) {
  double special;
  if (isSpecial(x, &special))
    return special;
  SplitLog split = aik_log_split(x, 0);
  DoubleDouble scaled =
      multiply(split.logOfRest, (DoubleDouble){invLn2Hi, invLn2Lo});
  DoubleDouble result = addExact(split.exponent, scaled.hi);
  return result.hi + (result.lo + scaled.lo);
}

double log10(double x) {
  double special;
  if (isSpecial(x, &special))
    return special;
  SplitLog split = aik_log_split(x, 0);
  double k = split.exponent;
  DoubleDouble scaled =
      multiply(split.logOfRest, (DoubleDouble){invLn10Hi, invLn10Lo});
  DoubleDouble result = addExact(k * log10Of2Hi, scaled.hi);
  return result.hi + (result.lo + (scaled.lo + k * log10Of2Lo));
}

DoubleDouble aik_log1p_pair(double x, double low) {
  if (magnitude(x) < 0x1p-8)
    return logOnePlus(x, low);
  DoubleDouble onePlus = addExact(1, x);
  return natural(aik_log_split(onePlus.hi, onePlus.lo + low));
}

double log1p(double x) {
  double special;
  if (isNaN(x) || magnitude(x) < 0x1p-54)
    return x;
  DoubleDouble onePlus = addExact(1, x);
  if (isSpecial(onePlus.hi, &special))
    return special;
  DoubleDouble result = aik_log1p_pair(x, 0);
  return result.hi + result.lo;
}
