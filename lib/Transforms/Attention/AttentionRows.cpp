//===- AttentionRows.cpp - Attention of a few rows over a cache -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: empty functions. Out: the body of one that attends with all rows of a
// key head to a part of its keys, and of one that combines parts. And for the
// function of one head, code that takes its queries one by one, to all keys.
//
//   for each block of keys that some row sees     (K and V come from memory)
//     scores[row, key] = Q K^T                    dot products, some at once
//     maximum, powers, sums                       row by row
//     acc = acc * shrinkage + P V
//
// Each key and each value is read once, where it lies: nothing is packed.
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace aikernel;

namespace {

/// Keys of a block. Each block begins to read two streams anew, which should be
/// rare; they stay in L2 where there are more rows than are multiplied at once.
constexpr int64_t kBlockKeys = 256;
/// Rows and keys that are multiplied at once: their sums fit the registers.
constexpr int64_t kRowsAtOnce = 4;
constexpr int64_t kKeysAtOnce = 4;
constexpr int64_t kVectorsAtOnce = 2;
/// Vectors of scores, of a whole block too.
constexpr int64_t kScoresAtOnce = 4;

/// What both functions need.
class VectorEmitter {
protected:
  using Values = LoopBuilder::Values;

  VectorEmitter(const LoopBuilder &builder, const AttentionForm &form)
      : b(builder), lanes(form.instruction.lanes()),
        floats(VectorType::get({lanes}, b.getF32Type())),
        math(b, floats, form.fusesMultiplyAdd, form.keepsNaNInMinMax),
        single(b, b.getF32Type(), form.fusesMultiplyAdd,
               form.keepsNaNInMinMax) {}

  /// A vector of floats, whatever their type in memory.
  Value loadVector(Value memref, ValueRange where) {
    Type element = getElementTypeOrSelf(memref.getType());
    Value loaded = vector::LoadOp::create(b, VectorType::get({lanes}, element),
                                          memref, where);
    return element.isF32() ? loaded
                           : Value(arith::ExtFOp::create(b, floats, loaded));
  }
  Value broadcast(Value scalar) {
    return vector::BroadcastOp::create(
        b, VectorType::get({lanes}, scalar.getType()), scalar);
  }
  Value number(double value) { return single.constant(value); }
  Value none() { return number(-std::numeric_limits<double>::infinity()); }
  Value reduce(vector::CombiningKind kind, Value vector) {
    return vector::ReductionOp::create(b, kind, vector);
  }
  /// What to subtract from scores: 0 while a row has seen no key, so that -inf
  /// minus it stays -inf.
  Value shiftOf(Value maximum) {
    Value isNone = single.compare(arith::CmpFPredicate::OEQ, maximum, none());
    return single.select(isNone, number(0.0), maximum);
  }
  /// exp(from - to), to being the larger.
  Value factorBetween(Value from, Value to) {
    return math::ExpOp::create(b, single.sub(from, to));
  }

  LoopBuilder b;
  int64_t lanes;
  VectorType floats;
  expandmath::MathEmitter math, single;
};

class RowsEmitter : VectorEmitter {
public:
  /// The function is that of a part of the keys.
  RowsEmitter(func::FuncOp function, const AttentionForm &form, int64_t group,
              int64_t queries)
      : VectorEmitter(LoopBuilder(function), form), function(function),
        form(form), queries(queries), rows(group * queries) {
    auto argument = takeOperands();
    firstOfPart = *argument++, pastPart = *argument++;
    takeLimits(argument);
  }

  /// The function is that of one head, whose `query` goes on with all keys.
  RowsEmitter(const LoopBuilder &builder, func::FuncOp function,
              const AttentionForm &form, Value query)
      : VectorEmitter(builder, form), function(function), form(form),
        queries(1), rows(1), only(query) {
    takeLimits(takeOperands());
    firstOfPart = b.index(0);
    pastPart = memref::DimOp::create(b, k, 0);
  }

  void emit() {
    allocate();
    start();
    std::pair<Value, Value> bounds = findBounds();
    Value from = bounds.first, past = bounds.second;
    b.loop(from, past, kBlockKeys, [&](Value first) {
      firstKey = first;
      count = b.smaller(b.index(kBlockKeys), b.minus(past, first));
      forRows([&](Value row, int64_t size) { multiplyKeys(row, size); });
      b.loop(b.index(rows), 1, [&](Value row) { emitSoftmax(row); });
      forRows([&](Value row, int64_t size) { multiplyValues(row, size); });
    });
    finish();
  }

private:
  Block::args_iterator takeOperands() {
    auto argument = function.getArguments().begin();
    q = *argument++, k = *argument++, v = *argument++;
    acc = *argument++, maximum = *argument++, sum = *argument++;
    scale = *argument++, keyOffset = *argument++;
    return argument;
  }

