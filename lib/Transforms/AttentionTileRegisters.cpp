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

#include "AIKernel/Transforms/VectorTranspose.h"
#include "AttentionBlocks.h"
#include "AttentionTileOperands.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Keys of a block. Sums go to memory and back once for all of them, which
/// takes longer than what their scores wait for when they leave L1.
constexpr int64_t kBlockKeys = 256;

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
    return {row.columns(), kBlockKeys,       row.rows,
            row.depth,     row.rightDepth(), row.rows};
  }

  int64_t allocateOperands() override {
    int64_t steps = (form.depth + op.depth - 1) / op.depth;
    int64_t rightSteps = op.depth / op.rightDepth();
    packedQ = b.buffer(element, {1, chunk / strip, steps * rightSteps, strip,
                                 op.rightDepth()});
    packedK =
        b.buffer(element, {1, blockKeys / op.rows, steps, op.rows, op.depth});
    sums = b.buffer(b.getF32Type(),
                    {chunk / strip, valuePanels * sizes.valueWidth, strip});
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
    Value packedBytes = b.index(keySteps() * op.depth * 2);
    auto type = cast<MemRefType>(k.getType());
    if (form.depth % op.depth != 0 ||
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
    b.loop(range.from, range.past, op.rows,
           [&](Value key) { multiplyKeysBeside(number, key, {}, nullptr); });
  }

  /// Vectors and tile registers can both be busy, if what they do lies side by
  /// side: a few powers follow each multiplication.
  Values multiplyKeysBeside(Value number, Value key, ValueRange carried,
                            WorkOnKey work) override {
    Value zero = b.index(0);
    auto left = tiles.after(keyLines, b.times(key, keyBytes));
    auto right = tiles.rightPanel(panelOf(packedQ, number, zero));
    int64_t steps = keySteps();
    auto workOn = [&](Value from, Value past, ValueRange soFar) {
      return work ? b.loop(from, past, sizes.powerDepth, soFar, work)
                  : Values(soFar);
    };
    // Keys of a multiplication, as whole pairs.
    int64_t share = op.rows / steps, pieces = tiles.multiplicationsOfStep();
    auto shareUpTo = [&](int64_t piece) {
      return share * piece / pieces / sizes.powerDepth * sizes.powerDepth;
    };
    share = shareUpTo(pieces);
    Values start = tiles.zeros();
    size_t squares = start.size();
    llvm::append_range(start, carried);
    Values done =
        b.loop(zero, b.index(steps), 1, start, [&](Value step, ValueRange all) {
          Value first = b.plus(key, b.times(step, share));
          Values soFar(all.drop_front(squares));
          Values next = tiles.multiplyStep(
              left, right, step, all.take_front(squares), [&](int64_t piece) {
                soFar = workOn(b.plus(first, shareUpTo(piece)),
                               b.plus(first, shareUpTo(piece + 1)), soFar);
              });
          llvm::append_range(next, soFar);
          return next;
        });
    ValueRange all(done);
    Values rest = workOn(b.plus(key, steps * share), b.plus(key, op.rows),
                         all.drop_front(squares));
    tiles.write(all.take_front(squares), scores, key);
    return rest;
  }

  void multiplyValues() override {
    shrinkSums();
    Value first = quotient(from, op.depth);
    Value steps = b.minus(b.ceilDiv(past, op.depth), first);
    Value rows =
        view(powers, {b.times(first, op.depth / op.rightDepth()), b.index(0)},
             {b.times(steps, op.depth / op.rightDepth()),
              b.getIndexAttr(strip * op.rightDepth())});
    auto right = tiles.rightPanel(rows);
    b.loop(b.index(valuePanels), 1, [&](Value panel) {
      auto left = tiles.leftPanel(panelOf(packedV, panel, first));
      Value row = b.times(panel, op.rows);
      Values start = tiles.read(sumsOfStrip(), row);
      Values done = b.loop(
          b.index(0), steps, 1, start, [&](Value step, ValueRange soFar) {
            return tiles.multiplyStep(left, right, step, soFar);
          });
      tiles.write(done, sumsOfStrip(), row);
    });
  }

  /// [feature, query]
  Value sumsOfStrip() {
    auto type = cast<MemRefType>(sums.getType());
    SmallVector<OpFoldResult> at(3, b.getIndexAttr(0));
    SmallVector<OpFoldResult> extents{b.getIndexAttr(1),
                                      b.getIndexAttr(type.getDimSize(1)),
                                      b.getIndexAttr(type.getDimSize(2))};
    SmallVector<OpFoldResult> ones(3, b.getIndexAttr(1));
    at[0] = stripNumber;
    auto reduced =
        cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
            type.getShape().drop_front(), type, at, extents, ones));
    return memref::SubViewOp::create(b, reduced, sums, at, extents, ones);
  }

  /// Once the largest scores have been seen, most strips keep theirs.
  void shrinkSums() {
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
          Value rows = sumsOfStrip();
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
};

} // namespace

void aikernel::emitAttentionInTiles(func::FuncOp function,
                                    const AttentionForm &form) {
  AttentionInTiles(function, form).emit();
}
