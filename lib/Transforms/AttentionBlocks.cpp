//===- AttentionBlocks.cpp - Online attention, block by block -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what multiplies a block of keys and of values. Out: the loops around it,
// and everything between the two products: visible keys, masks, soft caps and
// the online softmax.
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/MatrixViews.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace aikernel;

/// Vectors of which maxima are found side by side.
static constexpr int64_t kMaximaAtOnce = 8;

AttentionBlocks::AttentionBlocks(func::FuncOp function,
                                 const AttentionForm &form, const Sizes &sizes)
    : b(function), form(form), op(form.instruction), sizes(sizes),
      element(elementType(op.operand, b.getContext())), lanes(op.lanes()),
      strip(sizes.strip), blockKeys(sizes.blockKeys / sizes.unit * sizes.unit),
      chunk(std::max<int64_t>(form.queriesAtOnce / strip, 1) * strip),
      valuePanels((form.features + sizes.valueWidth - 1) / sizes.valueWidth),
      floats(VectorType::get({lanes}, b.getF32Type())),
      math(b, floats, form.fusesMultiplyAdd, form.keepsNaNInMinMax) {
  auto argument = function.getArguments().begin();
  q = *argument++, k = *argument++, v = *argument++;
  acc = *argument++, maximum = *argument++, sum = *argument++;
  scale = *argument++, keyOffset = *argument++;
  if (form.hasMask)
    mask = *argument++;
  if (form.hasBegin)
    begin = *argument++;
  if (form.hasEnd)
    end = *argument++;
}

