//===- BlockCode.cpp - What kernels of packed blocks share ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the layout of a format. Out: loads, masks and shifts.
//
//===----------------------------------------------------------------------===//

#include "BlockCode.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kLineBytes = 64;

BlockCode::BlockCode(func::FuncOp function, const QuantPanel &layout,
                     const ByteProducts &products)
    : b(function), layout(layout), products(products),
      lanes(products.getVectorBits() / 32), vectors(kRows / lanes),
      floats(VectorType::get({lanes}, b.getF32Type())),
      integers(VectorType::get({lanes}, b.getI32Type())),
      bytes(VectorType::get({lanes * 4}, b.getI8Type())) {
  bool hasScales = layout.format.scale == ScaleKind::Operand;
  bool hasSums = layout.format.activations == ActivationBlock::ScaledSum;
  unsigned count = function.getNumArguments(), next = 0;
  // w, x, scales, sums, out and the panel are always there.
  bool hasZeros = count == 6u + hasScales + hasSums + 1;
  auto take = [&](bool exists) {
    return exists ? function.getArgument(next++) : Value();
  };
  w = take(true), wScales = take(hasScales), wZeros = take(hasZeros);
  x = take(true), scales = take(true), xSums = take(true);
  scaledSums = take(hasSums), out = take(true), panel = take(true);
}

Value BlockCode::zeros(VectorType type) {
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

Value BlockCode::splat(VectorType type, int64_t value) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             type, b.getIntegerAttr(type.getElementType(), value)));
}

Value BlockCode::broadcast(VectorType type, Value scalar) {
  return vector::BroadcastOp::create(b, type, scalar);
}

Value BlockCode::toFloats(Value integers) {
  auto type = cast<VectorType>(integers.getType()).clone(b.getF32Type());
  return arith::SIToFPOp::create(b, type, integers);
}

bool BlockCode::mayHaveOrigin() const {
  if (!products.isSdot() || wZeros || layout.chunks != 1 ||
      layout.format.subScales)
    return false;
  assert(layout.format.blockSize * 128 * 127 <= 1 << 22);
  return true;
}

Value BlockCode::fromOrigin(Value sums) {
  return arith::SubFOp::create(b, vector::BitCastOp::create(b, floats, sums),
                               splat(kOrigin));
}

Value BlockCode::splat(float value) {
  return arith::ConstantOp::create(b, DenseElementsAttr::get(floats, value));
}

Value BlockCode::multiplyAdd(Value sum, Value x, Value y) {
  auto fuse = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, x, y, fuse);
  return arith::AddFOp::create(b, sum, product, fuse);
}

/// Bytes of the block, from `start` + `offset` on.
Value BlockCode::load(Value start, int64_t offset, VectorType type) {
  return vector::LoadOp::create(
      b, type, w, ValueRange{panel, block, b.plus(start, offset)});
}

/// Where the rows of vector `v` are in panels of one number per block.
LoopBuilder::Values BlockCode::ofRows(unsigned v) {
  return {b.index(0), panel, block, b.index(v * lanes)};
}

/// The f16 at `byte` of the block for the rows of vector `v`.
Value BlockCode::loadFloats(unsigned byte, unsigned v) {
  Value loaded = load(b.index(0), byte + v * lanes * 2,
                      VectorType::get({lanes * 2}, b.getI8Type()));
  Value halves = vector::BitCastOp::create(
      b, VectorType::get({lanes}, b.getF16Type()), loaded);
  return arith::ExtFOp::create(b, floats, halves);
}

Value BlockCode::loadScales(unsigned v) {
  if (wScales)
    return vector::LoadOp::create(b, floats, wScales, ofRows(v));
  if (layout.format.scale == ScaleKind::Half)
    return loadFloats(layout.getScaleByte(), v);
  // Powers of two are stored as the upper half of an f32.
  Value loaded = load(b.index(0), layout.getScaleByte() + v * lanes * 2,
                      VectorType::get({lanes * 2}, b.getI8Type()));
  auto words = VectorType::get({lanes}, b.getI16Type());
  Value wide = arith::ExtUIOp::create(
      b, integers, vector::BitCastOp::create(b, words, loaded));
  wide = arith::ShLIOp::create(b, wide, splat(integers, 16));
  return vector::BitCastOp::create(b, floats, wide);
}

Value BlockCode::loadMinimums(unsigned v) {
  Value minimum = loadFloats(layout.getMinimumByte(), v);
  if (!layout.format.minimumIsSubtracted)
    return minimum;
  return arith::NegFOp::create(b, minimum);
}

