//===- AttentionScores.cpp - The score of a query and a key ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the product of a query with a key. Out: its score, and whether it counts.
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace aikernel;

LoopBuilder::Values aikernel::placeOf(LoopBuilder &b, AttentionPartOp op,
                                      Value head, Value position,
                                      Value feature) {
  LoopBuilder::Values place(4, b.index(0));
  place[op.getHeadDim()] = head;
  place[op.getSequenceDim()] = position;
  place[3] = feature;
  return place;
}

/// Dimensions of size 1 are broadcast; the mask is aligned from the right.
static Value maskAt(LoopBuilder &b, Value mask, Value head, Value query,
                    Value key) {
  auto type = cast<MemRefType>(mask.getType());
  Value zero = b.index(0);
  Value all[] = {zero, head, query, key};
  LoopBuilder::Values at;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    at.push_back(size == 1 ? zero : all[4 - type.getRank() + dim]);
  Value value = b.load(mask, at);
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(b, b.getF32Type(), value);
}

Value aikernel::scoreOf(LoopBuilder &b, AttentionPartOp op, Value product,
                        Value head, Value query, Value key) {
  Value score = arith::MulFOp::create(b, product, op.getScale());
  if (std::optional<APFloat> cap = op.getSoftcap()) {
    Value limit = constantF32(b, cap->convertToDouble());
    Value ratio = arith::DivFOp::create(b, score, limit);
    score = arith::MulFOp::create(b, math::TanhOp::create(b, ratio), limit);
  }
  if (op.getMask())
    score = arith::AddFOp::create(b, score,
                                  maskAt(b, op.getMask(), head, query, key));
  return score;
}

std::pair<Value, Value> aikernel::seenKeys(LoopBuilder &b, AttentionPartOp op,
                                           Value query) {
  auto boundOf = [&](Value bounds) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(),
                                      b.load(bounds, {b.index(0), query}));
  };
  Value first = op.getFirst(), past = op.getPast();
  if (op.getBegin())
    first = b.larger(first, boundOf(op.getBegin()));
  if (op.getEnd())
    past = b.smaller(past, boundOf(op.getEnd()));
  return {first, past};
}

Value aikernel::headOfRow(LoopBuilder &b, AttentionPartOp op, Value row) {
  return b.createOrFold<arith::DivUIOp>(row, b.index(op.getQueries()));
}

Value aikernel::queryOfRow(LoopBuilder &b, AttentionPartOp op, Value row) {
  return b.createOrFold<arith::RemUIOp>(row, b.index(op.getQueries()));
}

Value aikernel::constantF32(LoopBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

Value aikernel::minusInfinity(LoopBuilder &b) {
  return constantF32(b, -std::numeric_limits<float>::infinity());
}

Value aikernel::shiftOf(LoopBuilder &b, Value maximum) {
  Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, maximum,
                                       minusInfinity(b));
  return arith::SelectOp::create(b, isNone, constantF32(b, 0), maximum);
}
