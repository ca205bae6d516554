//===- AttentionLoops.cpp - Attention as plain loops ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aik_tile.attention on memrefs. Out: for each query, one loop over the
// keys that it sees for the largest score, and one for weights and sums.
//
//===----------------------------------------------------------------------===//

#include "AttentionLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

using namespace mlir;
using namespace aikernel;

namespace {

class AttentionExpander {
public:
  explicit AttentionExpander(tile::AttentionOp op)
      : op(op), b(op.getLoc(), op) {}

  void run() {
    zero = index(0);
    one = index(1);
    features = index(op.getFeatures());
    Value sums = memref::AllocaOp::create(
        b, MemRefType::get({op.getFeatures()}, b.getF32Type()));
    Value batch = enter(size(op.getQ(), 0));
    Value head = enter(size(op.getQ(), op.getHeadDim()));
    Value query = enter(size(op.getQ(), op.getSequenceDim()));
    attend(batch, head, query, sums);
    op.erase();
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value f32(float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value size(Value memref, unsigned dim) {
    return memref::DimOp::create(b, memref, index(dim));
  }
  Value enter(Value count) {
    auto loop = scf::ForOp::create(b, zero, count, one);
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }
  SmallVector<Value> place(Value batch, Value head, Value row, Value feature) {
    if (op.getHeadsInner())
      return {batch, row, head, feature};
    return {batch, head, row, feature};
  }
  Value element(Value memref, ArrayRef<Value> indices) {
    Value found = memref::LoadOp::create(b, memref, indices);
    if (found.getType().isF32())
      return found;
    return arith::ExtFOp::create(b, b.getF32Type(), found);
  }
  Value loop(Value from, Value to, Value init,
             function_ref<Value(Value, Value)> body) {
    auto made = scf::ForOp::create(b, from, to, one, init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    scf::YieldOp::create(
        b, body(made.getInductionVar(), made.getRegionIterArg(0)));
    return made.getResult(0);
  }

  Value score(Value batch, Value head, Value keyHead, Value query, Value key) {
    Value product =
        loop(zero, features, f32(0), [&](Value feature, Value sum) -> Value {
          Value term = arith::MulFOp::create(
              b, element(op.getQ(), place(batch, head, query, feature)),
              element(op.getK(), place(batch, keyHead, key, feature)));
          return arith::AddFOp::create(b, sum, term);
        });
    Value found = capped(product);
    if (!op.getMask())
      return found;
    SmallVector<Value> indices;
    unsigned rank = cast<MemRefType>(op.getMask().getType()).getRank();
    Value all[] = {batch, head, query, key};
    for (unsigned dim = 4 - rank; dim < 4; ++dim)
      indices.push_back(op.getMaskDims()[dim] ? all[dim] : zero);
    return arith::AddFOp::create(b, found, element(op.getMask(), indices));
  }

  Value capped(Value product) {
    float scale = op.getScale().convertToFloat();
    if (!op.getSoftcap())
      return arith::MulFOp::create(b, product, f32(scale));
    float cap = op.getSoftcap()->convertToFloat();
    Value scaled = arith::MulFOp::create(b, product, f32(scale / cap));
    return arith::MulFOp::create(b, math::TanhOp::create(b, scaled), f32(cap));
  }

  /// The first key that a query sees, and the one past the last.
  std::pair<Value, Value> bounds(Value batch, Value query) {
    Value length = size(op.getK(), op.getSequenceDim());
    if (op.getKvLen())
      length = arith::IndexCastOp::create(
          b, b.getIndexType(), memref::LoadOp::create(b, op.getKvLen(), batch));
    if (!op.getCausal())
      return {zero, length};
    Value shift =
        arith::SubIOp::create(b, length, size(op.getQ(), op.getSequenceDim()));
    Value past =
        arith::AddIOp::create(b, arith::AddIOp::create(b, query, shift), one);
    Value first = zero;
    if (op.getWindow())
      first = arith::MaxSIOp::create(
          b, zero, arith::SubIOp::create(b, past, index(*op.getWindow())));
    past = arith::MaxSIOp::create(b, zero,
                                  arith::MinSIOp::create(b, past, length));
    return {first, past};
  }

  void attend(Value batch, Value head, Value query, Value sums) {
    auto [first, past] = bounds(batch, query);
    Value keyHead = arith::DivUIOp::create(b, head, index(op.getGroup()));
    Value maximum =
        loop(first, past, f32(-INFINITY), [&](Value key, Value most) -> Value {
          Value found = score(batch, head, keyHead, query, key);
          return arith::MaximumFOp::create(b, most, found);
        });
    // Of scores that a mask hides, all of them, nothing is subtracted.
    Value subtracted = maximum;
    if (op.getMask())
      subtracted = arith::SelectOp::create(
          b,
          arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, maximum,
                                f32(-INFINITY)),
          f32(0), maximum);
    forFeatures([&](Value feature) {
      memref::StoreOp::create(b, f32(0), sums, feature);
    });
    Value total = loop(first, past, f32(0), [&](Value key, Value sum) -> Value {
      Value weight = math::ExpOp::create(
          b, arith::SubFOp::create(b, score(batch, head, keyHead, query, key),
                                   subtracted));
      forFeatures([&](Value feature) {
        Value term = arith::MulFOp::create(
            b, weight, element(op.getV(), place(batch, keyHead, key, feature)));
        Value before = memref::LoadOp::create(b, sums, feature);
        memref::StoreOp::create(b, arith::AddFOp::create(b, before, term), sums,
                                feature);
      });
      return arith::AddFOp::create(b, sum, weight);
    });
    Value isNone =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, total, f32(0));
    Type narrow = cast<MemRefType>(op.getOut().getType()).getElementType();
    forFeatures([&](Value feature) {
      Value sum = memref::LoadOp::create(b, sums, feature);
      Value ratio = arith::SelectOp::create(
          b, isNone, f32(0), arith::DivFOp::create(b, sum, total));
      memref::StoreOp::create(b, arith::TruncFOp::create(b, narrow, ratio),
                              op.getOut(), place(batch, head, query, feature));
    });
    if (op.getStatistics().empty())
      return;
    SmallVector<Value> row{batch, head, query};
    memref::StoreOp::create(b, maximum, op.getStatistics()[0], row);
    memref::StoreOp::create(b, total, op.getStatistics()[1], row);
  }

  void forFeatures(function_ref<void(Value)> body) {
    auto made = scf::ForOp::create(b, zero, features, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    body(made.getInductionVar());
  }

  tile::AttentionOp op;
  ImplicitLocOpBuilder b;
  Value zero, one, features;
};

} // namespace

void aikernel::expandAttention(tile::AttentionOp op) {
  AttentionExpander(op).run();
}