void AttentionBlocks::emit() {
  allocate();
  queries = memref::DimOp::create(b, q, 0);
  keys = memref::DimOp::create(b, k, 0);
  scales = broadcast(scale);
  b.loop(queries, chunk, [&](Value first) { emitChunk(first); });
  func::ReturnOp::create(b);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void AttentionBlocks::allocate() {
  Type f32 = b.getF32Type();
  stepsOfQueries = allocateOperands();
  packedV = b.buffer(element, {1, valuePanels, blockKeys / sizes.stepKeys,
                               sizes.valueWidth, sizes.stepKeys});
  scores = b.buffer(f32, {blockKeys, strip});
  powers = isDeep() ? b.buffer(element, {blockKeys / sizes.powerDepth,
                                         strip * sizes.powerDepth})
                    : scores;
  rowMaximum = b.buffer(f32, {chunk});
  rowSum = b.buffer(f32, {chunk});
  shrinkage = b.buffer(f32, {strip});
  if (form.hasMask)
    packedMask = b.buffer(f32, {1, 1, blockKeys, strip, 1});
  for (bool isEnd : {false, true}) {
    if (!(isEnd ? form.hasEnd : form.hasBegin))
      continue;
    bounds[isEnd] = b.buffer(b.getI32Type(), {chunk});
    lowest[isEnd] = b.buffer(b.getIndexType(), {chunk / strip});
    highest[isEnd] = b.buffer(b.getIndexType(), {chunk / strip});
  }
}

Value AttentionBlocks::load(VectorType type, Value memref, ValueRange where) {
  return vector::LoadOp::create(b, type, memref, where);
}

Value AttentionBlocks::broadcast(Value scalar) {
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value AttentionBlocks::quotient(Value x, int64_t y) {
  return arith::DivUIOp::create(b, x, b.index(y));
}

Value AttentionBlocks::remainder(Value x, int64_t y) {
  return arith::RemUIOp::create(b, x, b.index(y));
}

Value AttentionBlocks::compare(arith::CmpIPredicate predicate, Value x,
                               Value y) {
  return arith::CmpIOp::create(b, predicate, x, y);
}

Value AttentionBlocks::view(Value memref, ValueRange at,
                            ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> offsets(at.begin(), at.end());
  SmallVector<OpFoldResult> ones(at.size(), b.getIndexAttr(1));
  return memref::SubViewOp::create(b, memref, offsets, sizes, ones);
}

Value AttentionBlocks::panelOf(Value packed, Value panel, Value step) {
  OpFoldResult zero = b.getIndexAttr(0);
  return viewPanel(b, b.getLoc(), packed, {zero, panel, step, zero, zero});
}

/// Rows from `first` on become panels; as rows of the matrix or, for values,
/// as columns.
void AttentionBlocks::pack(Value matrix, Value packed, Value firstRow,
                           Value firstColumn, OpFoldResult rows,
                           OpFoldResult columns, int64_t panelDim,
                           int64_t stepMultiple) {
  Value part = view(matrix, {firstRow, firstColumn}, {rows, columns});
  PackPanelsOp::create(b, TypeRange{}, part, packed, panelDim, 1 - panelDim,
                       stepMultiple, /*flipSign=*/false);
}

//===----------------------------------------------------------------------===//
// Chunks and blocks
//===----------------------------------------------------------------------===//

void AttentionBlocks::emitChunk(Value first) {
  Value zero = b.index(0);
  firstQuery = first;
  count = b.smaller(b.index(chunk), b.minus(queries, first));
  pack(q, packedQ, first, zero, count, b.getIndexAttr(form.depth), 0,
       stepsOfQueries);
  moveState(/*isRead=*/true);
  readSums();
  if (hasBounds())
    findBounds();
  Value from =
      form.hasBegin ? b.roundDown(extreme(lowest[0], false), blockKeys) : zero;
  Value past = form.hasEnd ? extreme(highest[1], true) : keys;
  b.loop(from, past, blockKeys, [&](Value start) {
    firstKey = start;
    keyCount = b.smaller(b.index(blockKeys), b.minus(past, start));
    emitBlock();
  });
  writeSums();
  moveState(/*isRead=*/false);
}

/// The maxima and sums of a chunk come into buffers of whole strips, and back.
void AttentionBlocks::moveState(bool isRead) {
  b.loop(count, 1, [&](Value row) {
    Values outside{b.index(0), b.plus(firstQuery, row)};
    for (auto [carried, buffer] :
         {std::pair{maximum, rowMaximum}, std::pair{sum, rowSum}}) {
      if (isRead)
        b.store(load(carried, outside), buffer, row);
      else
        b.store(load(buffer, row), carried, outside);
    }
  });
}

/// The bounds of each query as keys of this call, and their extremes in each
/// strip.
void AttentionBlocks::findBounds() {
  Value strips = b.ceilDiv(count, strip);
  b.loop(strips, 1, [&](Value number) {
    Value first = b.times(number, strip);
    Value past = b.smaller(count, b.plus(first, strip));
    for (bool isEnd : {false, true}) {
      Value source = isEnd ? end : begin;
      if (!source)
        continue;
      Value zero = b.index(0);
      Values found = b.loop(
          first, past, 1, {keys, zero}, [&](Value row, ValueRange soFar) {
            Value bound = arith::IndexCastOp::create(
                b, b.getIndexType(),
                load(source, {zero, b.plus(firstQuery, row)}));
            Value key = b.minus(bound, keyOffset);
            key = b.smaller(b.larger(key, zero), keys);
            b.store(arith::IndexCastOp::create(b, b.getI32Type(), key),
                    bounds[isEnd], row);
            return Values{b.smaller(soFar[0], key), b.larger(soFar[1], key)};
          });
      b.store(found[0], lowest[isEnd], number);
      b.store(found[1], highest[isEnd], number);
    }
  });
}

/// Over all strips of the chunk.
Value AttentionBlocks::extreme(Value perStrip, bool largest) {
  Values found = b.loop(b.index(0), b.ceilDiv(count, strip), 1,
                        {largest ? b.index(0) : keys},
                        [&](Value number, ValueRange soFar) {
                          Value here = load(perStrip, number);
                          return Values{largest ? b.larger(soFar[0], here)
                                                : b.smaller(soFar[0], here)};
                        });
  return found[0];
}

void AttentionBlocks::emitBlock() {
  Value zero = b.index(0);
  pack(k, packedK, firstKey, zero, keyCount, b.getIndexAttr(form.depth), 0);
  pack(v, packedV, firstKey, zero, keyCount, b.getIndexAttr(form.features), 1);
  b.loop(b.ceilDiv(count, strip), 1, [&](Value number) {
    stripNumber = number;
    stripStart = b.times(number, strip);
    if (!hasBounds()) {
      from = zero, past = keyCount;
      return emitStrip();
    }
    auto inBlock = [&](Value key) {
      return b.smaller(b.larger(b.minus(key, firstKey), zero), keyCount);
    };
    Value first = form.hasBegin ? inBlock(load(lowest[0], number)) : zero;
    past = form.hasEnd ? inBlock(load(highest[1], number)) : keyCount;
    from = b.roundDown(first, sizes.unit);
    onlyIf(compare(arith::CmpIPredicate::slt, first, past),
           [&] { emitStrip(); });
  });
}

void AttentionBlocks::emitStrip() {
  multiplyKeys();
  Value isPartial;
  if (hasBounds())
    isPartial = hidesSome();
  if (scalesLate)
    scaleScores(isPartial);
  if (form.softcap)
    capScores();
  if (form.hasMask)
    addMask();
  if (hasBounds())
    onlyIf(isPartial, [&] { hideScores(); });
  emitSoftmax();
  if (!hasBounds())
    return multiplyValues();
  Value careful = arith::AndIOp::create(
      b, isPartial,
      arith::XOrIOp::create(b, valuesAreFinite(isPartial),
                            arith::ConstantIntOp::create(b, 1, 1)));
  b.choose(
      careful, [&] { multiplyVisibleValues(); }, [&] { multiplyValues(); });
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Changes every score of the strip, a vector at a time.
void AttentionBlocks::forEachScore(
    function_ref<Value(Value score, Value key, Value column)> change) {
  b.loop(from, past, 1, [&](Value key) {
    b.loop(b.index(strip), lanes, [&](Value column) {
      Value score = load(floats, scores, {key, column});
      b.store(change(score, key, column), scores, {key, column});
    });
  });
}

/// The softmax scales the scores as it reads them, unless they are changed
/// before.
void AttentionBlocks::scaleScores(Value isPartial) {
  auto scaleNow = [&] {
    forEachScore(
        [&](Value score, Value, Value) { return math.mul(score, scales); });
  };
  lateScales = scales;
  if (form.softcap || form.hasMask) {
    scaleNow();
    lateScales = constant(1.0);
  } else if (isPartial) {
    onlyIf(isPartial, scaleNow);
    lateScales = arith::SelectOp::create(b, isPartial, constant(1.0), scales);
  }
}

void AttentionBlocks::capScores() {
  Value limit = constant(*form.softcap);
  forEachScore([&](Value score, Value, Value) {
    Value ratio = math.div(score, limit);
    return math.mul(math::TanhOp::create(b, ratio), limit);
  });
}

/// Packed like a panel of queries, the mask lies as the scores do.
void AttentionBlocks::addMask() {
  Value query = b.plus(firstQuery, stripStart);
  Value here = b.smaller(b.index(strip), b.minus(queries, query));
  pack(mask, packedMask, query, b.plus(firstKey, from), here,
       b.minus(past, from), 0);
  Value panel = panelOf(packedMask, b.index(0), b.index(0));
  forEachScore([&](Value score, Value key, Value column) {
    return math.add(score, load(floats, panel, {b.minus(key, from), column}));
  });
}

/// Is there a key in the steps of the strip that some of its queries does not
/// see?
Value AttentionBlocks::hidesSome() {
  Value hides = arith::ConstantIntOp::create(b, 0, 1);
  auto either = [&](arith::CmpIPredicate predicate, Value bound, Value key) {
    hides = arith::OrIOp::create(
        b, hides, compare(predicate, bound, b.plus(firstKey, key)));
  };
  if (form.hasBegin)
    either(arith::CmpIPredicate::sgt, load(highest[0], stripNumber), from);
  if (form.hasEnd)
    either(arith::CmpIPredicate::slt, load(lowest[1], stripNumber), past);
  // The last step may go on behind what all of them see.
  if (form.hasEnd && sizes.stepKeys > 1)
    hides = arith::OrIOp::create(
        b, hides, compare(arith::CmpIPredicate::slt, past, keyCount));
  return hides;
}

void AttentionBlocks::hideScores() {
  auto integers = VectorType::get({lanes}, b.getI32Type());
  Value none = constant(-std::numeric_limits<double>::infinity());
  forEachScore([&](Value score, Value key, Value column) {
    Value number = broadcast(
        arith::IndexCastOp::create(b, b.getI32Type(), b.plus(firstKey, key)));
    Value query = b.plus(stripStart, column);
    for (bool isEnd : {false, true}) {
      if (!bounds[isEnd])
        continue;
      Value isSeen =
          compare(isEnd ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge,
                  number, load(integers, bounds[isEnd], query));
      score = math.select(isSeen, score, none);
    }
    return score;
  });
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

Value AttentionBlocks::powerOf(Value x) {
  using expandmath::Accuracy;
  return expandmath::emitExpAtMostZero(
      math, x, isDeep() ? Accuracy::Narrow : Accuracy::Full);
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

/// A score as the softmax reads it.
Value AttentionBlocks::scoreAt(Value key, Value column) {
  Value score = load(floats, scores, {key, column});
  return scalesLate ? math.mul(score, lateScales) : score;
}

/// Several keys at a time where there are few queries: maxima take turns to
/// hide how long each takes.
AttentionBlocks::Values
AttentionBlocks::findMaxima(ValueRange before,
                            function_ref<Value(int64_t)> columnOf) {
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
  b.loop(b.index(strip), atOnce * lanes, [&](Value column) {
    auto columnOf = [&](int64_t i) { return b.plus(column, i * lanes); };
    auto queryOf = [&](int64_t i) { return b.plus(stripStart, columnOf(i)); };
    Values before;
    for (int64_t i = 0; i < atOnce; ++i)
      before.push_back(load(floats, rowMaximum, queryOf(i)));
    Values highest = findMaxima(before, columnOf);
    // Nothing is subtracted while a query has seen no key, so that -inf
    // minus it stays -inf.
    Value none = constant(-std::numeric_limits<double>::infinity());
    Values shift, totals(atOnce, constant(0.0));
    for (int64_t i = 0; i < atOnce; ++i) {
      Value isNone = math.compare(arith::CmpFPredicate::OEQ, highest[i], none);
      shift.push_back(math.select(isNone, constant(0.0), highest[i]));
      b.store(highest[i], rowMaximum, queryOf(i));
    }
    totals = writePowers(shift, totals, columnOf);
    for (int64_t i = 0; i < atOnce; ++i) {
      Value factor = powerOf(math.sub(before[i], shift[i]));
      b.store(factor, shrinkage, columnOf(i));
      Value old = load(floats, rowSum, queryOf(i));
      b.store(math.multiplyAdd(old, factor, totals[i]), rowSum, queryOf(i));
    }
  });
}

/// exp(scores - shift) as an operand of the next product, and their sums.
/// Past the last key they are 0 to the end of its step.
AttentionBlocks::Values
AttentionBlocks::writePowers(ValueRange shift, ValueRange totals,
                             function_ref<Value(int64_t)> columnOf) {
  int64_t atOnce = shift.size(), depth = sizes.powerDepth;
  auto emitStep = [&](Value key, ValueRange soFar, bool isLast) {
    Values next(soFar.begin(), soFar.end());
    for (int64_t i = 0; i < atOnce; ++i) {
      Values parts;
      for (int64_t d = 0; d < depth; ++d) {
        Value at = b.plus(key, d);
        Value power = powerOf(math.sub(scoreAt(at, columnOf(i)), shift[i]));
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
  Value whole = b.plus(from, b.roundDown(b.minus(past, from), depth));
  Values sums =
      b.loop(from, whole, depth, totals, [&](Value key, ValueRange soFar) {
        return emitStep(key, soFar, /*isLast=*/false);
      });
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

/// Side by side as bf16. Powers are not negative: half a unit is added and
/// the lower bits dropped. A NaN that this loses is still in the row's sum.
void AttentionBlocks::storePowers(ArrayRef<Value> parts, Value key,
                                  Value column) {
  if (!isDeep())
    return b.store(parts[0], powers, {key, column});
  // As many pairs of two bf16 in 32 bits.
  Values rounded, pairs;
  for (Value part : parts)
    rounded.push_back(
        arith::AddIOp::create(b, math.toBits(part), math.intConstant(0x8000)));
  for (unsigned i = 0; i < rounded.size(); i += 2) {
    Value low = arith::ShRUIOp::create(b, rounded[i], math.intConstant(16));
    Value high =
        arith::AndIOp::create(b, rounded[i + 1], math.intConstant(0xffff0000));
    pairs.push_back(arith::OrIOp::create(b, high, low));
  }
  Value together = vector::BitCastOp::create(
      b, VectorType::get({lanes * (int64_t)sizes.powerDepth}, element),
      b.interleave(pairs));
  b.store(together, powers,
          {quotient(key, sizes.powerDepth), b.times(column, sizes.powerDepth)});
}

//===----------------------------------------------------------------------===//
// Values that not every query sees
//===----------------------------------------------------------------------===//

/// Is no value of these keys a NaN or an infinity? The sum of x - x is 0
/// exactly then. Not asked where every query sees every key.
Value AttentionBlocks::valuesAreFinite(Value isPartial) {
  auto choice = scf::IfOp::create(b, TypeRange{b.getI1Type()}, isPartial,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(
      b, ValueRange{arith::ConstantIntOp::create(b, 1, 1).getResult()});
  b.setInsertionPointToStart(choice.thenBlock());
  int64_t width = sizes.valueWidth * sizes.stepKeys;
  Value first = quotient(from, sizes.stepKeys);
  Value steps = b.minus(b.ceilDiv(past, sizes.stepKeys), first);
  Values total =
      b.loop(b.index(0), b.index(valuePanels), 1, {constant(0.0)},
             [&](Value panel, ValueRange outer) {
               Value values = panelOf(packedV, panel, first);
               return b.loop(b.index(0), steps, 1, outer,
                             [&](Value step, ValueRange soFar) {
                               Value sum = soFar[0];
                               for (int64_t at = 0; at < width; at += lanes) {
                                 Value x =
                                     load(VectorType::get({lanes}, element),
                                          values, {step, b.index(at)});
                                 if (!element.isF32())
                                   x = arith::ExtFOp::create(b, floats, x);
                                 sum = math.add(sum, math.sub(x, x));
                               }
                               return Values{sum};
                             });
             });
  Value sum =
      vector::ReductionOp::create(b, vector::CombiningKind::ADD, total[0]);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0));
  Value isFinite =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
  scf::YieldOp::create(b, ValueRange{isFinite});
  b.setInsertionPointAfter(choice);
  return choice.getResult(0);
}

/// A key that a query does not see has the power 0, which does not keep a
/// NaN or an infinity of V out of a sum of products: those are left out. The
/// bounds decide, not the power: that of a key which is seen may be 0 too.
void AttentionBlocks::multiplyVisibleValues() {
  Value here = b.smaller(b.index(strip), b.minus(count, stripStart));
  Value nothing = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0));
  auto widen = [&](Value x) -> Value {
    if (element.isF32())
      return x;
    return arith::ExtFOp::create(b, b.getF32Type(), x);
  };
  auto powerAt = [&](Value row, Value key) {
    Value inRow = b.plus(b.times(row, sizes.powerDepth),
                         remainder(key, sizes.powerDepth));
    return widen(load(powers, {quotient(key, sizes.powerDepth), inRow}));
  };
  auto valueAt = [&](Value key, Value feature) {
    return widen(load(packedV, {b.index(0), quotient(feature, sizes.valueWidth),
                                quotient(key, sizes.stepKeys),
                                remainder(feature, sizes.valueWidth),
                                remainder(key, sizes.stepKeys)}));
  };
  b.loop(here, 1, [&](Value row) {
    Value factor = load(shrinkage, row);
    b.loop(b.index(form.features), 1, [&](Value feature) {
      Values total =
          b.loop(from, past, 1, {nothing}, [&](Value key, ValueRange soFar) {
            Value sum = arith::AddFOp::create(
                b, soFar[0],
                arith::MulFOp::create(b, powerAt(row, key),
                                      valueAt(key, feature)));
            return Values{
                arith::SelectOp::create(b, isSeen(row, key), sum, soFar[0])};
          });
      Values where = sumAt(b.plus(stripStart, row), feature);
      Value old = arith::MulFOp::create(b, load(sums, where), factor);
      b.store(arith::AddFOp::create(b, old, total[0]), sums, where);
    });
  });
}

/// Does this query of the strip see this key of the block?
Value AttentionBlocks::isSeen(Value row, Value key) {
  Value number =
      arith::IndexCastOp::create(b, b.getI32Type(), b.plus(firstKey, key));
  Value seen = arith::ConstantIntOp::create(b, 1, 1);
  for (bool isEnd : {false, true}) {
    if (!bounds[isEnd])
      continue;
    auto inside = isEnd ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge;
    Value bound = load(bounds[isEnd], b.plus(stripStart, row));
    seen = arith::AndIOp::create(b, seen, compare(inside, number, bound));
  }
  return seen;
}
