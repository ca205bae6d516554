//===- ExpandMathExp.cpp - exp, exp2 and tanh on f32 ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp(x) = 2^n exp(r) with n = round(x / ln 2) and |r| <= ln(2) / 2; exp(r) is
// a polynomial of degree 7 (relative error 2^-33). n is taken from the low bits
// of x / ln 2 + 1.5 * 2^23: no conversion to integer, which would be undefined
// for NaN.
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

enum class Rounding { Once, Twice };

/// `rounding` tells whether 1 + r + r^2 q(r) is rounded to 0.7 or to 1 unit in
/// the last place.
static ScaledExp reduceExp(MathEmitter &e, Value x, Rounding rounding) {
  Value shift = e.constant(roundingShift);
  Value shifted = e.multiplyAdd(x, e.constant(1.44269502f), shift);
  Value n = e.sub(shifted, shift);
  // ln 2 in two parts; the first has 16 bits, so that n times it is exact.
  Value r = e.multiplyAdd(n, e.constant(-0.693145751953125f), x);
  r = e.multiplyAdd(n, e.constant(-1.42860677e-06f), r);
  Value q = e.polynomial(r, {0.5f, 0.166666657f, 0.0416664556f, 0.00833356939f,
                             0.00139359338f, 0.00019742694f});
  Value one = e.constant(1.0f);
  Value square = e.mul(r, r);
  if (rounding == Rounding::Twice)
    return {e.add(e.multiplyAdd(square, q, r), one), integerOf(e, shifted)};
  Value high = e.add(r, one);
  Value low = e.sub(r, e.sub(high, one));
  return {e.add(high, e.multiplyAdd(square, q, low)), integerOf(e, shifted)};
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
      e, reduceExp(e, e.clamp(x, -104.5f, 89.0f), Rounding::Once));
}

Value emitExpInRange(MathEmitter &e, Value x) {
  ScaledExp value = reduceExp(e, x, Rounding::Twice);
  return e.mul(value.significand, e.powerOfTwo(value.exponent));
}

/// 2^n * 2^r with n + r = x log2(e). What an error of log2(e) does to small
/// powers is nothing beside the largest one, which is exact: exp(0) = 1.
Value emitSoftmaxPower(MathEmitter &e, Value x) {
  // At the lower bound n is -127, and powerOfTwo(-127) has the bits of zero.
  x = arith::MaximumFOp::create(e.builder(), x, e.constant(-88.02f));
  Value shift = e.constant(roundingShift), log2e = e.constant(1.44269502f);
  Value shifted = e.multiplyAdd(x, log2e, shift);
  Value r = e.multiplyAdd(x, log2e, e.sub(shift, shifted));
  Value p = e.polynomial(r, {1.0f, 0.693147004f, 0.240222424f, 0.0555073358f,
                             0.00967151299f, 0.00132647273f});
  return e.mul(p, e.powerOfTwo(integerOf(e, shifted)));
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
Value emitTanh(MathEmitter &e, Value x) {
  Value magnitude = e.absolute(x);
  Value square = e.mul(x, x);
  Value q = e.polynomial(square, {-0.333332986f, 0.133319363f, -0.0537847169f,
                                  0.0207986254f, -0.00589796668f});
  Value small = e.multiplyAdd(e.mul(magnitude, square), q, magnitude);

  Value bounded = e.atMost(magnitude, 10.0f);
  Value one = e.constant(1.0f);
  Value power = emitExpInRange(e, e.add(bounded, bounded));
  Value large = e.sub(one, e.div(e.constant(2.0f), e.add(power, one)));

  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, magnitude, e.constant(0.6f));
  return e.copySign(e.select(isSmall, small, large), x);
}

} // namespace aikernel::expandmath