  void takeLimits(Block::args_iterator argument) {
    if (form.hasMask)
      mask = *argument++;
    if (form.hasBegin)
      begin = *argument++;
    if (form.hasEnd)
      end = *argument++;
  }

  /// At the start of the function, wherever this is in it: the stack would grow
  /// in a loop.
  void allocate() {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.front());
    Type f32 = b.getF32Type();
    rowsOfQ = b.buffer(f32, {rows, padded(form.depth)});
    scores = b.buffer(f32, {rows, kBlockKeys});
    sums = b.buffer(f32, {rows, padded(form.features)});
    rowMaximum = b.buffer(f32, {rows});
    rowSum = b.buffer(f32, {rows});
    shrinkage = b.buffer(f32, {rows});
    firsts = b.buffer(b.getIndexType(), {queries});
    pasts = b.buffer(b.getIndexType(), {queries});
  }

  /// Where a row of q, acc or the mask has a number.
  Values placeOf(Value row, Value number) {
    if (only)
      return {only, number};
    return {headOf(row), queryOf(row), number};
  }
  /// Where its maximum and its sum are.
  Values stateOf(Value row) {
    if (only)
      return {b.index(0), only};
    return {headOf(row), queryOf(row)};
  }

  bool hasBounds() const { return form.hasBegin || form.hasEnd; }
  Value headOf(Value row) {
    return arith::DivUIOp::create(b, row, b.index(queries));
  }
  Value queryOf(Value row) {
    return arith::RemUIOp::create(b, row, b.index(queries));
  }

  Value keyAt(Value inBlock) { return b.plus(firstKey, inBlock); }

  /// Vectors of a row that are loaded together: rows of a power of two begin in
  /// the same bank of the cache, which gives one load at a time.
  int64_t unrollOf(int64_t features) const {
    return features % (kVectorsAtOnce * lanes) == 0 ? kVectorsAtOnce : 1;
  }
  /// The rows of buffers begin in different banks.
  int64_t padded(int64_t features) const {
    return features + kVectorsAtOnce * lanes;
  }

  /// Some rows at once, then the rest.
  void forRows(function_ref<void(Value row, int64_t size)> body) {
    int64_t whole = rows / kRowsAtOnce * kRowsAtOnce;
    if (whole)
      b.loop(b.index(whole), kRowsAtOnce,
             [&](Value row) { body(row, kRowsAtOnce); });
    if (whole < rows)
      body(b.index(whole), rows - whole);
  }

  void start() {
    b.loop(b.index(rows), 1, [&](Value row) {
      b.loop(b.index(form.depth), lanes, [&](Value column) {
        b.store(loadVector(q, placeOf(row, column)), rowsOfQ, {row, column});
      });
      Value zeros = math.constant(0.0);
      b.loop(b.index(form.features), lanes, [&](Value column) {
        Value before = only ? loadVector(acc, placeOf(row, column)) : zeros;
        b.store(before, sums, {row, column});
      });
      b.store(only ? b.load(maximum, stateOf(row)) : none(), rowMaximum, row);
      b.store(only ? b.load(sum, stateOf(row)) : number(0.0), rowSum, row);
    });
  }

  void finish() {
    b.loop(b.index(rows), 1, [&](Value row) {
      b.loop(b.index(form.features), lanes, [&](Value column) {
        b.store(loadVector(sums, {row, column}), acc, placeOf(row, column));
      });
      b.store(b.load(rowMaximum, row), maximum, stateOf(row));
      b.store(b.load(rowSum, row), sum, stateOf(row));
    });
  }

  /// The keys of this part that each query sees, and those that some sees.
  std::pair<Value, Value> findBounds() {
    if (!hasBounds())
      return {firstOfPart, pastPart};
    Value zero = b.index(0);
    Values found = b.loop(
        zero, b.index(queries), 1, {pastPart, firstOfPart},
        [&](Value query, ValueRange soFar) {
          auto bound = [&](Value source, Value otherwise) {
            if (!source)
              return otherwise;
            Value key = arith::IndexCastOp::create(
                b, b.getIndexType(),
                b.load(source, {zero, only ? only : query}));
            key = b.larger(b.minus(key, keyOffset), firstOfPart);
            return b.smaller(key, pastPart);
          };
          Value first = bound(begin, firstOfPart);
          Value past = bound(end, pastPart);
          b.store(first, firsts, query);
          b.store(past, pasts, query);
          return Values{b.smaller(soFar[0], first), b.larger(soFar[1], past)};
        });
    return {found[0], found[1]};
  }

