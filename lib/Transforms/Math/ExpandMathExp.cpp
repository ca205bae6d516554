//===- ExpandMathExp.cpp - exp, exp2 and tanh on f32 ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp(x) = 2^n exp(r) with n = round(x / ln 2) and |r| <= ln(2) / 2; exp(r) is
// a polynomial of degree 6 (relative error 2^-28). n is taken from the low bits
// of x / ln 2 + 1.5 * 2^23: no conversion to integer, which would be undefined
// for NaN.
//
//===----------------------------------------------------------------------===//

#include "ExpandMathEmitter.h"

using namespace mlir;

namespace aikernel::expandmath {

namespace {
/// Adding it to |x| < 2^22 rounds x to an integer in the low mantissa bits,
/// here with the bias of an exponent.
constexpr float roundingShift = 12582912.0f + 127.0f;
constexpr uint32_t roundingShiftBits = 0x4b400000 + 127;

/// significand * 2^n, n being in the low bits of `shifted`.
struct ScaledExp {
  Value significand;
  Value shifted;
};
} // namespace

static ScaledExp reduceExp(MathEmitter &e, Value x) {
  Value shift = e.constant(roundingShift);
  Value shifted = e.multiplyAdd(x, e.constant(1.44269502f), shift);
  Value n = e.sub(shifted, shift);
  // ln 2 in two parts; the first has 16 bits, so that n times it is exact.
  Value r = e.multiplyAdd(n, e.constant(-0.693145751953125f), x);
  r = e.multiplyAdd(n, e.constant(-1.42860677e-06f), r);
  Value q = e.pairedPolynomial(r, {0.49999994f, 0.166665211f, 0.041668389f,
                                   0.00836871658f, 0.00138145988f});
  // r is at most 0.35: what is rounded before the last sum costs a quarter of a
  // unit.
  Value one = e.constant(1.0f);
  if (e.addsToConstantsCheaply())
    return {e.multiplyAdd(e.multiplyAdd(q, r, one), r, one), shifted};
  Value power = e.multiplyAdd(e.mul(r, r), q, r);
  return {e.add(power, one), shifted};
}

/// For n beyond the exponents of normal numbers: two factors, of which only the
/// last can round.
static Value scaleGradually(MathEmitter &e, ScaledExp value) {
  ImplicitLocOpBuilder &b = e.builder();
  Value exponent = arith::SubIOp::create(b, e.toBits(value.shifted),
                                         e.intConstant(roundingShiftBits));
  Value half = arith::ShRSIOp::create(b, exponent, e.intConstant(1));
  Value rest = arith::SubIOp::create(b, exponent, half);
  return e.mul(e.mul(value.significand, e.powerOfTwo(half)),
               e.powerOfTwo(rest));
}

/// For n in [-126, 127]; -127 gives 0 and 128 infinity. The product with a
/// power of two is exact, so it may be part of a sum.
static Value scaleInRange(MathEmitter &e, ScaledExp value) {
  Value bits = arith::ShLIOp::create(e.builder(), e.toBits(value.shifted),
                                     e.intConstant(23));
  return arith::MulFOp::create(e.builder(), value.significand, e.fromBits(bits),
                               arith::FastMathFlags::contract);
}

Value emitExp(MathEmitter &e, Value x) {
  // Beyond the bounds the result is infinite or zero anyway.
  return scaleGradually(e, reduceExp(e, e.clamp(x, -104.5f, 89.0f)));
}

Value emitExpInRange(MathEmitter &e, Value x) {
  return scaleInRange(e, reduceExp(e, x));
}

Value emitExp2(MathEmitter &e, Value x) {
  Value bounded = e.clamp(x, -151.0f, 129.0f);
  Value shift = e.constant(roundingShift);
  Value shifted = e.add(bounded, shift);
  Value r = e.sub(bounded, e.sub(shifted, shift));
  Value p = e.polynomial(r, {1.0f, 0.693147182f, 0.240226507f, 0.0555040538f,
                             0.00961808488f, 0.00133375078f, 0.000154532565f,
                             1.44514815e-05f});
  return scaleGradually(e, {p, shifted});
}

/// (2^r - 1) / r for |r| <= 1/2.
static Value emitExp2Slope(MathEmitter &e, Value r, Accuracy accuracy) {
  switch (accuracy) {
  case Accuracy::Rough: // 2^-13.3 of the power
    return e.polynomial(r, {0.693282902f, 0.242210954f, 0.0550089292f});
  case Accuracy::Narrow: // 2^-18.4
    return e.polynomial(
        r, {0.693124175f, 0.240240991f, 0.0559064262f, 0.00958285294f});
  case Accuracy::Full: // 2^-23.4
    return e.pairedPolynomial(r, {0.693147004f, 0.240222424f, 0.0555073358f,
                                  0.00967151299f, 0.00132647273f});
  }
  llvm_unreachable("every accuracy is handled");
}

/// 2^(n + r), n being in the low bits of `shifted`.
static Value emitExp2Parts(MathEmitter &e, Value shifted, Value r,
                           Accuracy accuracy) {
  Value q = emitExp2Slope(e, r, accuracy);
  // The 1 comes last: it is the only sum whose rounding counts.
  Value p = e.multiplyAdd(q, r, e.constant(1.0f));
  return scaleInRange(e, {p, shifted});
}

Value emitExp2InRange(MathEmitter &e, Value x, Accuracy accuracy) {
  Value shift = e.constant(roundingShift);
  Value shifted = e.add(x, shift);
  Value n = e.sub(shifted, shift);
  Value r = e.sub(x, n);
  // Of a sum of a product, what is left is not rounded twice.
  if (auto sum = matchMultiplyAdd(x.getDefiningOp());
      sum && x.getType() == e.getType() && accuracy == Accuracy::Full)
    r = e.multiplyAdd(sum->x, sum->y, e.sub(sum->z, n));
  return emitExp2Parts(e, shifted, r, accuracy);
}

Value emitExp2AtMostZero(MathEmitter &e, Value x, Accuracy accuracy) {
  return emitExp2InRange(e, e.atLeast(x, -127.0f), accuracy);
}

/// The product with log2(e) is part of two sums, which costs no instruction.
Value emitExpAtMostZero(MathEmitter &e, Value x, Accuracy accuracy) {
  // Times log2(e) just above -127.
  Value bounded = e.atLeast(x, -88.0296f);
  Value log2e = e.constant(1.44269504f);
  Value shift = e.constant(roundingShift);
  Value shifted = e.multiplyAdd(bounded, log2e, shift);
  Value minusN = e.sub(shift, shifted);
  Value r = e.multiplyAdd(bounded, log2e, minusN);
  return emitExp2Parts(e, shifted, r, accuracy);
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
  Value power = accuracy == Accuracy::Rough
                    ? emitExp2InRange(
                          e, e.mul(bounded, e.constant(2.88539008f)), accuracy)
                    : emitExpInRange(e, e.add(bounded, bounded));
  Value large = e.sub(one, e.div(e.constant(2.0f), e.add(power, one)));

  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, magnitude, e.constant(0.6f));
  return e.copySign(e.select(isSmall, small, large), x);
}

} // namespace aikernel::expandmath
