//===- AttentionTiles.cpp - Attention in register tiles -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function of one head's operands and a row of the instruction
// table. Out: its body.
//
//   for each chunk of queries                     (Q packed, sums in L2)
//     for each block of keys that one of them sees     (K and V packed, in L2)
//       for each strip of queries                      (scores in L1)
//         scores[key, query] = K Q^T              register tiles
//         soft cap, mask; -inf for hidden keys    where there are any
//         maximum, powers, sums                   a lane for each query
//         acc = acc * shrinkage + P V             register tiles
//
// With the keys as rows of the scores no step of the softmax crosses lanes, and
// the powers lie as the left operand of P V reads them.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/AttentionTiles.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/LoopBuilder.h"
#include "AIKernel/Transforms/MatrixViews.h"
#include "AIKernel/Transforms/RegisterTiles.h"
#include "ExpandMathEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace aikernel;

namespace {

/// Keys of a block: their scores for a strip stay in L1.
constexpr int64_t kBlockKeys = 128;
/// Queries of a strip: between a few panels and what L1 holds the scores of.
constexpr int64_t kFewestOfStrip = 24;
constexpr int64_t kMostOfStrip = 64;

/// The tile of P V: of the same registers as the table's, but of four thirds of
/// its columns where the features are then whole panels.
MatrixInstruction tileForValues(const MatrixInstruction &row,
                                int64_t features) {
  MatrixInstruction wide = row;
  wide.vectors = row.vectors * 4 / 3;
  wide.rows = row.rows * 3 / 4;
  bool isWhole = row.vectors % 3 == 0 && row.rows % 4 == 0;
  if (isWhole && features % row.columns() != 0 &&
      features % wide.columns() == 0)
    return wide;
  return row;
}

/// Whole panels of columns whose last panel of rows is the fullest.
int64_t chooseStrip(int64_t columns, int64_t rows) {
  int64_t best = 0, bestCost = 0;
  for (int64_t strip = columns; strip <= kMostOfStrip; strip += columns) {
    int64_t cost = (strip + rows - 1) / rows * rows * 1000 / strip;
    if (strip < kFewestOfStrip || (best && cost >= bestCost))
      continue;
    best = strip, bestCost = cost;
  }
  return best;
}

class AttentionEmitter {
public:
  AttentionEmitter(func::FuncOp function, const AttentionForm &form)
      : b(function), form(form), op(form.instruction),
        valueOp(tileForValues(op, form.features)), tile(b, op),
        valueTile(b, valueOp), element(elementType(op.operand, b.getContext())),
        lanes(op.lanes()), strip(chooseStrip(op.columns(), valueOp.rows)),
        unit(std::lcm<int64_t>(op.rows, op.depth)),
        blockKeys(kBlockKeys / unit * unit),
        chunk(std::max<int64_t>(form.queriesAtOnce / strip, 1) * strip),
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

