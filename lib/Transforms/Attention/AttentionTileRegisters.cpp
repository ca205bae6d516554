//===- AttentionTileRegisters.cpp - Attention in tile registers -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function of one head's operands and a row of the instruction
// table whose sums are tile registers (AMX). Out: its body.
//
// Both products have the queries as columns: the powers of a pair of keys lie
// side by side as the right operand wants them, V is packed by its features,
// and the sums are [feature, query] until a chunk is done:
//
//   scores[key, query] = K Q^T        sums[feature, query] += V^T P
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "AttentionTileOperands.h"
#include "Tiles/NumberParts.h"
#include "Tiles/TileInstructions.h"
#include "Tiles/VectorTranspose.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Keys of a block. Sums go to memory and back once for all of them, which
/// takes longer than what their scores wait for when they leave L1.
constexpr int64_t kBlockKeys = 256;
/// In parts, which take more room and longer.
constexpr int64_t kBlockKeysOfParts = 128;

class AttentionInTiles : public AttentionBlocks {
public:
  AttentionInTiles(func::FuncOp function, const AttentionForm &form)
      : AttentionBlocks(function, form, sizesOf(form.instruction)),
        tiles(b, op) {
    scalesLate = true; // tile registers go to memory as they are
    looksAhead = true;
    shrinksRarely = true;
  }

private:
  static Sizes sizesOf(const MatrixInstruction &row) {
    return {row.columns(),    row.parts == 1 ? kBlockKeys : kBlockKeysOfParts,
            row.rows,         row.depth,
            row.rightDepth(), row.rows};
  }

