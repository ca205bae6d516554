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
#include "Tiles/TileInstructions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace aikernel;

AttentionTileOperands::Lines AttentionTileOperands::leftPanel(Value panel) {
  return {startOf(b, panel), b.index(kTileRowBytes),
          b.index(kTileRows * kTileRowBytes),
          b.index(kTilesOfSide * kTileRows * kTileRowBytes)};
}

AttentionTileOperands::Lines AttentionTileOperands::rightPanel(Value panel) {
  return {startOf(b, panel), b.index(kTilesOfSide * kTileRowBytes),
          b.index(kTileRowBytes),
          b.index(kTileRows * kTilesOfSide * kTileRowBytes)};
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
    Value matrix, Value row, Value half,
    function_ref<void(Value address, Value rowBytes)> body) {
  auto type = cast<MemRefType>(matrix.getType());
  Value rowBytes = b.index(type.getDimSize(type.getRank() - 1) *
                           type.getElementTypeBitWidth() / 8);
  Value firstRow = b.plus(row, b.times(half, kTileRows));
  Value start = b.plus(startOf(b, matrix), b.times(firstRow, rowBytes));
  for (int64_t i = 0; i < kTilesOfSide; ++i)
    body(b.plus(start, i * kTileRowBytes), rowBytes);
}

AttentionTileOperands::Values AttentionTileOperands::zeros() {
  Values sums;
  for (int64_t i = 0; i < kTilesOfSide; ++i)
    sums.push_back(zeroTile(b));
  return sums;
}

AttentionTileOperands::Values
AttentionTileOperands::read(Value matrix, Value row, Value half) {
  Values sums;
  forEachTile(matrix, row, half, [&](Value address, Value rowBytes) {
    sums.push_back(loadTile(b, address, rowBytes, TileReuse::Near));
  });
  return sums;
}

void AttentionTileOperands::write(ValueRange sums, Value matrix, Value row,
                                  Value half) {
  auto next = sums.begin();
  forEachTile(matrix, row, half, [&](Value address, Value rowBytes) {
    storeTile(b, *next++, address, rowBytes);
  });
}

/// Left panels come one after the other and return when all have been read;
/// the right one is the same for all of them. Tiles are loaded when they are
/// needed, so that what comes between also overlaps with loads.
AttentionTileOperands::Values
AttentionTileOperands::multiplyStep(const Lines &left, const Lines &right,
                                    Value step, Value half, ValueRange sums,
                                    function_ref<void(int64_t)> between) {
  auto load = [&](const Lines &lines, unsigned part, Value number,
                  TileReuse reuse) {
    Value ofStep =
        b.plus(lines.start,
               b.times(b.plus(b.times(step, op.parts), part), lines.stepBytes));
    return loadTile(b, b.plus(ofStep, b.times(number, lines.tileBytes)),
                    lines.rowBytes, reuse);
  };
  return multiplyTiles(
      b, op, PassingSide::Left, /*count=*/1,
      [&](unsigned part, unsigned) {
        return load(left, part, half, TileReuse::Far);
      },
      [&](unsigned part, unsigned number) {
        return load(right, part, b.index(number), TileReuse::Near);
      },
      sums, between);
}
