//===- WaitingSums.cpp - Sums that wait for their epilogue ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tile, the one before it, and how the tile is multiplied. Out: that, and
// in each round the epilogue of a few rows of the tile before.
//
//===----------------------------------------------------------------------===//

#include "WaitingSums.h"

using namespace mlir;
using namespace aikernel;

/// A line of the cache.
static constexpr int64_t kLineBits = 512;

WaitingSums::WaitingSums(LoopBuilder &builder,
                         const MatrixInstruction &instruction,
                         TileEpilogue &epilogue, bool asksAhead)
    : b(builder), op(instruction), epilogue(epilogue), asksAhead(asksAhead),
      buffer(builder.buffer(elementType(op.accumulator, builder.getContext()),
                            {2 * int64_t(op.rows), int64_t(op.columns())})) {}

/// Where the sums of a tile begin.
Value WaitingSums::firstRow(Value number) {
  return b.times(arith::RemUIOp::create(b, number, b.index(2)), op.rows);
}

void WaitingSums::multiply(
    const Tile &tile, const Tile &before, Value rounds,
    function_ref<void(const TileRegisters::Place &, function_ref<void(Value)>)>
        multiply) {
  Value all = arith::SelectOp::create(b, b.equals(tile.number, 0), b.index(0),
                                      b.index(op.rows));
  // Without rounds all of it is left for the end.
  Value atOnce =
      arith::CeilDivUIOp::create(b, all, b.larger(rounds, b.index(1)));
  auto end = [&](Value round) {
    return b.smaller(b.times(round, atOnce), all);
  };
  multiply({buffer, firstRow(tile.number), b.index(0)}, [&](Value round) {
    Value first = end(round), last = end(b.plus(round, 1));
    finishRows(before, first, last);
    if (asksAhead)
      askForRows(tile, first, last);
  });
  finishRows(before, end(rounds), all);
}

void WaitingSums::finish(const Tile &tile) {
  finishRows(tile, b.index(0), b.index(op.rows));
}

/// A whole row at a time: narrower results then fill registers, too.
void WaitingSums::finishRows(const Tile &tile, Value begin, Value end) {
  auto row = VectorType::get({int64_t(op.columns())},
                             getElementTypeOrSelf(buffer.getType()));
  Value first = firstRow(tile.number);
  b.loop(begin, end, 1, [&](Value i) {
    Value sums = vector::LoadOp::create(
        b, row, buffer, ValueRange{b.plus(first, i), b.index(0)});
    epilogue.emit(b, sums, b.plus(tile.row, i), tile.column);
  });
}

void WaitingSums::askForRows(const Tile &tile, Value begin, Value end) {
  Value result = epilogue.getResult();
  int64_t elementsOfLine =
      kLineBits / cast<MemRefType>(result.getType()).getElementTypeBitWidth();
  b.loop(begin, end, 1, [&](Value i) {
    for (int64_t at = 0; at < op.columns(); at += elementsOfLine)
      memref::PrefetchOp::create(
          b, result, ValueRange{b.plus(tile.row, i), b.plus(tile.column, at)},
          /*isWrite=*/true, /*localityHint=*/3, /*isDataCache=*/true);
  });
}