Value BlockCode::loadZeros(unsigned v) {
  Value loaded = vector::LoadOp::create(
      b, VectorType::get({lanes}, b.getI8Type()), wZeros, ofRows(v));
  return arith::ExtSIOp::create(b, integers, loaded);
}

Value BlockCode::loadSmall(Value chunkStart, unsigned byte, unsigned v) {
  Value loaded = load(chunkStart, byte + v * lanes,
                      VectorType::get({lanes}, b.getI8Type()));
  return arith::ExtSIOp::create(b, integers, loaded);
}

void BlockCode::prefetchAhead(Value chunk, int64_t ahead, unsigned locality) {
  if (ahead == 0)
    return;
  int64_t lines =
      llvm::divideCeil(layout.getBlockBytes(), kLineBytes * layout.chunks);
  Value first = b.plus(b.times(chunk, lines * kLineBytes), ahead);
  for (int64_t line = 0; line != lines; ++line)
    memref::PrefetchOp::create(
        b, w, ValueRange{panel, block, b.plus(first, line * kLineBytes)},
        /*isWrite=*/false, locality, /*isDataCache=*/true);
}

Value BlockCode::startOfChunk(Value chunk) {
  return b.plus(b.times(chunk, layout.getChunkBytes()), layout.getChunkByte());
}

Value BlockCode::loadPlane(Value chunkStart, unsigned plane, unsigned number,
                           unsigned v) {
  return load(chunkStart,
              plane + number * QuantPanel::kGroupBytes + v * lanes * 4, bytes);
}

Value BlockCode::loadHigh(Value chunkStart, unsigned group, unsigned v) {
  return loadPlane(chunkStart, layout.getHighByte(),
                   group / layout.getHighGroups(), v);
}

/// The high bits of a group, from where they are to bit 4.
Value BlockCode::unpackHigh(Value high, unsigned group) {
  int from = group % layout.getHighGroups() * layout.highBits;
  int64_t mask = (1 << layout.highBits) - 1;
  if (products.looksUpBits()) {
    // Half a byte is a number; what it means is in a table.
    Value half =
        from < 4 ? arith::AndIOp::create(b, high, splat(bytes, 15)).getResult()
                 : arith::ShRUIOp::create(b, high, splat(bytes, 4));
    SmallVector<int8_t> meanings;
    for (int number = 0; number != 16; ++number)
      meanings.push_back((number >> from % 4 & mask) << 4);
    return products.lookUp(b, meanings, half);
  }
  if (from < 4)
    high = arith::ShLIOp::create(b, high, splat(bytes, 4 - from));
  if (from > 4)
    high = arith::ShRUIOp::create(b, high, splat(bytes, from - 4));
  return arith::AndIOp::create(b, high, splat(bytes, mask << 4));
}

Value BlockCode::unpack(Value chunkStart, Value low, unsigned group, unsigned v,
                        bool withHighBits) {
  Value codes = low;
  if (layout.lowBits == 4)
    codes = group % 2 == 0
                ? arith::AndIOp::create(b, low, splat(bytes, 15)).getResult()
                : arith::ShRUIOp::create(b, low, splat(bytes, 4));
  if (layout.highBits && withHighBits) {
    Value high = unpackHigh(loadHigh(chunkStart, group, v), group);
    codes = arith::OrIOp::create(b, codes, high);
  }
  if (!layout.format.values.empty()) {
    SmallVector<int8_t> values;
    for (int8_t value : layout.format.values)
      values.push_back(value + valueOffset());
    codes = products.lookUp(b, values, codes);
  }
  return codes;
}

ByteSums BlockCode::sumsOf(size_t count, bool isQuads,
                           ByteSums::StartFn start) {
  int64_t largest = (1 << (layout.lowBits + layout.highBits)) - 1;
  if (!layout.format.values.empty()) {
    largest = 0;
    for (int64_t value : layout.format.values)
      largest = std::max(largest, std::abs(value + valueOffset()));
  } else if (layout.lowBits == 8) {
    largest = 128;
  }
  return ByteSums(b, products, count, largest, isSigned(), isQuads,
                  std::move(start));
}

Value BlockCode::asLeftSide(Value codes) {
  if (!isSigned() || !products.wantsUnsigned())
    return codes;
  return arith::XOrIOp::create(b, codes, splat(bytes, -128));
}
