//===- NumberParts.cpp - f32 numbers as sums of bf16 numbers --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: numbers, or panels of their parts. Out: code that takes them apart, and
// code that multiplies panels whose numbers are too large for it.
//
//===----------------------------------------------------------------------===//

#include "NumberParts.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace aikernel;

namespace {

using Values = LoopBuilder::Values;

constexpr int64_t kSign = 0x80000000, kFirstHalf = 0xffff0000;
/// Half of what the last bit of bf16 counts.
constexpr int64_t kHalf = 0x8000;
constexpr int64_t kInfinity = 0x7f800000, kQuiet = 0x00400000;
/// 2^61, as bits.
constexpr int64_t kLarge = 0x5e000000;

/// An i32, or as many of them as `like` has elements.
Value bitsConstant(LoopBuilder &b, Value like, int64_t value) {
  auto scalar = b.getI32IntegerAttr(static_cast<int32_t>(value));
  auto vector = dyn_cast<VectorType>(like.getType());
  if (!vector)
    return arith::ConstantOp::create(b, scalar);
  return arith::ConstantOp::create(
      b,
      DenseElementsAttr::get(vector.clone(b.getI32Type()), Attribute(scalar)));
}

Value withElement(LoopBuilder &b, Value value, Type element) {
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  return arith::BitcastOp::create(b, type, value);
}
Value bitsOf(LoopBuilder &b, Value value) {
  return withElement(b, value, b.getI32Type());
}
Value floatOf(LoopBuilder &b, Value bits) {
  return withElement(b, bits, b.getF32Type());
}
Value andBits(LoopBuilder &b, Value bits, int64_t mask) {
  return arith::AndIOp::create(b, bits, bitsConstant(b, bits, mask));
}

/// The first 16 bits, which have all of a part that is not below 2^-126.
Value shorten(LoopBuilder &b, Value part) {
  Value bits = bitsOf(b, part);
  Value first = arith::ShRUIOp::create(b, bits, bitsConstant(b, bits, 16));
  Type type = b.getI16Type();
  if (auto vector = dyn_cast<VectorType>(bits.getType()))
    type = vector.clone(type);
  return arith::TruncIOp::create(b, type, first);
}

Value compareBits(LoopBuilder &b, arith::CmpIPredicate predicate, Value bits,
                  int64_t with) {
  return arith::CmpIOp::create(b, predicate, bits, bitsConstant(b, bits, with));
}

} // namespace

ArrayRef<std::pair<unsigned, unsigned>>
aikernel::multipliedParts(unsigned parts) {
  static constexpr std::pair<unsigned, unsigned> ofOne[] = {{0, 0}};
  static constexpr std::pair<unsigned, unsigned> ofThree[] = {
      {2, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}, {0, 2}};
  if (parts == 1)
    return ofOne;
  return ofThree;
}

Value aikernel::roundToPart(LoopBuilder &b, Value numbers) {
  Value bits = bitsOf(b, numbers);
  Value above = arith::AddIOp::create(b, bits, bitsConstant(b, bits, kHalf));
  return floatOf(b, andBits(b, above, kFirstHalf));
}

Values aikernel::splitVector(LoopBuilder &b, Value numbers) {
  Value first = roundToPart(b, numbers);
  Value left = arith::SubFOp::create(b, numbers, first);
  Value second = roundToPart(b, left);
  Value third = arith::SubFOp::create(b, left, second);
  return {shorten(b, first), shorten(b, second), shorten(b, third)};
}

Values aikernel::splitNumber(LoopBuilder &b, Value number) {
  Value magnitude = magnitudesOf(b, number);
  // Large numbers are cut: the largest would be rounded to infinity.
  Value isLarge = compareBits(b, arith::CmpIPredicate::uge, magnitude, kLarge);
  Value cut = andBits(b, bitsOf(b, number), kFirstHalf);
  Value quiet =
      arith::OrIOp::create(b, cut, bitsConstant(b, cut, kInfinity | kQuiet));
  Value isNaN = compareBits(b, arith::CmpIPredicate::ugt, magnitude, kInfinity);
  Value large = floatOf(b, arith::SelectOp::create(b, isNaN, quiet, cut));
  Value first =
      arith::SelectOp::create(b, isLarge, large, roundToPart(b, number));
  Value isFinite =
      compareBits(b, arith::CmpIPredicate::ult, magnitude, kInfinity);
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(number.getType()));
  Value left = arith::SelectOp::create(
      b, isFinite, arith::SubFOp::create(b, number, first), none);
  Value second = roundToPart(b, left);
  Value third = arith::SubFOp::create(b, left, second);
  return {shorten(b, first), shorten(b, second), shorten(b, third)};
}

