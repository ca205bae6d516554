//===- InverseHyperbolic.c - asinh, acosh, atanh and cbrt -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The logarithms are of 1 + something without cancellation, that something
// held as two doubles. The cube root is Halley's iteration from a straight
// line, with a last step by the exact remainder.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

static const DoubleDouble kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const DoubleDouble kOne = {1, 0};

/// The square root of a positive pair.
static DoubleDouble squareRoot(DoubleDouble x) {
  double root = __builtin_sqrt(x.hi);
  if (root == 0)
    return (DoubleDouble){0, 0};
  DoubleDouble square = multiplyExact(root, root);
  double rest = ((x.hi - square.hi) - square.lo) + x.lo;
  return addOrdered(root, rest / (2 * root));
}

/// ln x + ln 2: beyond 2^28 all that is left of asinh and acosh.
static double logOfTwice(double x) {
  if (!isFinite(x))
    return x;
  DoubleDouble sum = add(aik_log_pair(x), kLn2);
  return sum.hi + sum.lo;
}

double asinh(double x) {
  double size = magnitude(x);
  if (isNaN(x) || size < 0x1p-28)
    return x;
  if (size > 0x1p28)
    return withSignOf(logOfTwice(size), x);
  // x + sqrt(1 + x^2) = 1 + x + x^2 / (1 + sqrt(1 + x^2)).
  DoubleDouble square = multiplyExact(size, size);
  DoubleDouble below = add(kOne, squareRoot(add(kOne, square)));
  DoubleDouble over = add((DoubleDouble){size, 0}, divide(square, below));
  DoubleDouble result = aik_log1p_pair(over.hi, over.lo);
  return withSignOf(result.hi + result.lo, x);
}

double acosh(double x) {
  if (!(x >= 1))
    return AIK_NAN;
  if (x > 0x1p28)
    return logOfTwice(x);
  DoubleDouble over = addExact(x, -1);
  DoubleDouble square = multiply(over, addExact(x, 1));
  over = add(over, squareRoot(square));
  if (over.hi == 0)
    return 0;
  DoubleDouble result = aik_log1p_pair(over.hi, over.lo);
  return result.hi + result.lo;
}

double atanh(double x) {
  double size = magnitude(x);
  if (isNaN(x) || size < 0x1p-28)
    return x;
  if (size > 1)
    return AIK_NAN;
  if (size == 1)
    return withSignOf(AIK_INFINITY, x);
  DoubleDouble over = divide((DoubleDouble){2 * size, 0}, addExact(1, -size));
  DoubleDouble result = aik_log1p_pair(over.hi, over.lo);
  return withSignOf(0.5 * (result.hi + result.lo), x);
}

double cbrt(double x) {
  if (x == 0 || isNaN(x) || !isFinite(x))
    return x;
  int exponent;
  double part = frexp(magnitude(x), &exponent);
  int third = exponent / 3;
  int rest = exponent - 3 * third;
  if (rest < 0) {
    rest += 3;
    --third;
  }
  part = ldexp(part, rest); // in [1/2, 4)
  double root = 0.65 + 0.26 * part;
  for (int step = 0; step < 3; ++step) {
    double cube = root * root * root;
    root *= (cube + 2 * part) / (2 * cube + part);
  }
  // Newton's step with the exact remainder.
  double square = root * root;
  double squareLow = fma(root, root, -square);
  double cube = square * root;
  double cubeLow = fma(square, root, -cube) + squareLow * root;
  root -= ((cube - part) + cubeLow) / (3 * square);
  return withSignOf(ldexp(root, third), x);
}
