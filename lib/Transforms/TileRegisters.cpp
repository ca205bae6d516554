//===- TileRegisters.cpp - Products in registers of two dimensions --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a row of the instruction table whose sums are tiles, and two packed
// panels. Out: one loop whose iteration arguments are up to 2 x 2 tiles of
// sums; each step loads two tiles of each side and uses each twice.
//
//   left panel, one step:   32 rows of 64 bytes
//   right panel, one step:  16 rows of 2 x 64 bytes: a row holds, for each of
//                           32 columns, what one lane multiplies at once
//
// Tiles start as separate zeros: there is no move between tile registers.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/TileRegisters.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kRows = 16;
static constexpr int64_t kRowBytes = 64;

TileRegisters::TileRegisters(LoopBuilder &builder,
                             const MatrixInstruction &instruction)
    : b(builder), op(instruction) {}

TileRegisters::Address TileRegisters::addressOf(Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  Value offset = b.times(metadata.getOffset(), bytes);
  return {b.plus(base, offset), metadata.getStrides()[0],
          metadata.getStrides()[1], bytes};
}

Value TileRegisters::pointer(Value address) {
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  integer);
}

Value TileRegisters::at(const Address &address, Value row, Value column) {
  Value elements = b.plus(b.times(row, address.rowStride),
                          b.times(column, address.columnStride));
  return b.plus(address.start,
                b.times(elements, b.index(address.elementBytes)));
}

static Value callIntrinsic(LoopBuilder &b, StringRef name, ValueRange shapeless,
                           bool hasResult) {
  Value rows = arith::ConstantIntOp::create(b, kRows, 16);
  Value bytes = arith::ConstantIntOp::create(b, kRowBytes, 16);
  SmallVector<Value> operands{rows, bytes};
  operands.append(shapeless.begin(), shapeless.end());
  if (!hasResult) {
    LLVM::CallIntrinsicOp::create(b, b.getStringAttr(name), operands);
    return {};
  }
  Type tile = LLVM::LLVMX86AMXType::get(b.getContext());
  return LLVM::CallIntrinsicOp::create(b, tile, b.getStringAttr(name), operands)
      .getResult(0);
}

Value TileRegisters::zero() {
  return callIntrinsic(b, "llvm.x86.tilezero.internal", {}, true);
}

Value TileRegisters::load(Value address, Value strideBytes, Reuse reuse) {
  Value stride = arith::IndexCastOp::create(b, b.getI64Type(), strideBytes);
  return callIntrinsic(b,
                       reuse == Reuse::Near ? "llvm.x86.tileloadd64.internal"
                                            : "llvm.x86.tileloaddt164.internal",
                       {pointer(address), stride}, true);
}

void TileRegisters::store(Value tile, Value address, Value strideBytes) {
  Value stride = arith::IndexCastOp::create(b, b.getI64Type(), strideBytes);
  callIntrinsic(b, "llvm.x86.tilestored64.internal",
                {pointer(address), stride, tile}, false);
}

void TileRegisters::multiply(Value left, Value right, Value steps,
                             unsigned rows, const Place *from,
                             const Place &to) {
  unsigned tall = rows / kRows, wide = op.vectors;
  Address leftAddress = addressOf(left), rightAddress = addressOf(right);
  auto forEachTile = [&](const Place &place,
                         function_ref<void(Value, Value, unsigned)> body) {
    Address address = addressOf(place.matrix);
    Value stride = b.times(address.rowStride, b.index(address.elementBytes));
    for (unsigned i = 0; i < tall; ++i)
      for (unsigned j = 0; j < wide; ++j)
        body(at(address, b.plus(place.row, i * kRows),
                b.plus(place.column, j * kRows)),
             stride, i * wide + j);
  };
  SmallVector<Value> sums;
  if (from)
    forEachTile(*from, [&](Value where, Value stride, unsigned) {
      sums.push_back(load(where, stride));
    });
  else
    for (unsigned i = 0; i < tall * wide; ++i)
      sums.push_back(zero());

  // A step of either panel has as many bytes.
  Value leftBytes = b.index(op.rows * kRowBytes);
  Value rightBytes = b.index(kRows * wide * kRowBytes);
  sums = b.loop(b.index(0), steps, 1, sums, [&](Value k, ValueRange carried) {
    Value leftStart = b.plus(leftAddress.start, b.times(k, leftBytes));
    Value rightStart = b.plus(rightAddress.start, b.times(k, rightBytes));
    SmallVector<Value> lefts, rights, next(carried);
    for (unsigned i = 0; i < tall; ++i)
      lefts.push_back(load(b.plus(leftStart, i * kRows * kRowBytes),
                           b.index(kRowBytes), Reuse::Far));
    for (unsigned j = 0; j < wide; ++j)
      rights.push_back(
          load(b.plus(rightStart, j * kRowBytes), b.index(wide * kRowBytes)));
    for (unsigned i = 0; i < tall; ++i)
      for (unsigned j = 0; j < wide; ++j) {
        Value &sum = next[i * wide + j];
        sum = op.multiplyAdd(b, b.getLoc(), sum, lefts[i], rights[j]);
      }
    return next;
  });
  forEachTile(to, [&](Value where, Value stride, unsigned position) {
    store(sums[position], where, stride);
  });
}
