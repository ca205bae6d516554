//===- AttentionTileOperands.cpp - What tile registers of attention hold --===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: places of operands. Out: loads, multiplications and stores of tile
// registers, of 16 rows of 64 bytes each.
//
//===----------------------------------------------------------------------===//

#include "AttentionTileOperands.h"
#include "AIKernel/Transforms/NumberParts.h"
#include "TileInstructions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace aikernel;

/// Tiles of a square along each side.
static constexpr int64_t kSide = 2;

AttentionTileOperands::Lines AttentionTileOperands::leftPanel(Value panel) {
  return {startOf(b, panel), b.index(kTileRowBytes),
          b.index(kTileRows * kTileRowBytes),
          b.index(kSide * kTileRows * kTileRowBytes)};
}

AttentionTileOperands::Lines AttentionTileOperands::rightPanel(Value panel) {
  return {startOf(b, panel), b.index(kSide * kTileRowBytes),
          b.index(kTileRowBytes), b.index(kTileRows * kSide * kTileRowBytes)};
}

AttentionTileOperands::Lines AttentionTileOperands::leftRows(Value matrix,
                                                             Value firstRow) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, matrix);
  int64_t bytes =
      cast<MemRefType>(matrix.getType()).getElementTypeBitWidth() / 8;
  Value rowBytes = b.times(metadata.getStrides()[0], bytes);
  return {b.plus(startOf(b, matrix), b.times(firstRow, rowBytes)), rowBytes,
          b.times(rowBytes, kTileRows), b.index(kTileRowBytes)};
}

AttentionTileOperands::Lines AttentionTileOperands::select(Value condition,
                                                           const Lines &yes,
                                                           const Lines &no) {
  auto either = [&](Value x, Value y) -> Value {
    return arith::SelectOp::create(b, condition, x, y);
  };
  return {either(yes.start, no.start), either(yes.rowBytes, no.rowBytes),
          either(yes.tileBytes, no.tileBytes),
          either(yes.stepBytes, no.stepBytes)};
}

AttentionTileOperands::Lines AttentionTileOperands::after(const Lines &lines,
                                                          Value bytes) {
  Lines later = lines;
  later.start = b.plus(lines.start, bytes);
  return later;
}

//===----------------------------------------------------------------------===//
// Tile registers
//===----------------------------------------------------------------------===//

void AttentionTileOperands::forEachTile(
    Value matrix, Value row,
    function_ref<void(Value address, Value rowBytes)> body) {
  auto type = cast<MemRefType>(matrix.getType());
  Value rowBytes = b.index(type.getDimSize(type.getRank() - 1) *
                           type.getElementTypeBitWidth() / 8);
  Value start = b.plus(startOf(b, matrix), b.times(row, rowBytes));
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j)
      body(b.plus(b.plus(start, b.times(rowBytes, i * kTileRows)),
                  j * kTileRowBytes),
           rowBytes);
}

AttentionTileOperands::Values AttentionTileOperands::zeros() {
  Values sums;
  for (int64_t i = 0; i < kSide * kSide; ++i)
    sums.push_back(zeroTile(b));
  return sums;
}

AttentionTileOperands::Values AttentionTileOperands::read(Value matrix,
                                                          Value row) {
  Values sums;
  forEachTile(matrix, row, [&](Value address, Value rowBytes) {
    sums.push_back(loadTile(b, address, rowBytes, TileReuse::Near));
  });
  return sums;
}

void AttentionTileOperands::write(ValueRange sums, Value matrix, Value row) {
  auto next = sums.begin();
  forEachTile(matrix, row, [&](Value address, Value rowBytes) {
    storeTile(b, *next++, address, rowBytes);
  });
}

int64_t AttentionTileOperands::multiplicationsOfStep() const {
  return multipliedParts(op.parts).size() * kSide * kSide;
}

/// Left panels come one after the other and return when all have been read;
/// the right one is the same for all of them. Tiles are loaded when they are
/// needed, so that what comes between also overlaps with loads.
AttentionTileOperands::Values
AttentionTileOperands::multiplyStep(const Lines &left, const Lines &right,
                                    Value step, ValueRange sums,
                                    function_ref<void(int64_t)> between) {
  Value first = b.times(step, op.parts);
  auto tileOf = [&](const Lines &lines, unsigned part, int64_t number,
                    TileReuse reuse) {
    Value start =
        b.plus(lines.start, b.times(b.plus(first, part), lines.stepBytes));
    return loadTile(b, b.plus(start, b.times(lines.tileBytes, number)),
                    lines.rowBytes, reuse);
  };
  Values next(sums), lefts(kSide), rights(kSide);
  std::optional<unsigned> loaded; // which part of the left
  int64_t done = 0;
  for (auto [ofLeft, ofRight] : multipliedParts(op.parts)) {
    for (int64_t i = 0; i < kSide; ++i) {
      if (loaded != ofLeft)
        lefts[i] = tileOf(left, ofLeft, i, TileReuse::Far);
      for (int64_t j = 0; j < kSide; ++j) {
        if (i == 0)
          rights[j] = tileOf(right, ofRight, j, TileReuse::Near);
        Value &sum = next[i * kSide + j];
        sum = op.multiplyAdd(b, b.getLoc(), sum, lefts[i], rights[j]);
        between(done++);
      }
    }
    loaded = ofLeft;
  }
  return next;
}
