//===- Erf.c - erf and erfc
//------------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Near zero an odd polynomial; up to 6 a Taylor-like polynomial around the
// nearest of 44 centers, whose own values are held as two doubles; beyond, 1.
// erfc is e^(-x^2) times a slow function that is tabulated in the same way, so
// that its tail keeps its relative accuracy down to the smallest numbers.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

#include "ErfTables.inc"

static double evaluate(const double *coefficients, int degree, double z) {
  double value = coefficients[degree];
  for (int i = degree - 1; i >= 0; --i)
    value = value * z + coefficients[i];
  return value;
}

static double nearZero(double x) {
  // Scaled where halves of the product would be subnormal.
  if (x < 0x1p-900)
    return (x * 0x1p100 * slopeHi + x * 0x1p100 * slopeLo) * 0x1p-100;
  double z = x * x;
  DoubleDouble lead = multiplyExact(x, slopeHi);
  double tail = slopeLo + z * evaluate(smallTail, 9, z);
  return lead.hi + (lead.lo + x * tail);
}

double erf(double x) {
  if (isNaN(x))
    return x;
  double size = magnitude(x);
  if (size <= 0.5)
    return withSignOf(nearZero(size), x);
  if (size >= 6)
    return withSignOf(1, x);
  int index = (int)((size - 0.5) * 8);
  const double *piece = pieces[index];
  double h = size - (0.5625 + index * 0.125);
  double tail = piece[1] + h * evaluate(piece + 2, 11, h);
  return withSignOf(piece[0] + tail, x);
}

/// erfc(x) for 1/4 <= x < 28.
static double complementTail(double x) {
  // The exponent and three bits of the fraction name the piece.
  int index = (int)(bitsOf(x) >> 49) - (1021 << 3);
  const double *piece = scaledPieces[index];
  uint64_t pieceBits = bitsOf(x) & ~((UINT64_C(1) << 49) - 1);
  double center = fromBits(pieceBits | UINT64_C(1) << 48);
  double h = x - center;
  DoubleDouble scaled =
      addOrdered(piece[0], piece[1] + h * evaluate(piece + 2, 11, h));
  DoubleDouble square = multiplyExact(x, x);
  ScaledExp e = aik_exp_scaled(-square.hi, -square.lo);
  DoubleDouble product = multiply(e.value, scaled);
  return scaleByPowerOfTwo(product.hi + product.lo, e.exponent);
}

double erfc(double x) {
  if (isNaN(x))
    return x;
  if (x < 0.25)
    return 1 - erf(x);
  return x < 28 ? complementTail(x) : 0;
}
