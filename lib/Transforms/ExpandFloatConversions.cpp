//===- ExpandFloatConversions.cpp - Small floats by integer operations ----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: arith.extf and arith.truncf whose narrow side is bf16, f8E4M3FN, f8E5M2
// or (by option) f16, on scalars or vectors. Out: integer ops, bitcasts and
// single f32 additions or multiplications that are exact. f32 is the type in
// between; from f64 the first step rounds to odd, so that the second one rounds
// as if there were only one.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/MathPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

#define DEBUG_TYPE "aik-expand-float-conversions"

namespace aikernel {
#define GEN_PASS_DEF_EXPANDFLOATCONVERSIONSPASS
#include "AIKernel/Transforms/MathPasses.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

/// What a narrow format looks like, sign aside.
struct SmallFormat {
  unsigned width;
  unsigned mantissaBits;
  unsigned bias;
  /// The bits of infinity; without infinities, of the one NaN.
  uint32_t overflow;
  uint32_t nan;
  bool hasInfinity;
};

std::optional<SmallFormat> formatOf(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return SmallFormat{8, 3, 7, 0x7f, 0x7f, false};
  if (isa<Float8E5M2Type>(element))
    return SmallFormat{8, 2, 15, 0x7c, 0x7f, true};
  if (element.isF16())
    return SmallFormat{16, 10, 15, 0x7c00, 0x7e00, true};
  return std::nullopt;
}

class ConversionEmitter {
public:
  ConversionEmitter(ImplicitLocOpBuilder &builder, Type shape)
      : b(builder), shape(shape) {}

  /// Any of our narrow types to f32, exactly.
  Value widen(Value x) {
    Type element = getElementTypeOrSelf(x.getType());
    if (element.isBF16()) {
      Value bits = extendBits(x, 16);
      return toFloat(shiftLeft(bits, 16));
    }
    SmallFormat format = *formatOf(element);
    uint32_t signBit = 1u << (format.width - 1);
    Value bits = extendBits(x, format.width);
    Value magnitude = bitAnd(bits, signBit - 1);
    Value sign = shiftLeft(bitAnd(bits, signBit), 32 - format.width);
    // The fields land in f32's, with the narrow bias; the product puts that
    // right and normalizes subnormals on the way.
    unsigned shift = 23 - format.mantissaBits;
    Value scaled = arith::MulFOp::create(
        b, toFloat(shiftLeft(magnitude, shift)),
        floatConstant(std::ldexp(1.0f, 127 - format.bias)));
    Value result = toBits(scaled);
    Value isSpecial = arith::CmpIOp::create(
        b, arith::CmpIPredicate::uge, magnitude, constant(format.overflow));
    Value special = format.hasInfinity ? bitOr(shiftLeft(magnitude, shift),
                                               constant(0x7f800000))
                                       : constant(0x7fc00000);
    result = arith::SelectOp::create(b, isSpecial, special, result);
    return toFloat(bitOr(result, sign));
  }

  /// f32 to one of our narrow types, to nearest even.
  Value narrow(Value x, Type element) {
    Value bits = toBits(x);
    if (element.isBF16())
      return truncateBits(roundToBf16(bits), element, 16);
    SmallFormat format = *formatOf(element);
    Value magnitude = bitAnd(bits, 0x7fffffff);
    Value sign = shiftRight(bitAnd(bits, 0x80000000), 32 - format.width);

    unsigned shift = 23 - format.mantissaBits;
    Value normal = shiftRight(roundAway(magnitude, shift), shift);
    normal = arith::SubIOp::create(
        b, normal, constant((127 - format.bias) << format.mantissaBits));
    // Adding a number whose unit in the last place is the smallest subnormal
    // rounds to it.
    float magic = std::ldexp(1.0f, 24 - int(format.bias + format.mantissaBits));
    Value sum =
        arith::AddFOp::create(b, toFloat(magnitude), floatConstant(magic));
    Value subnormal =
        arith::SubIOp::create(b, toBits(sum), toBits(floatConstant(magic)));
    Value isSubnormal =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, magnitude,
                              constant((128 - format.bias) << 23));
    Value result = arith::SelectOp::create(b, isSubnormal, subnormal, normal);
    result = arith::MinUIOp::create(b, result, constant(format.overflow));
    if (format.hasInfinity)
      result = arith::SelectOp::create(b, isNaN(magnitude),
                                       constant(format.nan), result);
    return truncateBits(bitOr(result, sign), element, format.width);
  }

  /// f64 to f32, so that a later rounding to far fewer bits comes out right:
  /// what is not exact gets an odd last bit.
  Value roundToOdd(Value x) {
    Value nearest = arith::TruncFOp::create(b, with(b.getF32Type()), x);
    Value back = arith::ExtFOp::create(b, x.getType(), nearest);
    Value bits = toBits(nearest);
    Value isInexact =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
    // Away from zero means: larger for positive, smaller for negative values.
    Type wide = with(b.getI64Type());
    auto magnitude = [&](Value v) -> Value {
      Value raw = arith::BitcastOp::create(b, wide, v);
      return arith::ShLIOp::create(b, raw, longConstant(1));
    };
    Value roundedAway = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt,
                                              magnitude(back), magnitude(x));
    Value down = arith::SubIOp::create(b, bits, constant(1));
    Value towardsZero = arith::SelectOp::create(b, roundedAway, down, bits);
    Value odd = bitOr(towardsZero, constant(1));
    return toFloat(arith::SelectOp::create(b, isInexact, odd, bits));
  }

