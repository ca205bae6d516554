//===- ActivationMath.cpp - Activations on scalars ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of the activations, written so that no cancellation and no
// overflow spoils them: everything is built on powers that are at most 1.
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
  Value div(Value x, Value y) {
    return arith::DivFOp::create(b, x, y, functionFlags());
  }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value absolute(Value x) { return math::AbsFOp::create(b, x); }
  Value expInRange(Value x) {
    auto power = math::ExpOp::create(b, x);
    power->setAttr(kInRangeAttrName, b.getUnitAttr());
    return power;
  }
  Value exp2InRange(Value x) {
    auto power = math::Exp2Op::create(b, x, functionFlags());
    power->setAttr(kInRangeAttrName, b.getUnitAttr());
    return power;
  }
  Value max(Value x, double bound) {
    return arith::MaximumFOp::create(b, x, constant(bound));
  }
  Value min(Value x, double bound) {
    return arith::MinimumFOp::create(b, x, constant(bound));
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  /// x * y + z, rounded once where the target can.
  Value multiplyAdd(Value x, Value y, Value z) {
    auto fuse = arith::FastMathFlags::contract;
    return arith::AddFOp::create(b, arith::MulFOp::create(b, x, y, fuse), z,
                                 fuse);
  }
  /// coefficients[0] + coefficients[1] x + ..., one term after the other: as
  /// many instructions as terms, and one number in the making.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = multiplyAdd(sum, x, constant(coefficient));
    return sum;
  }
  Value isBelow(Value x, double bound) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                 constant(bound));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// Lets functions and quotients be as rough as the result may be.
  arith::FastMathFlags functionFlags() const {
    return isRough() ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  }
  bool isRough() const { return accuracy != Accuracy::Full; }
};

} // namespace

/// x * sigmoid(y), where y has the sign of x: x e / (1 + e) or x / (1 + e) with
/// e = exp(-|y|).
static Value buildGatedInF64(Scalar s, Value x, Value y) {
  Value e = math::ExpOp::create(s.b, s.negate(s.absolute(y)));
  Value numerator = s.select(s.isBelow(y, 0.0), s.mul(x, e), x);
  return s.div(numerator, s.add(s.constant(1.0), e));
}

/// x / (1 + exp(-y)). Infinity in the denominator leaves NaN of an infinite x.
/// Where the result may be rough, both sides of the fraction are 2^-16 times as
/// large, so that the power is finite wherever the result is not 0.
static Value buildGated(Scalar s, Value x, Value y) {
  if (s.type.isF64())
    return buildGatedInF64(s, x, y);
  constexpr double log2e = 1.4426950408889634;
  bool isRough = s.isRough();
  Value exponent =
      s.multiplyAdd(y, s.constant(-log2e), s.constant(isRough ? -16.0 : 0.0));
  Value power = s.exp2InRange(s.min(s.max(exponent, -126.0), 128.0));
  Value one = s.constant(isRough ? 0x1p-16 : 1.0);
  // The power ends with an exact product, which may be part of the sum.
  Value sum =
      arith::AddFOp::create(s.b, one, power, arith::FastMathFlags::contract);
  return s.div(isRough ? s.mul(x, one) : x, sum);
}

/// x / (1 + exp(-y)) within 2.5 units of the last place of f32. Below -80,
/// where 1 does not count and the power may overflow, it is computed 2^-32
/// times as large. 32 ln 2 is split so that adding its first part to y is
/// exact; the second part is in the factor that scales back. Below -109 all is
/// 0.
static Value buildPreciselyGated(Scalar s, Value x, Value y) {
  constexpr double scaleExponent = 22.180709838867188;
  constexpr double scaleBack = 0x1.fffffep-33;
  Value bounded = s.min(s.max(y, -109.0), 87.0);
  Value isTail = s.isBelow(y, -80.0);
  Value offset = s.select(isTail, s.constant(-scaleExponent), s.constant(0.0));
  Value power = s.expInRange(s.sub(offset, bounded));
  // The power ends with an exact product, which may be part of the sum.
  Value sum = arith::AddFOp::create(s.b, power, s.constant(1.0),
                                    arith::FastMathFlags::contract);
  Value quotient = s.div(x, sum);
  Value scale = s.select(isTail, s.constant(scaleBack), s.constant(1.0));
  scale = s.select(s.isBelow(y, -109.0), s.constant(0.0), scale);
  return s.mul(quotient, scale);
}

Accuracy accuracyFor(Type element, bool ofSum) {
  if (element.getIntOrFloatBitWidth() > 16)
    return Accuracy::Full;
  return ofSum ? Accuracy::RoughOfSum : Accuracy::Rough;
}

Value buildTanh(ImplicitLocOpBuilder &b, Value x, Accuracy accuracy) {
  return math::TanhOp::create(b, x,
                              Scalar{b, x.getType(), accuracy}.functionFlags());
}

static Value buildLogistic(Scalar s, Value x, Value y) {
  return s.isRough() || s.type.isF64() ? buildGated(s, x, y)
                                       : buildPreciselyGated(s, x, y);
}