  void multiplyKeys(Value row, int64_t size) {
    Value whole = b.roundDown(count, kKeysAtOnce);
    b.loop(whole, kKeysAtOnce,
           [&](Value key) { multiplyKeys(row, size, key, kKeysAtOnce); });
    b.loop(whole, count, 1,
           [&](Value key) { multiplyKeys(row, size, key, 1); });
  }

  void multiplyKeys(Value row, int64_t size, Value key, int64_t keys) {
    Values products(size * keys, math.constant(0.0));
    int64_t unroll = unrollOf(form.depth);
    products = b.loop(
        b.index(0), b.index(form.depth), unroll * lanes, products,
        [&](Value column, ValueRange soFar) {
          Values next(soFar.begin(), soFar.end());
          for (int64_t part = 0; part < unroll; ++part) {
            Value here = b.plus(column, part * lanes);
            Values left;
            for (int64_t i = 0; i < size; ++i)
              left.push_back(loadVector(rowsOfQ, {b.plus(row, i), here}));
            for (int64_t j = 0; j < keys; ++j) {
              Value right = loadVector(k, {keyAt(b.plus(key, j)), here});
              for (int64_t i = 0; i < size; ++i)
                next[i * keys + j] =
                    math.multiplyAdd(left[i], right, next[i * keys + j]);
            }
          }
          return next;
        });
    for (int64_t i = 0; i < size; ++i)
      if (keys == 1)
        b.store(reduce(vector::CombiningKind::ADD, products[i]), scores,
                {b.plus(row, i), key});
      else
        for (auto [number, value] :
             llvm::enumerate(sumEach(ArrayRef(products).slice(i * keys, keys))))
          b.store(value, scores,
                  {b.plus(row, i),
                   b.plus(key, number * cast<VectorType>(value.getType())
                                            .getNumElements())});
  }

  /// The sums of the elements of each vector, several to a vector.
  Values sumEach(ArrayRef<Value> vectors) {
    Values next(vectors.begin(), vectors.end());
    // After each step a vector holds the parts of twice as many.
    int64_t parts = lanes;
    while (parts > 1) {
      Values halves;
      unsigned step = next.size() > 1 ? 2 : 1;
      for (unsigned i = 0; i < next.size(); i += step) {
        int64_t size = cast<VectorType>(next[i].getType()).getNumElements();
        SmallVector<int64_t> even, odd;
        for (int64_t at = 0; at < size * step; at += 2) {
          even.push_back(at);
          odd.push_back(at + 1);
        }
        Value other = next[i + step - 1];
        halves.push_back(
            math.add(vector::ShuffleOp::create(b, next[i], other, even),
                     vector::ShuffleOp::create(b, next[i], other, odd)));
      }
      next = halves;
      parts /= 2;
    }
    return next;
  }

