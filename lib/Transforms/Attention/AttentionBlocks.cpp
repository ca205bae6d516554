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
#include "Tiles/MatrixViews.h"
#include "Tiles/NumberParts.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace aikernel;

/// Up to so many queries are faster one by one, if nothing is packed for them.
static constexpr int64_t kFewQueries = 4;

AttentionBlocks::AttentionBlocks(func::FuncOp function,
                                 const AttentionForm &form, const Sizes &sizes)
    : function(function), b(function), form(form), op(form.instruction),
      sizes(sizes), element(elementType(op.operand, b.getContext())),
      lanes(op.lanes()), strip(sizes.strip),
      blockKeys(sizes.blockKeys / sizes.unit * sizes.unit),
      chunk(std::max<int64_t>(form.queriesAtOnce / strip, 1) * strip),
      valuePanels((form.features + sizes.valueWidth - 1) / sizes.valueWidth),
      parts(op.parts), floats(VectorType::get({lanes}, b.getF32Type())),
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
  auto inChunks = [&] {
    b.loop(queries, chunk, [&](Value first) { emitChunk(first); });
  };
  if (form.mayBeFew)
    b.choose(
        b.compare(arith::CmpIPredicate::sle, queries, kFewQueries),
        [&] { emitQueryByQuery(b, function, form, queries); }, inChunks);
  else
    inChunks();
  func::ReturnOp::create(b);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void AttentionBlocks::allocate() {
  Type f32 = b.getF32Type();
  stepsOfQueries = allocateOperands();
  packedV = b.buffer(element, {1, valuePanels,
                               packedSteps(blockKeys / sizes.stepKeys, parts),
                               sizes.valueWidth, sizes.stepKeys});
  scores = b.buffer(f32, {blockKeys, strip});
  int64_t stripsOfPowers = looksAhead ? 2 : 1;
  powers = isDeep() ? b.buffer(element, {stripsOfPowers * parts * blockKeys /
                                             sizes.powerDepth,
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
                       stepMultiple, /*flipSign=*/false,
                       getElementTypeOrSelf(packed) == element ? parts : 1);
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
  if (form.hasBegin)
    lastBegin = extreme(highest[0], true);
  if (form.hasEnd)
    firstEnd = extreme(lowest[1], false);
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
  packKeys();
  pack(v, packedV, firstKey, zero, keyCount, b.getIndexAttr(form.features), 1);
  if (looksAhead)
    findLargeNumbers();
  if (hasBounds())
    findValuesToAvoid();
  Value strips = b.ceilDiv(count, strip);
  if (looksAhead)
    multiplyKeys(zero, visibleKeys(zero));
  b.loop(strips, 1, [&](Value number) {
    stripNumber = number;
    stripStart = b.times(number, strip);
    KeyRange seen = visibleKeys(number);
    from = seen.from, past = seen.past;
    if (looksAhead)
      lookAround(strips);
    if (!hasBounds())
      return emitStrip();
    b.choose(
        compare(arith::CmpIPredicate::slt, from, past), [&] { emitStrip(); },
        [&] {
          if (!looksAhead)
            return;
          finishIfSeen(lastNumber, behind);
          multiplyKeys(nextNumber, ahead);
        });
  });
  if (looksAhead) {
    Value last = b.minus(strips, b.index(1));
    finishIfSeen(last, visibleKeys(last));
  }
}

void AttentionBlocks::findLargeNumbers() {
  hasLargeNumbers = arith::ConstantIntOp::create(b, 0, 1);
  if (parts == 1)
    return;
  auto look = [&](Value packed, Value panels) {
    int64_t together = packed == packedQ ? stepsOfQueries : 1;
    hasLargeNumbers =
        b.loop(b.index(0), panels, 1, hasLargeNumbers,
               [&](Value panel, ValueRange before) -> Values {
                 Value here = panelHasLarge(
                     b, panelOf(packed, panel, b.index(0)), together);
                 return {arith::OrIOp::create(b, before[0], here)};
               })[0];
  };
  look(packedQ, b.ceilDiv(count, strip));
  look(packedK, b.ceilDiv(keyCount, op.rows));
  look(packedV, b.index(valuePanels));
}

void AttentionBlocks::packKeys() {
  pack(k, packedK, firstKey, b.index(0), keyCount, b.getIndexAttr(form.depth),
       0);
}

AttentionBlocks::KeyRange AttentionBlocks::visibleKeys(Value number) {
  Value zero = b.index(0);
  auto inBlock = [&](Value key) {
    return b.smaller(b.larger(b.minus(key, firstKey), zero), keyCount);
  };
  Value first = form.hasBegin ? inBlock(load(lowest[0], number)) : zero;
  Value past = form.hasEnd ? inBlock(load(highest[1], number)) : keyCount;
  // None stays none when it begins at a whole unit.
  Value from = b.roundDown(first, sizes.unit);
  if (form.hasBegin)
    past = arith::SelectOp::create(
        b, compare(arith::CmpIPredicate::slt, first, past), past, from);
  return {from, past};
}

/// Before the first strip and after the last there is one that sees no key.
void AttentionBlocks::lookAround(Value strips) {
  auto unlessSame = [&](Value number, KeyRange &range) {
    Value isSame = compare(arith::CmpIPredicate::eq, number, stripNumber);
    range = visibleKeys(number);
    range.past = arith::SelectOp::create(b, isSame, range.from, range.past);
  };
  Value one = b.index(1);
  nextNumber = b.smaller(b.plus(stripNumber, one), b.minus(strips, one));
  unlessSame(nextNumber, ahead);
  lastNumber = b.larger(b.minus(stripNumber, one), b.index(0));
  unlessSame(lastNumber, behind);
}

void AttentionBlocks::emitStrip() {
  if (!looksAhead)
    multiplyKeys(stripNumber, {from, past});
  Value isPartial;
  if (hasBounds())
    isPartial = hidesSome(stripNumber, {from, past});
  if (scalesLate)
    scaleScores(isPartial);
  if (form.softcap)
    capScores();
  if (form.hasMask)
    addMask();
  if (hasBounds())
    onlyIf(isPartial, [&] { hideScores(); });
  emitSoftmax();
  if (!looksAhead)
    finishStrip(stripNumber, {from, past});
}

/// Adds the values that a strip sees to its sums.
void AttentionBlocks::finishStrip(Value number, const KeyRange &range) {
  if (!hasBounds())
    return multiplyValues(number, range);
  b.choose(
      mustAvoidValues(number, range),
      [&] { multiplyVisibleValues(number, range); },
      [&] { multiplyValues(number, range); });
}

/// The same for a strip that may see no key.
void AttentionBlocks::finishIfSeen(Value number, const KeyRange &range) {
  onlyIf(compare(arith::CmpIPredicate::slt, range.from, range.past),
         [&] { finishStrip(number, range); });
}

Value AttentionBlocks::mustAvoidValues(Value number, const KeyRange &range) {
  if (!hasBounds())
    return arith::ConstantIntOp::create(b, 0, 1);
  return arith::AndIOp::create(b, hidesSome(number, range), hasValuesToAvoid);
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
  lateScales = scales;
  if (form.softcap || form.hasMask) {
    forEachScore(
        [&](Value score, Value, Value) { return math.mul(score, scales); });
    lateScales = constant(1.0);
  } else if (isPartial) {
    // hideScores does it: no scale is to meet the infinity of a hidden key.
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
Value AttentionBlocks::hidesSome(Value number, const KeyRange &range) {
  Value hides = arith::ConstantIntOp::create(b, 0, 1);
  auto either = [&](arith::CmpIPredicate predicate, Value bound, Value key) {
    hides = arith::OrIOp::create(
        b, hides, compare(predicate, bound, b.plus(firstKey, key)));
  };
  if (form.hasBegin)
    either(arith::CmpIPredicate::sgt, load(highest[0], number), range.from);
  if (form.hasEnd)
    either(arith::CmpIPredicate::slt, load(lowest[1], number), range.past);
  // The last step may go on behind what all of them see.
  if (form.hasEnd && sizes.stepKeys > 1)
    hides = arith::OrIOp::create(
        b, hides, compare(arith::CmpIPredicate::slt, range.past, keyCount));
  return hides;
}

void AttentionBlocks::hideScores() {
  auto integers = VectorType::get({lanes}, b.getI32Type());
  Value none = constant(-std::numeric_limits<double>::infinity());
  bool scalesNow = scalesLate && !form.softcap && !form.hasMask;
  forEachScore([&](Value score, Value key, Value column) {
    if (scalesNow)
      score = math.mul(score, scales);
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
