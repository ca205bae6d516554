//===- DoubleDouble.h - Numbers held as a sum of two doubles --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error-free transformations: the exact sum and the exact product of two
// doubles as hi + lo. No fused multiply-add is used, so that every processor of
// an architecture, and both architectures, compute the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_BUILTINS_MATH_DOUBLEDOUBLE_H
#define AIKERNEL_BUILTINS_MATH_DOUBLEDOUBLE_H

/// The value hi + lo, with |lo| at most half an ulp of hi.
typedef struct DoubleDouble {
  double hi;
  double lo;
} DoubleDouble;

/// a + b exactly, for |a| >= |b| or a == 0.
static inline DoubleDouble addOrdered(double a, double b) {
  double sum = a + b;
  return (DoubleDouble){sum, b - (sum - a)};
}

/// a + b exactly.
static inline DoubleDouble addExact(double a, double b) {
  double sum = a + b;
  double bRounded = sum - a;
  double aRounded = sum - bRounded;
  return (DoubleDouble){sum, (a - aRounded) + (b - bRounded)};
}

/// a b exactly, unless a product of halves over- or underflows: for factors
/// below 2^990 and products above 2^-960.
static inline DoubleDouble multiplyExact(double a, double b) {
  const double splitter = 0x1p27 + 1;
  double aWide = a * splitter, bWide = b * splitter;
  double aHi = aWide - (aWide - a), bHi = bWide - (bWide - b);
  double aLo = a - aHi, bLo = b - bHi;
  double product = a * b;
  double error = ((aHi * bHi - product) + aHi * bLo + aLo * bHi) + aLo * bLo;
  return (DoubleDouble){product, error};
}

static inline DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  DoubleDouble sum = addExact(a.hi, b.hi);
  return addOrdered(sum.hi, sum.lo + (a.lo + b.lo));
}

static inline DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  DoubleDouble product = multiplyExact(a.hi, b.hi);
  return addOrdered(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  double quotient = a.hi / b.hi;
  DoubleDouble product = multiplyExact(quotient, b.hi);
  double rest = ((a.hi - product.hi) - product.lo) + (a.lo - quotient * b.lo);
  return addOrdered(quotient, rest / b.hi);
}

#endif // AIKERNEL_BUILTINS_MATH_DOUBLEDOUBLE_H
