//===- FoldedTiles.cpp - Codes times sub-scales, in tile registers --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: vectors of bytes and of 32-bit numbers, one lane per row of weights. Out:
// products of 16 bits in two bytes each, instructions of tile registers, and
// sums that are put together again.
//
//===----------------------------------------------------------------------===//

#include "FoldedTiles.h"
#include "Tiles/TileInstructions.h"

using namespace mlir;
using namespace aikernel;

/// A product is high * 2^kLowBits + low, where low has no sign.
static constexpr int64_t kLowBits = 7;
static constexpr int64_t kLowMask = (1 << kLowBits) - 1;
static constexpr int64_t kLanes = QuantPanel::kRows;
/// Blocks whose sums are in memory: of one they are read while those of the
/// next are written.
static constexpr int64_t kBlocksInMemory = 2;
static constexpr int64_t kTileElements = kTileRows * kLanes;

FoldedTiles::FoldedTiles(LoopBuilder &b, const QuantPanel &layout,
                         const ByteProducts &products, int64_t blocks)
    : b(b), layout(layout), products(products),
      integers(VectorType::get({kLanes}, b.getI32Type())),
      pairs(VectorType::get({2 * kLanes}, b.getI16Type())) {
  assert(layout.format.blockSize % kTileRowBytes == 0 &&
         layout.chunks % 2 == 0 && "blocks are whole tiles");
  int64_t elements = kLanes * layout.format.blockSize * blocks;
  low = b.buffer(b.getI8Type(), elements);
  high = b.buffer(b.getI8Type(), elements);
  if (layout.format.subMinimums) {
    int64_t count = kLanes * layout.chunks / 2 * blocks;
    minimums = b.buffer(b.getI32Type(), count);
    sumsOfRows = b.buffer(b.getI32Type(), count);
  }
  tileSums = b.buffer(b.getI32Type(), kBlocksInMemory * 2 * kTileElements);
}

static Value splat(LoopBuilder &b, VectorType type, int64_t value) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             type, b.getIntegerAttr(type.getElementType(), value)));
}

/// The lower halves of `even`, and above them those of `odd`.
static Value pairUp(LoopBuilder &b, VectorType type, Value even, Value odd) {
  int64_t bits = type.getElementTypeBitWidth() / 2;
  Value below = arith::AndIOp::create(b, even, splat(b, type, (1 << bits) - 1));
  Value above = arith::ShLIOp::create(b, odd, splat(b, type, bits));
  return arith::OrIOp::create(b, below, above);
}

void FoldedTiles::storeCodes(Value block, Value chunk, ArrayRef<Value> codes,
                             Value subScales) {
  Value scales = vector::BitCastOp::create(
      b, pairs, pairUp(b, integers, subScales, subScales));
  auto shift = [&](Value x, int64_t by) -> Value {
    return arith::ShRSIOp::create(b, x, splat(b, pairs, by));
  };
  auto lowOf = [&](Value product) -> Value {
    return arith::AndIOp::create(b, product, splat(b, pairs, kLowMask));
  };
  Value at = b.times(b.plus(b.times(block, layout.chunks), chunk),
                     layout.chunkSize * kLanes);
  for (Value vector : codes) {
    Value both = vector::BitCastOp::create(b, pairs, vector);
    Value even = shift(arith::ShLIOp::create(b, both, splat(b, pairs, 8)), 8);
    even = arith::MulIOp::create(b, even, scales);
    Value odd = arith::MulIOp::create(b, shift(both, 8), scales);
    auto store = [&](Value pair, Value plane) {
      b.store(vector::BitCastOp::create(b, vector.getType(), pair), plane, at);
    };
    store(pairUp(b, pairs, lowOf(even), lowOf(odd)), low);
    store(pairUp(b, pairs, shift(even, kLowBits), shift(odd, kLowBits)), high);
    at = b.plus(at, QuantPanel::kGroupBytes);
  }
}

Value FoldedTiles::placeOfPair(Value block, Value pair) {
  return b.times(b.plus(b.times(block, layout.chunks / 2), pair), kLanes);
}

void FoldedTiles::storeMinimums(Value block, Value pair, Value even,
                                Value odd) {
  b.store(pairUp(b, integers, even, odd), minimums, placeOfPair(block, pair));
}

void FoldedTiles::storeSumsOfRows(Value chunks,
                                  function_ref<Value(Value)> load) {
  b.loop(chunks, 2, [&](Value chunk) {
    Value pair = arith::DivUIOp::create(b, chunk, b.index(2));
    b.store(pairUp(b, integers, load(chunk), load(b.plus(chunk, 1))),
            sumsOfRows, placeOfPair(b.index(0), pair));
  });
}

Value FoldedTiles::multiply(Value left, Value block) {
  int64_t tile = kTileRows * kTileRowBytes;
  int64_t tiles = layout.format.blockSize / kTileRowBytes;
  Value ofBlock = b.times(block, tiles * tile);
  Value rowBytes = b.index(kTileRowBytes);
  auto load = [&](Value from, int64_t number) {
    Value address = b.plus(b.plus(from, ofBlock), number * tile);
    return loadTile(b, address, rowBytes, TileReuse::Near);
  };
  Value planes[] = {low, high};
  Value sums[] = {zeroTile(b), zeroTile(b)};
  for (int64_t i = 0; i != tiles; ++i) {
    Value rows = load(left, i);
    for (auto [plane, sum] : llvm::zip(planes, sums))
      sum = multiplyBytes(b, sum, rows, load(startOf(b, plane), i),
                          kTileRowBytes);
  }
  Value turn = arith::RemUIOp::create(b, block, b.index(kBlocksInMemory));
  Value place = b.times(turn, 2 * kTileElements);
  Value to = b.plus(startOf(b, tileSums), b.times(place, 4));
  for (auto [i, sum] : llvm::enumerate(sums))
    storeTile(b, sum, b.plus(to, i * kTileElements * 4), rowBytes);
  return place;
}

Value FoldedTiles::getSums(Value place, int64_t row) {
  auto load = [&](int64_t tile) -> Value {
    return vector::LoadOp::create(
        b, integers, tileSums,
        b.plus(place, tile * kTileElements + row * kLanes));
  };
  Value above = arith::ShLIOp::create(b, load(1), splat(b, integers, kLowBits));
  return arith::AddIOp::create(b, above, load(0));
}

Value FoldedTiles::getMinimums(Value block, int64_t row) {
  Value total;
  for (unsigned pair = 0; pair != layout.chunks / 2; ++pair) {
    Value at = placeOfPair(block, b.index(pair));
    Value ofColumns = vector::LoadOp::create(b, integers, minimums, at);
    Value ofRow = vector::BroadcastOp::create(
        b, integers, b.load(sumsOfRows, b.plus(at, row)));
    Value product = products.multiplyPairs(
        b, vector::BitCastOp::create(b, pairs, ofColumns),
        vector::BitCastOp::create(b, pairs, ofRow));
    total = total ? arith::AddIOp::create(b, total, product) : product;
  }
  return total;
}
