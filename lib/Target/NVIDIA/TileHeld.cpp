//===- TileHeld.cpp - Tiles that threads read themselves ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: tiles of codes and of scales (FragmentWeights.h), sums of a fragment.
// Out: loads of shared memory, integers made floats by arithmetic on their
// bits, and stores of transposed sums.
//
//===----------------------------------------------------------------------===//

#include "../GPU/FragmentWeights.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// A line of a tile of a stage.
Value TileEmitter::lineOf(Value stage, uint64_t tile, Value line) {
  Value ring = stage.getDefiningOp<AcquireOp>().getRing();
  auto type = cast<RingType>(ring.getType());
  int64_t begin = plan.begin[ring];
  for (SharedType before : type.getTiles().take_front(tile))
    begin += llvm::alignTo(before.getBytes(), kTileAlignment);
  Value start = after(sharedAt(begin), mul(slots[stage], type.getStageBytes()));
  return after(start, mul(line, kLineBytes));
}

/// A half word of 128 (bf16) or 1024 (f16) whose last four bits are a code is
/// the code more than that; codes are eight more than what they stand for.
void TileEmitter::emitUnpack(UnpackOp op) {
  FragType type = op.getFrag().getType();
  bool isBF16 = type.getElementType().isBF16();
  Value group = shiftRight(warpOfRole, 2);
  Value inHalf = shiftRight(threadOfGroup, 3);
  Value line = add(add(mul(group, 32), 16 * op.getHalf()), inHalf);
  Value chunk = bitXor(bitAnd(threadOfGroup, 7), bitAnd(inHalf, 7));
  Value from =
      after(lineOf(op.getStage(), op.getTile(), line), shiftLeft(chunk, 4));
  auto words = LLVM::LoadOp::create(b, VectorType::get(4, b.getI32Type()), from,
                                    /*alignment=*/16);
  Type pair = VectorType::get(2, type.getElementType());
  double bias = isBF16 ? 136.0 : 1032.0;
  Value less = LLVM::ConstantOp::create(
      b, pair,
      DenseElementsAttr::get(
          cast<ShapedType>(pair),
          FloatAttr::get(type.getElementType(), bias).getValue()));
  // (moved & mask) | base: two instructions of ptxas where it is not one here.
  StringRef text = isBF16 ? "lop3.b32 $0, $1, 0x000F000F, 0x43004300, 0xEA;"
                          : "lop3.b32 $0, $1, 0x000F000F, 0x64006400, 0xEA;";
  SmallVector<Value> held;
  for (int64_t word = 0; word < 4; ++word) {
    Value codes = vector::ExtractOp::create(b, words, word);
    if (word == 0)
      readWords[op.getStage()].push_back(codes);
    for (int64_t i = 0; i < 4; ++i) {
      Value moved = i ? shiftRight(codes, 4 * i) : codes;
      Value bits = assembly(b.getI32Type(), text, "=r,r", {moved},
                            /*hasEffects=*/false);
      Value numbers =
          LLVM::FSubOp::create(b, LLVM::BitcastOp::create(b, pair, bits), less);
      held.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), numbers));
    }
  }
  values.map(op.getFrag(), structOf(held));
}

/// Of the sixteen rows of a warp, the first that this thread holds in a
/// fragment of weights; the other is kHighRow below.
Value TileEmitter::heldRow() {
  Value eighth = shiftRight(lane, 2);
  return add(mul(shiftRight(eighth, 1), 4), bitAnd(eighth, 1));
}

void TileEmitter::emitReadRows(ReadRowsOp op) {
  Value group = shiftRight(warpOfRole, 2);
  Value row = add(mul(bitAnd(warpOfRole, 3), 16), heldRow());
  SmallVector<Value> rows;
  for (int64_t half : {0, 1}) {
    Value of = add(row, FragmentWeights::kHighRow * half);
    Value line = add(shiftLeft(group, 1), shiftRight(of, 5));
    Value inLine = bitAnd(of, 31);
    Value chunk = bitXor(shiftRight(inLine, 2), bitAnd(line, 7));
    Value at = add(shiftLeft(chunk, 4), shiftLeft(bitAnd(inLine, 3), 2));
    Value word = LLVM::LoadOp::create(
        b, b.getI32Type(), after(lineOf(op.getStage(), op.getTile(), line), at),
        /*alignment=*/4);
    readWords[op.getStage()].push_back(word);
    rows.push_back(LLVM::BitcastOp::create(b, b.getF32Type(), word));
  }
  values.map(op.getRows(), structOf(rows));
}

void TileEmitter::emitAddScaled(AddScaledOp op) {
  SmallVector<Value> sums = elementsOf(values.lookup(op.getSums()));
  SmallVector<Value> step = elementsOf(values.lookup(op.getStep()));
  SmallVector<Value> scales = elementsOf(values.lookup(op.getScales()));
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = LLVM::FMAOp::create(b, scales[i / 2 % 2], step[i], sum);
  values.map(op.getResult(), structOf(sums));
}

/// Eight rows and eight columns of 16-bit numbers change places among the
/// lanes of a warp; each lane has four numbers next to each other then.
void TileEmitter::emitWriteTransposed(WriteTransposedOp op) {
  FragType type = op.getFrag().getType();
  auto out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType();
  SmallVector<Value> sums = elementsOf(values.lookup(op.getFrag()));
  Value rows = values.lookupOrDefault(op.getRows());
  Value row = values.lookupOrDefault(op.getRow());
  Value column = add(values.lookupOrDefault(op.getColumn()),
                     mul(bitAnd(warpOfRole, 3), 16));
  Value pointer = globalPointer(values.lookupOrDefault(op.getOut()));
  auto store = [&](Value value, Value row, Value column, int64_t bytes) {
    auto wide = [&](Value value) -> Value {
      return LLVM::ZExtOp::create(b, b.getI64Type(), value);
    };
    onlyIf(lessThan(row, rows), [&] {
      Value at = add(LLVM::MulOp::create(b, wide(row), i64(out.getDimSize(1))),
                     wide(column));
      Value to = LLVM::GEPOp::create(b, pointer.getType(), element, pointer,
                                     ArrayRef<LLVM::GEPArg>{at});
      LLVM::StoreOp::create(b, value, to, bytes);
    });
  };
  for (int64_t i = 0; i < type.getColumns() / 8; ++i) {
    SmallVector<Value> turned;
    for (int64_t half : {0, 1}) {
      Value low = sums[4 * i + 2 * half], high = sums[4 * i + 2 * half + 1];
      if (element.isF32()) {
        Value to =
            add(column, add(heldRow(), FragmentWeights::kHighRow * half));
        Value from = add(row, add(shiftLeft(bitAnd(lane, 3), 1), 8 * i));
        store(low, from, to, 4);
        store(high, add(from, 1), to, 4);
        continue;
      }
      Value both = vector::FromElementsOp::create(
          b, VectorType::get(2, b.getF32Type()), ValueRange{low, high});
      Value bits =
          LLVM::BitcastOp::create(b, b.getI32Type(), roundPair(both, element));
      turned.push_back(assembly(b.getI32Type(),
                                "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;",
                                "=r,r", {bits}));
    }
    if (element.isF32())
      continue;
    Value four = vector::FromElementsOp::create(
        b, VectorType::get(2, b.getI32Type()), turned);
    store(four, add(row, add(shiftRight(lane, 2), 8 * i)),
          add(column, shiftLeft(bitAnd(lane, 3), 2)), 8);
  }
}