Value buildSigmoid(ImplicitLocOpBuilder &b, Value x, Accuracy accuracy) {
  Scalar s{b, x.getType(), accuracy};
  return buildLogistic(s, s.constant(1.0), x);
}

/// x erfc(-x / sqrt 2) / 2; gelu(-inf) is -inf * 0 = NaN.
static Value buildGeluInF64(Scalar s, Value x) {
  constexpr double negativeRootHalf = -0.70710678118654752;
  Value tail =
      math::ErfcOp::create(s.b, s.mul(x, s.constant(negativeRootHalf)));
  return s.mul(s.mul(s.constant(0.5), x), tail);
}

/// max(x, 0) - |x| Phi(-|x|), as below, but Phi(-|x|) = 2^(w + w Q(w)) / 2 with
/// w = -2 |x|. Q is small where a unit in the last place of the result counts,
/// and aik-expand-math does not round the exponent. Within 7 units from -2 on,
/// within 2^-25 left of it, where the relative error grows to 2^-9; 0 below
/// -13.
static Value buildGelu(Scalar s, Value x) {
  static constexpr double coefficients[] = {
      -0.42444363236427307,    -0.11478614807128906,    0.006584011018276215,
      0.0004551322781480849,   8.384094144275878e-06,   -2.4045618829404702e-06,
      -3.2348714285035385e-07, -2.0826270485940768e-08, -7.611063446155697e-10,
      -1.5026181687805007e-11, -1.2436179744421821e-13};
  Value size = s.absolute(x);
  Value w = s.max(s.mul(size, s.constant(-2.0)), -26.1);
  Value q = s.polynomial(w, coefficients);
  Value below = s.mul(w, s.exp2InRange(s.multiplyAdd(q, w, w)));
  Value half = s.constant(0.5);
  Value above = s.multiplyAdd(x, half, s.mul(size, half));
  return s.multiplyAdd(below, s.constant(0.25), above);
}

/// max(x, 0) - |x| Phi(-|x|), where Phi(-|x|) = 2^-H(|x|) and H is a
/// polynomial: neither divides nor cancels. (x + |x|) / 2 is max(x, 0), and NaN
/// for -inf as x Phi(x) is. Relative errors are 2^-12.4 down to the least
/// numbers of bf16, where Phi is 2^24 times as large; beyond it stays what it
/// is.
static Value buildRoughGelu(Scalar s, Value x) {
  static constexpr double exponents[] = {
      24 - 1.0002493609898238, -1.1483226855290536,     -0.4640535457053021,
      -0.0499519778701528,     0.00714317495734632,     -0.0006959024908817081,
      4.2995562285357534e-05,  -1.5059162907441496e-06, 2.2661572539673646e-08};
  Value size = s.absolute(x);
  Value bounded = s.min(size, 13.9);
  Value below = s.mul(bounded, s.exp2InRange(s.polynomial(bounded, exponents)));
  Value half = s.constant(0.5);
  Value above = s.multiplyAdd(x, half, s.mul(size, half));
  return s.multiplyAdd(below, s.constant(-0x1p-24), above);
}

/// The same where x has the error of a sum, so that not all of the tail says
/// something: within 2^-12.5 of the result down to -7.5, and within 2^-54
/// beyond; below -12.5 it is -2^-111.6.
static Value buildGeluOfSum(Scalar s, Value x) {
  static constexpr double exponents[] = {
      -1.0002370229404216,   -1.1480432760458001,   -0.46549837321859766,
      -0.04815691084825906,  0.0062244571919806875, -0.00046866827923114097,
      1.5200663619330444e-05};
  Value half = s.mul(x, s.constant(0.5));
  Value above = s.add(half, s.absolute(half));
  Value bounded = s.min(s.absolute(x), 12.5);
  Value power = s.exp2InRange(s.polynomial(bounded, exponents));
  return s.multiplyAdd(s.negate(bounded), power, above);
}

/// x (1 + tanh(u)) / 2 = x sigmoid(2 u) with
/// 2 u = x (2 sqrt(2 / pi) + 2 sqrt(2 / pi) 0.044715 x^2).
static Value buildGeluTanh(Scalar s, Value x) {
  constexpr double linear = 1.5957691216057308;
  Value factor = s.multiplyAdd(s.mul(x, x), s.constant(linear * 0.044715),
                               s.constant(linear));
  return buildGated(s, x, s.mul(x, factor));
}

Value buildActivation(ImplicitLocOpBuilder &b, Activation kind, Value x,
                      Accuracy accuracy) {
  Scalar s{b, x.getType(), accuracy};
  switch (kind) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return s.max(x, 0.0);
  case Activation::Gelu:
    if (accuracy == Accuracy::Rough)
      return buildRoughGelu(s, x);
    if (accuracy == Accuracy::RoughOfSum)
      return buildGeluOfSum(s, x);
    return s.type.isF64() ? buildGeluInF64(s, x) : buildGelu(s, x);
  case Activation::GeluTanh:
    return buildGeluTanh(s, x);
  case Activation::Silu:
    return buildLogistic(s, x, x);
  }
  llvm_unreachable("every activation is handled");
}

} // namespace aikernel::tolinalg
