//===- AttentionProgram.cpp - The tile program of attention ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aik_tile.attention on memrefs. Out: the program with its rings and roles,
// and what both roles know: the types, and the loops over tiles and blocks.
// Blocks of keys come from the last to the first. Those that some query sees in
// part are masked; all others need no masks, unless there is a window.
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"
#include "TileRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// Rows of a matrix that a warpgroup multiplies at once.
static constexpr int64_t kGroupRows = 64;

AttentionProgram::AttentionProgram(AttentionOp op)
    : op(op), schedule(op.getSchedule()), b(op.getLoc(), op),
      element(cast<MemRefType>(op.getQ().getType()).getElementType()),
      features(op.getFeatures()) {
  int64_t keys = staticLength(op.getK());
  hasMasks = op.getCausal() || op.getKvLen() || ShapedType::isDynamic(keys) ||
             keys % schedule.getKeys() != 0;
}

void AttentionProgram::build() {
  findTypes();
  zero = i32(0);
  one = i32(1);
  Value batches = size(0);
  queries = size(1);
  keys = size(2);
  Value heads = times(batches, op.getHeads());
  tileRows = ceilDiv(queries, schedule.getRows());
  Value tiles = arith::MulIOp::create(b, tileRows, heads);
  queryMap = map(op.getQ(), schedule.getRows());
  keyMap = map(op.getK(), schedule.getKeys());
  valueMap = map(op.getV(), schedule.getKeys());
  Value out = map(op.getOut(), BoxesType::kBoxRows);
  MLIRContext *context = b.getContext();
  auto program = ProgramOp::create(b, /*cluster=*/1);
  b.setInsertionPointToStart(&program.getBody().emplaceBlock());
  auto ring = [&](int64_t stages, SharedType tile) {
    return MakeRingOp::create(b, RingType::get(context, stages, {tile}));
  };
  queryRing = ring(schedule.getQueryStages(), queryTile);
  keyRing = ring(schedule.getStages(), keyTile);
  valueRing = ring(schedule.getStages(), valueTile);
  Value boxes = MakeBoxesOp::create(
      b, BoxesType::get(context, 4 * schedule.getWarpgroups(),
                        schedule.getBoxes()));
  mailbox = MakeMailboxOp::create(b, MailboxType::get(context, 2, kWords));
  inRole(b, 1, schedule.getLoadRegisters(),
         [&](Value) { buildClaims(tiles, heads); });
  inRole(b, schedule.getWarpgroups(), schedule.getRegisters(),
         [&](Value group) { buildTiles(group, out, boxes); });
  op.erase();
}

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

Value AttentionProgram::i32(int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}
Value AttentionProgram::plus(Value x, Value y) {
  return arith::AddIOp::create(b, x, y);
}
Value AttentionProgram::minus(Value x, Value y) {
  return arith::SubIOp::create(b, x, y);
}
Value AttentionProgram::times(Value x, int64_t y) {
  return arith::MulIOp::create(b, x, i32(y));
}
Value AttentionProgram::over(Value x, Value y) {
  return arith::DivUIOp::create(b, x, y);
}
Value AttentionProgram::rest(Value x, Value y) {
  return arith::RemUIOp::create(b, x, y);
}
Value AttentionProgram::smaller(Value x, Value y) {
  return arith::MinSIOp::create(b, x, y);
}
Value AttentionProgram::larger(Value x, Value y) {
  return arith::MaxSIOp::create(b, x, y);
}
Value AttentionProgram::ceilDiv(Value x, int64_t by) {
  return over(plus(x, i32(by - 1)), i32(by));
}
Value AttentionProgram::isLess(Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
}
Value AttentionProgram::size(unsigned number) {
  return arith::IndexCastOp::create(b, b.getI32Type(), op.getSizes()[number]);
}

/// Queries or keys of a tensor, where they are known.
int64_t AttentionProgram::staticLength(Value memref) {
  return cast<MemRefType>(memref.getType()).getDimSize(op.getSequenceDim());
}

void AttentionProgram::findTypes() {
  MLIRContext *context = b.getContext();
  auto shared = [&](int64_t rows, int64_t depth, bool rowMajor) {
    return SharedType::get(context, rows, depth, element, rowMajor);
  };
  queryTile = shared(schedule.getRows(), features, false);
  queryPart = shared(kGroupRows, features, false);
  keyTile = shared(schedule.getKeys(), features, false);
  valueTile = shared(features, schedule.getKeys(), true);
  auto frag = [&](int64_t columns, Type type, bool pending) {
    return FragType::get(context, kGroupRows, columns, type, pending);
  };
  Type f32 = b.getF32Type();
  scoresType = frag(schedule.getKeys(), f32, false);
  scoresPending = frag(schedule.getKeys(), f32, true);
  weightsType = frag(schedule.getKeys(), element, false);
  sumsType = frag(features, f32, false);
  sumsPending = frag(features, f32, true);
  outType = frag(features, element, false);
}

Value AttentionProgram::map(Value memref, int64_t rows) {
  int64_t inLine = kLineBytes * 8 / element.getIntOrFloatBitWidth();
  return TensorMapOp::create(
      b, MapType::get(b.getContext(), rows, inLine, element), memref,
      b.getI64IntegerAttr(op.getSequenceDim()));
}

/// Head and batch of a head's number, as maps are told them.
SmallVector<Value> AttentionProgram::placeOf(Value head) {
  Value heads = i32(op.getHeads());
  return {rest(head, heads), over(head, heads)};
}

//===----------------------------------------------------------------------===//
// What roles agree on
//===----------------------------------------------------------------------===//

/// Are the last values of a tile multiplied beside the first scores of the next
/// one? Only if its queries can be there by then.
bool AttentionProgram::overlapsTiles() { return schedule.getQueryStages() > 1; }

/// The body of a loop over tiles: it is given so many numbers and what is
/// carried, and gives what goes on to the next tile.
void AttentionProgram::forTiles(
    Region &region, unsigned numbers, ValueRange inits,
    function_ref<SmallVector<Value>(ValueRange, ValueRange)> body) {
  OpBuilder::InsertionGuard guard(b);
  Block &block = region.emplaceBlock();
  for (unsigned i = 0; i < numbers; ++i)
    block.addArgument(b.getI32Type(), b.getLoc());
  for (Value init : inits)
    block.addArgument(init.getType(), b.getLoc());
  b.setInsertionPointToStart(&block);
  ValueRange given = block.getArguments();
  SmallVector<Value> next =
      body(given.take_front(numbers), given.drop_front(numbers));
  YieldOp::create(b, next);
}

/// The loops over all blocks but the first one: masked ones, then the others.
void AttentionProgram::forParts(Value masked, Value count,
                                function_ref<void(Value, Value)> body) {
  if (op.getWindow())
    return body(one, count);
  if (op.getCausal())
    body(one, masked);
  body(op.getCausal() ? masked : one, count);
}
