//===- TileRegisters.cpp - Products in registers of two dimensions --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a row of the instruction table whose sums are tiles, and two packed
// panels. Out: a square of 2 x 2 tiles of sums, or its first row, as a loop
// whose iteration arguments they are; in halves where the left goes by. In each
// step tiles of one side go by, each multiplied by those of the other, which
// stay in L1.
//
//   left panel, one step:   32 rows of 64 bytes, side by side or in a matrix
//   right panel, one step:  16 rows of 2 x 64 bytes: a row holds, for each of
//                           32 columns, what one lane multiplies at once
//
// Tiles start as separate zeros: there is no move between tile registers.
//
//===----------------------------------------------------------------------===//

#include "TileRegisters.h"
#include "TileInstructions.h"

using namespace mlir;
using namespace aikernel;

TileRegisters::TileRegisters(LoopBuilder &builder,
                             const MatrixInstruction &instruction)
    : b(builder), op(instruction) {}

TileRegisters::Address TileRegisters::addressOf(Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  auto type = cast<MemRefType>(memref.getType());
  return {startOf(b, memref), metadata.getStrides()[0],
          metadata.getStrides()[1], type.getElementTypeBitWidth() / 8};
}

Value TileRegisters::at(const Address &address, Value row, Value column) {
  Value elements = b.plus(b.times(row, address.rowStride),
                          b.times(column, address.columnStride));
  return b.plus(address.start,
                b.times(elements, b.index(address.elementBytes)));
}

void TileRegisters::ask(const Request &request, Value round) {
  auto type = cast<MemRefType>(request.panel.getType());
  int64_t elements = kTileRowBytes * 8 / type.getElementTypeBitWidth();
  Value first = b.plus(request.firstLine, b.times(round, request.linesOfRound));
  b.loop(request.linesOfRound, 1, [&](Value line) {
    memref::PrefetchOp::create(
        b, request.panel,
        ValueRange{b.index(0), b.times(b.plus(first, line), elements)},
        /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  });
}

TileRegisters::Operand TileRegisters::leftPanel(Value panel) {
  return {addressOf(panel).start, b.index(kTileRowBytes),
          b.index(kTileRows * kTileRowBytes), b.index(op.rows * kTileRowBytes),
          TileReuse::Far};
}

TileRegisters::Operand TileRegisters::rightPanel(Value panel) {
  return {addressOf(panel).start, b.index(op.vectors * kTileRowBytes),
          b.index(kTileRowBytes),
          b.index(kTileRows * op.vectors * kTileRowBytes), TileReuse::Near};
}

TileRegisters::Operand TileRegisters::rowsThatStay(const Place &place) {
  Address address = addressOf(place.matrix);
  Value rowBytes = b.times(address.rowStride, address.elementBytes);
  return {at(address, place.row, place.column), rowBytes,
          b.times(rowBytes, kTileRows), b.index(kTileRowBytes),
          TileReuse::Near};
}

TileRegisters::Operand TileRegisters::panelThatStays(Value panel) {
  Operand operand = leftPanel(panel);
  operand.reuse = TileReuse::Near;
  return operand;
}

TileRegisters::Operand TileRegisters::rightThatGoesBy(Value panel) {
  Operand operand = rightPanel(panel);
  operand.reuse = TileReuse::Far;
  return operand;
}

TileRegisters::Operand TileRegisters::turned(const Operand &operand,
                                             Value steps, Value isBackwards) {
  auto choose = [&](Value backwards, Value forwards) -> Value {
    return arith::SelectOp::create(b, isBackwards, backwards, forwards);
  };
  Operand turned = operand;
  Value toLast = b.times(b.minus(steps, b.index(1)), operand.stepBytes);
  turned.start = choose(b.plus(operand.start, toLast), operand.start);
  turned.stepBytes =
      choose(b.minus(b.index(0), operand.stepBytes), operand.stepBytes);
  return turned;
}

void TileRegisters::multiply(const Operand &left, const Operand &right,
                             Value steps, unsigned rows, const Place *from,
                             const Place &to, ArrayRef<Request> requests,
                             function_ref<void(Value)> beside) {
  unsigned tall = rows / kTileRows, wide = op.vectors;
  bool leftGoesBy = left.reuse == TileReuse::Far;
  const Operand &stays = leftGoesBy ? right : left,
                &goesBy = leftGoesBy ? left : right;
  unsigned passing = leftGoesBy ? tall : wide,
           staying = leftGoesBy ? wide : tall,
           atOnce = leftGoesBy ? kTilesOfSide / kHalves : passing;
  b.loop(b.index(0), b.index(passing), atOnce, [&](Value first) {
    auto forEachSum = [&](const Place &place,
                          function_ref<void(Value, Value, unsigned)> body) {
      Address address = addressOf(place.matrix);
      Value stride = b.times(address.rowStride, b.index(address.elementBytes));
      for (unsigned p = 0; p < atOnce; ++p)
        for (unsigned s = 0; s < staying; ++s) {
          Value across = b.times(b.plus(first, p), kTileRows),
                along = b.index(s * kTileRows);
          body(at(address, b.plus(place.row, leftGoesBy ? across : along),
                  b.plus(place.column, leftGoesBy ? along : across)),
               stride, p * staying + s);
        }
    };
    SmallVector<Value> sums;
    if (from)
      forEachSum(*from, [&](Value where, Value stride, unsigned) {
        sums.push_back(loadTile(b, where, stride, TileReuse::Near));
      });
    else
      for (unsigned i = 0; i < atOnce * staying; ++i)
        sums.push_back(zeroTile(b));

    sums = b.loop(b.index(0), steps, 1, sums, [&](Value k, ValueRange carried) {
      Value round = k;
      if (atOnce != passing)
        round = b.plus(b.times(first, steps), k);
      for (const Request &request : requests)
        ask(request, round);
      auto load = [&](const Operand &operand, unsigned part, Value number) {
        Value step = b.plus(b.times(k, op.parts), part);
        Value ofStep = b.plus(operand.start, b.times(step, operand.stepBytes));
        return loadTile(b, b.plus(ofStep, b.times(number, operand.besideBytes)),
                        operand.rowBytes, operand.reuse);
      };
      SmallVector<Value> next = multiplyTiles(
          b, op, leftGoesBy ? PassingSide::Left : PassingSide::Right, atOnce,
          [&](unsigned part, unsigned number) {
            return load(goesBy, part, b.plus(first, number));
          },
          [&](unsigned part, unsigned number) {
            return load(stays, part, b.index(number));
          },
          carried);
      if (beside)
        beside(round);
      return next;
    });
    forEachSum(to, [&](Value where, Value stride, unsigned position) {
      storeTile(b, sums[position], where, stride);
    });
  });
}
