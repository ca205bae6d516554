//===- AttentionProgram.cpp - The tile program of attention ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aik_tile.attention on memrefs. Out: a program of two roles. One thread
// claims tiles of queries and loads them, and the keys and values they see,
// block by block from the last to the first. The warpgroups of the other role
// have 64 queries each:
//
//   scores of the first block ; softmax
//   for all other blocks:
//     start: scores of the block, and values of the block before by its weights
//     wait for the scores ; mask, softmax      (the values are still
//     multiplied) wait for the values ; scale their sums anew
//   values of the last block ; divide by the sums ; store
//
// Blocks that some query sees in part come first and are masked; all others
// need no masks, unless there is a window.
//
// Where later queries see more keys, tiles come in sections of heads whose keys
// and values fit into the L2 cache, those with most work first.
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"
#include "TileRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

namespace {

/// Rows of a matrix that a warpgroup multiplies at once.
constexpr int64_t kGroupRows = 64;
/// Keys and values that should stay in the L2 cache.
constexpr int64_t kSectionBytes = 16 << 20;

class AttentionProgram {
public:
  explicit AttentionProgram(AttentionOp op)
      : op(op), schedule(op.getSchedule()), b(op.getLoc(), op),
        element(cast<MemRefType>(op.getQ().getType()).getElementType()),
        features(op.getFeatures()), hasMasks(findWhetherMasked()) {}

  void build() {
    findTypes();
    zero = i32(0);
    one = i32(1);
    Value batches = size(0);
    queries = size(1);
    keys = size(2);
    Value heads = times(batches, op.getHeads());
    tileRows = ceilDiv(queries, schedule.getRows());
    Value tiles = arith::MulIOp::create(b, tileRows, heads);
    Value q = map(op.getQ(), schedule.getRows());
    Value k = map(op.getK(), schedule.getKeys());
    Value v = map(op.getV(), schedule.getKeys());
    Value out = map(op.getOut(), BoxesType::kBoxRows);
    MLIRContext *context = b.getContext();
    auto program = ProgramOp::create(b, /*cluster=*/1);
    b.setInsertionPointToStart(&program.getBody().emplaceBlock());
    queryRing = MakeRingOp::create(
        b, RingType::get(context, schedule.getQueryStages(), {queryTile}));
    keyRing = MakeRingOp::create(
        b, RingType::get(context, schedule.getStages(), {keyTile}));
    valueRing = MakeRingOp::create(
        b, RingType::get(context, schedule.getStages(), {valueTile}));
    Value boxes = MakeBoxesOp::create(
        b, BoxesType::get(context, 4 * schedule.getWarpgroups(),
                          schedule.getBoxes()));
    mailbox = MakeMailboxOp::create(b, MailboxType::get(context, 2, kWords));
    inRole(b, 1, schedule.getLoadRegisters(), [&](Value) {
      auto claims = ClaimTilesOp::create(b, tiles, op.getCounter(), mailbox);
      inLoop(claims.getBody(), 1,
             [&](ValueRange tile) { buildLoads(tile[0], heads, q, k, v); });
    });
    inRole(b, schedule.getWarpgroups(), schedule.getRegisters(),
           [&](Value group) {
             auto posted = PostedTilesOp::create(b, mailbox);
             inLoop(posted.getBody(), kWords, [&](ValueRange words) {
               buildProducts(group, words, out, boxes);
             });
           });
    op.erase();
  }

private:
  /// What one role tells the other about a tile: its first query, the number of
  /// the head among those of all batches, the last block of keys, how many
  /// blocks are masked and how many there are, and how many keys.
  enum Word { Row, Head, Last, Masked, Count, Length, kWords };

