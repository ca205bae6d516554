//===- VectorPrefetches.cpp - What loops ask memory for in time -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a linalg op whose loops aik-vectorize writes. Out: prefetches in them, of
// the rows that later tiles will read, or of what a long body will read soon.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Vectors/VectorBodies.h"
#include "VectorNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::vectornest;

/// A tile of rows of a larger buffer whose tiles lie behind each other.
static bool isMovingTile(memref::SubViewOp tile) {
  return tile.hasUnitStride() && !tile.getOffsets().empty() &&
         !ShapedType::isDynamic(tile.getStaticOffsets().back()) &&
         tile.getSourceType().getRank() == tile.getType().getRank();
}

static std::optional<int64_t> bytesOf(MemRefType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Tiles of this size that lie behind each other share their places in L1, so
/// that the one to come displaces those at hand.
static bool collides(MemRefType tile) {
  constexpr int64_t bytesOfWay = 16 * 1024;
  std::optional<int64_t> bytes = bytesOf(tile);
  return bytes && *bytes % bytesOfWay == 0;
}

/// Inputs that earlier loops of this tile have read, and no later one will:
/// this loop takes them from the cache, or the last loop does not need them, so
/// that memory is free to deliver other tiles while results are written. (In a
/// loop before, which writes nothing, reading and writing would take turns.)
void NestEmitter::findTilesToPrefetch() {
  if (!vectorDim || !isa<scf::ForallOp>(op->getParentOp()))
    return;
  Block *block = op->getBlock();
  auto isBefore = [&](Operation *one, Operation *other) {
    one = block->findAncestorOpInBlock(*one);
    other = block->findAncestorOpInBlock(*other);
    return one && other && one->isBeforeInBlock(other);
  };
  auto isEarlier = [&](Operation *user) { return isBefore(user, op); };
  auto isLater = [&](Operation *user) { return isBefore(op, user); };
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto tile = operand->get().getDefiningOp<memref::SubViewOp>();
    if (tile && tile->getBlock() == block && dependsOnVectorDim(*operand) &&
        !llvm::is_contained(op.getOutputs(), operand->get()) &&
        isMovingTile(tile) && llvm::any_of(tile->getUsers(), isEarlier) &&
        llvm::none_of(tile->getUsers(), isLater))
      tilesToPrefetch.push_back({tile, operand});
  }
  OpOperand *result = op.getDpsInitOperand(0);
  auto written = result->get().getDefiningOp<memref::SubViewOp>();
  auto after = llvm::make_range(std::next(op->getIterator()), block->end());
  if (!written || !tilesToPrefetch.empty() || !dependsOnVectorDim(*result) ||
      !op.getMatchingIndexingMap(result).isIdentity() ||
      llvm::any_of(after, llvm::IsaPred<linalg::LinalgOp>))
    return;
  for (auto tile : block->getOps<memref::SubViewOp>())
    if (isMovingTile(tile) && !collides(tile.getType()) && !tile->use_empty() &&
        tile.getMixedSizes() == written.getMixedSizes() &&
        llvm::all_of(tile->getUsers(), [&](Operation *user) {
          return isa<vector::LoadOp, memref::LoadOp>(user) && isEarlier(user);
        }))
      tilesToPrefetch.push_back({tile, result});
}

/// Far enough that memory can deliver, and that a tile of half of L1 does not
/// displace the one at hand, which has the same places in it.
static unsigned tilesAhead(MemRefType tile) {
  constexpr int64_t bytesAhead = 32 * 1024;
  std::optional<int64_t> bytes = bytesOf(tile);
  if (!bytes)
    return 3;
  return std::clamp<int64_t>(llvm::divideCeil(bytesAhead, *bytes), 2, 8);
}

