//===- DecodeEmitter.cpp - The loop over the keys of a part ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.attention_part. Out, for one thread:
//
//   load 16 keys and values            warp w of 8: keys 16 w, 128 + 16 w, ...
//   for its keys:
//     load the next 16                 they arrive while these are multiplied
//     scores = Q K^T, scaled ...       -inf for keys that a query does not see
//     where a row's maximum has grown by more than the limit, in any row of
//       the warp: take it, and shrink sums and values
//     powers = e^(scores - maximum);  sums += powers;  values += V^T powers
//
// A maximum that is too low by less than the limit does no harm: powers stay
// below e^8, and the quotient at the end is the same.
//
//===----------------------------------------------------------------------===//

#include "DecodeEmitter.h"
#include "../GPU/AttentionScores.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace aikernel;

/// How much a score may exceed the maximum that is subtracted from it.
static constexpr float kLimit = 8;
static constexpr float kLog2E = 0x1.715476p+0f;
static constexpr float kLowest = std::numeric_limits<float>::lowest();

Value aikernel::emitPower(LoopBuilder &b, Value x, Value maximum) {
  Value exponent = arith::MulFOp::create(
      b, arith::SubFOp::create(b, x, maximum), constantF32(b, kLog2E));
  auto power = math::Exp2Op::create(b, exponent, arith::FastMathFlags::afn);
  power->setAttr(kInRangeAttrName, b.getUnitAttr());
  return power;
}

namespace {

class KeyLoop {
public:
  using Values = LoopBuilder::Values;

  KeyLoop(LoopBuilder &b, AttentionPartOp op, DecodeTiles &tiles)
      : b(b), op(op), tiles(tiles) {}

  WarpSums emit(const DecodeThread &where, int64_t warps,
                function_ref<void()> meanwhile) {
    Value start =
        b.plus(op.getFirst(), b.times(where.warp, DecodeTiles::kKeys));
    Value hasKeys = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, start,
                                          op.getPast());
    WarpSums none = nothing();
    Values state = pack(none);
    auto choice = scf::IfOp::create(b, ValueRange(state).getTypes(), hasKeys,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.elseBlock());
      meanwhile();
      scf::YieldOp::create(b, state);
      b.setInsertionPointToStart(choice.thenBlock());
      scf::YieldOp::create(
          b, loop(start, warps * DecodeTiles::kKeys, state, meanwhile));
    }
    WarpSums found = unpack(choice.getResults());
    for (Value &sum : found.sums)
      sum = overQuad(sum, [&](Value x, Value y) -> Value {
        return arith::AddFOp::create(b, x, y);
      });
    return found;
  }

