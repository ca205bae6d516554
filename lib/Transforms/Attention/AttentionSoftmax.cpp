//===- AttentionSoftmax.cpp - Maxima, powers and their sums ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the scores of a strip of queries. Out: their powers as an operand of the
// next product, the sums of these and what earlier sums are multiplied by;
// where products go beside the powers, the loops of both.
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "Tiles/NumberParts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace aikernel;

/// How far above the largest score so far lies what is subtracted, where sums
/// are shrunk rarely: scores may grow by so much before it changes, and powers
/// are never above 1.
static constexpr double kRoomAbove = 8.0;
/// Vectors of which maxima are found side by side.
static constexpr int64_t kMaximaAtOnce = 8;

/// exp(x - y), where x is not above y.
Value AttentionBlocks::powerOfDifference(Value x, Value y) {
  using expandmath::Accuracy;
  bool isRounded = isDeep() && parts == 1;
  return expandmath::emitExpAtMostZero(
      math, math.sub(x, y), isRounded ? Accuracy::Narrow : Accuracy::Full);
}

/// exp(score - shift). A score that is still to be scaled is rounded as it was
/// when it became the maximum: the difference of large ones would else be what
/// rounding has left.
Value AttentionBlocks::powerOf(Value score, Value shift) {
  return powerOfDifference(scalesLate ? math.mul(score, lateScales) : score,
                           shift);
}

/// Vectors of powers that are computed at once: as many as there are
/// registers for, since constants are brought into registers each time.
int64_t AttentionBlocks::vectorsAtOnce() const {
  bool hasManyRegisters = op.rows * op.vectors >= 24;
  int64_t most =
      std::max<int64_t>((hasManyRegisters ? 8 : 3) / sizes.powerDepth, 1);
  int64_t vectors = strip / lanes;
  while (vectors % most != 0)
    --most;
  return most;
}

Value AttentionBlocks::larger(Value x, Value y) {
  // A NaN, and what came before it, may be lost here. Whatever the powers are
  // then, its own is NaN, and so are the row's sum and all results of the row.
  if (form.keepsNaNInMinMax)
    return arith::MaximumFOp::create(b, x, y);
  return math.select(math.compare(arith::CmpFPredicate::OGT, x, y), x, y);
}

/// The largest scores, and what they were before. A scale above 0 keeps their
/// order, so that only the largest need it.
AttentionBlocks::Values
AttentionBlocks::findScaledMaxima(ValueRange before,
                                  function_ref<Value(int64_t)> columnOf) {
  if (!scalesLate)
    return findMaxima(before, /*factors=*/nullptr, columnOf);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0));
  Value keepsOrder =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, scale, zero);
  return b.choose(
      keepsOrder, before.getTypes(),
      [&] {
        Value none = constant(-std::numeric_limits<double>::infinity());
        Values found =
            findMaxima(Values(before.size(), none), nullptr, columnOf);
        for (auto [old, value] : llvm::zip_equal(before, found))
          value = larger(old, math.mul(value, lateScales));
        return found;
      },
      [&] { return findMaxima(before, lateScales, columnOf); });
}

/// Several keys at a time where there are few queries: maxima take turns to
/// hide how long each takes.
AttentionBlocks::Values
AttentionBlocks::findMaxima(ValueRange before, Value factors,
                            function_ref<Value(int64_t)> columnOf) {
  auto scoreAt = [&](Value key, Value column) -> Value {
    Value score = load(floats, scores, {key, column});
    return factors ? math.mul(score, factors) : score;
  };
  int64_t atOnce = before.size();
  int64_t keysAtOnce = std::max<int64_t>(kMaximaAtOnce / atOnce, 1);
  auto emitKeys = [&](Value key, ValueRange soFar, int64_t count) {
    Values next(soFar);
    for (int64_t i = 0; i < atOnce; ++i) {
      Value highest = scoreAt(key, columnOf(i));
      for (int64_t more = 1; more < count; ++more)
        highest = larger(highest, scoreAt(b.plus(key, more), columnOf(i)));
      next[i] = larger(soFar[i], highest);
    }
    return next;
  };
  Value whole = b.plus(from, b.roundDown(b.minus(past, from), keysAtOnce));
  Values found =
      b.loop(from, whole, keysAtOnce, before, [&](Value key, ValueRange soFar) {
        return emitKeys(key, soFar, keysAtOnce);
      });
  if (keysAtOnce == 1)
    return found;
  return b.loop(whole, past, 1, found, [&](Value key, ValueRange soFar) {
    return emitKeys(key, soFar, 1);
  });
}