  /// From the products of one row to its powers, maximum and sum.
  void emitSoftmax(Value row) {
    int64_t step = kScoresAtOnce * lanes;
    Value end = b.times(b.ceilDiv(count, step), step);
    Value scales = broadcast(scale);
    forScores(row, end, [&](Value score, Value) {
      score = math.mul(score, scales);
      if (!form.softcap)
        return score;
      Value limit = math.constant(*form.softcap);
      return math.mul(math::TanhOp::create(b, math.div(score, limit)), limit);
    });
    if (form.hasMask)
      addMask(row);
    // Past the last key, and only now: no scale or cap makes them visible.
    b.loop(count, end, 1,
           [&](Value key) { b.store(none(), scores, {row, key}); });
    if (hasBounds() && queries > 1)
      hideScores(row, end);

    Value before = b.load(rowMaximum, row);
    auto vectorAt = [&](Value key, int64_t i) {
      return loadVector(scores, {row, b.plus(key, i * lanes)});
    };
    Values highest =
        b.loop(b.index(0), end, step, Values(kScoresAtOnce, broadcast(before)),
               [&](Value key, ValueRange soFar) {
                 Values next;
                 for (int64_t i = 0; i < kScoresAtOnce; ++i)
                   next.push_back(arith::MaximumFOp::create(b, soFar[i],
                                                            vectorAt(key, i)));
                 return next;
               });
    for (int64_t i = 1; i < kScoresAtOnce; ++i)
      highest[0] = arith::MaximumFOp::create(b, highest[0], highest[i]);
    Value maximum = reduce(vector::CombiningKind::MAXIMUMF, highest[0]);
    Value shift = shiftOf(maximum);
    Value factor = factorBetween(before, shift);
    Value shifts = broadcast(shift);
    Values total =
        b.loop(b.index(0), end, step, Values(kScoresAtOnce, math.constant(0.0)),
               [&](Value key, ValueRange soFar) {
                 Values next;
                 for (int64_t i = 0; i < kScoresAtOnce; ++i) {
                   Value power = expandmath::emitExpAtMostZero(
                       math, math.sub(vectorAt(key, i), shifts),
                       expandmath::Accuracy::Full);
                   b.store(power, scores, {row, b.plus(key, i * lanes)});
                   next.push_back(math.add(soFar[i], power));
                 }
                 return next;
               });
    for (int64_t i = 1; i < kScoresAtOnce; ++i)
      total[0] = math.add(total[0], total[i]);
    Value old = single.mul(b.load(rowSum, row), factor);
    b.store(single.add(old, reduce(vector::CombiningKind::ADD, total[0])),
            rowSum, row);
    b.store(maximum, rowMaximum, row);
    b.store(factor, shrinkage, row);
  }

  void forScores(Value row, Value end,
                 function_ref<Value(Value score, Value key)> change) {
    b.loop(end, lanes, [&](Value key) {
      Value score = loadVector(scores, {row, key});
      b.store(change(score, key), scores, {row, key});
    });
  }

  void addMask(Value row) {
    b.loop(count, 1, [&](Value key) {
      Value more = b.load(mask, placeOf(row, keyAt(key)));
      if (!more.getType().isF32())
        more = arith::ExtFOp::create(b, b.getF32Type(), more);
      b.store(single.add(b.load(scores, {row, key}), more), scores, {row, key});
    });
  }

  void hideScores(Value row, Value end) {
    auto indices = VectorType::get({lanes}, b.getIndexType());
    Value query = queryOf(row);
    Value first = broadcast(b.load(firsts, query));
    Value past = broadcast(b.load(pasts, query));
    Value steps = vector::StepOp::create(b, indices);
    Value hidden = broadcast(none());
    forScores(row, end, [&](Value score, Value key) {
      Value keys = b.plus(broadcast(b.plus(firstKey, key)), steps);
      Value isSeen = arith::AndIOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::sge, keys, first),
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, keys, past));
      return math.select(isSeen, score, hidden);
    });
  }

  Value isSeen(Value row, Value key) {
    Value query = queryOf(row);
    auto compare = [&](arith::CmpIPredicate predicate, Value bounds) {
      return arith::CmpIOp::create(b, predicate, key, b.load(bounds, query));
    };
    return arith::AndIOp::create(b, compare(arith::CmpIPredicate::sge, firsts),
                                 compare(arith::CmpIPredicate::slt, pasts));
  }

  /// acc * shrinkage + P V for some rows. Values are read in the order in which
  /// they lie, some keys at once, while the sums stay in L1.
  void multiplyValues(Value row, int64_t size) {
    for (int64_t i = 0; i < size; ++i) {
      Value at = b.plus(row, i);
      Value factor = broadcast(b.load(shrinkage, at));
      b.loop(b.index(form.features), lanes, [&](Value column) {
        b.store(math.mul(loadVector(sums, {at, column}), factor), sums,
                {at, column});
      });
    }
    Value whole = b.roundDown(count, kKeysAtOnce);
    b.loop(whole, kKeysAtOnce,
           [&](Value key) { multiplyValues(row, size, key, kKeysAtOnce); });
    b.loop(whole, count, 1,
           [&](Value key) { multiplyValues(row, size, key, 1); });
  }

  /// A key that a query does not see has the power 0, which does not keep a
  /// NaN of V out of a sum of products. The bounds decide, not the power: that
  /// of a key which is seen may be 0 too.
  void multiplyValues(Value row, int64_t size, Value key, int64_t keys) {
    bool mayHide = hasBounds() && queries > 1;
    Values powers, areSeen;
    for (int64_t i = 0; i < size; ++i)
      for (int64_t j = 0; j < keys; ++j) {
        Value power = b.load(scores, {b.plus(row, i), b.plus(key, j)});
        powers.push_back(broadcast(power));
        if (mayHide)
          areSeen.push_back(
              broadcast(isSeen(b.plus(row, i), keyAt(b.plus(key, j)))));
      }
    int64_t unroll = unrollOf(form.features);
    b.loop(b.index(form.features), unroll * lanes, [&](Value first) {
      Values next;
      for (int64_t part = 0; part < unroll; ++part) {
        Value column = b.plus(first, part * lanes);
        for (int64_t i = 0; i < size; ++i)
          next.push_back(loadVector(sums, {b.plus(row, i), column}));
        for (int64_t j = 0; j < keys; ++j) {
          Value right = loadVector(v, {keyAt(b.plus(key, j)), column});
          for (int64_t i = 0; i < size; ++i) {
            Value &sum = next[part * size + i];
            int64_t number = i * keys + j;
            Value more = math.multiplyAdd(powers[number], right, sum);
            sum = mayHide ? math.select(areSeen[number], more, sum) : more;
          }
        }
      }
      for (int64_t part = 0; part < unroll; ++part)
        for (int64_t i = 0; i < size; ++i)
          b.store(next[part * size + i], sums,
                  {b.plus(row, i), b.plus(first, part * lanes)});
    });
  }

  func::FuncOp function;
  const AttentionForm &form;
  int64_t queries, rows;
  Value only; // the query, where its function is that of one head
  Value q, k, v, acc, maximum, sum, scale, keyOffset, firstOfPart, pastPart,
      mask, begin, end;
  Value rowsOfQ, scores, sums, rowMaximum, rowSum, shrinkage, firsts, pasts;
  Value firstKey, count;
};

