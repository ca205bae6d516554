//===- AttentionProducts.cpp - What attention multiplies ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the role of the warpgroups, which have 64 queries of a tile each. Out:
//
//   for all tiles:
//     start: scores of the first block, and the last values of the tile before
//     wait for the scores ; softmax
//     wait for the values ; divide by the sums ; store the tile before
//     for all other blocks:
//       start: scores of the block, and values of the block before by its
//       weights
//       wait for the scores ; mask, softmax   (the values are still multiplied)
//       wait for the values ; scale their sums anew
//   the last values of the last tile
//
// With room for the queries of one tile only, its last values come before the
// next tile.
//
// Warpgroups pass over blocks that none of their queries sees, and over tiles
// in which they have no queries: they only give the stages back.
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void AttentionProgram::buildTiles(Value group, Value out, Value boxes) {
  SmallVector<Value> none;
  if (overlapsTiles()) {
    // Nothing of the tile before the first one lies in the matrix.
    State state{fillRows(0), fillRows(1), ZeroOp::create(b, weightsType),
                ZeroOp::create(b, sumsType)};
    none = carry({state, /*row=*/queries, zero, zero, zero});
  }
  auto posted =
      PostedTilesOp::create(b, ValueRange(none).getTypes(), mailbox, none);
  forTiles(posted.getBody(), kWords, none,
           [&](ValueRange words, ValueRange carried) {
             if (overlapsTiles()) {
               Tail before = tailOf(carried);
               return carry(buildTile(group, words, &before, out, boxes));
             }
             buildEnd(buildTile(group, words, nullptr, out, boxes), out, boxes);
             return SmallVector<Value>();
           });
  if (overlapsTiles())
    buildEnd(tailOf(posted.getResults()), out, boxes);
}

/// All of a tile but the values of its last block.
AttentionProgram::Tail AttentionProgram::buildTile(Value group,
                                                   ValueRange words,
                                                   const Tail *before,
                                                   Value out, Value boxes) {
  Value row = plus(words[Row], times(group, queryPart.getRows()));
  Value queryStart = AcquireOp::create(
      b, StageType::get(b.getContext(), {queryTile}), queryRing);
  Value by = OperandOp::create(b, queryPart, queryStart, 0, group);
  Value none = ZeroOp::create(b, scoresType);
  State state = buildFirst(by, none, row, words, before);
  if (before)
    storeTile(*before, state.sums, out, boxes);
  state.sums = ZeroOp::create(b, sumsType);
  bool masked = op.getCausal();
  forParts(words[Masked], words[Count], [&](Value from, Value to) {
    auto loop = scf::ForOp::create(
        b, from, to, one,
        ValueRange{state.maximum, state.sum, state.weights, state.sums});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      ValueRange carried = loop.getRegionIterArgs();
      State next = buildStep(
          {carried[0], carried[1], carried[2], carried[3]}, by, none, row,
          minus(words[Last], loop.getInductionVar()), words, masked);
      scf::YieldOp::create(
          b, ValueRange{next.maximum, next.sum, next.weights, next.sums});
    }
    state = {loop.getResult(0), loop.getResult(1), loop.getResult(2),
             loop.getResult(3)};
    masked = false;
  });
  ReleaseOp::create(b, queryStart);
  Value begin = minus(words[Last], minus(words[Count], one));
  return {state, row, words[Head], begin, words[Length]};
}

/// Scores of the first block. The sums are those of the tile before.
AttentionProgram::State AttentionProgram::buildFirst(Value by, Value none,
                                                     Value row,
                                                     ValueRange words,
                                                     const Tail *before) {
  State empty{fillRows(-INFINITY), fillRows(0), Value(), Value()};
  Value keyStart = acquireKeys(), valueStart;
  if (before)
    valueStart = acquireValues(before->block, before->length);
  auto attendFirst = [&]() -> State {
    Value keys = keysOf(keyStart), values, summed;
    if (before)
      values = valuesOf(valueStart);
    Value scored = startScores(by, keys, none);
    if (before)
      summed = startSums(before->state, values);
    Value scores = WaitOp::create(b, TypeRange{scoresType}, scored,
                                  /*leaving=*/before ? 1 : 0)
                       .getResult(0);
    ReleaseOp::create(b, keyStart);
    SoftmaxOp softmax =
        attend(scores, empty, row, words[Last], words, hasMasks);
    Value weights = softmax.getWeights(), sums;
    if (before) {
      auto done = WaitOp::create(b, TypeRange{sumsType, scoresType},
                                 ValueRange{summed, weights}, 0);
      ReleaseOp::create(b, valueStart);
      sums = done.getResult(0);
      weights = done.getResult(1);
    }
    return {softmax.getNewMaximum(), softmax.getNewSum(),
            RoundOp::create(b, weightsType, weights), sums};
  };
  if (!mayPass(/*masked=*/true))
    return attendFirst();
  return choose(
      sees(row, words[Last], words, /*masked=*/true), attendFirst,
      [&]() -> State {
        Value summed = startSums(before->state, valuesOf(valueStart));
        Value sums =
            WaitOp::create(b, TypeRange{sumsType}, summed, 0).getResult(0);
        ReleaseOp::create(b, keyStart);
        ReleaseOp::create(b, valueStart);
        return {empty.maximum, empty.sum, ZeroOp::create(b, weightsType), sums};
      });
}

