//===- ExpandMathExp.cpp - exp, exp2 and tanh on f32 ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp(x) = 2^n exp(r) with n = round(x / ln 2) and |r| <= ln(2) / 2; exp(r) is
// a polynomial of degree 6 (relative error 2^-28; of degree 4 where 2^-17 is
// enough). n is taken from the low bits of x / ln 2 + 1.5 * 2^23: no conversion
// to integer, which would be undefined for NaN.
//
//===----------------------------------------------------------------------===//

#include "ExpandMathEmitter.h"

using namespace mlir;

namespace aikernel::expandmath {

namespace {
/// Adding it to |x| < 2^22 rounds x to an integer in the low mantissa bits.
constexpr float roundingShift = 12582912.0f;
constexpr uint32_t roundingShiftBits = 0x4b400000;

/// exp(r) = 2^exponent * significand.
struct ScaledExp {
  Value significand;
  Value exponent;
};
} // namespace

static Value integerOf(MathEmitter &e, Value shifted) {
  return arith::SubIOp::create(e.builder(), e.toBits(shifted),
                               e.intConstant(roundingShiftBits));
}

static ScaledExp reduceExp(MathEmitter &e, Value x, Accuracy accuracy) {
  Value shift = e.constant(roundingShift);
  Value shifted = e.multiplyAdd(x, e.constant(1.44269502f), shift);
  Value n = e.sub(shifted, shift);
  Value r, q;
  if (accuracy == Accuracy::Rough) {
    r = e.multiplyAdd(n, e.constant(-0.693147182f), x);
    q = e.polynomial(r, {0.50005120f, 0.16753532f, 0.041277673f});
  } else {
    // ln 2 in two parts; the first has 16 bits, so that n times it is exact.
    r = e.multiplyAdd(n, e.constant(-0.693145751953125f), x);
    r = e.multiplyAdd(n, e.constant(-1.42860677e-06f), r);
    q = e.polynomial(r, {0.49999994f, 0.166665211f, 0.041668389f,
                         0.00836871658f, 0.00138145988f});
  }
  // r is at most 0.35: its rounding costs a quarter of a unit.
  Value power = e.multiplyAdd(e.mul(r, r), q, r);
  return {e.add(power, e.constant(1.0f)), integerOf(e, shifted)};
}

/// significand * 2^exponent for exponents beyond those of normal numbers: two
/// factors, of which only the last can round.
static Value scaleGradually(MathEmitter &e, ScaledExp value) {
  ImplicitLocOpBuilder &b = e.builder();
  Value half = arith::ShRSIOp::create(b, value.exponent, e.intConstant(1));
  Value rest = arith::SubIOp::create(b, value.exponent, half);
  return e.mul(e.mul(value.significand, e.powerOfTwo(half)),
               e.powerOfTwo(rest));
}

Value emitExp(MathEmitter &e, Value x) {
  // Beyond the bounds the result is infinite or zero anyway.
  return scaleGradually(
      e, reduceExp(e, e.clamp(x, -104.5f, 89.0f), Accuracy::Full));
}

Value emitExpAtMostZero(MathEmitter &e, Value x, Accuracy accuracy) {
  ScaledExp value = reduceExp(e, e.atLeast(x, -104.5f), accuracy);
  // 2^32 times the result is a normal number; only the last product rounds.
  Value biased =
      arith::AddIOp::create(e.builder(), value.exponent, e.intConstant(32));
  return e.mul(e.mul(value.significand, e.powerOfTwo(biased)),
               e.constant(0x1p-32f));
}

Value emitExpInRange(MathEmitter &e, Value x, Accuracy accuracy) {
  ScaledExp value = reduceExp(e, x, accuracy);
  return e.mul(value.significand, e.powerOfTwo(value.exponent));
}

Value emitExp2(MathEmitter &e, Value x) {
  Value bounded = e.clamp(x, -151.0f, 129.0f);
  Value shift = e.constant(roundingShift);
  Value shifted = e.add(bounded, shift);
  Value r = e.sub(bounded, e.sub(shifted, shift));
  Value p = e.polynomial(r, {1.0f, 0.693147182f, 0.240226507f, 0.0555040538f,
                             0.00961808488f, 0.00133375078f, 0.000154532565f,
                             1.44514815e-05f});
  return scaleGradually(e, {p, integerOf(e, shifted)});
}

/// An odd polynomial below 0.6, 1 - 2 / (exp(2|x|) + 1) above.
Value emitTanh(MathEmitter &e, Value x, Accuracy accuracy) {
  Value magnitude = e.absolute(x);
  Value square = e.mul(x, x);
  Value q = e.polynomial(square, {-0.333332986f, 0.133319363f, -0.0537847169f,
                                  0.0207986254f, -0.00589796668f});
  Value small = e.multiplyAdd(e.mul(magnitude, square), q, magnitude);

  Value bounded = e.atMost(magnitude, 10.0f);
  Value one = e.constant(1.0f);
  Value power = emitExpInRange(e, e.add(bounded, bounded), accuracy);
  Value large = e.sub(one, e.div(e.constant(2.0f), e.add(power, one)));

  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, magnitude, e.constant(0.6f));
  return e.copySign(e.select(isSmall, small, large), x);
}

} // namespace aikernel::expandmath
