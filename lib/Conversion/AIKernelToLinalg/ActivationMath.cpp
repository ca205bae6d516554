//===- ActivationMath.cpp - Activations on scalars ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of the activations, written so that no cancellation and no
// overflow spoils them: everything is built on exp(-|x|) <= 1 or on erfc.
//
//===----------------------------------------------------------------------===//

#include "Common.h"

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"

using namespace mlir;

namespace aikernel::tolinalg {

namespace {

/// Arithmetic with short names on one type.
struct Scalar {
  ImplicitLocOpBuilder &b;
  Type type;
  Accuracy accuracy;

  Value constant(double value) { return floatConstant(b, type, value); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value absolute(Value x) { return math::AbsFOp::create(b, x); }
  Value expAtMostZero(Value x) {
    auto power = math::ExpOp::create(b, x, functionFlags());
    power->setAttr(kAtMostZeroAttrName, b.getUnitAttr());
    return power;
  }
  Value max(Value x, double bound) {
    return arith::MaximumFOp::create(b, x, constant(bound));
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value isBelow(Value x, double bound) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                 constant(bound));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// Lets the functions of the math dialect be as rough as the result may be.
  arith::FastMathFlags functionFlags() const {
    return accuracy == Accuracy::Rough ? arith::FastMathFlags::afn
                                       : arith::FastMathFlags::none;
  }
};

} // namespace

/// x * sigmoid(y), where y has the sign of x: x e / (1 + e) or x / (1 + e) with
/// e = exp(-|y|).
static Value buildGatedByLogistic(Scalar s, Value x, Value y) {
  Value e = s.expAtMostZero(s.negate(s.absolute(y)));
  Value numerator = s.select(s.isBelow(x, 0.0), s.mul(x, e), x);
  return s.div(numerator, s.add(s.constant(1.0), e));
}

/// 1 - 0.833 e + 0.333 e^2, within 2 % of 1 / (1 + e) on [0, 1]: good enough to
/// weigh a correction.
static Value roughReciprocal(Scalar s, Value e) {
  Value inner = s.fma(e, s.constant(0.333), s.constant(-0.833));
  return s.fma(e, inner, s.constant(1.0));
}

/// What 1 + e lost by rounding; e <= 1.
static Value roundingErrorOfSum(Scalar s, Value e, Value sum) {
  return s.sub(e, s.sub(sum, s.constant(1.0)));
}

Accuracy usualAccuracy(Type element) {
  return element.getIntOrFloatBitWidth() <= 16 ? Accuracy::Rough
                                               : Accuracy::Plain;
}

Value buildTanh(ImplicitLocOpBuilder &b, Value x, Accuracy accuracy) {
  return math::TanhOp::create(b, x,
                              Scalar{b, x.getType(), accuracy}.functionFlags());
}

Value buildSigmoid(ImplicitLocOpBuilder &b, Value x, Accuracy accuracy) {
  Scalar s{b, x.getType(), accuracy};
  Value one = s.constant(1.0);
  Value e = s.expAtMostZero(s.negate(s.absolute(x)));
  Value sum = s.add(one, e);
  Value quotient = s.div(s.select(s.isBelow(x, 0.0), e, one), sum);
  if (accuracy == Accuracy::Rough)
    return quotient;
  Value lost = s.mul(s.negate(quotient), roundingErrorOfSum(s, e, sum));
  return s.fma(lost, roughReciprocal(s, e), quotient);
}

/// For x < 0 the rounding errors of x e and of 1 + e are carried along, and
/// where exp(x) is subnormal it is computed 2^32 times as large. 32 ln 2 is
/// split so that adding its first part to x is exact.
static Value buildPreciseSilu(Scalar s, Value x) {
  constexpr double scaleExponent = 22.180709838867188;
  constexpr double scaleExponentLow = -6.094893834074355e-08;
  Value isTail = s.isBelow(x, -87.0);
  Value isNegative = s.isBelow(x, 0.0);
  Value magnitude = s.absolute(x);
  Value offset = s.select(isTail, s.constant(scaleExponent), s.constant(0.0));
  Value e = s.expAtMostZero(s.sub(offset, magnitude));

  Value product = s.mul(x, e);
  Value numerator = s.select(isNegative, product, x);
  Value sum = s.add(s.constant(1.0), e);
  Value quotient = s.div(numerator, sum);

  Value productLow = s.fma(x, e, s.negate(product));
  productLow = s.fma(
      product, s.select(isTail, s.constant(scaleExponentLow), s.constant(0.0)),
      productLow);
  Value lost =
      s.fma(s.negate(quotient), roundingErrorOfSum(s, e, sum), productLow);
  Value corrected = s.fma(lost, roughReciprocal(s, e), quotient);
  Value scale = s.select(isTail, s.constant(0x1p-32), s.constant(1.0));
  return s.mul(s.select(isNegative, corrected, quotient), scale);
}

/// x erfc(-x / sqrt 2) / 2. The clamp keeps the correction finite; gelu(-inf)
/// is -inf * 0 = NaN.
static Value buildGelu(Scalar s, Value x) {
  constexpr double negativeRootHalf = -0.70710678118654752;
  bool precise = s.accuracy == Accuracy::Precise;
  Value bounded = precise ? s.max(x, -64.0) : x;
  Value factor = s.constant(negativeRootHalf);
  Value z = s.mul(bounded, factor);
  Value tail = math::ErfcOp::create(s.b, z, s.functionFlags());
  if (precise) {
    // erfc magnifies the rounding error of z for x < 0: take it back with the
    // slope, erfc' / erfc ~ -(1.128 + 1.575 z) where that matters.
    constexpr double low = negativeRootHalf + 0.707106769084930419921875;
    Value zLow = s.fma(bounded, factor, s.negate(z));
    zLow = s.fma(bounded, s.constant(low), zLow);
    Value slope = s.fma(z, s.constant(1.575), s.constant(1.128));
    Value corrected = s.fma(s.mul(s.negate(tail), zLow), slope, tail);
    tail = s.select(s.isBelow(x, 0.0), corrected, tail);
  }
  return s.mul(s.mul(s.constant(0.5), x), tail);
}

/// x (1 + tanh(u)) / 2 = x sigmoid(2 u) with
/// 2 u = x (2 sqrt(2 / pi) + 2 sqrt(2 / pi) 0.044715 x^2).
static Value buildGeluTanh(Scalar s, Value x) {
  constexpr double linear = 1.5957691216057308;
  Value square = s.mul(x, x);
  Value factor =
      s.add(s.mul(square, s.constant(linear * 0.044715)), s.constant(linear));
  return buildGatedByLogistic(s, x, s.mul(x, factor));
}

Value buildActivation(ImplicitLocOpBuilder &b, Activation kind, Value x,
                      Accuracy accuracy) {
  Scalar s{b, x.getType(), accuracy};
  // The corrections are made for f32; f64 needs none.
  if (accuracy == Accuracy::Precise && !s.type.isF32())
    s.accuracy = Accuracy::Plain;
  switch (kind) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return s.max(x, 0.0);
  case Activation::Gelu:
    return buildGelu(s, x);
  case Activation::GeluTanh:
    return buildGeluTanh(s, x);
  case Activation::Silu:
    return s.accuracy == Accuracy::Precise ? buildPreciseSilu(s, x)
                                           : buildGatedByLogistic(s, x, x);
  }
  llvm_unreachable("every activation is handled");
}

} // namespace aikernel::tolinalg
