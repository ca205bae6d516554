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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kRows = 16;
static constexpr int64_t kRowBytes = 64;
/// Tiles of a square along each side.
static constexpr int64_t kSide = 2;

Value AttentionTileOperands::startOf(Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  int64_t bytes =
      cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  return b.plus(base, b.times(metadata.getOffset(), bytes));
}

AttentionTileOperands::Lines AttentionTileOperands::leftPanel(Value panel) {
  return {startOf(panel), b.index(kRowBytes), b.index(kRows * kRowBytes),
          b.index(kSide * kRows * kRowBytes)};
}

AttentionTileOperands::Lines AttentionTileOperands::rightPanel(Value panel) {
  return {startOf(panel), b.index(kSide * kRowBytes), b.index(kRowBytes),
          b.index(kRows * kSide * kRowBytes)};
}

AttentionTileOperands::Lines AttentionTileOperands::leftRows(Value matrix,
                                                             Value firstRow) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, matrix);
  int64_t bytes =
      cast<MemRefType>(matrix.getType()).getElementTypeBitWidth() / 8;
  Value rowBytes = b.times(metadata.getStrides()[0], bytes);
  return {b.plus(startOf(matrix), b.times(firstRow, rowBytes)), rowBytes,
          b.times(rowBytes, kRows), b.index(kRowBytes)};
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

Value AttentionTileOperands::callIntrinsic(StringRef name, ValueRange shapeless,
                                           bool hasResult) {
  Values operands{arith::ConstantIntOp::create(b, kRows, 16),
                  arith::ConstantIntOp::create(b, kRowBytes, 16)};
  operands.append(shapeless.begin(), shapeless.end());
  if (!hasResult) {
    LLVM::CallIntrinsicOp::create(b, b.getStringAttr(name), operands);
    return {};
  }
  Type tile = LLVM::LLVMX86AMXType::get(b.getContext());
  return LLVM::CallIntrinsicOp::create(b, tile, b.getStringAttr(name), operands)
      .getResult(0);
}

/// An address as a pointer, and a distance, as the intrinsics want them.
static LoopBuilder::Values asOperands(LoopBuilder &b, Value address,
                                      Value rowBytes) {
  auto integer = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return {LLVM::IntToPtrOp::create(b, pointer, integer(address)),
          integer(rowBytes)};
}

Value AttentionTileOperands::load(Value address, Value rowBytes, Reuse reuse) {
  return callIntrinsic(reuse == Reuse::Near ? "llvm.x86.tileloadd64.internal"
                                            : "llvm.x86.tileloaddt164.internal",
                       asOperands(b, address, rowBytes), true);
}

void AttentionTileOperands::forEachTile(
    Value matrix, Value row,
    function_ref<void(Value address, Value rowBytes)> body) {
  auto type = cast<MemRefType>(matrix.getType());
  Value rowBytes = b.index(type.getDimSize(type.getRank() - 1) *
                           type.getElementTypeBitWidth() / 8);
  Value start = b.plus(startOf(matrix), b.times(row, rowBytes));
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j)
      body(b.plus(b.plus(start, b.times(rowBytes, i * kRows)), j * kRowBytes),
           rowBytes);
}

/// Separate ones: there is no move between tile registers.
AttentionTileOperands::Values AttentionTileOperands::zeros() {
  Values sums;
  for (int64_t i = 0; i < kSide * kSide; ++i)
    sums.push_back(callIntrinsic("llvm.x86.tilezero.internal", {}, true));
  return sums;
}

AttentionTileOperands::Values AttentionTileOperands::read(Value matrix,
                                                          Value row) {
  Values sums;
  forEachTile(matrix, row, [&](Value address, Value rowBytes) {
    sums.push_back(load(address, rowBytes, Reuse::Near));
  });
  return sums;
}

void AttentionTileOperands::write(ValueRange sums, Value matrix, Value row) {
  auto next = sums.begin();
  forEachTile(matrix, row, [&](Value address, Value rowBytes) {
    Values operands = asOperands(b, address, rowBytes);
    operands.push_back(*next++);
    callIntrinsic("llvm.x86.tilestored64.internal", operands, false);
  });
}

int64_t AttentionTileOperands::multiplicationsOfStep() { return kSide * kSide; }

/// Left panels come one after the other and return when all have been read;
/// the right one is the same for all of them. Tiles are loaded when they are
/// needed, so that what comes between also overlaps with loads.
AttentionTileOperands::Values
AttentionTileOperands::multiplyStep(const Lines &left, const Lines &right,
                                    Value step, ValueRange sums,
                                    function_ref<void(int64_t)> between) {
  auto tileOf = [&](const Lines &lines, int64_t number, Reuse reuse) {
    Value start = b.plus(lines.start, b.times(step, lines.stepBytes));
    return load(b.plus(start, b.times(lines.tileBytes, number)), lines.rowBytes,
                reuse);
  };
  Values next, rights(kSide);
  for (int64_t i = 0; i < kSide; ++i) {
    Value leftTile = tileOf(left, i, Reuse::Far);
    for (int64_t j = 0; j < kSide; ++j) {
      if (i == 0)
        rights[j] = tileOf(right, j, Reuse::Near);
      int64_t number = i * kSide + j;
      next.push_back(
          op.multiplyAdd(b, b.getLoc(), sums[number], leftTile, rights[j]));
      between(number);
    }
  }
  return next;
}