  void emit() {
    allocate();
    queries = memref::DimOp::create(b, q, 0);
    keys = memref::DimOp::create(b, k, 0);
    scales = broadcast(scale);
    b.loop(queries, chunk, [&](Value first) { emitChunk(first); });
    func::ReturnOp::create(b);
  }

private:
  using Values = LoopBuilder::Values;

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  void allocate() {
    auto panels = [](int64_t size, int64_t width) {
      return (size + width - 1) / width;
    };
    int64_t steps = panels(form.depth, op.depth);
    int64_t valuePanels = panels(form.features, valueOp.columns());
    valueColumns = valuePanels * valueOp.columns();
    Type f32 = b.getF32Type();
    packedQ = b.buffer(
        element, {1, chunk / op.columns(), steps, op.columns(), op.depth});
    packedK =
        b.buffer(element, {1, blockKeys / op.rows, steps, op.rows, op.depth});
    packedV = b.buffer(element, {1, valuePanels, blockKeys / op.depth,
                                 valueOp.columns(), op.depth});
    scores = b.buffer(f32, {blockKeys, strip});
    powers = isDeep()
                 ? b.buffer(element, {blockKeys / op.depth, strip * op.depth})
                 : scores;
    sums = b.buffer(f32, {chunk, valueColumns});
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

  /// Powers are rounded to the operands' type, several keys side by side.
  bool isDeep() const { return op.depth > 1; }
  bool hasBounds() const { return form.hasBegin || form.hasEnd; }

  Value load(VectorType type, Value memref, ValueRange where) {
    return vector::LoadOp::create(b, type, memref, where);
  }
  Value load(Value memref, ValueRange where) { return b.load(memref, where); }
  Value broadcast(Value scalar) {
    return vector::BroadcastOp::create(
        b, VectorType::get({lanes}, scalar.getType()), scalar);
  }
  Value constant(double value) { return math.constant(value); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  void onlyIf(Value condition, function_ref<void()> body) {
    b.choose(condition, body, [] {});
  }

  Value view(Value memref, ValueRange at, ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> offsets(at.begin(), at.end());
    SmallVector<OpFoldResult> ones(at.size(), b.getIndexAttr(1));
    return memref::SubViewOp::create(b, memref, offsets, sizes, ones);
  }

  /// A panel of a packed operand, from a step of it on.
  Value panelOf(Value packed, Value panel, Value step) {
    OpFoldResult zero = b.getIndexAttr(0);
    return viewPanel(b, b.getLoc(), packed, {zero, panel, step, zero, zero});
  }

  /// Rows from `first` on become panels; as rows of the matrix or, for values,
  /// as columns.
  void pack(Value matrix, Value packed, Value firstRow, Value firstColumn,
            OpFoldResult rows, OpFoldResult columns, int64_t panelDim) {
    Value part = view(matrix, {firstRow, firstColumn}, {rows, columns});
    PackPanelsOp::create(b, TypeRange{}, part, packed, panelDim, 1 - panelDim,
                         /*stepMultiple=*/1, /*flipSign=*/false);
  }

  //===--------------------------------------------------------------------===//
  // Chunks and blocks
  //===--------------------------------------------------------------------===//

  void emitChunk(Value first) {
    Value zero = b.index(0);
    firstQuery = first;
    count = b.smaller(b.index(chunk), b.minus(queries, first));
    pack(q, packedQ, first, zero, count, b.getIndexAttr(form.depth), 0);
    readSums();
    if (hasBounds())
      findBounds();
    Value from = form.hasBegin
                     ? b.roundDown(extreme(lowest[0], false), blockKeys)
                     : zero;
    Value past = form.hasEnd ? extreme(highest[1], true) : keys;
    b.loop(from, past, blockKeys, [&](Value start) {
      firstKey = start;
      keyCount = b.smaller(b.index(blockKeys), b.minus(past, start));
      emitBlock();
    });
    writeSums();
  }

  /// The carried values of a chunk come into buffers of whole panels.
  void readSums() {
    b.loop(count, 1, [&](Value row) {
      Value from = b.plus(firstQuery, row);
      copyRow(acc, from, sums, row);
      b.store(load(maximum, {b.index(0), from}), rowMaximum, row);
      b.store(load(sum, {b.index(0), from}), rowSum, row);
    });
  }
  void writeSums() {
    b.loop(count, 1, [&](Value row) {
      Value to = b.plus(firstQuery, row);
      copyRow(sums, row, acc, to);
      b.store(load(rowMaximum, row), maximum, {b.index(0), to});
      b.store(load(rowSum, row), sum, {b.index(0), to});
    });
  }
  void copyRow(Value from, Value fromRow, Value to, Value toRow) {
    auto isContiguous = [](Value memref) {
      return cast<MemRefType>(memref.getType())
                 .getStridesAndOffset()
                 .first.back() == 1;
    };
    int64_t whole = 0;
    if (isContiguous(from) && isContiguous(to))
      whole = form.features / lanes * lanes;
    b.loop(b.index(whole), lanes, [&](Value column) {
      b.store(load(floats, from, {fromRow, column}), to, {toRow, column});
    });
    b.loop(b.index(whole), b.index(form.features), 1, [&](Value column) {
      b.store(load(from, {fromRow, column}), to, {toRow, column});
    });
  }

  /// The bounds of each query as keys of this call, and their extremes in each
  /// strip.
  void findBounds() {
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
  Value extreme(Value perStrip, bool largest) {
    Values found = b.loop(b.index(0), b.ceilDiv(count, strip), 1,
                          {largest ? b.index(0) : keys},
                          [&](Value number, ValueRange soFar) {
                            Value here = load(perStrip, number);
                            return Values{largest ? b.larger(soFar[0], here)
                                                  : b.smaller(soFar[0], here)};
                          });
    return found[0];
  }

  void emitBlock() {
    Value zero = b.index(0);
    pack(k, packedK, firstKey, zero, keyCount, b.getIndexAttr(form.depth), 0);
    pack(v, packedV, firstKey, zero, keyCount, b.getIndexAttr(form.features),
         1);
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
      from = b.roundDown(first, unit);
      onlyIf(compare(arith::CmpIPredicate::slt, first, past),
             [&] { emitStrip(); });
    });
  }

  void emitStrip() {
    multiplyKeys();
    if (form.softcap)
      capScores();
    if (form.hasMask)
      addMask();
    Value isPartial;
    if (hasBounds()) {
      isPartial = hidesSome();
      onlyIf(isPartial, [&] { hideScores(); });
    }
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

  //===--------------------------------------------------------------------===//
  // Scores
  //===--------------------------------------------------------------------===//

  void multiplyKeys() {
    Value zero = b.index(0);
    Value steps = b.index((form.depth + op.depth - 1) / op.depth);
    b.loop(b.index(strip), op.columns(), [&](Value column) {
      Value panel = arith::DivUIOp::create(b, b.plus(stripStart, column),
                                           b.index(op.columns()));
      Value right = panelOf(packedQ, panel, zero);
      b.loop(from, past, op.rows, [&](Value key) {
        Value left = panelOf(
            packedK, arith::DivUIOp::create(b, key, b.index(op.rows)), zero);
        SmallVector<Value> products =
            tile.multiply(left, right, steps, op.rows, /*starts=*/{});
        unsigned perRow = tile.vectorsOfRow();
        for (auto [number, product] : llvm::enumerate(products))
          b.store(math.mul(product, scales), scores,
                  {b.plus(key, number / perRow),
                   b.plus(column, number % perRow * lanes)});
      });
    });
  }

  /// Changes every score of the strip, a vector at a time.
  void forEachScore(
      function_ref<Value(Value score, Value key, Value column)> change) {
    b.loop(from, past, 1, [&](Value key) {
      b.loop(b.index(strip), lanes, [&](Value column) {
        Value score = load(floats, scores, {key, column});
        b.store(change(score, key, column), scores, {key, column});
      });
    });
  }

  void capScores() {
    Value limit = constant(*form.softcap);
    forEachScore([&](Value score, Value, Value) {
      Value ratio = math.div(score, limit);
      return math.mul(math::TanhOp::create(b, ratio), limit);
    });
  }

  /// Packed like a panel of queries, the mask lies as the scores do.
  void addMask() {
    Value query = b.plus(firstQuery, stripStart);
    Value here = b.smaller(b.index(strip), b.minus(queries, query));
    pack(mask, packedMask, query, b.plus(firstKey, from), here,
         b.minus(past, from), 0);
    Value panel = panelOf(packedMask, b.index(0), b.index(0));
    forEachScore([&](Value score, Value key, Value column) {
      return math.add(score, load(floats, panel, {b.minus(key, from), column}));
    });
  }

  /// Is there a key in the block that some query of the strip does not see?
  Value hidesSome() {
    Value hides = arith::ConstantIntOp::create(b, 0, 1);
    auto either = [&](arith::CmpIPredicate predicate, Value bound, Value key) {
      hides = arith::OrIOp::create(
          b, hides, compare(predicate, bound, b.plus(firstKey, key)));
    };
    if (form.hasBegin)
      either(arith::CmpIPredicate::sgt, load(highest[0], stripNumber), from);
    if (form.hasEnd)
      either(arith::CmpIPredicate::slt, load(lowest[1], stripNumber), past);
    return hides;
  }

  void hideScores() {
    auto integers = VectorType::get({lanes}, b.getI32Type());
    Value none = constant(-std::numeric_limits<double>::infinity());
    forEachScore([&](Value score, Value key, Value column) {
      Value number = broadcast(
          arith::IndexCastOp::create(b, b.getI32Type(), b.plus(firstKey, key)));
      Value query = b.plus(stripStart, column);
      for (bool isEnd : {false, true}) {
        if (!bounds[isEnd])
          continue;
        Value isSeen = compare(isEnd ? arith::CmpIPredicate::slt
                                     : arith::CmpIPredicate::sge,
                               number, load(integers, bounds[isEnd], query));
        score = math.select(isSeen, score, none);
      }
      return score;
    });
  }

  //===--------------------------------------------------------------------===//
  // Softmax
  //===--------------------------------------------------------------------===//

  Value powerOf(Value x) {
    return expandmath::emitExpAtMostZero(math, x, expandmath::Accuracy::Full);
  }

  /// Vectors of powers that are computed at once: as many as there are
  /// registers for, since constants are brought into registers each time.
  int64_t vectorsAtOnce() const {
    bool hasManyRegisters = op.rows * op.vectors >= 24;
    int64_t most = std::max<int64_t>((hasManyRegisters ? 8 : 3) / op.depth, 1);
    int64_t vectors = strip / lanes;
    while (vectors % most != 0)
      --most;
    return most;
  }

  void emitSoftmax() {
    int64_t atOnce = vectorsAtOnce();
    b.loop(b.index(strip), atOnce * lanes, [&](Value column) {
      auto columnOf = [&](int64_t i) { return b.plus(column, i * lanes); };
      auto queryOf = [&](int64_t i) { return b.plus(stripStart, columnOf(i)); };
      Values before;
      for (int64_t i = 0; i < atOnce; ++i)
        before.push_back(load(floats, rowMaximum, queryOf(i)));
      Values highest =
          b.loop(from, past, 1, before, [&](Value key, ValueRange soFar) {
            Values next;
            for (int64_t i = 0; i < atOnce; ++i)
              next.push_back(arith::MaximumFOp::create(
                  b, soFar[i], load(floats, scores, {key, columnOf(i)})));
            return next;
          });
      // Nothing is subtracted while a query has seen no key, so that -inf
      // minus it stays -inf.
      Value none = constant(-std::numeric_limits<double>::infinity());
      Values shift, totals(atOnce, constant(0.0));
      for (int64_t i = 0; i < atOnce; ++i) {
        Value isNone =
            math.compare(arith::CmpFPredicate::OEQ, highest[i], none);
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

  /// exp(scores - shift) as the left operand of the next product, and their
  /// sums.
  Values writePowers(ValueRange shift, ValueRange totals,
                     function_ref<Value(int64_t)> columnOf) {
    int64_t atOnce = shift.size(), depth = op.depth;
    auto emitStep = [&](Value key, ValueRange soFar, bool isLast) {
      Values next(soFar.begin(), soFar.end());
      for (int64_t i = 0; i < atOnce; ++i) {
        Values parts;
        for (int64_t d = 0; d < depth; ++d) {
          Value at = b.plus(key, d);
          Value power = powerOf(
              math.sub(load(floats, scores, {at, columnOf(i)}), shift[i]));
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
    return b.loop(whole, past, depth, sums, [&](Value key, ValueRange soFar) {
      return emitStep(key, soFar, /*isLast=*/true);
    });
  }

  /// Side by side as bf16. Powers are not negative: half a unit is added and
  /// the lower bits dropped. A NaN that this loses is still in the row's sum.
  void storePowers(ArrayRef<Value> parts, Value key, Value column) {
    if (!isDeep())
      return b.store(parts[0], powers, {key, column});
    // As many pairs of two bf16 in 32 bits.
    Values rounded, pairs;
    for (Value part : parts)
      rounded.push_back(arith::AddIOp::create(b, math.toBits(part),
                                              math.intConstant(0x8000)));
    for (unsigned i = 0; i < rounded.size(); i += 2) {
      Value low = arith::ShRUIOp::create(b, rounded[i], math.intConstant(16));
      Value high = arith::AndIOp::create(b, rounded[i + 1],
                                         math.intConstant(0xffff0000));
      pairs.push_back(arith::OrIOp::create(b, high, low));
    }
    Value together = vector::BitCastOp::create(
        b, VectorType::get({lanes * (int64_t)op.depth}, element),
        b.interleave(pairs));
    b.store(together, powers,
            {arith::DivUIOp::create(b, key, b.index(op.depth)),
             b.times(column, op.depth)});
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Value stepOf(Value key) {
    return arith::DivUIOp::create(b, key, b.index(op.depth));
  }

  void multiplyValues() {
    int64_t rows = valueOp.rows, whole = strip / rows * rows;
    Value first = stepOf(from);
    Value steps = b.minus(b.ceilDiv(past, op.depth), first);
    b.loop(b.index(valueColumns), valueOp.columns(), [&](Value column) {
      Value panel =
          arith::DivUIOp::create(b, column, b.index(valueOp.columns()));
      Value right = panelOf(packedV, panel, first);
      b.loop(b.index(whole), rows, [&](Value row) {
        multiplyTile(right, first, steps, row, column, rows);
      });
      if (whole < strip)
        multiplyTile(right, first, steps, b.index(whole), column,
                     strip - whole);
    });
  }

  void multiplyTile(Value right, Value first, Value steps, Value row,
                    Value column, int64_t rows) {
    Value left = view(powers, {first, b.times(row, op.depth)},
                      {steps, b.getIndexAttr(rows * op.depth)});
    SmallVector<Value> products =
        valueTile.multiply(left, right, steps, rows, /*starts=*/{});
    unsigned perRow = valueTile.vectorsOfRow();
    Value factor;
    for (auto [number, product] : llvm::enumerate(products)) {
      Value inStrip = b.plus(row, number / perRow);
      if (number % perRow == 0)
        factor = broadcast(load(shrinkage, inStrip));
      Values where{b.plus(stripStart, inStrip),
                   b.plus(column, number % perRow * lanes)};
      Value old = load(floats, sums, where);
      b.store(math.multiplyAdd(old, factor, product), sums, where);
    }
  }

  /// Is no value of these keys a NaN or an infinity? The sum of x - x is 0
  /// exactly then. Not asked where every query sees every key.
  Value valuesAreFinite(Value isPartial) {
    auto choice = scf::IfOp::create(b, TypeRange{b.getI1Type()}, isPartial,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(
        b, ValueRange{arith::ConstantIntOp::create(b, 1, 1).getResult()});
    b.setInsertionPointToStart(choice.thenBlock());
    int64_t width = valueOp.columns() * op.depth;
    Value first = stepOf(from);
    Value steps = b.minus(b.ceilDiv(past, op.depth), first);
    int64_t panels = valueColumns / valueOp.columns();
    Values total =
        b.loop(b.index(0), b.index(panels), 1, {constant(0.0)},
               [&](Value panel, ValueRange outer) {
                 Value right = panelOf(packedV, panel, first);
                 return b.loop(b.index(0), steps, 1, outer,
                               [&](Value step, ValueRange soFar) {
                                 Value sum = soFar[0];
                                 for (int64_t at = 0; at < width; at += lanes) {
                                   Value x =
                                       load(VectorType::get({lanes}, element),
                                            right, {step, b.index(at)});
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
  void multiplyVisibleValues() {
    Value here = b.smaller(b.index(strip), b.minus(count, stripStart));
    Value columns = b.index(valueOp.columns()), depth = b.index(op.depth);
    Value zero = b.index(0);
    Value nothing = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0));
    auto widen = [&](Value x) -> Value {
      if (element.isF32())
        return x;
      return arith::ExtFOp::create(b, b.getF32Type(), x);
    };
    b.loop(here, 1, [&](Value row) {
      Value factor = load(shrinkage, row);
      b.loop(b.index(form.features), 1, [&](Value column) {
        Value panel = arith::DivUIOp::create(b, column, columns);
        Value inPanel = arith::RemUIOp::create(b, column, columns);
        Values total =
            b.loop(from, past, 1, {nothing}, [&](Value key, ValueRange soFar) {
              Value step = stepOf(key);
              Value inStep = arith::RemUIOp::create(b, key, depth);
              Value power = widen(
                  load(powers, {step, b.plus(b.times(row, op.depth), inStep)}));
              Value value =
                  widen(load(packedV, {zero, panel, step, inPanel, inStep}));
              Value sum = arith::AddFOp::create(
                  b, soFar[0], arith::MulFOp::create(b, power, value));
              return Values{
                  arith::SelectOp::create(b, isSeen(row, key), sum, soFar[0])};
            });
        Values where{b.plus(stripStart, row), column};
        Value old = arith::MulFOp::create(b, load(sums, where), factor);
        b.store(arith::AddFOp::create(b, old, total[0]), sums, where);
      });
    });
  }

  /// Does this query of the strip see this key of the block?
  Value isSeen(Value row, Value key) {
    Value number =
        arith::IndexCastOp::create(b, b.getI32Type(), b.plus(firstKey, key));
    Value seen = arith::ConstantIntOp::create(b, 1, 1);
    for (bool isEnd : {false, true}) {
      if (!bounds[isEnd])
        continue;
      auto inside =
          isEnd ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge;
      Value bound = load(bounds[isEnd], b.plus(stripStart, row));
      seen = arith::AndIOp::create(b, seen, compare(inside, number, bound));
    }
    return seen;
  }

  LoopBuilder b;
  const AttentionForm &form;
  const MatrixInstruction &op;
  MatrixInstruction valueOp;
  RegisterTileEmitter tile, valueTile;
  Type element;
  int64_t lanes, strip, unit, blockKeys, chunk, valueColumns = 0;
  VectorType floats;
  expandmath::MathEmitter math;
  Value q, k, v, acc, maximum, sum, scale, keyOffset, mask, begin, end;
  Value packedQ, packedK, packedV, packedMask, scores, powers, sums, rowMaximum,
      rowSum, shrinkage, scales;
  Value bounds[2], lowest[2], highest[2]; // of the first and the last keys
  Value queries, keys, firstQuery, count, firstKey, keyCount, stripNumber,
      stripStart;
  Value from, past; // the keys of the block that the strip sees
};

} // namespace

void aikernel::emitAttention(func::FuncOp function, const AttentionForm &form) {
  AttentionEmitter(function, form).emit();
}
