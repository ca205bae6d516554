//===- AttentionVisibleValues.cpp - Values that not every query sees ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a block of packed values, powers, and the bounds of what queries see.
// Out: whether a product of the two would spread a NaN or an infinity that a
// query does not see; and the sums without it.
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

/// Is a value of the block a NaN or an infinity? The sum of x - x is 0 exactly
/// if not. Only asked where some query does not see some key. What is in parts
/// is asked more than that before.
void AttentionBlocks::findValuesToAvoid() {
  if (parts > 1) {
    hasValuesToAvoid = hasLargeNumbers;
    return;
  }
  Value isPartial = arith::ConstantIntOp::create(b, 0, 1);
  auto either = [&](arith::CmpIPredicate predicate, Value bound, Value key) {
    isPartial =
        arith::OrIOp::create(b, isPartial, compare(predicate, bound, key));
  };
  if (form.hasBegin)
    either(arith::CmpIPredicate::sgt, lastBegin, firstKey);
  if (form.hasEnd)
    either(arith::CmpIPredicate::slt, firstEnd, b.plus(firstKey, keyCount));
  auto sumOfDifferences = [&](Value panel, ValueRange outer) {
    Value values = panelOf(packedV, panel, b.index(0));
    return b.loop(b.index(0), b.ceilDiv(keyCount, sizes.stepKeys), 1, outer,
                  [&](Value step, ValueRange soFar) {
                    Value sum = soFar[0];
                    int64_t width = sizes.valueWidth * sizes.stepKeys;
                    for (int64_t at = 0; at < width; at += lanes) {
                      Value x = load(VectorType::get({lanes}, element), values,
                                     {step, b.index(at)});
                      if (!element.isF32())
                        x = arith::ExtFOp::create(b, floats, x);
                      sum = math.add(sum, math.sub(x, x));
                    }
                    return Values{sum};
                  });
  };
  // No panel is looked at where all see all.
  Value panels =
      arith::SelectOp::create(b, isPartial, b.index(valuePanels), b.index(0));
  Values total =
      b.loop(b.index(0), panels, 1, {constant(0.0)}, sumOfDifferences);
  Value sum =
      vector::ReductionOp::create(b, vector::CombiningKind::ADD, total[0]);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0));
  hasValuesToAvoid =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, sum, zero);
}

/// A key that a query does not see has the power 0, which does not keep a
/// NaN or an infinity of V out of a sum of products: those are left out. The
/// bounds decide, not the power: that of a key which is seen may be 0 too.
void AttentionBlocks::multiplyVisibleValues(Value number,
                                            const KeyRange &range) {
  Value start = b.times(number, strip);
  Value here = b.smaller(b.index(strip), b.minus(count, start));
  Value nothing = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0));
  auto widen = [&](Value x) -> Value {
    if (element.isF32())
      return x;
    return arith::ExtFOp::create(b, b.getF32Type(), x);
  };
  auto sumOfParts = [&](function_ref<Value(int64_t)> partAt) {
    Value total = widen(partAt(parts - 1));
    for (int64_t part = parts - 2; part >= 0; --part)
      total = arith::AddFOp::create(b, total, widen(partAt(part)));
    return total;
  };
  auto powerAt = [&](Value row, Value key) {
    Value inRow = b.plus(b.times(row, sizes.powerDepth),
                         remainder(key, sizes.powerDepth));
    return sumOfParts([&](int64_t part) {
      return load(powers, {powerRow(number, key, part), inRow});
    });
  };
  auto valueAt = [&](Value key, Value feature) {
    Value step = b.times(quotient(key, sizes.stepKeys), parts);
    return sumOfParts([&](int64_t part) {
      return load(packedV,
                  {b.index(0), quotient(feature, sizes.valueWidth),
                   b.plus(step, part), remainder(feature, sizes.valueWidth),
                   remainder(key, sizes.stepKeys)});
    });
  };
  b.loop(here, 1, [&](Value row) {
    b.loop(b.index(form.features), 1, [&](Value feature) {
      Values where = sumAt(b.plus(start, row), feature);
      Value old = load(sums, where);
      if (!looksAhead) // or they have been shrunk
        old = arith::MulFOp::create(b, old, load(shrinkage, row));
      Values total = b.loop(
          range.from, range.past, 1, {nothing},
          [&](Value key, ValueRange soFar) {
            Value sum = arith::AddFOp::create(
                b, soFar[0],
                arith::MulFOp::create(b, powerAt(row, key),
                                      valueAt(key, feature)));
            Value seen = isSeen(b.plus(start, row), key);
            return Values{arith::SelectOp::create(b, seen, sum, soFar[0])};
          });
      b.store(arith::AddFOp::create(b, old, total[0]), sums, where);
    });
  });
}

/// Does this query of the chunk see this key of the block?
Value AttentionBlocks::isSeen(Value query, Value key) {
  Value number =
      arith::IndexCastOp::create(b, b.getI32Type(), b.plus(firstKey, key));
  Value seen = arith::ConstantIntOp::create(b, 1, 1);
  for (bool isEnd : {false, true}) {
    if (!bounds[isEnd])
      continue;
    auto inside = isEnd ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge;
    Value bound = load(bounds[isEnd], query);
    seen = arith::AndIOp::create(b, seen, compare(inside, number, bound));
  }
  return seen;
}
