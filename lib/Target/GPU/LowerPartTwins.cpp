//===- LowerPartTwins.cpp - Parts of attention on the host ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.attention_part in a function of the host, the twin of a kernel.
// Out: plain loops over rows and keys. A twin does one part after the other, so
// the last to arrive is the last one.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Target/GPU/Passes.h"
#include "AttentionScores.h"
#include "mlir/Dialect/Math/IR/Math.h"

#define DEBUG_TYPE "aik-lower-part-twins"

namespace aikernel {
#define GEN_PASS_DEF_LOWERPARTTWINSPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

class PartTwin {
public:
  using Values = LoopBuilder::Values;

  explicit PartTwin(AttentionPartOp op)
      : op(op), b(op.getLoc(), op), accs(op.getParts()[0]),
        maximums(op.getParts()[1]), sums(op.getParts()[2]) {}

  void emit() {
    Value rows = b.index(op.getRows());
    b.loop(rows, 1, [&](Value row) { attend(row); });
    Value parts = b.createOrFold<memref::DimOp>(accs, 1);
    Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                         b.plus(op.getPart(), 1), parts);
    auto choice = scf::IfOp::create(b, isLast);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      b.loop(rows, 1, [&](Value row) { combine(row); });
    }
    op.replaceAllUsesWith(isLast);
    op.erase();
  }

private:
  Values inPart(Value part, Value row) { return {op.getNumber(), part, row}; }
  Values inPart(Value part, Value row, Value feature) {
    return {op.getNumber(), part, row, feature};
  }
  Value asF32(Value value) {
    return arith::ExtFOp::create(b, b.getF32Type(), value);
  }
  Value power(Value x, Value shift) {
    return math::ExpOp::create(b, arith::SubFOp::create(b, x, shift));
  }
  void eachFeature(function_ref<void(Value)> body) {
    b.loop(b.index(op.getFeatures()), 1, body);
  }
  void add(Value more, Value memref, ValueRange at) {
    b.store(arith::AddFOp::create(b, b.load(memref, at), more), memref, at);
  }

  Value scoreOfRow(Value row, Value key) {
    Value head = headOfRow(b, op, row), query = queryOfRow(b, op, row);
    Value zero = constantF32(b, 0);
    Values product = b.loop(
        b.index(0), b.index(op.getDepth()), 1, zero,
        [&](Value feature, ValueRange sum) -> Values {
          Value x = b.load(op.getQ(), placeOf(b, op, head, query, feature));
          Value y = b.load(op.getK(), placeOf(b, op, b.index(0), key, feature));
          return {arith::AddFOp::create(
              b, sum[0], arith::MulFOp::create(b, asF32(x), asF32(y)))};
        });
    return scoreOf(b, op, product[0], head, query, key);
  }

  /// What one row finds in this part.
  void attend(Value row) {
    Value zero = constantF32(b, 0), part = op.getPart();
    auto [first, past] = seenKeys(b, op, queryOfRow(b, op, row));
    Value highest = b.loop(
        first, past, 1, minusInfinity(b),
        [&](Value key, ValueRange soFar) -> Values {
          return {arith::MaximumFOp::create(b, soFar[0], scoreOfRow(row, key))};
        })[0];
    b.store(highest, maximums, inPart(part, row));
    b.store(zero, sums, inPart(part, row));
    eachFeature([&](Value feature) {
      b.store(zero, accs, inPart(part, row, feature));
    });
    Value shift = shiftOf(b, highest);
    b.loop(first, past, 1, [&](Value key) {
      Value weight = power(scoreOfRow(row, key), shift);
      add(weight, sums, inPart(part, row));
      eachFeature([&](Value feature) {
        Value value =
            b.load(op.getV(), placeOf(b, op, b.index(0), key, feature));
        add(arith::MulFOp::create(b, weight, asF32(value)), accs,
            inPart(part, row, feature));
      });
    });
  }

  /// The sum of all parts of a row and of what the outputs held.
  void combine(Value row) {
    Value zero = b.index(0);
    Values at{zero, headOfRow(b, op, row), queryOfRow(b, op, row)};
    auto withFeature = [&](Value feature) {
      Values all = at;
      all.push_back(feature);
      return all;
    };
    Value before = b.load(op.getMax(), at);
    Value highest =
        b.loop(zero, op.getUsed(), 1, before,
               [&](Value part, ValueRange soFar) -> Values {
                 return {arith::MaximumFOp::create(
                     b, soFar[0], b.load(maximums, inPart(part, row)))};
               })[0];
    Value shift = shiftOf(b, highest);
    Value factor = power(before, shift);
    b.store(highest, op.getMax(), at);
    auto scale = [&](Value memref, ValueRange where) {
      b.store(arith::MulFOp::create(b, b.load(memref, where), factor), memref,
              where);
    };
    scale(op.getSum(), at);
    eachFeature(
        [&](Value feature) { scale(op.getAcc(), withFeature(feature)); });
    b.loop(op.getUsed(), 1, [&](Value part) {
      Value weight = power(b.load(maximums, inPart(part, row)), shift);
      add(arith::MulFOp::create(b, weight, b.load(sums, inPart(part, row))),
          op.getSum(), at);
      eachFeature([&](Value feature) {
        Value value = b.load(accs, inPart(part, row, feature));
        add(arith::MulFOp::create(b, weight, value), op.getAcc(),
            withFeature(feature));
      });
    });
  }

  AttentionPartOp op;
  LoopBuilder b;
  Value accs, maximums, sums;
};

struct LowerPartTwinsPass
    : aikernel::impl::LowerPartTwinsPassBase<LowerPartTwinsPass> {
  using LowerPartTwinsPassBase::LowerPartTwinsPassBase;

  void runOnOperation() override {
    SmallVector<AttentionPartOp> parts;
    getOperation().walk([&](AttentionPartOp op) { parts.push_back(op); });
    for (AttentionPartOp op : parts)
      PartTwin(op).emit();
  }
};

} // namespace
