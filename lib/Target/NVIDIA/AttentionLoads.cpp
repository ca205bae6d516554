//===- AttentionLoads.cpp - What attention loads --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the role of one thread. Out: it claims tiles of queries, tells the other
// role about each, and loads its queries and the keys and values they see, in
// the order in which they are multiplied.
//
// Where later queries see more keys, tiles come in sections of heads whose keys
// and values fit into the L2 cache, those with most work first.
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// Keys and values that should stay in the L2 cache.
static constexpr int64_t kSectionBytes = 16 << 20;

/// Where tiles overlap, the last values of a tile are loaded after the queries
/// and the first keys of the next one, as they are read. Before the first tile
/// any values will do: nothing of what they give is stored.
void AttentionProgram::buildClaims(Value tiles, Value heads) {
  SmallVector<Value> none;
  if (overlapsTiles())
    none.assign(3, zero);
  auto claims = ClaimTilesOp::create(b, ValueRange(none).getTypes(), tiles,
                                     op.getCounter(), mailbox, none);
  auto loadLast = [&](ValueRange place) {
    load(valueRing, valueMap, place[0], zero, place.drop_front());
  };
  forTiles(claims.getBody(), 1, none, [&](ValueRange tile, ValueRange before) {
    SmallVector<Value> last = buildLoads(tile[0], heads, before);
    if (overlapsTiles())
      return last;
    loadLast(last);
    return SmallVector<Value>();
  });
  if (overlapsTiles())
    loadLast(claims.getResults());
}

/// All of a tile but its last values, whose place it gives; `before` is the
/// place of those of the tile before.
SmallVector<Value> AttentionProgram::buildLoads(Value tile, Value heads,
                                                ValueRange before) {
  int64_t step = schedule.getKeys();
  auto [number, head] = findTile(tile, heads);
  Value row = times(number, schedule.getRows());
  SmallVector<Value> place = placeOf(head), keyPlace = place;
  keyPlace[0] = over(place[0], i32(op.getGroup()));
  Value length = lengthOf(place[1]);
  // Keys that some query of the tile sees, and those that all of them see.
  Value past = length, first = zero, common = length;
  if (op.getCausal()) {
    Value shift = minus(length, queries);
    Value diagonal = plus(row, shift);
    past = smaller(past, plus(diagonal, i32(schedule.getRows())));
    common = smaller(common, plus(diagonal, one));
    if (op.getWindow())
      first = larger(zero, minus(plus(diagonal, one), i32(*op.getWindow())));
  }
  // One block at least, of which nobody may see anything.
  past = larger(past, one);
  first = smaller(first, minus(past, one));
  Value last = over(minus(past, one), i32(step));
  Value begin = over(first, i32(step));
  Value count = plus(minus(last, begin), one);
  Value whole = over(larger(common, zero), i32(step));
  Value masked =
      op.getWindow()
          ? count
          : smaller(count, larger(one, plus(minus(last, whole), one)));
  Value words[kWords];
  words[Row] = row;
  words[Head] = head;
  words[Last] = last;
  words[Masked] = masked;
  words[Count] = count;
  words[Length] = length;
  PostOp::create(b, mailbox, words);
  auto loadKeys = [&](Value block) {
    load(keyRing, keyMap, zero, times(block, step), keyPlace);
  };
  // Rows of a tile of values are features, its depth are keys.
  auto loadValues = [&](Value block) {
    load(valueRing, valueMap, times(block, step), zero, keyPlace);
  };
  auto loadQueries = [&] { load(queryRing, queryMap, zero, row, place); };
  if (overlapsTiles()) {
    loadQueries();
    loadKeys(last);
    load(valueRing, valueMap, before[0], zero, before.drop_front());
  } else {
    // Queries wait for those of the tile before to be gone.
    loadKeys(last);
    loadQueries();
  }
  forParts(masked, count, [&](Value from, Value to) {
    auto loop = scf::ForOp::create(b, from, to, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value block = minus(last, loop.getInductionVar());
    loadKeys(block);
    loadValues(plus(block, one));
  });
  return {times(begin, step), keyPlace[0], keyPlace[1]};
}

/// Which queries of which head a tile is.
std::pair<Value, Value> AttentionProgram::findTile(Value tile, Value heads) {
  if (!op.getCausal())
    return {rest(tile, tileRows), over(tile, tileRows)};
  Value bytes = times(keys, 2 * features * 2); // of a key head
  Value fitting = larger(over(i32(kSectionBytes), larger(bytes, one)), one);
  Value inSection = smaller(times(fitting, op.getGroup()), heads);
  Value ofSection = arith::MulIOp::create(b, inSection, tileRows);
  Value first = arith::MulIOp::create(b, over(tile, ofSection), inSection);
  Value present = smaller(minus(heads, first), inSection);
  Value inside = rest(tile, ofSection);
  Value row = minus(minus(tileRows, one), over(inside, present));
  return {row, plus(first, rest(inside, present))};
}

/// For all keys, or those that are valid.
Value AttentionProgram::lengthOf(Value batch) {
  if (!op.getKvLen())
    return keys;
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), batch);
  return memref::LoadOp::create(b, op.getKvLen(), index);
}

void AttentionProgram::load(Value ring, Value map, Value depth, Value row,
                            ValueRange place) {
  auto fill = FillOp::create(b, ring);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&fill.getBody().emplaceBlock());
  LoadOp::create(b, map, depth, row, place, /*tile=*/0, /*shared=*/false);
}
