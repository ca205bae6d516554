//===- InverseTrig.c - asin, acos, atan, atan2 ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All four are the angle of a point (x, y) whose coordinates are sums of two
// doubles: asin s is the angle of (sqrt(1 - s^2), s). The angle is that of the
// nearest j/16 from a table plus the arc tangent of a small quotient.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

#include "AtanTables.inc"

static DoubleDouble negate(DoubleDouble a) {
  return (DoubleDouble){-a.hi, -a.lo};
}

/// atan(y / x) for 0 <= y <= x, x > 0.
static DoubleDouble firstOctant(DoubleDouble y, DoubleDouble x) {
  int index = (int)(y.hi / x.hi * 16 + 0.5);
  DoubleDouble c = {index / 16.0, 0};
  DoubleDouble t = y;
  DoubleDouble base = {atanOfSixteenth[index][0], atanOfSixteenth[index][1]};
  if (index) {
    // tan(a - b) = (tan a - tan b) / (1 + tan a tan b)
    t = add(y, negate(multiply(c, x)));
    x = add(x, multiply(c, y));
  }
  t = divide(t, x);
  double z = t.hi * t.hi, series = atanTail[5];
  for (int i = 4; i >= 0; --i)
    series = series * z + atanTail[i];
  t = addOrdered(t.hi, t.lo + t.hi * z * series);
  return add(base, t);
}

/// The angle of (x, y) in [0, pi], for y >= 0, the larger coordinate near 1.
static DoubleDouble angleOf(DoubleDouble y, DoubleDouble x) {
  DoubleDouble size = x.hi < 0 ? negate(x) : x;
  DoubleDouble angle;
  if (y.hi <= size.hi) {
    angle = firstOctant(y, size);
  } else {
    angle = firstOctant(size, y);
    angle = add((DoubleDouble){halfPiHi, halfPiLo}, negate(angle));
  }
  if (x.hi < 0)
    angle = add((DoubleDouble){piHi, piLo}, negate(angle));
  return angle;
}

double atan2(double y, double x) {
  if (isNaN(x) || isNaN(y))
    return x + y;
  int xInfinite = !isFinite(x), yInfinite = !isFinite(y);
  if (xInfinite && yInfinite) // on a diagonal
    return withSignOf(signBit(x) ? 0.75 * piHi : 0.25 * piHi, y);
  if (xInfinite || y == 0)
    return withSignOf(signBit(x) ? piHi : 0, y);
  if (yInfinite || x == 0)
    return withSignOf(halfPiHi, y);
  // Scaled so that the larger coordinate is near 1. Beyond 100 bits of
  // difference the smaller one no longer counts, but for a small angle.
  int yExponent, xExponent;
  double yScaled = frexp(magnitude(y), &yExponent);
  double xScaled = frexp(x, &xExponent);
  int difference = yExponent - xExponent;
  if (difference < -60 && x > 0)
    return withSignOf(ldexp(yScaled / xScaled, difference), y);
  if (difference < 0)
    yScaled = ldexp(yScaled, difference < -100 ? -100 : difference);
  else
    xScaled = ldexp(xScaled, difference > 100 ? -100 : -difference);
  DoubleDouble angle =
      angleOf((DoubleDouble){yScaled, 0}, (DoubleDouble){xScaled, 0});
  return withSignOf(angle.hi + angle.lo, y);
}

double atan(double x) {
  if (isNaN(x) || magnitude(x) < 0x1p-28)
    return x;
  return atan2(x, 1);
}

/// sqrt(1 - x^2) for |x| <= 1.
static DoubleDouble otherSide(double x) {
  DoubleDouble square = multiplyExact(x, x);
  DoubleDouble rest = addExact(1, -square.hi);
  rest = addOrdered(rest.hi, rest.lo - square.lo);
  if (rest.hi <= 0)
    return (DoubleDouble){0, 0};
  double root = __builtin_sqrt(rest.hi);
  DoubleDouble product = multiplyExact(root, root);
  double error = ((rest.hi - product.hi) - product.lo) + rest.lo;
  return addOrdered(root, error / (2 * root));
}

double asin(double x) {
  double size = magnitude(x);
  if (isNaN(x) || size < 0x1p-28)
    return x;
  if (size > 1)
    return AIK_NAN;
  DoubleDouble angle = angleOf((DoubleDouble){size, 0}, otherSide(x));
  return withSignOf(angle.hi + angle.lo, x);
}

double acos(double x) {
  if (isNaN(x))
    return x;
  if (magnitude(x) > 1)
    return AIK_NAN;
  if (magnitude(x) < 0x1p-60)
    return halfPiHi;
  DoubleDouble angle = angleOf(otherSide(x), (DoubleDouble){x, 0});
  return angle.hi + angle.lo;
}
