//===- TileInstructions.cpp - Zeros, loads and stores of tile registers ---===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: addresses as indices. Out: calls of intrinsics, which want the shape of a
// register, pointers and distances of 64 bits.
//
//===----------------------------------------------------------------------===//

#include "TileInstructions.h"
#include "AIKernel/Transforms/NumberParts.h"
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
aikernel::multiplyHalf(LoopBuilder &b, const MatrixInstruction &op,
                       PassingSide passing,
                       function_ref<Value(unsigned)> loadPassing,
                       function_ref<Value(unsigned, unsigned)> loadStaying,
                       ValueRange sums, function_ref<void(int64_t)> between) {
  LoopBuilder::Values next(sums);
  Value goesBy, stays;
  std::optional<unsigned> part;                         // of what goes by
  std::optional<std::pair<unsigned, unsigned>> staysOf; // part and number
  int64_t done = 0;
  bool isBackwards = false;
  for (auto [one, other] : multipliedParts(op.parts)) {
    if (part != one)
      goesBy = loadPassing(one);
    part = one;
    for (unsigned n = 0; n < next.size(); ++n) {
      unsigned i = isBackwards ? next.size() - 1 - n : n;
      if (staysOf != std::pair(other, i))
        stays = loadStaying(other, i);
      staysOf = {other, i};
      bool isLeft = passing == PassingSide::Left;
      next[i] = op.multiplyAdd(b, b.getLoc(), next[i], isLeft ? goesBy : stays,
                               isLeft ? stays : goesBy);
      if (between)
        between(done++);
    }
    isBackwards = !isBackwards;
  }
  return next;
}

int64_t aikernel::multiplicationsOfHalf(const MatrixInstruction &op) {
  return multipliedParts(op.parts).size() * kTilesOfSide;
}