class CombineEmitter : VectorEmitter {
public:
  CombineEmitter(func::FuncOp function, const AttentionForm &form)
      : VectorEmitter(LoopBuilder(function), form), features(form.features) {
    auto argument = function.getArguments().begin();
    accs = *argument++, maximums = *argument++, partSums = *argument++;
    acc = *argument++, maximum = *argument++, sum = *argument++;
  }

  void emit() {
    Value zero = b.index(0);
    Value parts = memref::DimOp::create(b, accs, 0);
    Values first{zero, zero};
    Value before = b.load(maximum, first);
    Values highest =
        b.loop(zero, parts, 1, {before}, [&](Value part, ValueRange soFar) {
          return Values{arith::MaximumFOp::create(
              b, soFar[0], b.load(maximums, {part, zero}))};
        });
    Value shift = shiftOf(highest[0]);
    b.store(highest[0], maximum, first);
    Value factor = factorBetween(before, shift);
    b.store(single.mul(b.load(sum, first), factor), sum, first);
    scaleAndAdd(factor, Value(), zero);
    b.loop(parts, 1, [&](Value part) {
      Value factor = factorBetween(b.load(maximums, {part, zero}), shift);
      Value more = single.mul(b.load(partSums, {part, zero}), factor);
      b.store(single.add(b.load(sum, first), more), sum, first);
      scaleAndAdd(factor, accs, part);
    });
    func::ReturnOp::create(b);
  }

private:
  /// acc * factor, or acc + part * factor.
  void scaleAndAdd(Value factor, Value part, Value number) {
    Value zero = b.index(0), factors = broadcast(factor);
    b.loop(b.index(features), lanes, [&](Value column) {
      Value old = loadVector(acc, {zero, column});
      Value next = part ? math.multiplyAdd(loadVector(part, {number, column}),
                                           factors, old)
                        : math.mul(old, factors);
      b.store(next, acc, {zero, column});
    });
  }

  int64_t features;
  Value accs, maximums, partSums, acc, maximum, sum;
};

} // namespace

void aikernel::emitAttentionOfRows(func::FuncOp function,
                                   const AttentionForm &form, int64_t group,
                                   int64_t queries) {
  RowsEmitter(function, form, group, queries).emit();
  auto b = OpBuilder::atBlockEnd(&function.front());
  func::ReturnOp::create(b, function.getLoc());
}

void aikernel::emitQueryByQuery(LoopBuilder &b, func::FuncOp function,
                                const AttentionForm &form, Value queries) {
  b.loop(queries, 1,
         [&](Value query) { RowsEmitter(b, function, form, query).emit(); });
}

void aikernel::emitCombination(func::FuncOp function,
                               const AttentionForm &form) {
  CombineEmitter(function, form).emit();
}
