//===- RowEmitter.cpp - The code of a row program -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the ops of a row program in order. Out, for one thread:
//
//   load its vectors of the row                       (once, all at the start
//   for each op: compute on each vector, or reduce     of their first use)
//     the vectors, the warp by shuffles, the block through shared memory
//   store
//
// Every thread of a row has the numbers that belong to the row, so nothing is
// broadcast. Only the exchange between warps needs a barrier.
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "ThreadReduction.h"
#include "VectorAccess.h"
#include "VectorBody.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace aikernel;

RowEmitter::RowEmitter(gpu::GPUFuncOp kernel, ArrayRef<RowOp> ops,
                       RowLayout layout)
    : kernel(kernel), ops(ops), layout(layout),
      b(kernel.getLoc(), kernel.getContext()) {}

void RowEmitter::run() {
  b.setInsertionPoint(kernel.getBody().front().getTerminator());
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  lane = layout.perRow == layout.threads
             ? thread
             : arith::RemUIOp::create(b, thread, b.index(layout.perRow))
                   .getResult();
  placePieces();
  if (layout.perRow == layout.threads) {
    emitRow(b.index(0));
  } else {
    // Warps take the rows of the block in turn.
    linalg::LinalgOp first = ops.front().op;
    for (const RowOp &row : ops)
      if (row.hasColumns) {
        first = row.op;
        break;
      }
    Value count = b.index(1);
    SmallVector<Range> ranges = first.createLoopRanges(b, b.getLoc());
    for (Range range : ArrayRef(ranges).drop_back())
      count = b.times(
          count, getValueOrCreateConstantIndexOp(b, b.getLoc(), range.size));
    Value warp = arith::DivUIOp::create(b, thread, b.index(layout.perRow));
    b.loop(warp, count, layout.threads / layout.perRow,
           [&](Value row) { emitRow(row); });
  }
  eraseOps();
}

void RowEmitter::placePieces() {
  for (int64_t piece = 0; piece < layout.pieces(); ++piece)
    columnsOfPieces.push_back(b.plus(b.times(lane, layout.vector),
                                     piece * layout.perRow * layout.vector));
}

template <typename Op>
static void eraseUnused(gpu::GPUFuncOp kernel) {
  kernel.walk([](Op op) {
    if (op->use_empty())
      op->erase();
  });
}

void RowEmitter::eraseOps() {
  for (const RowOp &row : ops)
    row.op->erase();
  eraseUnused<memref::ViewOp>(kernel);
  eraseUnused<memref::AllocaOp>(kernel);
}

void RowEmitter::setRow(Value row) {
  rowIndices.clear();
  for (const RowOp &first : ops)
    if (first.hasColumns) {
      // The row's number in each loop.
      linalg::LinalgOp op = first.op;
      SmallVector<Range> ranges = op.createLoopRanges(b, b.getLoc());
      ranges.pop_back();
      rowIndices.resize(ranges.size());
      for (unsigned i = ranges.size(); i-- > 0;) {
        rowIndices[i] = row;
        if (i == 0)
          break;
        Value size =
            getValueOrCreateConstantIndexOp(b, b.getLoc(), ranges[i].size);
        rowIndices[i] = arith::RemUIOp::create(b, row, size);
        row = arith::DivUIOp::create(b, row, size);
      }
      break;
    }
}

void RowEmitter::emitRow(Value row) {
  held.clear();
  setRow(row);
  for (const RowOp &op : ops) {
    b.setLoc(op.op->getLoc());
    emitOp(op);
  }
}

void RowEmitter::emitOp(const RowOp &row) {
  if (!row.hasColumns)
    emitNumber(row);
  else if (row.reduces)
    emitReduction(row);
  else
    emitColumns(row);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

bool RowEmitter::isPartial(int64_t piece) const {
  return (piece + 1) * layout.perRow * layout.vector > layout.columns;
}

RowEmitter::Values RowEmitter::ifInside(int64_t piece, TypeRange types,
                                        Values otherwise,
                                        function_ref<Values()> body) {
  if (!isPartial(piece))
    return body();
  Value inside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                            columnsOfPieces[piece], b.index(layout.columns));
  auto choice = scf::IfOp::create(b, types, inside,
                                  /*withElseRegion=*/!types.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Values made = body();
  if (types.empty())
    return {};
  scf::YieldOp::create(b, made);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, otherwise);
  return Values(choice.getResults());
}

RowEmitter::Values RowEmitter::indicesOf(RowShape shape, int64_t piece) {
  Values indices;
  if (shape != RowShape::Column)
    indices = rowIndices;
  if (shape != RowShape::PerRow)
    indices.push_back(columnsOfPieces[piece]);
  return indices;
}

Value RowEmitter::loadPiece(Value memref, RowShape shape, int64_t piece) {
  return asVector(
      loadVector(b, memref, indicesOf(shape, piece), layout.vector));
}

RowEmitter::Held RowEmitter::loadAll(OpOperand &operand, RowShape shape) {
  Value memref = operand.get();
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Held all;
  if (shape == RowShape::PerRow) {
    all.isPerRow = true;
    all.pieces = {b.load(memref, indicesOf(shape, 0))};
    return all;
  }
  auto type = VectorType::get({layout.vector}, element);
  for (int64_t piece = 0; piece < layout.pieces(); ++piece) {
    Values loaded =
        ifInside(piece, type,
                 isPartial(piece)
                     ? Values{arith::ConstantOp::create(b, b.getZeroAttr(type))}
                     : Values(),
                 [&]() -> Values { return {loadPiece(memref, shape, piece)}; });
    all.pieces.push_back(loaded.front());
  }
  return all;
}

