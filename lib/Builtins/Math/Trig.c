//===- Trig.c - sin, cos, sincos, tan -------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The argument is reduced to r = x - n pi/2, |r| <= pi/4, held as two doubles,
// for every finite x: by subtracting pi/2 in four parts while n is small, else
// by multiplying with the few bits of 2/pi that matter.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

#include "TrigTables.inc"

typedef struct Reduced {
  DoubleDouble rest;
  unsigned quadrant;
} Reduced;

static Reduced reduceSmall(double x) {
  double n = nearestInteger(x * twoOverPi);
  // n and the parts are short, so the products are exact.
  DoubleDouble r = addExact(x - n * halfPi1, -(n * halfPi2));
  DoubleDouble finer = addExact(r.hi, -(n * halfPi3));
  double low = (r.lo + finer.lo) - n * halfPi4;
  return (Reduced){addExact(finer.hi, low), (unsigned)(int64_t)n};
}

/// The double nearest below `bits` 2^exponent's leading 53 bits, and the rest
/// of its 128 bits.
static DoubleDouble pairOf(unsigned __int128 bits, int exponent) {
  uint64_t hi = (uint64_t)(bits >> 75);
  uint64_t lo = (uint64_t)(bits >> 22) & ((UINT64_C(1) << 53) - 1);
  return (DoubleDouble){(double)hi * powerOfTwo(exponent + 75),
                        (double)lo * powerOfTwo(exponent + 22)};
}

/// |x| = significand 2^shift. The bits of 2/pi that, multiplied by 2^shift,
/// weigh 4 or more only add whole turns; 192 bits from there on leave more
/// than 128 good bits of the fraction even when x is close to a multiple of
/// pi/2 (never closer than 2^-62 for a double).
static Reduced reduceLarge(double x) {
  int shift = exponentOf(x) - 52;
  uint64_t significand = (bitsOf(x) & AIK_FRACTION_MASK) | (UINT64_C(1) << 52);
  unsigned first = (unsigned)(shift - 2 + 64);
  unsigned word = first / 64, bit = first % 64;
  uint64_t window[3];
  for (unsigned i = 0; i < 3; ++i) {
    uint64_t here = twoOverPiBits[word + i];
    uint64_t next = twoOverPiBits[word + i + 1];
    window[i] = bit ? here << bit | next >> (64 - bit) : here;
  }
  // The product modulo 2^192: two bits of quadrant, then the fraction.
  unsigned __int128 low = (unsigned __int128)significand * window[2];
  unsigned __int128 middle =
      (unsigned __int128)significand * window[1] + (uint64_t)(low >> 64);
  uint64_t high = significand * window[0] + (uint64_t)(middle >> 64);
  unsigned quadrant = (unsigned)(high >> 62);
  unsigned __int128 fraction = (unsigned __int128)high << 64 | (uint64_t)middle;
  fraction = fraction << 2 | (uint64_t)low >> 62;
  uint64_t below = (uint64_t)low << 2;
  int negative = (int)(fraction >> 127);
  if (negative) { // above one half: count from the next multiple instead
    quadrant += 1;
    fraction = -fraction - (below != 0);
    below = -below;
  }
  int zeros = fraction >> 64 ? __builtin_clzll((uint64_t)(fraction >> 64))
                             : 64 + __builtin_clzll((uint64_t)fraction | 1);
  if (zeros)
    fraction = fraction << zeros |
               (zeros < 64 ? below >> (64 - zeros) : below << (zeros - 64));
  DoubleDouble turns = pairOf(fraction, -128 - zeros);
  DoubleDouble r = multiply(turns, (DoubleDouble){halfPiHi, halfPiLo});
  if (negative)
    r = (DoubleDouble){-r.hi, -r.lo};
  if (x < 0)
    return (Reduced){{-r.hi, -r.lo}, -quadrant};
  return (Reduced){r, quadrant};
}

static Reduced reduce(double x) {
  double size = magnitude(x);
  if (size <= 0x1.921fb54442d18p-1)
    return (Reduced){{x, 0}, 0};
  return size < 0x1p19 ? reduceSmall(x) : reduceLarge(x);
}

static double evaluate(const double *coefficients, double z) {
  double value = coefficients[6];
  for (int i = 5; i >= 0; --i)
    value = value * z + coefficients[i];
  return value;
}

static DoubleDouble sinOf(DoubleDouble r) {
  double z = r.hi * r.hi;
  double tail = r.hi * z * evaluate(sinTail, z);
  return addOrdered(r.hi, tail + r.lo * (1 - 0.5 * z));
}

static DoubleDouble cosOf(DoubleDouble r) {
  double z = r.hi * r.hi;
  DoubleDouble square = magnitude(r.hi) < 0x1p-30 ? (DoubleDouble){z, 0}
                                                  : multiplyExact(r.hi, r.hi);
  DoubleDouble start = addOrdered(1, -0.5 * z);
  double tail = z * z * evaluate(cosTail, z);
  return addOrdered(start.hi,
                    start.lo + (tail - 0.5 * square.lo - r.hi * r.lo));
}

static double signedSum(DoubleDouble value, int negative) {
  double sum = value.hi + value.lo;
  return negative ? -sum : sum;
}

void sincos(double x, double *sine, double *cosine) {
  if (!isFinite(x)) {
    *sine = *cosine = x - x;
    return;
  }
  if (magnitude(x) < 0x1p-28) {
    *sine = x;
    *cosine = 1;
    return;
  }
  Reduced reduced = reduce(x);
  DoubleDouble s = sinOf(reduced.rest), c = cosOf(reduced.rest);
  unsigned quadrant = reduced.quadrant & 3;
  *sine = signedSum(quadrant & 1 ? c : s, quadrant >= 2);
  *cosine = signedSum(quadrant & 1 ? s : c, quadrant == 1 || quadrant == 2);
}

double sin(double x) {
  double sine, cosine;
  sincos(x, &sine, &cosine);
  return sine;
}

double cos(double x) {
  double sine, cosine;
  sincos(x, &sine, &cosine);
  return cosine;
}

double tan(double x) {
  if (!isFinite(x))
    return x - x;
  if (magnitude(x) < 0x1p-28)
    return x;
  Reduced reduced = reduce(x);
  DoubleDouble s = sinOf(reduced.rest), c = cosOf(reduced.rest);
  if (reduced.quadrant & 1)
    return signedSum(divide(c, s), 1);
  return signedSum(divide(s, c), 0);
}
