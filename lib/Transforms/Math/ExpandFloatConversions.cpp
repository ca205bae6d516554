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
// Numbers of bf16 that vector.deinterleave has parted are halves of 32-bit
// words, and so are those that vector.interleave brings together:
//   %even, %odd = vector.deinterleave %x      ==>   %w = vector.bitcast %x
//   arith.extf %even                                arith.shli %w, 16
//   arith.extf %odd                                 arith.andi %w, 0xffff0000
// On NEON other vectors of bf16 are halves of words too.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/MathPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

constexpr uint32_t kHighHalf = 0xffff0000;

class ConversionEmitter {
public:
  ConversionEmitter(ImplicitLocOpBuilder &builder, Type shape,
                    bool hasWordMasks, bool hasOnlyNeon)
      : b(builder), shape(shape), hasWordMasks(hasWordMasks),
        hasOnlyNeon(hasOnlyNeon) {}

  /// Any of our narrow types to f32, exactly.
  Value widen(Value x) {
    Type element = getElementTypeOrSelf(x.getType());
    if (element.isBF16())
      return toFloat(bf16InHighHalf(x));
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
    if (element.isBF16())
      return fillsRegistersOfHalves(x) ? roundByHalves(x)
                                       : highHalves(roundToBf16(x), element);
    Value bits = toBits(x);
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

  /// Two vectors of f32 to one of bf16, whose elements are those of `even` and
  /// `odd` in turn.
  Value narrowInterleaved(Value even, Value odd, VectorType type) {
    Value low = shiftRight(roundToBf16(even), 16);
    Value high = bitAnd(roundToBf16(odd), kHighHalf);
    return vector::BitCastOp::create(b, type, bitOr(low, high));
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
  /// Words whose high halves are the bits of `x`.
  Value bf16InHighHalf(Value x) {
    auto parted = x.getDefiningOp<vector::DeinterleaveOp>();
    if (!parted && fillsRegistersOfHalves(x)) {
      // A permutation is done by either unit of a core, a shift by one.
      Value raw = arith::BitcastOp::create(b, with(b.getI16Type()), x);
      Value low = splat(b.getI16IntegerAttr(0));
      return vector::BitCastOp::create(
          b, cast<VectorType>(with(b.getI32Type())),
          vector::InterleaveOp::create(b, low, raw));
    }
    if (!parted)
      return shiftLeft(extendBits(x, 16), 16);
    auto type = cast<VectorType>(with(b.getI32Type()));
    Value words = vector::BitCastOp::create(b, type, parted.getSource());
    return x == parted.getRes1() ? shiftLeft(words, 16)
                                 : bitAnd(words, kHighHalf);
  }
  /// f32 to words whose high halves are the bits of bf16.
  Value roundToBf16(Value x) {
    Value bits = toBits(x);
    Value quiet = bitOr(bits, constant(0x400000));
    Value isQuieted = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    return arith::SelectOp::create(b, isQuieted, quiet, roundHighHalf(bits));
  }
  /// Rounds to nearest even; the low half is left undefined.
  Value roundHighHalf(Value bits) {
    if (!hasWordMasks)
      return roundAway(bits, 16);
    // One instruction less, if a mask can choose.
    Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                        bitAnd(bits, 0x10000), constant(0));
    Value half =
        arith::SelectOp::create(b, isOdd, constant(0x8000), constant(0x7fff));
    return arith::AddIOp::create(b, bits, half);
  }
  static bool isPlainVector(Value x) {
    auto vector = dyn_cast<VectorType>(x.getType());
    return vector && vector.getRank() == 1 && !vector.isScalable();
  }
  /// Do the halves of the words fill registers of NEON?
  bool fillsRegistersOfHalves(Value x) {
    return hasOnlyNeon && isPlainVector(x) &&
           cast<VectorType>(x.getType()).getNumElements() % 8 == 0;
  }
  /// The low and the high halves of words: one permutation takes each from two
  /// registers.
  vector::DeinterleaveOp partWords(Value words) {
    auto halves =
        VectorType::get(2 * cast<VectorType>(words.getType()).getNumElements(),
                        b.getIntegerType(16));
    return vector::DeinterleaveOp::create(
        b, vector::BitCastOp::create(b, halves, words));
  }
  Value highHalves(Value words, Type element) {
    if (!hasWordMasks || !isPlainVector(words))
      return truncateBits(shiftRight(words, 16), element, 16);
    return arith::BitcastOp::create(b, with(element),
                                    partWords(words).getRes2());
  }
  /// f32 to bf16 by arithmetic on halves of words, which does as much with half
  /// as many instructions: the low half less 1 if the high one is even, but not
  /// below 0, has its highest bit set if the high half is to be rounded up.
  Value roundByHalves(Value x) {
    auto parted = partWords(toBits(x));
    Value low = parted.getRes1(), high = parted.getRes2();
    auto constant = [&](int16_t value) {
      return splat(b.getI16IntegerAttr(value));
    };
    Value isEven = arith::AndIOp::create(
        b, arith::XOrIOp::create(b, high, constant(-1)), constant(1));
    Value rest =
        arith::SubIOp::create(b, low, arith::MinUIOp::create(b, low, isEven));
    Value rounded = arith::AddIOp::create(
        b, high, arith::ShRUIOp::create(b, rest, constant(15)));
    Value quiet = arith::OrIOp::create(b, high, constant(0x40));
    Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    return arith::BitcastOp::create(
        b, with(b.getBF16Type()),
        arith::SelectOp::create(b, isNaN, quiet, rounded));
  }

  ImplicitLocOpBuilder &b;
  Type shape;
  bool hasWordMasks, hasOnlyNeon;
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
    hasWordMasks = aikernel::hasWordMasks(getOperation());
    hasOnlyNeon = aikernel::hasOnlyNeon(getOperation());
    bool hasRounding = aikernel::roundsToBf16(getOperation());
    if (expandBf16 && !hasRounding)
      getOperation()->walk(
          [&](vector::InterleaveOp op) { narrowInterleaved(op); });
    SmallVector<Operation *> worklist;
    getOperation()->walk([&](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op) ||
          isa<TensorType>(op->getResult(0).getType()))
        return;
      if (auto trunc = dyn_cast<arith::TruncFOp>(op))
        if (!roundsToNearest(trunc))
          return;
      if (hasRounding && isa<arith::TruncFOp>(op) &&
          getElementTypeOrSelf(op->getOperand(0).getType()).isF32() &&
          getElementTypeOrSelf(op->getResult(0).getType()).isBF16())
        return;
      if (isExpanded(getElementTypeOrSelf(op->getOperand(0).getType())) ||
          isExpanded(getElementTypeOrSelf(op->getResult(0).getType())))
        worklist.push_back(op);
    });
    SmallVector<vector::DeinterleaveOp> parted;
    for (Operation *op : worklist) {
      if (auto from = op->getOperand(0).getDefiningOp<vector::DeinterleaveOp>();
          from && !llvm::is_contained(parted, from))
        parted.push_back(from);
      if (!op->use_empty())
        op->getResult(0).replaceAllUsesWith(convert(op));
      op->erase();
    }
    for (vector::DeinterleaveOp op : parted)
      if (op->use_empty())
        op->erase();
  }

  /// Rounds what is brought together as 32-bit words.
  void narrowInterleaved(vector::InterleaveOp op) {
    auto even = op.getLhs().getDefiningOp<arith::TruncFOp>();
    auto odd = op.getRhs().getDefiningOp<arith::TruncFOp>();
    VectorType type = op.getResultVectorType();
    if (!even || !odd || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isBF16() || !isNarrowedFromF32(even) ||
        !isNarrowedFromF32(odd))
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    ConversionEmitter emitter(b, even.getType(), hasWordMasks, hasOnlyNeon);
    op.replaceAllUsesWith(
        emitter.narrowInterleaved(even.getIn(), odd.getIn(), type));
    op.erase();
  }

  static bool isNarrowedFromF32(arith::TruncFOp op) {
    return getElementTypeOrSelf(op.getIn().getType()).isF32() &&
           roundsToNearest(op);
  }

  static bool roundsToNearest(arith::TruncFOp op) {
    return op.getRoundingmode().value_or(
               arith::RoundingMode::to_nearest_even) ==
           arith::RoundingMode::to_nearest_even;
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
    ConversionEmitter emitter(b, resultType, hasWordMasks, hasOnlyNeon);

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

  bool hasWordMasks = false, hasOnlyNeon = false;
};

} // namespace
