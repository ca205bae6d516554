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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kRows = 16;
static constexpr int64_t kRowBytes = 64;

TileRegisters::TileRegisters(OpBuilder &builder, Location loc,
                             const MatrixInstruction &instruction)
    : b(builder), loc(loc), op(instruction) {}

Value TileRegisters::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value TileRegisters::add(Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

Value TileRegisters::multiplied(Value x, Value y) {
  return arith::MulIOp::create(b, loc, x, y);
}

TileRegisters::Address TileRegisters::addressOf(Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  Value offset = multiplied(metadata.getOffset(), constant(bytes));
  return {add(base, offset), metadata.getStrides()[0], metadata.getStrides()[1],
          bytes};
}

Value TileRegisters::pointer(Value address) {
  Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), integer);
}

Value TileRegisters::at(const Address &address, Value row, Value column) {
  Value elements = add(multiplied(row, address.rowStride),
                       multiplied(column, address.columnStride));
  return add(address.start,
             multiplied(elements, constant(address.elementBytes)));
}

static Value callIntrinsic(OpBuilder &b, Location loc, StringRef name,
                           ValueRange shapeless, bool hasResult) {
  Value rows = arith::ConstantIntOp::create(b, loc, kRows, 16);
  Value bytes = arith::ConstantIntOp::create(b, loc, kRowBytes, 16);
  SmallVector<Value> operands{rows, bytes};
  operands.append(shapeless.begin(), shapeless.end());
  if (!hasResult) {
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(name), operands);
    return {};
  }
  Type tile = LLVM::LLVMX86AMXType::get(b.getContext());
  return LLVM::CallIntrinsicOp::create(b, loc, tile, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

Value TileRegisters::zero() {
  return callIntrinsic(b, loc, "llvm.x86.tilezero.internal", {}, true);
}

Value TileRegisters::load(Value address, Value strideBytes) {
  Value stride =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), strideBytes);
  return callIntrinsic(b, loc, "llvm.x86.tileloadd64.internal",
                       {pointer(address), stride}, true);
}

void TileRegisters::store(Value tile, Value address, Value strideBytes) {
  Value stride =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), strideBytes);
  callIntrinsic(b, loc, "llvm.x86.tilestored64.internal",
                {pointer(address), stride, tile}, false);
}

void TileRegisters::multiply(Value left, Value right, Value steps,
                             unsigned rows, Value out, Value row, Value column,
                             bool overwrite) {
  unsigned tall = rows / kRows, wide = op.vectors;
  Address leftAddress = addressOf(left), rightAddress = addressOf(right);
  Address outAddress = addressOf(out);
  Value outStride =
      multiplied(outAddress.rowStride, constant(outAddress.elementBytes));
  auto whereOf = [&](unsigned i, unsigned j) {
    return at(outAddress, add(row, constant(i * kRows)),
              add(column, constant(j * kRows)));
  };
  SmallVector<Value> sums;
  for (unsigned i = 0; i < tall; ++i)
    for (unsigned j = 0; j < wide; ++j)
      sums.push_back(overwrite ? zero() : load(whereOf(i, j), outStride));

  // A step of either panel has as many bytes.
  Value leftBytes = constant(op.rows * kRowBytes);
  Value rightBytes = constant(kRows * wide * kRowBytes);
  auto loop = scf::ForOp::create(b, loc, constant(0), steps, constant(1), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Value leftStart = add(leftAddress.start, multiplied(k, leftBytes));
    Value rightStart = add(rightAddress.start, multiplied(k, rightBytes));
    SmallVector<Value> lefts, rights, next(loop.getRegionIterArgs());
    for (unsigned i = 0; i < tall; ++i)
      lefts.push_back(load(add(leftStart, constant(i * kRows * kRowBytes)),
                           constant(kRowBytes)));
    for (unsigned j = 0; j < wide; ++j)
      rights.push_back(load(add(rightStart, constant(j * kRowBytes)),
                            constant(wide * kRowBytes)));
    for (unsigned i = 0; i < tall; ++i)
      for (unsigned j = 0; j < wide; ++j) {
        Value &sum = next[i * wide + j];
        sum = op.multiplyAdd(b, loc, sum, lefts[i], rights[j]);
      }
    scf::YieldOp::create(b, loc, next);
  }
  for (unsigned i = 0; i < tall; ++i)
    for (unsigned j = 0; j < wide; ++j)
      store(loop.getResult(i * wide + j), whereOf(i, j), outStride);
}