/// Scores of a block, and the sums of values of the one before it.
AttentionProgram::State
AttentionProgram::buildStep(const State &state, Value by, Value none, Value row,
                            Value block, ValueRange words, bool masked) {
  Value keyStart = acquireKeys();
  Value valueStart = acquireValues(plus(block, one), words[Length]);
  auto attendBlock = [&]() -> State {
    Value keys = keysOf(keyStart), values = valuesOf(valueStart);
    Value scored = startScores(by, keys, none);
    Value summed = startSums(state, values);
    Value scores =
        WaitOp::create(b, TypeRange{scoresType}, scored, /*leaving=*/1)
            .getResult(0);
    ReleaseOp::create(b, keyStart);
    SoftmaxOp softmax = attend(scores, state, row, block, words, masked);
    // Weights are only rounded when the old ones, which may take the same
    // registers, are not read any more.
    auto done = WaitOp::create(b, TypeRange{sumsType, scoresType},
                               ValueRange{summed, softmax.getWeights()}, 0);
    ReleaseOp::create(b, valueStart);
    Value weights = RoundOp::create(b, weightsType, done.getResult(1));
    Value sums =
        ScaleRowsOp::create(b, sumsType, done.getResult(0),
                            softmax.getFactors(), softmax.getChanged());
    return {softmax.getNewMaximum(), softmax.getNewSum(), weights, sums};
  };
  if (!mayPass(masked))
    return attendBlock();
  return choose(sees(row, block, words, masked), attendBlock, [&]() -> State {
    ReleaseOp::create(b, keyStart);
    ReleaseOp::create(b, valueStart);
    return state;
  });
}

/// Values of the last block, where nothing else is to be multiplied.
void AttentionProgram::buildEnd(const Tail &tail, Value out, Value boxes) {
  Value stage = acquireValues(tail.block, tail.length);
  Value summed = startSums(tail.state, valuesOf(stage));
  Value sums = WaitOp::create(b, TypeRange{sumsType}, summed, 0).getResult(0);
  ReleaseOp::create(b, stage);
  storeTile(tail, sums, out, boxes);
}

void AttentionProgram::storeTile(const Tail &tail, Value sums, Value out,
                                 Value boxes) {
  Value total =
      AddUpOp::create(b, RowsType::get(b.getContext()), tail.state.sum);
  Value result = DivideRowsOp::create(b, outType, sums, total);
  StoreOp::create(b, result, out, zero, tail.row, placeOf(tail.head), boxes,
                  /*deferred=*/false, /*at=*/IntegerAttr());
  if (op.getStatistics().empty())
    return;
  auto store = [&](Value rows, Value to, FloatAttr scale) {
    StoreRowsOp::create(b, rows, to, tail.head, tail.row, queries, scale);
  };
  FloatAttr asIs = b.getF32FloatAttr(1);
  store(tail.state.maximum, op.getStatistics()[0],
        op.getSoftcap() || op.getMask() ? asIs : op.getScaleAttr());
  store(total, op.getStatistics()[1], asIs);
}

SmallVector<Value> AttentionProgram::carry(const Tail &tail) {
  const State &state = tail.state;
  return {state.maximum, state.sum, state.weights, state.sums,
          tail.row,      tail.head, tail.block,    tail.length};
}

AttentionProgram::Tail AttentionProgram::tailOf(ValueRange carried) {
  return {{carried[0], carried[1], carried[2], carried[3]},
          carried[4],
          carried[5],
          carried[6],
          carried[7]};
}

//===----------------------------------------------------------------------===//
// Blocks that a warpgroup passes over
//===----------------------------------------------------------------------===//

/// Are blocks that some warpgroups of a tile see and others do not frequent
/// enough to ask? Where tiles do not overlap the choice costs more than it
/// saves.
bool AttentionProgram::mayPass(bool masked) {
  if (!overlapsTiles())
    return false;
  int64_t inLast = staticLength(op.getQ()) % schedule.getRows();
  bool mayLackQueries =
      ShapedType::isDynamic(staticLength(op.getQ())) ||
      (inLast != 0 && inLast <= schedule.getRows() - queryPart.getRows());
  return mayLackQueries ||
         (masked && op.getCausal() && schedule.getRows() > schedule.getKeys());
}