  int64_t allocateOperands() override {
    int64_t steps = packedSteps(keySteps(), parts);
    int64_t rightSteps = op.depth / op.rightDepth();
    packedQ = b.buffer(element, {1, chunk / strip, steps * rightSteps, strip,
                                 op.rightDepth()});
    packedK =
        b.buffer(element, {1, blockKeys / op.rows, steps, op.rows, op.depth});
    sums = b.buffer(b.getF32Type(),
                    {chunk / strip, valuePanels * sizes.valueWidth, strip});
    if (parts > 1)
      numberSums = b.buffer(b.getF32Type(), {int64_t(op.rows), strip});
    return rightSteps;
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  Values sumAt(Value query, Value feature) override {
    return {quotient(query, strip), feature, remainder(query, strip)};
  }

  void readSums() override { moveSums(/*isRead=*/true); }
  void writeSums() override { moveSums(/*isRead=*/false); }

  /// Squares of a vector's size are turned on the way; the rest goes one by
  /// one.
  void moveSums(bool isRead) {
    auto accAt = [&](Value query, Value feature) {
      return Values{b.plus(firstQuery, query), feature};
    };
    auto moveSquare = [&](Value query, Value feature) {
      SmallVector<Values> inAcc, inSums;
      Values lines;
      for (int64_t i = 0; i < lanes; ++i) {
        inAcc.push_back(accAt(b.plus(query, i), feature));
        inSums.push_back(sumAt(query, b.plus(feature, i)));
        lines.push_back(isRead ? load(floats, acc, inAcc.back())
                               : load(floats, sums, inSums.back()));
      }
      for (auto [i, line] : llvm::enumerate(transposeSquare(b, lines)))
        isRead ? b.store(line, sums, inSums[i]) : b.store(line, acc, inAcc[i]);
    };
    auto moveOne = [&](Value query, Value feature) {
      Values inAcc = accAt(query, feature), inSums = sumAt(query, feature);
      isRead ? b.store(load(acc, inAcc), sums, inSums)
             : b.store(load(sums, inSums), acc, inAcc);
    };
    bool isContiguous =
        cast<MemRefType>(acc.getType()).getStridesAndOffset().first[1] == 1;
    Value wholeQueries = isContiguous ? b.roundDown(count, lanes) : b.index(0);
    int64_t wholeFeatures = form.features / lanes * lanes;
    b.loop(wholeQueries, lanes, [&](Value query) {
      b.loop(b.index(wholeFeatures), lanes,
             [&](Value feature) { moveSquare(query, feature); });
    });
    b.loop(count, 1, [&](Value query) {
      Value isDone = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, query,
                                           wholeQueries);
      Value first = arith::SelectOp::create(b, isDone, b.index(wholeFeatures),
                                            b.index(0));
      b.loop(first, b.index(form.features), 1,
             [&](Value feature) { moveOne(query, feature); });
    });
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  /// Whole steps of whole panels are tiles where they lie.
  void packKeys() override {
    auto packed = tiles.leftPanel(panelOf(packedK, b.index(0), b.index(0)));
    Value packedBytes = b.index(packedSteps(keySteps(), parts) * op.depth * 2);
    auto type = cast<MemRefType>(k.getType());
    if (form.depth % op.depth != 0 || parts > 1 ||
        type.getStridesAndOffset().first[1] != 1) {
      AttentionBlocks::packKeys();
      keyLines = packed, keyBytes = packedBytes;
      return;
    }
    auto inPlace = tiles.leftRows(k, firstKey);
    Value past =
        b.plus(firstKey, b.times(b.ceilDiv(keyCount, op.rows), op.rows));
    Value isWhole = compare(arith::CmpIPredicate::sle, past, keys);
    // A row that lies in two lines of the cache would be read twice.
    Value misplaced =
        arith::OrIOp::create(b, remainder(inPlace.start, op.depth * 2),
                             remainder(inPlace.rowBytes, op.depth * 2));
    isWhole = arith::AndIOp::create(b, isWhole, b.equals(misplaced, 0));
    b.choose(isWhole, [] {}, [&] { AttentionBlocks::packKeys(); });
    keyLines = tiles.select(isWhole, inPlace, packed);
    keyBytes =
        arith::SelectOp::create(b, isWhole, inPlace.rowBytes, packedBytes);
  }

  int64_t keySteps() const { return (form.depth + op.depth - 1) / op.depth; }

  void multiplyKeys(Value number, const KeyRange &range) override {
    b.loop(range.from, range.past, op.rows, [&](Value key) {
      unlessLarge(
          [&] { multiplyKeysBeside(number, key, key, {}, nullptr); },
          [&] {
            multiplyNumbers(
                b, op, panelOf(packedK, quotient(key, op.rows), b.index(0)),
                panelOf(packedQ, number, b.index(0)), b.index(keySteps()),
                view(scores, {key, b.index(0)},
                     {b.getIndexAttr(op.rows), b.getIndexAttr(strip)}));
          });
    });
  }

  Values multiplyKeysBeside(Value number, Value key, Value workFrom,
                            ValueRange carried, WorkOnKey work) override {
    auto left = tiles.after(keyLines, b.times(key, keyBytes));
    auto right = tiles.rightPanel(panelOf(packedQ, number, b.index(0)));
    int64_t share = wholeWork(op.rows / 2 / keySteps());
    // What does not go into the steps comes first: the scores that are written
    // take the place of those that are read here.
    Value inSteps = b.plus(workFrom, op.rows / 2 - int64_t(keySteps()) * share);
    Values soFar;
    if (work)
      soFar = b.loop(workFrom, inSteps, sizes.powerDepth, carried, work);
    return multiplyBeside(
        {left, right, b.index(keySteps())},
        [&](Value) { return tiles.zeros(); },
        [&](Value half, ValueRange done) {
          tiles.write(done, scores, key, half);
        },
        {share, inSteps, work}, soFar);
  }

  void multiplyValues(Value number, const KeyRange &range) override {
    unlessLarge(
        [&] { multiplyValuesBeside(number, range, range.from, {}, nullptr); },
        [&] {
          Value ofStrip = sumsOfStrip(number), rows = powersOf(number, range);
          b.loop(b.index(valuePanels), 1, [&](Value panel) {
            multiplyNumbers(b, op, panelOf(packedV, panel, firstStepOf(range)),
                            rows, stepsOf(range), numberSums);
            addNumberSums(ofStrip, b.times(panel, op.rows));
          });
        });
  }

  Values multiplyValuesBeside(Value number, const KeyRange &range,
                              Value workFrom, ValueRange carried,
                              WorkOnKey work) override {
    Value steps = stepsOf(range), ofStrip = sumsOfStrip(number);
    Value first = firstStepOf(range);
    auto right = tiles.rightPanel(powersOf(number, range));
    Value keysOfPanel = b.times(steps, keysBesideStep());
    auto multiplyPanel = [&](Value panel, ValueRange soFar) {
      auto left = tiles.leftPanel(panelOf(packedV, panel, first));
      Value row = b.times(panel, op.rows);
      return multiplyBeside(
          {left, right, steps},
          [&](Value half) { return tiles.read(ofStrip, row, half); },
          [&](Value half, ValueRange done) {
            tiles.write(done, ofStrip, row, half);
          },
          {keysBesideStep(), b.plus(workFrom, b.times(panel, keysOfPanel)),
           work},
          soFar);
    };
    if (work)
      return b.loop(b.index(0), b.index(valuePanels), 1, carried,
                    multiplyPanel);
    b.loop(b.index(valuePanels), 1,
           [&](Value panel) { multiplyPanel(panel, {}); });
    return {};
  }

  /// Numbers that are too large for parts are multiplied as they are.
  void unlessLarge(function_ref<void()> multiply,
                   function_ref<void()> multiplyLarge) {
    if (parts == 1)
      return multiply();
    b.choose(hasLargeNumbers, multiplyLarge, multiply);
  }
  void addNumberSums(Value ofStrip, Value row) {
    b.loop(b.index(op.rows), 1, [&](Value i) {
      for (int64_t at = 0; at < strip; at += lanes) {
        Values where{b.plus(row, i), b.index(at)};
        Value more = load(floats, numberSums, {i, b.index(at)});
        b.store(math.add(load(floats, ofStrip, where), more), ofStrip, where);
      }
    });
  }

  Value keysBesideValues(const KeyRange &range) override {
    return b.times(stepsOf(range), valuePanels * keysBesideStep());
  }

  /// The operand that powers of these keys are.
  Value powersOf(Value number, const KeyRange &range) {
    return view(
        powers, {powerRow(number, range.from), b.index(0)},
        {b.times(stepsOf(range), parts * op.depth / int64_t(op.rightDepth())),
         b.getIndexAttr(strip * op.rightDepth())});
  }
  Value firstStepOf(const KeyRange &range) {
    return b.times(quotient(range.from, op.depth), parts);
  }
  Value stepsOf(const KeyRange &range) {
    return b.minus(b.ceilDiv(range.past, op.depth),
                   quotient(range.from, op.depth));
  }
  /// All steps of all panels then go beside half of as many keys.
  int64_t keysBesideStep() const {
    return wholeWork(op.depth / 2 / valuePanels);
  }
  int64_t wholeWork(int64_t keys) const {
    return keys / sizes.powerDepth * sizes.powerDepth;
  }

  struct Operands {
    AttentionTileOperands::Lines left, right;
    Value steps;
  };
  /// So many keys beside each step.
  struct Work {
    int64_t share;
    Value from;
    WorkOnKey onKey;
  };

  /// The products of a square over all steps, one half after the other, and
  /// work beside each: vectors and tile registers are both busy if what they do
  /// lies side by side.
  Values multiplyBeside(const Operands &operands,
                        function_ref<Values(Value half)> begin,
                        function_ref<void(Value half, ValueRange)> end,
                        const Work &work, ValueRange carried) {
    return b.loop(b.index(0), b.index(kTilesOfSide), 1, carried,
                  [&](Value half, ValueRange before) {
                    Values soFar = begin(half);
                    size_t sums = soFar.size();
                    llvm::append_range(soFar, before);
                    Values all = b.loop(
                        b.index(0), operands.steps, 1, soFar,
                        [&](Value step, ValueRange now) {
                          Values rest(now.drop_front(sums));
                          Values next = tiles.multiplyStep(
                              operands.left, operands.right, step, half,
                              now.take_front(sums), [&](int64_t piece) {
                                rest = workBeside(work, half, step,
                                                  operands.steps, piece, rest);
                              });
                          llvm::append_range(next, rest);
                          return next;
                        });
                    ValueRange range(all);
                    end(half, range.take_front(sums));
                    return Values(range.drop_front(sums));
                  });
  }

  /// What a step of a half has of it, in as many pieces as multiplications; if
  /// it cannot be halved, the first half has all of it, in one.
  Values workBeside(const Work &work, Value half, Value step, Value steps,
                    int64_t piece, ValueRange carried) {
    if (!work.onKey)
      return {};
    auto onKeys = [&](Value from, Value count) {
      Value first = b.plus(work.from, from);
      return b.loop(first, b.plus(first, count), sizes.powerDepth, carried,
                    work.onKey);
    };
    int64_t share = wholeWork(work.share / kTilesOfSide);
    if (share * kTilesOfSide != work.share) {
      if (piece != 0)
        return Values(carried);
      return onKeys(b.times(step, work.share),
                    arith::SelectOp::create(b, b.equals(half, 0),
                                            b.index(work.share), b.index(0)));
    }
    int64_t pieces = multiplicationsOfHalf(op);
    int64_t from = wholeWork(share * piece / pieces),
            past = wholeWork(share * (piece + 1) / pieces);
    if (from == past)
      return Values(carried);
    Value round = b.plus(b.times(half, steps), step);
    return onKeys(b.plus(b.times(round, share), from), b.index(past - from));
  }

  /// [feature, query]
  Value sumsOfStrip(Value number) {
    auto type = cast<MemRefType>(sums.getType());
    SmallVector<OpFoldResult> at(3, b.getIndexAttr(0));
    SmallVector<OpFoldResult> extents{b.getIndexAttr(1),
                                      b.getIndexAttr(type.getDimSize(1)),
                                      b.getIndexAttr(type.getDimSize(2))};
    SmallVector<OpFoldResult> ones(3, b.getIndexAttr(1));
    at[0] = number;
    auto reduced =
        cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
            type.getShape().drop_front(), type, at, extents, ones));
    return memref::SubViewOp::create(b, reduced, sums, at, extents, ones);
  }

  /// Once the largest scores have been seen, most strips keep theirs.
  void shrinkSums() override {
    Values factors;
    Value shrinks;
    for (int64_t at = 0; at < strip; at += lanes) {
      factors.push_back(load(floats, shrinkage, b.index(at)));
      Value isOther = math.compare(arith::CmpFPredicate::UNE, factors.back(),
                                   constant(1.0));
      Value any =
          vector::ReductionOp::create(b, vector::CombiningKind::OR, isOther);
      shrinks = shrinks ? Value(arith::OrIOp::create(b, shrinks, any)) : any;
    }
    b.choose(
        shrinks,
        [&] {
          Value rows = sumsOfStrip(stripNumber);
          b.loop(b.index(valuePanels * sizes.valueWidth), 1, [&](Value row) {
            for (auto [number, factor] : llvm::enumerate(factors)) {
              Values where{row, b.index(number * lanes)};
              b.store(math.mul(load(floats, rows, where), factor), rows, where);
            }
          });
        },
        [] {});
  }

  AttentionTileOperands tiles;
  AttentionTileOperands::Lines keyLines; // of the block
  Value keyBytes;                        // of a key of the block
  Value numberSums; // [feature, query] of a panel, not made of parts
};

} // namespace

void aikernel::emitAttentionInTiles(func::FuncOp function,
                                    const AttentionForm &form) {
  AttentionInTiles(function, form).emit();
}
