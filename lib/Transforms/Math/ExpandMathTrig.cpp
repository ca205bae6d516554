//===- ExpandMathTrig.cpp - sin and cos on f32 ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The angle is reduced exactly for every f32: the 24-bit significand times the
// 96 bits of 2 / pi that matter for its exponent, modulo 4 quarter turns, in
// integers (the method of Payne and Hanek). Which bits matter is found with
// selects, not with a table in memory.
//
//===----------------------------------------------------------------------===//

#include "ExpandMathEmitter.h"

#include <limits>

using namespace mlir;

namespace aikernel::expandmath {

namespace {
/// An angle as a number of quarter turns (modulo 4) and a rest in radians
/// within [-pi/4, pi/4].
struct ReducedAngle {
  Value quarters; // i32
  Value rest;     // f32
};

/// One zero word, then the first 224 bits of 2 / pi.
constexpr uint32_t twoOverPi[8] = {0x00000000, 0xa2f9836e, 0x4e441529,
                                   0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                   0x3c439041, 0xfe5163ab};

/// Integer arithmetic on i64 (or vectors of it).
class LongEmitter {
public:
  explicit LongEmitter(MathEmitter &e)
      : e(e), b(e.builder()), type(e.withElement(b.getI64Type())) {}
  Value extend(Value x) { return arith::ExtUIOp::create(b, type, x); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value shiftLeft(Value x, Value n) { return arith::ShLIOp::create(b, x, n); }
  Value shiftLeft(Value x, uint64_t n) {
    return shiftLeft(x, e.longConstant(n));
  }
  Value shiftRight(Value x, uint64_t n) {
    return arith::ShRUIOp::create(b, x, e.longConstant(n));
  }
  Value lowWord(Value x) {
    return arith::AndIOp::create(b, x, e.longConstant(0xffffffff));
  }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }

private:
  MathEmitter &e;
  ImplicitLocOpBuilder &b;
  Type type;
};
} // namespace

/// Reduces |x|, whose bits are `bits`.
static ReducedAngle reduceAngle(MathEmitter &e, Value magnitude, Value bits) {
  ImplicitLocOpBuilder &b = e.builder();
  LongEmitter l(e);
  Value field = arith::ShRUIOp::create(b, bits, e.intConstant(23));
  Value fraction = arith::AndIOp::create(b, bits, e.intConstant(0x007fffff));
  Value significand =
      l.extend(arith::OrIOp::create(b, fraction, e.intConstant(0x00800000)));

  // |x| = significand * 2^(field - 150). The window opens at the bit of weight
  // 2^1 after that scaling: bit field - 120 of the padded words. Angles below
  // pi / 4 do not use it, but must not shift out of range.
  Value position = arith::SubIOp::create(b, field, e.intConstant(120));
  position = arith::MaxSIOp::create(b, position, e.intConstant(0));
  Value word = arith::ShRUIOp::create(b, position, e.intConstant(5));
  Value shift = l.extend(arith::AndIOp::create(b, position, e.intConstant(31)));
  Value window[4];
  for (unsigned i = 0; i < 4; ++i) {
    window[i] = e.longConstant(twoOverPi[i]);
    for (unsigned first = 1; first < 5; ++first) {
      Value matches = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, word,
                                            e.intConstant(first));
      window[i] =
          e.select(matches, e.longConstant(twoOverPi[first + i]), window[i]);
    }
  }
  auto shiftedWord = [&](unsigned i) {
    Value pair = l.either(l.shiftLeft(window[i], 32), window[i + 1]);
    return l.shiftRight(l.shiftLeft(pair, shift), 32);
  };

  Value low = l.mul(significand, shiftedWord(2));
  Value middle =
      l.add(l.mul(significand, shiftedWord(1)), l.shiftRight(low, 32));
  Value high =
      l.add(l.mul(significand, shiftedWord(0)), l.shiftRight(middle, 32));
  // Quarter turns in units of 2^-62, modulo 4.
  Value turn = l.either(l.shiftLeft(high, 32), l.lowWord(middle));

  Value nearest =
      l.shiftRight(l.add(turn, e.longConstant(uint64_t(1) << 61)), 62);
  Value rest = arith::SubIOp::create(b, turn, l.shiftLeft(nearest, 62));
  // In f64, so that the rest is rounded once.
  Type wide = e.withElement(b.getF64Type());
  Value restInRadians = arith::TruncFOp::create(
      b, e.getType(),
      arith::MulFOp::create(b, arith::SIToFPOp::create(b, wide, rest),
                            e.doubleConstant(1.5707963267948966 * 0x1p-62)));
  Value quarters =
      arith::TruncIOp::create(b, e.withElement(b.getI32Type()), nearest);

  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, magnitude, e.constant(0.785398163f));
  return {e.select(isSmall, e.intConstant(0), quarters),
          e.select(isSmall, magnitude, restInRadians)};
}

/// sin(|x| + offset quarter turns); NaN for infinities and NaN.
static Value emitSinOfQuarters(MathEmitter &e, Value x, uint32_t offset) {
  ImplicitLocOpBuilder &b = e.builder();
  Value magnitude = e.absolute(x);
  ReducedAngle angle = reduceAngle(e, magnitude, e.toBits(magnitude));
  Value r = angle.rest;
  Value square = e.mul(r, r);
  Value sinPoly = e.polynomial(
      square, {-0.166666672f, 0.0083333794f, -0.00019853079f, 2.8328061e-06f});
  Value sine = e.multiplyAdd(e.mul(r, square), sinPoly, r);
  Value cosPoly = e.polynomial(square, {-0.5f, 0.0416666679f, -0.001388898f,
                                        2.48220076e-05f, -2.8878452e-07f});
  Value cosine = e.multiplyAdd(square, cosPoly, e.constant(1.0f));

  Value quarters =
      arith::AddIOp::create(b, angle.quarters, e.intConstant(offset));
  auto bitIsSet = [&](uint32_t bit) {
    Value masked = arith::AndIOp::create(b, quarters, e.intConstant(bit));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                 e.intConstant(0));
  };
  Value value = e.select(bitIsSet(1), cosine, sine);
  value = e.select(bitIsSet(2), e.negate(value), value);

  Value isFinite =
      e.compare(arith::CmpFPredicate::OLT, magnitude,
                e.constant(std::numeric_limits<float>::infinity()));
  return e.select(isFinite, value,
                  e.constant(std::numeric_limits<float>::quiet_NaN()));
}

Value emitSin(MathEmitter &e, Value x) {
  Value value = emitSinOfQuarters(e, x, 0);
  // sin is odd: flip the sign where x is negative, which keeps sin(-0) = -0.
  ImplicitLocOpBuilder &b = e.builder();
  Value sign = arith::AndIOp::create(b, e.toBits(x), e.intConstant(0x80000000));
  return e.fromBits(arith::XOrIOp::create(b, e.toBits(value), sign));
}

Value emitCos(MathEmitter &e, Value x) { return emitSinOfQuarters(e, x, 1); }

} // namespace aikernel::expandmath
