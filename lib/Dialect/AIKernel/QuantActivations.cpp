//===- QuantActivations.cpp - Scalar code that quantizes activations ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: numbers in f32. Out: integers, scales and scaled sums, rounded as ggml's
// reference does.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/QuantActivations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace aikernel;

static Value f32(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

/// numerator / divisor, or 0 where `x` is 0.
static Value buildQuotient(ImplicitLocOpBuilder &b, float numerator,
                           Value divisor, Value x) {
  Value isZero =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, f32(b, 0.0f));
  Value quotient = arith::DivFOp::create(b, f32(b, numerator), divisor);
  return arith::SelectOp::create(b, isZero, f32(b, 0.0f), quotient);
}

static Value roundToHalf(ImplicitLocOpBuilder &b, Value x) {
  Value half = arith::TruncFOp::create(b, b.getF16Type(), x);
  return arith::ExtFOp::create(b, b.getF32Type(), half);
}

static Value buildStep(ImplicitLocOpBuilder &b, Value largest) {
  return arith::DivFOp::create(b, largest, f32(b, 127.0f));
}

Value aikernel::buildInverse(ImplicitLocOpBuilder &b, ActivationBlock kind,
                             Value largest) {
  if (kind == ActivationBlock::Long)
    // The sign of the largest number cancels in the product.
    return buildQuotient(b, -127.0f, largest, largest);
  Value d = buildStep(b, largest);
  return buildQuotient(b, 1.0f, d, d);
}

Value aikernel::buildActivationScale(ImplicitLocOpBuilder &b,
                                     ActivationBlock kind, Value largest) {
  if (kind == ActivationBlock::Long)
    return buildQuotient(b, 1.0f, buildInverse(b, kind, largest), largest);
  Value d = buildStep(b, largest);
  return kind == ActivationBlock::Group ? d : roundToHalf(b, d);
}

/// The integer nearest to x, halves away from zero, where that is below 2^22.
/// The largest number below a half does: of the sums with it, only those of
/// halves and more are rounded up to an integer.
static Value roundHalvesAway(ImplicitLocOpBuilder &b, Value x) {
  Value half = math::CopySignOp::create(b, f32(b, 0x1.fffffep-2f), x);
  return math::TruncOp::create(b, arith::AddFOp::create(b, x, half));
}

Value aikernel::buildActivation(ImplicitLocOpBuilder &b, ActivationBlock kind,
                                Value x) {
  Value whole = kind == ActivationBlock::Long
                    ? math::RoundEvenOp::create(b, x).getResult()
                    : roundHalvesAway(b, x);
  whole = arith::MinNumFOp::create(b, whole, f32(b, 127.0f));
  whole = arith::MaxNumFOp::create(b, whole, f32(b, -127.0f));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  whole = arith::SelectOp::create(b, isNaN, f32(b, 0.0f), whole);
  return arith::FPToSIOp::create(b, b.getI8Type(), whole);
}

Value aikernel::buildScaledSum(ImplicitLocOpBuilder &b, Value sum,
                               Value largest) {
  Value d = buildStep(b, largest);
  Value s = arith::SIToFPOp::create(b, b.getF32Type(), sum);
  return roundToHalf(b, arith::MulFOp::create(b, s, d));
}
