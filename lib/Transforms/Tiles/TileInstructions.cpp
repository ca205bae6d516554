//===- TileInstructions.cpp - What is done with tile registers ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: addresses as indices. Out: calls of intrinsics, which want the shape of a
// register, pointers and distances of 64 bits; those of a step in an order that
// takes few registers.
//
//===----------------------------------------------------------------------===//

#include "TileInstructions.h"
#include "NumberParts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace aikernel;

Value aikernel::startOf(LoopBuilder &b, Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  int64_t bytes =
      cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  return b.plus(base, b.times(metadata.getOffset(), bytes));
}

static LoopBuilder::Values sizesOf(LoopBuilder &b, TileShape shape) {
  return {arith::ConstantIntOp::create(b, shape.rows, 16),
          arith::ConstantIntOp::create(b, shape.rowBytes, 16)};
}

/// The shape, an address as a pointer, and a distance.
static LoopBuilder::Values operandsOf(LoopBuilder &b, Value address,
                                      Value rowBytes, TileShape shape = {}) {
  auto integer = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  LoopBuilder::Values operands = sizesOf(b, shape);
  operands.push_back(LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), integer(address)));
  operands.push_back(integer(rowBytes));
  return operands;
}

static Value makeTile(LoopBuilder &b, StringRef name, ValueRange operands) {
  Type tile = LLVM::LLVMX86AMXType::get(b.getContext());
  return LLVM::CallIntrinsicOp::create(b, tile, b.getStringAttr(name), operands)
      .getResult(0);
}

Value aikernel::zeroTile(LoopBuilder &b) {
  return makeTile(b, "llvm.x86.tilezero.internal", sizesOf(b, {}));
}

Value aikernel::loadTile(LoopBuilder &b, Value address, Value rowBytes,
                         TileReuse reuse, TileShape shape) {
  return makeTile(b,
                  reuse == TileReuse::Near ? "llvm.x86.tileloadd64.internal"
                                           : "llvm.x86.tileloaddt164.internal",
                  operandsOf(b, address, rowBytes, shape));
}

void aikernel::storeTile(LoopBuilder &b, Value tile, Value address,
                         Value rowBytes) {
  LoopBuilder::Values operands = operandsOf(b, address, rowBytes);
  operands.push_back(tile);
  LLVM::CallIntrinsicOp::create(
      b, b.getStringAttr("llvm.x86.tilestored64.internal"), operands);
}

Value aikernel::multiplyBytes(LoopBuilder &b, Value sums, Value left,
                              Value right, int64_t depth) {
  LoopBuilder::Values operands = sizesOf(b, {});
  operands.push_back(arith::ConstantIntOp::create(b, depth, 16));
  operands.append({sums, left, right});
  return makeTile(b, "llvm.x86.tdpbssd.internal", operands);
}

LoopBuilder::Values
aikernel::multiplyTiles(LoopBuilder &b, const MatrixInstruction &op,
                        PassingSide passing, unsigned count,
                        function_ref<Value(unsigned, unsigned)> loadPassing,
                        function_ref<Value(unsigned, unsigned)> loadStaying,
                        ValueRange sums, function_ref<void(int64_t)> between) {
  LoopBuilder::Values next(sums), goBy;
  Value stays;
  std::optional<unsigned> partThatGoesBy;
  std::optional<std::pair<unsigned, unsigned>> partAndNumberThatStays;
  unsigned staying = next.size() / count;
  int64_t done = 0;
  bool isBackwards = false;
  for (auto [one, other] : multipliedParts(op.parts)) {
    if (partThatGoesBy != one) {
      goBy.clear();
      for (unsigned p = 0; p < count; ++p)
        goBy.push_back(loadPassing(one, p));
      partThatGoesBy = one;
    }
    for (unsigned n = 0; n < staying; ++n) {
      unsigned s = isBackwards ? staying - 1 - n : n;
      if (partAndNumberThatStays != std::pair(other, s))
        stays = loadStaying(other, s);
      partAndNumberThatStays = {other, s};
      for (unsigned p = 0; p < count; ++p) {
        Value &sum = next[p * staying + s];
        bool isLeft = passing == PassingSide::Left;
        sum = op.multiplyAdd(b, b.getLoc(), sum, isLeft ? goBy[p] : stays,
                             isLeft ? stays : goBy[p]);
        if (between)
          between(done++);
      }
    }
    isBackwards = !isBackwards;
  }
  return next;
}

int64_t aikernel::multiplicationsOfHalf(const MatrixInstruction &op) {
  return multipliedParts(op.parts).size() * kTilesOfSide;
}