private:
  Type with(Type element) {
    if (auto vector = dyn_cast<VectorType>(shape))
      return vector.clone(element);
    return element;
  }
  Value splat(TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(with(value.getType())))
      return arith::ConstantOp::create(b,
                                       SplatElementsAttr::get(vector, value));
    return arith::ConstantOp::create(b, value);
  }
  Value constant(uint32_t value) {
    return splat(b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value longConstant(int64_t value) {
    return splat(b.getI64IntegerAttr(value));
  }
  Value floatConstant(float value) { return splat(b.getF32FloatAttr(value)); }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, with(b.getI32Type()), x);
  }
  Value toFloat(Value x) {
    return arith::BitcastOp::create(b, with(b.getF32Type()), x);
  }
  Value bitAnd(Value x, uint32_t mask) {
    return arith::AndIOp::create(b, x, constant(mask));
  }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value shiftLeft(Value x, unsigned n) {
    return arith::ShLIOp::create(b, x, constant(n));
  }
  Value shiftRight(Value x, unsigned n) {
    return arith::ShRUIOp::create(b, x, constant(n));
  }
  Value extendBits(Value x, unsigned width) {
    Value raw = arith::BitcastOp::create(b, with(b.getIntegerType(width)), x);
    return arith::ExtUIOp::create(b, with(b.getI32Type()), raw);
  }
  Value truncateBits(Value x, Type element, unsigned width) {
    Value raw = arith::TruncIOp::create(b, with(b.getIntegerType(width)), x);
    return arith::BitcastOp::create(b, with(element), raw);
  }
  /// Adds what makes cutting the low `shift` bits round to nearest even.
  Value roundAway(Value bits, unsigned shift) {
    Value odd = bitAnd(shiftRight(bits, shift), 1);
    Value half = constant((1u << (shift - 1)) - 1);
    return arith::AddIOp::create(b, arith::AddIOp::create(b, bits, half), odd);
  }
  Value isNaN(Value magnitude) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, magnitude,
                                 constant(0x7f800000));
  }
  Value roundToBf16(Value bits) {
    Value rounded = shiftRight(roundAway(bits, 16), 16);
    Value quiet = bitOr(shiftRight(bits, 16), constant(0x40));
    return arith::SelectOp::create(b, isNaN(bitAnd(bits, 0x7fffffff)), quiet,
                                   rounded);
  }

  ImplicitLocOpBuilder &b;
  Type shape;
};

struct ExpandFloatConversions
    : aikernel::impl::ExpandFloatConversionsPassBase<ExpandFloatConversions> {
  using Base::Base;

  bool isExpanded(Type element) {
    if (element.isF16())
      return expandF16;
    if (element.isBF16())
      return expandBf16;
    return isa<Float8E4M3FNType, Float8E5M2Type>(element);
  }

  void runOnOperation() override {
    bool hasRounding = aikernel::roundsToBf16(getOperation());
    SmallVector<Operation *> worklist;
    getOperation()->walk([&](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op) ||
          isa<TensorType>(op->getResult(0).getType()))
        return;
      if (auto trunc = dyn_cast<arith::TruncFOp>(op))
        if (trunc.getRoundingmode().value_or(
                arith::RoundingMode::to_nearest_even) !=
            arith::RoundingMode::to_nearest_even)
          return;
      if (hasRounding && isa<arith::TruncFOp>(op) &&
          getElementTypeOrSelf(op->getOperand(0).getType()).isF32() &&
          getElementTypeOrSelf(op->getResult(0).getType()).isBF16())
        return;
      if (isExpanded(getElementTypeOrSelf(op->getOperand(0).getType())) ||
          isExpanded(getElementTypeOrSelf(op->getResult(0).getType())))
        worklist.push_back(op);
    });
    for (Operation *op : worklist) {
      op->getResult(0).replaceAllUsesWith(convert(op));
      op->erase();
    }
  }

  Value convert(Operation *op) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value x = op->getOperand(0);
    Type resultType = op->getResult(0).getType();
    Type from = getElementTypeOrSelf(x.getType());
    Type to = getElementTypeOrSelf(resultType);
    Type middle = b.getF32Type();
    if (auto vector = dyn_cast<VectorType>(resultType))
      middle = vector.clone(middle);
    ConversionEmitter emitter(b, resultType);

    if (isExpanded(from))
      x = emitter.widen(x);
    else if (from.isF64() && isExpanded(to))
      x = emitter.roundToOdd(x);
    else if (from.isF16() || from.isBF16())
      x = arith::ExtFOp::create(b, middle, x);

    if (to.isF32())
      return x;
    if (isExpanded(to))
      return emitter.narrow(x, to);
    // From a narrow type to f64, f16 or bf16: exact, or one rounding.
    if (to.isF64())
      return arith::ExtFOp::create(b, resultType, x);
    return arith::TruncFOp::create(b, resultType, x);
  }
};

} // namespace