Value RowEmitter::operandAt(const RowOp &row, OpOperand &operand,
                            int64_t piece) {
  RowShape shape = row.shapes[operand.getOperandNumber()];
  Value memref = operand.get();
  if (!isa<MemRefType>(memref.getType()))
    return memref;
  if (shape == RowShape::Scalar)
    return b.load(memref, ValueRange());
  Value key = isWholeScratch(memref) ? scratchOf(memref) : memref;
  auto known = held.find(key);
  if (known == held.end()) {
    // Before the first use of any piece, so that all loads are under way.
    held[key] = loadAll(operand, shape);
    known = held.find(key);
  }
  return known->second.isPerRow ? known->second.pieces.front()
                                : known->second.pieces[piece];
}

/// What is read in between is in registers, so the last value is the only one
/// that must reach memory.
bool RowEmitter::isWrittenAfter(const RowOp &row, Value memref) const {
  return llvm::any_of(ops, [&](const RowOp &later) {
    linalg::LinalgOp op = later.op;
    return &later > &row && llvm::is_contained(op.getDpsInits(), memref);
  });
}

void RowEmitter::put(const RowOp &row, OpOperand &result, int64_t piece,
                     Value value) {
  RowShape shape = row.shapes[result.getOperandNumber()];
  Value memref = result.get();
  bool isScratch = isWholeScratch(memref);
  Value key = isScratch ? scratchOf(memref) : memref;
  if (shape == RowShape::PerRow) {
    Held number;
    number.isPerRow = true;
    number.pieces = {value};
    held[key] = number;
    if (isScratch)
      return;
    auto one = scf::IfOp::create(b, b.equals(lane, 0));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    b.store(value, memref, indicesOf(shape, piece));
    return;
  }
  Held &pieces = held[key];
  pieces.isPerRow = false;
  pieces.pieces.resize(layout.pieces());
  pieces.pieces[piece] = asVector(value);
  if (isScratch || isWrittenAfter(row, memref))
    return;
  Value vector = pieces.pieces[piece];
  unsigned bytes =
      layout.vector * getElementTypeOrSelf(vector).getIntOrFloatBitWidth() / 8;
  ifInside(piece, TypeRange(), {}, [&]() -> Values {
    vector::StoreOp::create(b, vector, memref, indicesOf(shape, piece),
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(std::min(bytes, 16u)));
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value RowEmitter::asVector(Value value) {
  return aikernel::asVector(b, value, layout.vector);
}

RowEmitter::Values
RowEmitter::compute(const RowOp &row, ArrayRef<Value> operands, int64_t piece) {
  linalg::LinalgOp op = row.op;
  return emitVectorBody(b, op, operands, layout.vector, [&](unsigned dim) {
    bool isRow = !row.hasColumns || dim + 1 < op.getNumLoops();
    return isRow ? rowIndices[dim]
                 : countFrom(b, columnsOfPieces[piece], layout.vector);
  });
}

void RowEmitter::emitColumns(const RowOp &row) {
  linalg::LinalgOp op = row.op;
  for (int64_t piece = 0; piece < layout.pieces(); ++piece) {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(op.payloadUsesValueFromOperand(&operand)
                             ? operandAt(row, operand, piece)
                             : Value());
    Values results = compute(row, operands, piece);
    for (auto [init, result] : llvm::zip(op.getDpsInitsMutable(), results))
      put(row, init, piece, result);
  }
}

/// An op without columns, or the fill of what has none.
void RowEmitter::emitNumber(const RowOp &row) {
  linalg::LinalgOp op = row.op;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(op.payloadUsesValueFromOperand(&operand)
                           ? operandAt(row, operand, 0)
                           : Value());
  Values results = compute(row, operands, 0);
  for (auto [init, result] : llvm::zip(op.getDpsInitsMutable(), results))
    put(row, init, 0, result);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

RowEmitter::Values RowEmitter::acrossRow(const ThreadReduction &reduction,
                                         Values values) {
  return reduction.acrossThreads(b, kernel, values, thread, layout.perRow);
}

RowEmitter::Values RowEmitter::reduceOwn(const RowOp &row,
                                         const ThreadReduction &reduction) {
  linalg::LinalgOp op = row.op;
  Values sums = reduction.neutral(b);
  for (Value &sum : sums)
    sum = asVector(sum);
  for (int64_t piece = 0; piece < layout.pieces(); ++piece) {
    SmallVector<Value> operands;
    for (OpOperand *operand : op.getDpsInputOperands())
      operands.push_back(op.payloadUsesValueFromOperand(operand)
                             ? operandAt(row, *operand, piece)
                             : Value());
    sums = ifInside(piece, ValueRange(sums).getTypes(), sums, [&]() -> Values {
      SmallVector<Value> all(operands);
      all.append(sums.begin(), sums.end());
      Values next = compute(row, all, piece);
      for (Value &value : next)
        value = asVector(value);
      return next;
    });
  }
  for (auto [result, sum] : llvm::enumerate(sums))
    sum = reduction.acrossVector(b, result, sum);
  return sums;
}

void RowEmitter::putReduced(const RowOp &row, const ThreadReduction &reduction,
                            Values values) {
  linalg::LinalgOp op = row.op;
  for (auto [result, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    Value before = operandAt(row, init, 0);
    put(row, init, 0, reduction.combine(b, result, before, values[result]));
  }
}

void RowEmitter::emitReduction(const RowOp &row) {
  ThreadReduction reduction = *ThreadReduction::match(row.op);
  Values own = reduceOwn(row, reduction);
  putReduced(row, reduction, acrossRow(reduction, own));
}