void AttentionBlocks::emitSoftmax() {
  int64_t atOnce = vectorsAtOnce();
  assert((!looksAhead || atOnce * lanes == strip) &&
         "the next strip's scores are computed once");
  b.loop(b.index(strip), atOnce * lanes, [&](Value column) {
    auto columnOf = [&](int64_t i) { return b.plus(column, i * lanes); };
    auto queryOf = [&](int64_t i) { return b.plus(stripStart, columnOf(i)); };
    Values before;
    for (int64_t i = 0; i < atOnce; ++i)
      before.push_back(load(floats, rowMaximum, queryOf(i)));
    Values highest = findScaledMaxima(before, columnOf);
    // Nothing is subtracted while a query has seen no key, so that -inf
    // minus it stays -inf.
    Value none = constant(-std::numeric_limits<double>::infinity());
    Values shift, totals(atOnce, constant(0.0));
    for (int64_t i = 0; i < atOnce; ++i) {
      if (shrinksRarely)
        highest[i] = keepShift(before[i], highest[i]);
      Value isNone = math.compare(arith::CmpFPredicate::OEQ, highest[i], none);
      shift.push_back(math.select(isNone, constant(0.0), highest[i]));
      b.store(highest[i], rowMaximum, queryOf(i));
    }
    totals = writePowers(shift, totals, columnOf);
    if (looksAhead)
      multiplyKeys(nextNumber, aheadAlone);
    for (int64_t i = 0; i < atOnce; ++i) {
      Value factor = powerOfDifference(before[i], shift[i]);
      b.store(factor, shrinkage, columnOf(i));
      Value old = load(floats, rowSum, queryOf(i));
      b.store(math.multiplyAdd(old, factor, totals[i]), rowSum, queryOf(i));
    }
  });
  if (looksAhead)
    shrinkSums();
}

/// What is subtracted need not be the maximum, if no score is above it: sums
/// that are not shrunk need not be read and written.
Value AttentionBlocks::keepShift(Value before, Value highest) {
  Value isBelow = math.compare(arith::CmpFPredicate::OLE, highest, before);
  // Powers that are not rounded would miss the bits that a distance takes from
  // the differences.
  Value next = parts > 1 ? highest : math.add(highest, constant(kRoomAbove));
  return math.select(isBelow, before, next);
}

/// The first half of the keys goes beside the values of the strip before, the
/// second beside the keys of the next, whose scores take the place of those
/// that have been read. Gives the sums, and the first key that is left.
std::pair<AttentionBlocks::Values, Value>
AttentionBlocks::writePowersBeside(Values sums, WorkOnKey write) {
  Value whole = b.roundDown(b.minus(past, from), sizes.unit);
  Value half = b.plus(from, b.roundDown(quotient(whole, 2), sizes.unit / 2));

  Value pastValues = b.plus(from, keysBesideValues(behind));
  Value isAlone = arith::OrIOp::create(b, mustAvoidValues(lastNumber, behind),
                                       hasLargeNumbers);
  auto orIf = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    isAlone = arith::OrIOp::create(b, isAlone, compare(predicate, x, y));
  };
  orIf(arith::CmpIPredicate::sge, behind.from, behind.past);
  orIf(arith::CmpIPredicate::sgt, pastValues, half);
  sums = b.choose(
      isAlone, ValueRange(sums).getTypes(),
      [&] {
        finishIfSeen(lastNumber, behind);
        return sums;
      },
      [&] {
        return multiplyValuesBeside(lastNumber, behind, from, sums, write);
      });
  Value next = arith::SelectOp::create(b, isAlone, from, pastValues);
  sums = b.loop(next, half, sizes.powerDepth, sums, write);

  // Half a unit of powers beside a unit of scores: these are never ahead.
  Value startsAlike = compare(arith::CmpIPredicate::eq, from, ahead.from);
  Value units =
      b.smaller(quotient(b.minus(half, from), sizes.unit / 2),
                b.ceilDiv(b.minus(ahead.past, ahead.from), sizes.unit));
  units = arith::SelectOp::create(b, startsAlike, units, b.index(0));
  units = arith::SelectOp::create(b, hasLargeNumbers, b.index(0), units);
  sums = b.loop(b.index(0), units, 1, sums, [&](Value unit, ValueRange soFar) {
    return multiplyKeysBeside(
        nextNumber, b.plus(from, b.times(unit, sizes.unit)),
        b.plus(half, b.times(unit, sizes.unit / 2)), soFar, write);
  });
  aheadAlone = {b.plus(ahead.from, b.times(units, sizes.unit)), ahead.past};
  return {sums, b.plus(half, b.times(units, sizes.unit / 2))};
}