Value aikernel::magnitudesOf(LoopBuilder &b, Value numbers) {
  return andBits(b, bitsOf(b, numbers), ~kSign & 0xffffffff);
}

Value aikernel::magnitudeStep(LoopBuilder &b, Value panel, int64_t together) {
  return b.minus(memref::DimOp::create(b, panel, 0), b.index(together));
}

Value aikernel::panelHasLarge(LoopBuilder &b, Value panel, int64_t together) {
  auto type = VectorType::get({2 * kKeptMagnitudes}, b.getBF16Type());
  Value kept = vector::LoadOp::create(
      b, type, panel,
      ValueRange{magnitudeStep(b, panel, together), b.index(0)});
  Value magnitudes = vector::BitCastOp::create(
      b, VectorType::get({kKeptMagnitudes}, b.getI32Type()), kept);
  Value largest =
      vector::ReductionOp::create(b, vector::CombiningKind::MAXUI, magnitudes);
  return compareBits(b, arith::CmpIPredicate::uge, largest, kLarge);
}

void aikernel::multiplyNumbers(LoopBuilder &b,
                               const MatrixInstruction &instruction, Value left,
                               Value right, Value steps, Value sums) {
  int64_t rows = instruction.rows, columns = instruction.columns();
  int64_t parts = instruction.parts;
  constexpr int64_t kPair = 2; // of neighbours along the sum, on the right
  int64_t pairs = instruction.depth / kPair;
  auto pairsOfColumns = VectorType::get({columns * kPair}, b.getBF16Type());
  auto words = VectorType::get({columns}, b.getI32Type());
  auto row = VectorType::get({columns}, b.getF32Type());
  auto add = [&](Value sum, Value x) -> Value {
    return sum ? Value(arith::AddFOp::create(b, sum, x)) : x;
  };
  // Each half of a word is a number of its own.
  auto ofWords = [&](Value word, bool isSecond) {
    return floatOf(b, isSecond ? andBits(b, word, kFirstHalf)
                               : arith::ShLIOp::create(
                                     b, word, bitsConstant(b, word, 16)));
  };
  b.loop(b.index(rows), 1, [&](Value i) {
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(row));
    Values done =
        b.loop(b.index(0), steps, 1, none, [&](Value step, ValueRange ofSteps) {
          return b.loop(
              b.index(0), b.index(pairs), 1, ofSteps,
              [&](Value pair, ValueRange carried) -> Values {
                Value sum = carried[0];
                Value numbers[kPair], factors[kPair];
                // The last ones first: the sum of the first two may be beyond
                // f32 when that of all is not.
                for (int64_t part = parts - 1; part >= 0; --part) {
                  Value at = b.plus(b.times(step, parts), part);
                  Value word = vector::BitCastOp::create(
                      b, words,
                      vector::LoadOp::create(
                          b, pairsOfColumns, right,
                          ValueRange{b.plus(b.times(at, pairs), pair),
                                     b.index(0)}));
                  for (int64_t half = 0; half < kPair; ++half) {
                    numbers[half] = add(numbers[half], ofWords(word, half));
                    Value column = b.plus(b.plus(b.times(i, instruction.depth),
                                                 b.times(pair, kPair)),
                                          half);
                    factors[half] =
                        add(factors[half],
                            arith::ExtFOp::create(
                                b, b.getF32Type(),
                                b.load(left, ValueRange{at, column})));
                  }
                }
                for (int64_t half = 0; half < kPair; ++half)
                  sum = math::FmaOp::create(
                      b, vector::BroadcastOp::create(b, row, factors[half]),
                      numbers[half], sum);
                return {sum};
              });
        });
    b.store(done[0], sums, ValueRange{i, b.index(0)});
  });
}
