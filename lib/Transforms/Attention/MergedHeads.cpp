//===- MergedHeads.cpp - Query heads that share keys, as one head ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: q and the bounds of its queries. Out: loops that copy both. They are
// small beside the keys.
//
//===----------------------------------------------------------------------===//

#include "MergedHeads.h"

using namespace mlir;
using namespace aikernel;

static int64_t countQueries(OnlineAttentionOp op) {
  return cast<MemRefType>(op.getQ().getType()).getDimSize(op.getSequenceDim());
}

/// Calls `body` with each head of a group, each query, and the row that this
/// becomes.
static void
forEachRow(LoopBuilder &b, OnlineAttentionOp op,
           function_ref<void(Value head, Value query, Value row)> body) {
  int64_t queries = countQueries(op);
  b.loop(b.index(op.getConstantGroup()), 1, [&](Value head) {
    b.loop(b.index(queries), 1, [&](Value query) {
      body(head, query, b.plus(b.times(head, queries), query));
    });
  });
}

static Value allocate(LoopBuilder &b, OnlineAttentionOp op, Type element,
                      ArrayRef<OpFoldResult> outer,
                      ArrayRef<OpFoldResult> inner) {
  SmallVector<OpFoldResult> sizes(outer);
  sizes.push_back(b.getIndexAttr(op.getConstantGroup() * countQueries(op)));
  llvm::append_range(sizes, inner);
  return memref::AllocOp::create(b, sizes, element, Attribute());
}

static Value gatherQueries(LoopBuilder &b, OnlineAttentionOp op) {
  auto type = cast<MemRefType>(op.getQ().getType());
  int64_t depth = type.getDimSize(3);
  OpFoldResult sizes[] = {
      memref::getMixedSize(b, b.getLoc(), op.getQ(), 0),
      memref::getMixedSize(b, b.getLoc(), op.getK(), op.getHeadDim())};
  Value gathered = allocate(b, op, type.getElementType(), sizes,
                            OpFoldResult(b.getIndexAttr(depth)));
  auto loop = scf::ForallOp::create(b, sizes, ValueRange{},
                                    /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getTerminator());
  Value batch = loop.getInductionVar(0), keyHead = loop.getInductionVar(1);
  forEachRow(b, op, [&](Value head, Value query, Value row) {
    LoopBuilder::Values from(4, batch);
    from[op.getHeadDim()] =
        b.plus(b.times(keyHead, op.getConstantGroup()), head);
    from[op.getSequenceDim()] = query;
    b.loop(b.index(depth), 1, [&](Value column) {
      from[3] = column;
      b.store(b.load(op.getQ(), from), gathered, {batch, keyHead, row, column});
    });
  });
  return gathered;
}

static Value repeatBounds(LoopBuilder &b, OnlineAttentionOp op, Value bounds) {
  if (!bounds)
    return {};
  OpFoldResult batches = memref::getMixedSize(b, b.getLoc(), bounds, 0);
  Value repeated = allocate(
      b, op, cast<MemRefType>(bounds.getType()).getElementType(), batches, {});
  b.loop(memref::DimOp::create(b, bounds, 0), 1, [&](Value batch) {
    forEachRow(b, op, [&](Value, Value query, Value row) {
      b.store(b.load(bounds, {batch, query}), repeated, {batch, row});
    });
  });
  return repeated;
}

MergedHeads aikernel::mergeHeads(LoopBuilder &b, OnlineAttentionOp op) {
  return {gatherQueries(b, op), repeatBounds(b, op, op.getBegin()),
          repeatBounds(b, op, op.getEnd())};
}