/// exp(scores - shift) as an operand of the next product, and their sums.
/// Past the last key they are 0 to the end of its step.
AttentionBlocks::Values
AttentionBlocks::writePowers(ValueRange shift, ValueRange totals,
                             function_ref<Value(int64_t)> columnOf) {
  int64_t atOnce = shift.size(), depth = sizes.powerDepth;
  if (form.hasCheapAddends && !isDeep())
    return writePowersTogether(shift, totals, columnOf(0));
  auto emitStep = [&](Value key, ValueRange soFar, bool isLast) {
    Values next(soFar.begin(), soFar.end());
    for (int64_t i = 0; i < atOnce; ++i) {
      Values parts;
      for (int64_t d = 0; d < depth; ++d) {
        Value at = b.plus(key, d);
        Value score = load(floats, scores, {at, columnOf(i)});
        Value power = powerOf(score, shift[i]);
        if (isLast)
          power = arith::SelectOp::create(
              b, compare(arith::CmpIPredicate::slt, at, past), power,
              constant(0.0));
        next[i] = math.add(next[i], power);
        parts.push_back(power);
      }
      storePowers(parts, key, columnOf(i));
    }
    return next;
  };
  auto emitWhole = [&](Value key, ValueRange soFar) {
    return emitStep(key, soFar, /*isLast=*/false);
  };
  Value alone = from;
  Values sums(totals);
  if (looksAhead)
    std::tie(sums, alone) = writePowersBeside(sums, emitWhole);
  Value whole = b.plus(from, b.roundDown(b.minus(past, from), depth));
  sums = b.loop(alone, whole, depth, sums, emitWhole);
  if (!isDeep())
    return sums;
  sums = b.loop(whole, past, depth, sums, [&](Value key, ValueRange soFar) {
    return emitStep(key, soFar, /*isLast=*/true);
  });
  if (sizes.stepKeys == depth)
    return sums;
  auto roundUp = [&](int64_t size) {
    return b.times(b.ceilDiv(past, size), size);
  };
  b.loop(roundUp(depth), roundUp(sizes.stepKeys), depth, [&](Value key) {
    for (int64_t i = 0; i < atOnce; ++i)
      storePowers(Values(depth, constant(0.0)), key, columnOf(i));
  });
  return sums;
}

/// The same with all vectors as one, which aik-load-addends takes apart. Sums
/// are not: LLVM would carry its numbers one by one.
AttentionBlocks::Values AttentionBlocks::writePowersTogether(ValueRange shift,
                                                             ValueRange totals,
                                                             Value column) {
  assert(!scalesLate && !looksAhead && "those are of tile registers");
  int64_t atOnce = shift.size();
  auto type = VectorType::get({atOnce * lanes}, b.getF32Type());
  expandmath::MathEmitter all(b, type, form.fusesMultiplyAdd,
                              form.keepsNaNInMinMax, form.hasCheapAddends);
  Value shifts = all.constant(0.0);
  for (int64_t i = 0; i < atOnce; ++i)
    shifts = vector::InsertStridedSliceOp::create(b, shift[i], shifts,
                                                  {i * lanes}, {1});
  return b.loop(
      from, past, 1, Values(totals), [&](Value key, ValueRange soFar) {
        Value score = load(type, scores, {key, column});
        Value power = expandmath::emitExpAtMostZero(all, all.sub(score, shifts),
                                                    expandmath::Accuracy::Full);
        b.store(power, powers, {key, column});
        Values next;
        for (int64_t i = 0; i < atOnce; ++i)
          next.push_back(
              math.add(soFar[i], vector::ExtractStridedSliceOp::create(
                                     b, power, {i * lanes}, {lanes}, {1})));
        return next;
      });
}

/// Side by side as bf16, or as parts of bf16 one after the other. A NaN that
/// rounding loses is still in the row's sum.
void AttentionBlocks::storePowers(ArrayRef<Value> ofKeys, Value key,
                                  Value column) {
  if (!isDeep())
    return b.store(ofKeys[0], powers, {key, column});
  Values rest(ofKeys);
  for (int64_t part = 0; part < parts; ++part) {
    Values rounded;
    for (Value &power : rest) {
      Value here = roundToPart(b, power);
      rounded.push_back(math.toBits(here));
      power = math.sub(power, here);
    }
    // As many pairs of two bf16 in 32 bits.
    Values pairs;
    for (unsigned i = 0; i < rounded.size(); i += 2) {
      Value low = arith::ShRUIOp::create(b, rounded[i], math.intConstant(16));
      pairs.push_back(arith::OrIOp::create(b, rounded[i + 1], low));
    }
    Value together = vector::BitCastOp::create(
        b, VectorType::get({lanes * (int64_t)sizes.powerDepth}, element),
        b.interleave(pairs));
    b.store(
        together, powers,
        {powerRow(stripNumber, key, part), b.times(column, sizes.powerDepth)});
  }
}

/// Where the powers of a key, or a part of them, are. Those of a strip are read
/// while the next are written.
Value AttentionBlocks::powerRow(Value number, Value key, int64_t part) {
  Value row = quotient(key, sizes.powerDepth);
  if (parts > 1) {
    Value before = b.times(quotient(key, sizes.stepKeys), parts - 1);
    row = b.plus(
        row, b.times(b.plus(before, part), sizes.stepKeys / sizes.powerDepth));
  }
  if (!looksAhead)
    return row;
  return b.plus(
      row, b.times(remainder(number, 2), parts * blockKeys / sizes.powerDepth));
}