/// Are there queries of this warpgroup, and does the last one see the first key
/// of the block?
Value AttentionProgram::sees(Value row, Value block, ValueRange words,
                             bool masked) {
  Value exists = isLess(row, queries);
  if (!masked || !op.getCausal())
    return exists;
  Value past =
      plus(plus(row, i32(queryPart.getRows())), minus(words[Length], queries));
  return arith::AndIOp::create(b, exists,
                               isLess(times(block, schedule.getKeys()), past));
}

AttentionProgram::State AttentionProgram::choose(Value condition,
                                                 function_ref<State()> first,
                                                 function_ref<State()> second) {
  auto inRegion = [&](function_ref<State()> build) {
    return [this, build](OpBuilder &region, Location) {
      OpBuilder::InsertionGuard guard(b);
      b.restoreInsertionPoint(region.saveInsertionPoint());
      State state = build();
      scf::YieldOp::create(
          b, ValueRange{state.maximum, state.sum, state.weights, state.sums});
    };
  };
  auto choice =
      scf::IfOp::create(b, condition, inRegion(first), inRegion(second));
  return {choice.getResult(0), choice.getResult(1), choice.getResult(2),
          choice.getResult(3)};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value AttentionProgram::acquireKeys() {
  return AcquireOp::create(b, StageType::get(b.getContext(), {keyTile}),
                           keyRing);
}

/// The values of a block, which are zero where they are not valid.
Value AttentionProgram::acquireValues(Value block, Value length) {
  Value stage = AcquireOp::create(
      b, StageType::get(b.getContext(), {valueTile}), valueRing);
  if (op.getKvLen())
    ClearOp::create(b, stage, /*tile=*/0,
                    minus(length, times(block, schedule.getKeys())));
  return stage;
}

/// Operands come before products: what starts them without anything between
/// them needs one fence.
Value AttentionProgram::keysOf(Value stage) {
  return OperandOp::create(b, keyTile, stage, 0, Value());
}
Value AttentionProgram::valuesOf(Value stage) {
  return OperandOp::create(b, valueTile, stage, 0, Value());
}

Value AttentionProgram::startScores(Value by, Value keys, Value none) {
  return MultiplyOp::create(b, scoresPending, by, keys, none);
}

Value AttentionProgram::startSums(const State &state, Value values) {
  return MultiplyOp::create(b, sumsPending, state.weights, values, state.sums);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Value AttentionProgram::fillRows(float value) {
  return FillRowsOp::create(b, RowsType::get(b.getContext()),
                            b.getF32FloatAttr(value));
}

/// The softmax of a block: new weights and row statistics.
SoftmaxOp AttentionProgram::attend(Value scores, const State &state, Value row,
                                   Value block, ValueRange words, bool masked) {
  float scale = op.getScale().convertToFloat();
  if (op.getSoftcap()) {
    // Caps are taken together: a NaN out of sight must be gone by then.
    if (masked)
      scores = hide(scores, row, block, words);
    scores = CapOp::create(b, scoresType, scores, op.getScaleAttr(),
                           op.getSoftcapAttr());
    scale = 1;
  }
  if (op.getMask()) {
    scores = addMask(scores, row, block, words, scale);
    scale = 1;
  }
  if (masked)
    scores = hide(scores, row, block, words);
  Type rows = RowsType::get(b.getContext());
  auto unit = [&](bool set) { return set ? b.getUnitAttr() : UnitAttr(); };
  return SoftmaxOp::create(
      b, scoresType, rows, rows, rows, b.getI1Type(), scores, state.maximum,
      state.sum, b.getF32FloatAttr(scale), unit(schedule.getKeepMaximum()),
      unit(masked || op.getMask()));
}

/// Scores without those that a query does not see.
Value AttentionProgram::hide(Value scores, Value row, Value block,
                             ValueRange words) {
  Value diagonal;
  if (op.getCausal())
    diagonal = minus(words[Length], queries);
  return MaskOp::create(b, scoresType, scores, row,
                        times(block, schedule.getKeys()), words[Length],
                        diagonal, op.getWindowAttr());
}

/// What is the same for all batches, heads, queries or keys has one of them.
Value AttentionProgram::addMask(Value scores, Value row, Value block,
                                ValueRange words, float scale) {
  auto [ofBatches, ofHeads, ofQueries, ofKeys] = op.getMaskDims();
  SmallVector<Value> place = placeOf(words[Head]);
  Value plane = ofBatches ? (ofHeads ? words[Head] : place[1])
                          : (ofHeads ? place[0] : zero);
  return AddMaskOp::create(b, scoresType, scores, op.getMask(), plane, row,
                           times(block, schedule.getKeys()),
                           ofQueries ? queries : one, ofKeys ? keys : one,
                           b.getF32FloatAttr(scale));
}