private:
  WarpSums nothing() {
    Value zero = constantF32(b, 0);
    return {Values(tiles.sets(), constantF32(b, kLowest)),
            Values(tiles.sets(), zero), Values(tiles.sumCount(), zero)};
  }
  static Values pack(const WarpSums &state) {
    Values all = state.maximums;
    llvm::append_range(all, state.sums);
    llvm::append_range(all, state.values);
    return all;
  }
  WarpSums unpack(ValueRange all) {
    int64_t sets = tiles.sets();
    return {Values(all.take_front(sets)), Values(all.slice(sets, sets)),
            Values(all.drop_front(2 * sets))};
  }

  Values loop(Value start, int64_t step, const Values &state,
              function_ref<void()> meanwhile) {
    prepareRows();
    words = tiles.loadQueries();
    last = b.minus(op.getPast(), b.index(1));
    if (!tiles.hasRoomToPrefetch()) {
      meanwhile();
      return b.loop(start, op.getPast(), step, state,
                    [&](Value key, ValueRange carried) {
                      return pack(attend(key, {}, unpack(carried)));
                    });
    }
    Values carried = loadStep(start);
    meanwhile();
    unsigned loads = carried.size();
    llvm::append_range(carried, state);
    Values ended = b.loop(
        start, op.getPast(), step, carried, [&](Value key, ValueRange carried) {
          Values next = loadStep(b.plus(key, step));
          WarpSums sums = attend(key, carried.take_front(loads),
                                 unpack(carried.drop_front(loads)));
          llvm::append_range(next, pack(sums));
          return next;
        });
    return Values(ArrayRef(ended).drop_front(loads));
  }

  /// Both halves of the keys, then the values.
  Values loadStep(Value key) {
    Values loaded = tiles.loadKeys(key, last, 0);
    keyLoads = loaded.size();
    llvm::append_range(loaded, tiles.loadKeys(key, last, 1));
    llvm::append_range(loaded, tiles.loadValues(key, last));
    return loaded;
  }

  /// Keys are counted in i32, as bounds are: compared in half the time, kept
  /// in half the registers.
  Value narrow(Value index) {
    return arith::IndexCastOp::create(b, b.getI32Type(), index);
  }
  std::pair<Value, Value> seenBy(Value query) {
    auto [first, past] = seenKeys(b, op, query);
    return {narrow(first), narrow(past)};
  }
  Value isWithin(Value key, std::pair<Value, Value> range) {
    return areWithin(key, key, range);
  }
  Value areWithin(Value firstKey, Value lastKey,
                  std::pair<Value, Value> range) {
    return arith::AndIOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, firstKey,
                              range.first),
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lastKey,
                              range.second));
  }

  /// What this lane's rows see, and what all rows see.
  void prepareRows() {
    for (int64_t set = 0; set < tiles.sets(); ++set) {
      Value row = b.smaller(tiles.rowOfScores(set), b.index(op.getRows() - 1));
      heads.push_back(headOfRow(b, op, row));
      queries.push_back(queryOfRow(b, op, row));
      seen.push_back(seenBy(queries.back()));
    }
    seenByAll = {narrow(op.getFirst()), narrow(op.getPast())};
    if (!op.getBegin() && !op.getEnd())
      return;
    for (int64_t query = 0; query < op.getQueries(); ++query) {
      auto [first, past] = seenBy(b.index(query));
      seenByAll.first = b.larger(seenByAll.first, first);
      seenByAll.second = b.smaller(seenByAll.second, past);
    }
  }

  Value overQuad(Value value, function_ref<Value(Value, Value)> combine) {
    for (int32_t distance : {1, 2}) {
      auto other = gpu::ShuffleOp::create(b, value, distance, /*width=*/32,
                                          gpu::ShuffleMode::XOR);
      value = combine(value, other.getShuffleResult());
    }
    return value;
  }
  static Value larger(LoopBuilder &b, Value x, Value y) {
    return arith::MaxNumFOp::create(b, x, y);
  }

  //===--------------------------------------------------------------------===//
  // One step
  //===--------------------------------------------------------------------===//

  /// Without loads from the step before, what is needed is loaded as late as
  /// possible: one takes the registers of the other.
  WarpSums attend(Value key, ValueRange loaded, WarpSums state) {
    Values scores(4 * tiles.sets());
    for (int64_t half = 0; half < 2; ++half) {
      Values products = tiles.multiplyKeys(
          words, loaded.empty()
                     ? tiles.loadKeys(key, last, half)
                     : Values(loaded.slice(half * keyLoads, keyLoads)));
      for (auto [number, product] : llvm::enumerate(products)) {
        int64_t set = number / 2, ofSet = 2 * half + number % 2;
        scores[4 * set + ofSet] =
            finish(product, set, b.plus(key, tiles.keyOfScore(ofSet)));
      }
    }
    raiseMaximums(scores, state);
    Values values = loaded.empty() ? tiles.loadValues(key, last)
                                   : Values(loaded.drop_front(2 * keyLoads));
    Values powers;
    for (int64_t set = 0; set < tiles.sets(); ++set) {
      Values ofSet;
      for (int64_t i = 0; i < 4; ++i)
        ofSet.push_back(emitPower(b, scores[4 * set + i], state.maximums[set]));
      for (Value power : ofSet)
        state.sums[set] = arith::AddFOp::create(b, state.sums[set], power);
      powers.push_back(pairOf(ofSet[0], ofSet[1]));
      powers.push_back(pairOf(ofSet[2], ofSet[3]));
    }
    state.values = addValues(key, values, powers, state.values);
    return state;
  }

  Value finish(Value product, int64_t set, Value key) {
    Value score =
        scoreOf(b, op, product, heads[set], queries[set], b.smaller(key, last));
    return arith::SelectOp::create(b, isWithin(narrow(key), seen[set]), score,
                                   minusInfinity(b));
  }

  /// Two numbers as a word in the type of V.
  Value pairOf(Value low, Value high) {
    Value pair = vector::FromElementsOp::create(
        b, VectorType::get({2}, b.getF32Type()), ValueRange{low, high});
    Type element = op.getV().getType().getElementType();
    pair = arith::TruncFOp::create(b, VectorType::get({2}, element), pair);
    pair = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()),
                                     pair);
    return vector::ExtractOp::create(b, pair, ArrayRef<int64_t>{0});
  }

  void raiseMaximums(ValueRange scores, WarpSums &state) {
    Values highest;
    Value hasGrown;
    for (int64_t set = 0; set < tiles.sets(); ++set) {
      Value most = scores[4 * set];
      for (int64_t i = 1; i < 4; ++i)
        most = larger(b, most, scores[4 * set + i]);
      most = overQuad(most, [&](Value x, Value y) { return larger(b, x, y); });
      highest.push_back(most);
      Value limit =
          arith::AddFOp::create(b, state.maximums[set], constantF32(b, kLimit));
      Value grows =
          arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, most, limit);
      hasGrown = hasGrown ? arith::OrIOp::create(b, hasGrown, grows).getResult()
                          : grows;
    }
    Value allLanes = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
    Value anywhere = NVVM::VoteSyncOp::create(
        b, b.getI1Type(), allLanes, hasGrown, NVVM::VoteSyncKind::any);
    Values before = pack(state);
    auto choice = scf::IfOp::create(b, ValueRange(before).getTypes(), anywhere,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, before);
    b.setInsertionPointToStart(choice.thenBlock());
    for (int64_t set = 0; set < tiles.sets(); ++set) {
      Value raised = larger(b, state.maximums[set], highest[set]);
      Value factor = emitPower(b, state.maximums[set], raised);
      state.maximums[set] = raised;
      state.sums[set] = arith::MulFOp::create(b, state.sums[set], factor);
      shrink(set, factor, state.values);
    }
    scf::YieldOp::create(b, pack(state));
    state = unpack(choice.getResults());
  }

  /// The factor of a row is in the lanes that have its scores.
  void shrink(int64_t set, Value factor, Values &values) {
    Value width = arith::ConstantOp::create(b, b.getI32IntegerAttr(32));
    for (int64_t row = 0; row < 2; ++row) {
      Value quad = b.plus(b.times(tiles.getPlace(), 2), row);
      Value lane =
          arith::IndexCastOp::create(b, b.getI32Type(), b.times(quad, 4));
      Value ofRow =
          gpu::ShuffleOp::create(b, factor, lane, width, gpu::ShuffleMode::IDX)
              .getShuffleResult();
      for (int64_t feature = 0; feature < tiles.featureCount(); ++feature) {
        Value &value = values[tiles.numberOfSum(feature, set, row)];
        value = arith::MulFOp::create(b, value, ofRow);
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// A key that a query does not see has the power 0, which does not keep a
  /// NaN or an infinity of V out of a sum: such values are taken as zeros. Of
  /// several queries that go query by query, where not all see the same.
  Values addValues(Value key, ValueRange values, ValueRange powers,
                   ValueRange sums) {
    if (op.getQueries() == 1)
      return addValuesOf(b.index(0), key, values, powers, sums);
    Value isWhole = areWithin(
        narrow(key), narrow(b.plus(key, DecodeTiles::kKeys - 1)), seenByAll);
    auto choice = scf::IfOp::create(b, sums.getTypes(), isWhole,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, tiles.multiplyValues(values, powers, sums, {}));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, b.loop(b.index(0), b.index(op.getQueries()), 1,
                                   sums, [&](Value query, ValueRange sums) {
                                     return addValuesOf(query, key, values,
                                                        powers, sums);
                                   }));
    return Values(choice.getResults());
  }

  Values addValuesOf(Value query, Value key, ValueRange values,
                     ValueRange powers, ValueRange sums) {
    std::pair<Value, Value> range = seenBy(query);
    Values isSeen;
    for (int64_t number = 0; number < 4; ++number)
      isSeen.push_back(
          isWithin(narrow(b.plus(key, tiles.keyOfScore(number))), range));
    Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    Values own;
    for (auto [number, power] : llvm::enumerate(powers)) {
      Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          queries[number / 2], query);
      own.push_back(b.createOrFold<arith::SelectOp>(isOwn, power, none));
    }
    Values added = tiles.multiplyValues(values, own, sums, isSeen);
    if (op.getQueries() > 1)
      keepOthers(query, sums, added);
    return added;
  }

  /// Rows of other queries have had zero times these values, which may be NaN.
  void keepOthers(Value query, ValueRange sums, Values &added) {
    for (int64_t set = 0; set < tiles.sets(); ++set)
      for (int64_t row = 0; row < 2; ++row) {
        Value isOwn = arith::CmpIOp::create(
            b, arith::CmpIPredicate::eq,
            queryOfRow(b, op, tiles.rowOfSums(set, row)), query);
        for (int64_t feature = 0; feature < tiles.featureCount(); ++feature) {
          int64_t number = tiles.numberOfSum(feature, set, row);
          added[number] =
              arith::SelectOp::create(b, isOwn, added[number], sums[number]);
        }
      }
  }

  LoopBuilder &b;
  AttentionPartOp op;
  DecodeTiles &tiles;
  /// Of each set: the head and the query of this lane's row, and its keys.
  Values heads, queries;
  SmallVector<std::pair<Value, Value>> seen;
  std::pair<Value, Value> seenByAll;
  Value last;   // key of the part
  Values words; // of the queries
  unsigned keyLoads = 0;
};

} // namespace

WarpSums aikernel::emitDecodeLoop(LoopBuilder &b, AttentionPartOp op,
                                  DecodeTiles &tiles, const DecodeThread &where,
                                  int64_t warps,
                                  function_ref<void()> meanwhile) {
  return KeyLoop(b, op, tiles).emit(where, warps, meanwhile);
}
