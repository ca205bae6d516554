//===- Exp.c - exp, exp2, exp10, expm1 ------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// e^x = 2^(k/128) e^r with |r| <= ln 2 / 256. The first factor comes from a
// table of two-double values and the second from its Taylor series, whose
// first term is kept exactly, so that the result is rounded about once.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

#include "ExpTables.inc"

/// e^r - 1 - r, less than r^2, for |r| < 2^-7.
static double expTail(double r) {
  double series = 1.0 / 5040 + r * (1.0 / 40320);
  series = 1.0 / 120 + r * (1.0 / 720 + r * series);
  return r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * series)));
}

/// 2^(steps/128) e^(r + low).
static ScaledExp combine(double steps, double r, double low) {
  int k = (int)steps;
  const double *power = powersOfTwo[k & 127];
  DoubleDouble linear = multiplyExact(power[0], r);
  double tail = low + expTail(r);
  DoubleDouble sum = addOrdered(power[0], linear.hi);
  double rest = sum.lo + (linear.lo + power[1] + power[1] * r);
  return (ScaledExp){addOrdered(sum.hi, rest + power[0] * tail), k >> 7};
}

ScaledExp aik_exp_scaled(double x, double low) {
  double steps = nearestInteger(x * stepsPerUnit);
  // The first difference is exact: stepHi has few bits, and so has steps.
  DoubleDouble r = addExact(x - steps * stepHi, -(steps * stepLo));
  r = addExact(r.hi, r.lo + low);
  return combine(steps, r.hi, r.lo);
}

static double finish(ScaledExp e) {
  return scaleByPowerOfTwo(e.value.hi + e.value.lo, e.exponent);
}

double exp(double x) {
  if (isNaN(x))
    return x;
  if (x > 710)
    return AIK_INFINITY;
  if (x < -746)
    return 0;
  return finish(aik_exp_scaled(x, 0));
}

double exp2(double x) {
  if (isNaN(x))
    return x;
  if (x >= 1024)
    return AIK_INFINITY;
  if (x < -1076)
    return 0;
  double steps = nearestInteger(x * 128);
  double r = x - steps / 128;
  double power = r * ln2Hi;
  double error = magnitude(r) < 0x1p-500 ? 0 : multiplyExact(r, ln2Hi).lo;
  return finish(combine(steps, power, error + r * ln2Lo));
}

double exp10(double x) {
  if (isNaN(x))
    return x;
  if (x > 309)
    return AIK_INFINITY;
  if (x < -324)
    return 0;
  if (magnitude(x) < 0x1p-60)
    return 1 + x;
  DoubleDouble power = multiplyExact(x, ln10Hi);
  return finish(aik_exp_scaled(power.hi, power.lo + x * ln10Lo));
}

DoubleDouble aik_expm1_pair(double x, double low) {
  if (magnitude(x) < 0x1p-7)
    return addOrdered(x, low + (expTail(x) + low * x));
  ScaledExp e = aik_exp_scaled(x, low);
  double scale = powerOfTwo(e.exponent);
  DoubleDouble difference = addExact(e.value.hi * scale, -1);
  return addOrdered(difference.hi, difference.lo + e.value.lo * scale);
}

double expm1(double x) {
  if (isNaN(x) || magnitude(x) < 0x1p-54)
    return x;
  if (x > 700)
    return exp(x);
  if (x < -40)
    return -1;
  DoubleDouble result = aik_expm1_pair(x, 0);
  return result.hi + result.lo;
}