  //===--------------------------------------------------------------------===//
  // Small things
  //===--------------------------------------------------------------------===//

  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value plus(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value minus(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value times(Value x, int64_t y) {
    return arith::MulIOp::create(b, x, i32(y));
  }
  Value over(Value x, Value y) { return arith::DivUIOp::create(b, x, y); }
  Value rest(Value x, Value y) { return arith::RemUIOp::create(b, x, y); }
  Value smaller(Value x, Value y) { return arith::MinSIOp::create(b, x, y); }
  Value larger(Value x, Value y) { return arith::MaxSIOp::create(b, x, y); }
  Value ceilDiv(Value x, int64_t by) {
    return over(plus(x, i32(by - 1)), i32(by));
  }
  Value size(unsigned number) {
    return arith::IndexCastOp::create(b, b.getI32Type(), op.getSizes()[number]);
  }

  /// Does some block have keys that some query does not see?
  bool findWhetherMasked() {
    auto type = cast<MemRefType>(op.getK().getType());
    int64_t keys = type.getDimSize(op.getSequenceDim());
    return op.getCausal() || op.getKvLen() || ShapedType::isDynamic(keys) ||
           keys % schedule.getKeys() != 0;
  }

  void findTypes() {
    MLIRContext *context = b.getContext();
    auto shared = [&](int64_t rows, int64_t depth, bool rowMajor) {
      return SharedType::get(context, rows, depth, element, rowMajor);
    };
    queryTile = shared(schedule.getRows(), features, false);
    queryPart = shared(kGroupRows, features, false);
    keyTile = shared(schedule.getKeys(), features, false);
    valueTile = shared(features, schedule.getKeys(), true);
    auto frag = [&](int64_t columns, Type type, bool pending) {
      return FragType::get(context, kGroupRows, columns, type, pending);
    };
    Type f32 = b.getF32Type();
    scoresType = frag(schedule.getKeys(), f32, false);
    scoresPending = frag(schedule.getKeys(), f32, true);
    weightsType = frag(schedule.getKeys(), element, false);
    sumsType = frag(features, f32, false);
    sumsPending = frag(features, f32, true);
    outType = frag(features, element, false);
  }

  Value map(Value memref, int64_t rows) {
    int64_t inLine = kLineBytes * 8 / element.getIntOrFloatBitWidth();
    return TensorMapOp::create(
        b, MapType::get(b.getContext(), rows, inLine, element), memref,
        b.getI64IntegerAttr(op.getSequenceDim()));
  }

  /// Head and batch of a head's number, as maps are told them.
  SmallVector<Value> placeOf(Value head) {
    Value heads = i32(op.getHeads());
    return {rest(head, heads), over(head, heads)};
  }

  void inLoop(Region &region, unsigned arguments,
              function_ref<void(ValueRange)> body) {
    OpBuilder::InsertionGuard guard(b);
    Block &block = region.emplaceBlock();
    for (unsigned i = 0; i < arguments; ++i)
      block.addArgument(b.getI32Type(), b.getLoc());
    b.setInsertionPointToStart(&block);
    body(block.getArguments());
  }

  //===--------------------------------------------------------------------===//
  // Loads
  //===--------------------------------------------------------------------===//

  /// Which queries of which head a tile is.
  std::pair<Value, Value> findTile(Value tile, Value heads) {
    if (!op.getCausal())
      return {rest(tile, tileRows), over(tile, tileRows)};
    Value bytes = times(keys, 2 * features * 2); // of a key head
    Value fitting = larger(over(i32(kSectionBytes), larger(bytes, one)), one);
    Value inSection = smaller(times(fitting, op.getGroup()), heads);
    Value ofSection = arith::MulIOp::create(b, inSection, tileRows);
    Value first = arith::MulIOp::create(b, over(tile, ofSection), inSection);
    Value present = smaller(minus(heads, first), inSection);
    Value inside = rest(tile, ofSection);
    Value row = minus(minus(tileRows, one), over(inside, present));
    return {row, plus(first, rest(inside, present))};
  }

  /// For all keys, or those that are valid.
  Value lengthOf(Value batch) {
    if (!op.getKvLen())
      return keys;
    Value index = arith::IndexCastOp::create(b, b.getIndexType(), batch);
    return memref::LoadOp::create(b, op.getKvLen(), index);
  }

  void buildLoads(Value tile, Value heads, Value q, Value k, Value v) {
    int64_t step = schedule.getKeys();
    auto [number, head] = findTile(tile, heads);
    Value row = times(number, schedule.getRows());
    SmallVector<Value> place = placeOf(head), keyPlace = place;
    keyPlace[0] = over(place[0], i32(op.getGroup()));
    Value length = lengthOf(place[1]);
    // Keys that some query of the tile sees, and those that all of them see.
    Value past = length, first = zero, common = length;
    if (op.getCausal()) {
      Value shift = minus(length, queries);
      Value diagonal = plus(row, shift);
      past = smaller(past, plus(diagonal, i32(schedule.getRows())));
      common = smaller(common, plus(diagonal, one));
      if (op.getWindow())
        first = larger(zero, minus(plus(diagonal, one), i32(*op.getWindow())));
    }
    // One block at least, of which nobody may see anything.
    past = larger(past, one);
    first = smaller(first, minus(past, one));
    Value last = over(minus(past, one), i32(step));
    Value begin = over(first, i32(step));
    Value count = plus(minus(last, begin), one);
    Value whole = over(larger(common, zero), i32(step));
    Value masked =
        op.getWindow()
            ? count
            : smaller(count, larger(one, plus(minus(last, whole), one)));
    Value words[kWords];
    words[Row] = row;
    words[Head] = head;
    words[Last] = last;
    words[Masked] = masked;
    words[Count] = count;
    words[Length] = length;
    PostOp::create(b, mailbox, words);
    auto load = [&](Value ring, Value map, Value depth, Value row,
                    ValueRange place) {
      auto fill = FillOp::create(b, ring);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&fill.getBody().emplaceBlock());
      LoadOp::create(b, map, depth, row, place, /*tile=*/0, /*shared=*/false);
    };
    auto loadKeys = [&](Value block) {
      load(keyRing, k, zero, times(block, step), keyPlace);
    };
    // Rows of a tile of values are features, its depth are keys.
    auto loadValues = [&](Value block) {
      load(valueRing, v, times(block, step), zero, keyPlace);
    };
    loadKeys(last);
    load(queryRing, q, zero, row, place);
    auto loadBlocks = [&](Value from, Value to) {
      auto loop = scf::ForOp::create(b, from, to, one);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value block = minus(last, loop.getInductionVar());
      loadKeys(block);
      loadValues(plus(block, one));
    };
    forParts(masked, count, loadBlocks);
    loadValues(minus(last, minus(count, one)));
  }

  /// The loops over all blocks but the first one: masked ones, then the others.
  void forParts(Value masked, Value count,
                function_ref<void(Value, Value)> body) {
    if (op.getWindow())
      return body(one, count);
    if (op.getCausal())
      body(one, masked);
    body(op.getCausal() ? masked : one, count);
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  /// What goes from block to block.
  struct State {
    Value maximum, sum, weights, sums;
  };

  /// The softmax of a block: new weights and row statistics.
  SoftmaxOp attend(Value scores, const State &state, Value row, Value block,
                   ValueRange words, bool masked) {
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
  Value hide(Value scores, Value row, Value block, ValueRange words) {
    Value diagonal;
    if (op.getCausal())
      diagonal = minus(words[Length], queries);
    return MaskOp::create(b, scoresType, scores, row,
                          times(block, schedule.getKeys()), words[Length],
                          diagonal, op.getWindowAttr());
  }

  /// What is the same for all batches, heads, queries or keys has one of them.
  Value addMask(Value scores, Value row, Value block, ValueRange words,
                float scale) {
    auto [ofBatches, ofHeads, ofQueries, ofKeys] = op.getMaskDims();
    SmallVector<Value> place = placeOf(words[Head]);
    Value plane = ofBatches ? (ofHeads ? words[Head] : place[1])
                            : (ofHeads ? place[0] : zero);
    return AddMaskOp::create(b, scoresType, scores, op.getMask(), plane, row,
                             times(block, schedule.getKeys()),
                             ofQueries ? queries : one, ofKeys ? keys : one,
                             b.getF32FloatAttr(scale));
  }

  /// The values of a block, which are zero where they are not valid.
  Value acquireValues(Value block, ValueRange words) {
    Value stage = AcquireOp::create(
        b, StageType::get(b.getContext(), {valueTile}), valueRing);
    if (op.getKvLen())
      ClearOp::create(b, stage, /*tile=*/0,
                      minus(words[Length], times(block, schedule.getKeys())));
    return stage;
  }

  void buildProducts(Value group, ValueRange words, Value out, Value boxes) {
    MLIRContext *context = b.getContext();
    auto keyStage = StageType::get(context, {keyTile});
    Value row = plus(words[Row], times(group, kGroupRows));
    Value keyStart = AcquireOp::create(b, keyStage, keyRing);
    Value queryStart =
        AcquireOp::create(b, StageType::get(context, {queryTile}), queryRing);
    Value by = OperandOp::create(b, queryPart, queryStart, 0, group);
    Value none = ZeroOp::create(b, scoresType);
    auto fill = [&](float value) -> Value {
      return FillRowsOp::create(b, RowsType::get(context),
                                b.getF32FloatAttr(value));
    };
    State state{fill(-INFINITY), fill(0), Value(), Value()};
    {
      Value operand = OperandOp::create(b, keyTile, keyStart, 0, Value());
      Value started = MultiplyOp::create(b, scoresPending, by, operand, none);
      Value scores =
          WaitOp::create(b, TypeRange{scoresType}, started, 0).getResult(0);
      ReleaseOp::create(b, keyStart);
      SoftmaxOp softmax =
          attend(scores, state, row, words[Last], words, hasMasks);
      state = {softmax.getNewMaximum(), softmax.getNewSum(),
               RoundOp::create(b, weightsType, softmax.getWeights()),
               ZeroOp::create(b, sumsType)};
    }
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
    Value stage = acquireValues(begin, words);
    Value operand = OperandOp::create(b, valueTile, stage, 0, Value());
    Value started =
        MultiplyOp::create(b, sumsPending, state.weights, operand, state.sums);
    Value sums =
        WaitOp::create(b, TypeRange{sumsType}, started, 0).getResult(0);
    ReleaseOp::create(b, stage);
    Value total = AddUpOp::create(b, RowsType::get(context), state.sum);
    Value result = DivideRowsOp::create(b, outType, sums, total);
    StoreOp::create(b, result, out, zero, row, placeOf(words[Head]), boxes,
                    /*deferred=*/false, /*at=*/IntegerAttr());
    if (op.getStatistics().empty())
      return;
    auto store = [&](Value rows, Value to, FloatAttr scale) {
      StoreRowsOp::create(b, rows, to, words[Head], row, queries, scale);
    };
    FloatAttr asIs = b.getF32FloatAttr(1);
    store(state.maximum, op.getStatistics()[0],
          op.getSoftcap() || op.getMask() ? asIs : op.getScaleAttr());
    store(total, op.getStatistics()[1], asIs);
  }

  /// Scores of a block, and the sums of values of the one before it.
  State buildStep(State state, Value queryPart, Value none, Value row,
                  Value block, ValueRange words, bool masked) {
    auto keyStage = StageType::get(b.getContext(), {keyTile});
    Value keyStart = AcquireOp::create(b, keyStage, keyRing);
    Value valueStart = acquireValues(plus(block, one), words);
    Value key = OperandOp::create(b, keyTile, keyStart, 0, Value());
    Value value = OperandOp::create(b, valueTile, valueStart, 0, Value());
    Value scored = MultiplyOp::create(b, scoresPending, queryPart, key, none);
    Value summed =
        MultiplyOp::create(b, sumsPending, state.weights, value, state.sums);
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
  }

  AttentionOp op;
  AttentionScheduleAttr schedule;
  ImplicitLocOpBuilder b;
  Type element;
  int64_t features;
  bool hasMasks;
  SharedType queryTile, queryPart, keyTile, valueTile;
  FragType scoresType, scoresPending, weightsType, sumsType, sumsPending,
      outType;
  Value zero, one, queries, keys, tileRows;
  Value queryRing, keyRing, valueRing, mailbox;
};

} // namespace

void aikernel::buildAttentionProgram(AttentionOp op) {
  AttentionProgram(op).build();
}
