//===- BlockResults.cpp - Sums of a register tile, added to the result ----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: vectors of sums. Out: stores of whole tiles, and by way of memory those
// of as many rows and columns as the result has.
//
//===----------------------------------------------------------------------===//

#include "BlockResults.h"

using namespace mlir;
using namespace aikernel;

BlockResults::BlockResults(LoopBuilder &b, Value out, int64_t rows,
                           int64_t lanes)
    : b(b), out(out), lanes(lanes),
      edge(b.buffer(b.getF32Type(), rows * lanes)) {}

void BlockResults::add(const Values &sums, Value row, Value column,
                       Value isFirst) {
  int64_t rows = sums.size();
  Value rowsLeft = b.minus(memref::DimOp::create(b, out, 0), row);
  Value columnsLeft = b.minus(memref::DimOp::create(b, out, 1), column);
  Value hasRows = b.compare(arith::CmpIPredicate::sge, rowsLeft, rows);
  Value hasColumns = b.compare(arith::CmpIPredicate::sge, columnsLeft, lanes);
  b.choose(
      arith::AndIOp::create(b, hasRows, hasColumns),
      [&] {
        b.choose(
            isFirst, [&] { addWhole(sums, row, column, false); },
            [&] { addWhole(sums, row, column, true); });
      },
      [&] {
        for (auto [i, sum] : llvm::enumerate(sums))
          b.store(sum, edge, b.index(i * lanes));
        Value count = b.smaller(rowsLeft, b.index(rows));
        b.choose(
            hasColumns, [&] { addRows(row, column, count, isFirst); },
            [&] { addEdge(row, column, count, columnsLeft, isFirst); });
      });
}

Value BlockResults::load(Value from, ValueRange at) {
  return vector::LoadOp::create(b, VectorType::get({lanes}, b.getF32Type()),
                                from, at);
}

void BlockResults::addWhole(const Values &sums, Value row, Value column,
                            bool adds) {
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Values at = {b.plus(row, i), column};
    Value total = sum;
    if (adds)
      total = arith::AddFOp::create(b, load(out, at), sum);
    b.store(total, out, at);
  }
}

/// As many rows as there are, of all columns of the tile.
void BlockResults::addRows(Value row, Value column, Value rows, Value isFirst) {
  b.loop(rows, 1, [&](Value i) {
    Values at = {b.plus(row, i), column};
    addSum(load(edge, b.times(i, lanes)), load(out, at), isFirst, at);
  });
}

void BlockResults::addEdge(Value row, Value column, Value rows, Value columns,
                           Value isFirst) {
  b.loop(rows, 1, [&](Value i) {
    b.loop(columns, 1, [&](Value j) {
      Values at = {b.plus(row, i), b.plus(column, j)};
      Value sum = b.load(edge, b.plus(b.times(i, lanes), j));
      addSum(sum, b.load(out, at), isFirst, at);
    });
  });
}

void BlockResults::addSum(Value sum, Value old, Value isFirst,
                          const Values &at) {
  Value total = arith::AddFOp::create(b, old, sum);
  b.store(arith::SelectOp::create(b, isFirst, sum, total), out, at);
}
