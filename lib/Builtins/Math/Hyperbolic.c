//===- Hyperbolic.c - sinh, cosh, tanh ------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From E = e^|x| - 1 (or e^2|x| - 1), held as two doubles: the forms below have
// no cancellation for a positive argument.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

double tanh(double x) {
  double size = magnitude(x);
  if (isNaN(x) || size < 0x1p-28)
    return x;
  if (size > 20)
    return withSignOf(1, x);
  // tanh = E / (E + 2) with E = e^2x - 1.
  DoubleDouble e = aik_expm1_pair(2 * size, 0);
  DoubleDouble result = divide(e, add(e, (DoubleDouble){2, 0}));
  return withSignOf(result.hi + result.lo, x);
}

/// (e^size) / 2 where the other exponential no longer counts.
static double halfExp(double size) {
  if (size > 711)
    return AIK_INFINITY;
  ScaledExp e = aik_exp_scaled(size, 0);
  return scaleByPowerOfTwo(e.value.hi + e.value.lo, e.exponent - 1);
}

double sinh(double x) {
  double size = magnitude(x);
  if (isNaN(x) || size < 0x1p-28)
    return x;
  if (size > 40)
    return withSignOf(halfExp(size), x);
  // sinh = (E + E / (E + 1)) / 2 with E = e^x - 1.
  DoubleDouble e = aik_expm1_pair(size, 0);
  DoubleDouble sum = add(e, divide(e, add(e, (DoubleDouble){1, 0})));
  return withSignOf(0.5 * (sum.hi + sum.lo), x);
}

double cosh(double x) {
  double size = magnitude(x);
  if (isNaN(x))
    return x;
  if (size > 40)
    return halfExp(size);
  ScaledExp e = aik_exp_scaled(size, 0);
  double scale = powerOfTwo(e.exponent);
  DoubleDouble power = {e.value.hi * scale, e.value.lo * scale};
  DoubleDouble sum = add(power, divide((DoubleDouble){1, 0}, power));
  return 0.5 * (sum.hi + sum.lo);
}