void NestEmitter::prefetchTileAhead(const TileToPrefetch &wanted,
                                    unsigned width) {
  memref::SubViewOp tile = wanted.tile;
  SmallVector<Value> indices = indicesOf(*wanted.indexedLike);
  auto add = [&](Value x, OpFoldResult y) -> Value {
    return arith::AddIOp::create(
        builder, loc, x, getValueOrCreateConstantIndexOp(builder, loc, y));
  };
  unsigned moving = 0;
  for (auto [dim, offset] : llvm::enumerate(tile.getMixedOffsets())) {
    indices[dim] = add(indices[dim], offset);
    if (isa<Value>(offset))
      moving = dim;
  }
  // The last tiles have no next one.
  Value size = memref::DimOp::create(builder, loc, tile.getSource(), moving);
  Value last = add(size, builder.getIndexAttr(-1));
  AffineExpr distance =
      builder.getAffineSymbolExpr(0) * tilesAhead(tile.getType());
  OpFoldResult ahead = affine::makeComposedFoldedAffineApply(
      builder, loc, distance, {tile.getMixedSizes()[moving]});
  indices[moving] =
      arith::MinUIOp::create(builder, loc, add(indices[moving], ahead), last);
  // Locality 2 is L2: in L1 it would take the place of this tile.
  prefetchLines(tile.getSource(), indices, width, /*locality=*/2);
}

/// The lines of `width` elements from `indices` on.
void NestEmitter::prefetchLines(Value buffer, ArrayRef<Value> indices,
                                unsigned width, unsigned locality,
                                bool isWrite) {
  unsigned bytes = llvm::divideCeil(
      cast<MemRefType>(buffer.getType()).getElementTypeBitWidth(), 8);
  for (unsigned lane = 0; lane < width; lane += kLineBytes / bytes) {
    SmallVector<Value> line(indices);
    Value offset = arith::ConstantIndexOp::create(builder, loc, lane);
    line.back() = arith::AddIOp::create(builder, loc, line.back(), offset);
    memref::PrefetchOp::create(builder, loc, buffer, line, isWrite, locality,
                               /*isDataCache=*/true);
  }
}

/// Inputs that are read once, here, in loops whose bodies are so long that the
/// machine does not look far ahead by itself. Narrow vectors compute so slowly
/// that memory keeps up.
void NestEmitter::findStreams() {
  constexpr unsigned wideVectorBits = 256;
  if (!vectorDim || vectorBits < wideVectorBits || !tilesToPrefetch.empty() ||
      llvm::none_of(op.getRegion().front(), isPolynomial))
    return;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value buffer = operand->get();
    auto tile = buffer.getDefiningOp<memref::SubViewOp>();
    if (dependsOnVectorDim(*operand) &&
        op.getMatchingIndexingMap(operand).isIdentity() &&
        (tile ? isMovingTile(tile) : isa<BlockArgument>(buffer)))
      streams.push_back(operand);
  }
}

/// Asks for what comes a few iterations later, in this row or in the next.
void NestEmitter::prefetchStreamAhead(OpOperand &stream, unsigned width) {
  constexpr unsigned bytesAhead = 2048;
  auto tile = stream.get().getDefiningOp<memref::SubViewOp>();
  Value source = tile ? tile.getSource() : stream.get();
  unsigned bytes = llvm::divideCeil(
      cast<MemRefType>(source.getType()).getElementTypeBitWidth(), 8);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(builder, loc, x, y);
  };
  auto sub = [&](Value x, Value y) -> Value {
    return arith::SubIOp::create(builder, loc, x, y);
  };
  SmallVector<Value> indices = indicesOf(stream);
  Value length = extents[*vectorDim];
  Value ahead = add(indices.back(), constant(bytesAhead / bytes));
  Value isBehindRow = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::uge, ahead, length);
  ahead = arith::SelectOp::create(builder, loc, isBehindRow, sub(ahead, length),
                                  ahead);
  indices.back() =
      arith::MinUIOp::create(builder, loc, ahead, sub(length, constant(width)));
  if (tile)
    for (auto [index, offset] : llvm::zip(indices, tile.getMixedOffsets()))
      index = add(index, getValueOrCreateConstantIndexOp(builder, loc, offset));
  if (indices.size() > 1) {
    unsigned row = indices.size() - 2;
    Value next =
        arith::SelectOp::create(builder, loc, isBehindRow,
                                add(indices[row], constant(1)), indices[row]);
    Value rows = memref::DimOp::create(builder, loc, source, row);
    indices[row] =
        arith::MinUIOp::create(builder, loc, next, sub(rows, constant(1)));
  }
  prefetchLines(source, indices, width, /*locality=*/3);
}

void NestEmitter::emitPrefetches(unsigned width) {
  for (const TileToPrefetch &wanted : tilesToPrefetch)
    prefetchTileAhead(wanted, width);
  for (OpOperand *stream : streams)
    prefetchStreamAhead(*stream, width);
}
