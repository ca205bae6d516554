//===- OnlineAttentionTiling.cpp - Tiling of online_attention -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tile of (batch, head, query, key). Out: the op on slices of its
// operands. What depends on absolute positions travels in operands: the bounds
// of visible keys are slices, key_offset grows with the tile, and head_offset
// keeps query heads with their key head.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace aikernel;

namespace {

enum Loop : unsigned { Batch = 0, Head = 1, Query = 2, Key = 3 };

using Bounds = SmallVector<OpFoldResult>;

/// Takes slices of operands and remembers them for the tiling result.
class Slicer {
public:
  Slicer(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value slice(Value tensor, const Bounds &offsets, const Bounds &sizes) {
    Bounds strides(offsets.size(), b.getIndexAttr(1));
    auto op =
        tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes, strides);
    slices.push_back(op);
    return op;
  }

  SmallVector<Operation *> slices;

private:
  OpBuilder &b;
  Location loc;
};

/// Where the key heads of a tile of query heads begin, how many they are, and
/// the head_offset of the tile.
struct KeyHeads {
  OpFoldResult offset, size;
  Value headOffset;
};

} // namespace

static KeyHeads keyHeadsOf(OnlineAttentionOp op, OpBuilder &b,
                           OpFoldResult offset, OpFoldResult size) {
  Location loc = op.getLoc();
  OpFoldResult all = tensor::getMixedSize(b, loc, op.getK(), op.getHeadDim());
  OpFoldResult queryHeads =
      tensor::getMixedSize(b, loc, op.getQ(), op.getHeadDim());
  auto asValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  };
  bool isWhole = isConstantIntValue(offset, 0) &&
                 isEqualConstantIntOrValue(size, queryHeads);
  if (isWhole)
    return {b.getIndexAttr(0), all, op.getHeadOffset()};
  if (isConstantIntValue(OpFoldResult(op.getGroup()), 1) ||
      matchPattern(op.getGroup(), m_One()))
    return {offset, size, op.getHeadOffset()};

  Value first =
      b.createOrFold<arith::AddIOp>(loc, op.getHeadOffset(), asValue(offset));
  Value inGroup = b.createOrFold<arith::RemUIOp>(loc, first, op.getGroup());
  if (isConstantIntValue(all, 1))
    return {b.getIndexAttr(0), all, first};
  Value keyHead = b.createOrFold<arith::DivUIOp>(loc, first, op.getGroup());
  if (isConstantIntValue(size, 1))
    return {keyHead, b.getIndexAttr(1), inGroup};
  // From the key head of the first query head to that of the last one.
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value past = b.createOrFold<arith::AddIOp>(loc, inGroup, asValue(size));
  Value last = b.createOrFold<arith::SubIOp>(loc, past, one);
  Value count = b.createOrFold<arith::AddIOp>(
      loc, b.createOrFold<arith::DivUIOp>(loc, last, op.getGroup()), one);
  return {keyHead, getAsOpFoldResult(count), inGroup};
}

/// The extreme of an i32[B, Sq] tensor, as a key of the op within 0 and
/// `keys`.
static Value extremeKey(OnlineAttentionOp op, OpBuilder &b, Value bounds,
                        Value keys, bool largest) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto combine = [&](OpBuilder &b, Value left, Value right) -> Value {
    if (largest)
      return arith::MaxSIOp::create(b, loc, left, right);
    return arith::MinSIOp::create(b, loc, left, right);
  };
  scf::LoopNest nest = scf::buildLoopNest(
      b, loc, {zero, zero},
      {tensor::DimOp::create(b, loc, bounds, 0),
       tensor::DimOp::create(b, loc, bounds, 1)},
      {one, one}, largest ? zero : keys,
      [&](OpBuilder &b, Location loc, ValueRange at, ValueRange soFar) {
        Value number = tensor::ExtractOp::create(b, loc, bounds, at);
        Value absolute =
            arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
        Value key = arith::SubIOp::create(b, loc, absolute, op.getKeyOffset());
        return scf::ValueVector{combine(b, soFar[0], key)};
      });
  Value inside = arith::MaxSIOp::create(b, loc, nest.results[0], zero);
  return arith::MinSIOp::create(b, loc, inside, keys);
}

std::pair<Value, Value> OnlineAttentionOp::buildVisibleKeys(OpBuilder &b) {
  Location loc = getLoc();
  Value keys = getValueOrCreateConstantIndexOp(
      b, loc, tensor::getMixedSize(b, loc, getK(), getSequenceDim()));
  Value first = getBegin()
                    ? extremeKey(*this, b, getBegin(), keys, /*largest=*/false)
                    : Value(arith::ConstantIndexOp::create(b, loc, 0));
  Value past =
      getEnd() ? extremeKey(*this, b, getEnd(), keys, /*largest=*/true) : keys;
  return {first, past};
}

SmallVector<utils::IteratorType> OnlineAttentionOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel,
          utils::IteratorType::parallel, utils::IteratorType::reduction};
}

SmallVector<Range> OnlineAttentionOp::getIterationDomain(OpBuilder &b) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  auto range = [&](Value tensor, int64_t dim) {
    return Range{zero, tensor::getMixedSize(b, getLoc(), tensor, dim), one};
  };
  return {range(getQ(), 0), range(getQ(), getHeadDim()),
          range(getQ(), getSequenceDim()), range(getK(), getSequenceDim())};
}

FailureOr<TilingResult>
OnlineAttentionOp::getTiledImplementation(OpBuilder &b,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  Slicer slicer(b, loc);
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);

  // Slices a [B, H, S, D] tensor in the op's layout.
  auto sliceLaidOut = [&](Value tensor, OpFoldResult headOffset,
                          OpFoldResult headSize, Loop sequence) {
    Bounds from(4, zero), count(4, one);
    from[0] = offsets[Batch], count[0] = sizes[Batch];
    from[getHeadDim()] = headOffset, count[getHeadDim()] = headSize;
    from[getSequenceDim()] = offsets[sequence];
    count[getSequenceDim()] = sizes[sequence];
    count[3] = tensor::getMixedSize(b, loc, tensor, 3);
    return slicer.slice(tensor, from, count);
  };
  KeyHeads heads = keyHeadsOf(*this, b, offsets[Head], sizes[Head]);
  Value q = sliceLaidOut(getQ(), offsets[Head], sizes[Head], Query);
  Value k = sliceLaidOut(getK(), heads.offset, heads.size, Key);
  Value v = sliceLaidOut(getV(), heads.offset, heads.size, Key);

  // Dimensions of size 1 are broadcast; the mask is aligned from the right.
  Value mask = getMask();
  if (mask) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(mask.getType()).getShape();
    Bounds from, count;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      unsigned loop = 4 - shape.size() + dim;
      from.push_back(size == 1 ? zero : offsets[loop]);
      count.push_back(size == 1 ? one : sizes[loop]);
    }
    mask = slicer.slice(mask, from, count);
  }
  Bounds rowFrom{offsets[Batch], offsets[Query]};
  Bounds rowCount{sizes[Batch], sizes[Query]};
  Value begin =
      getBegin() ? slicer.slice(getBegin(), rowFrom, rowCount) : Value();
  Value end = getEnd() ? slicer.slice(getEnd(), rowFrom, rowCount) : Value();
  Value kvLen = getKvLen()
                    ? slicer.slice(getKvLen(), {offsets[Batch]}, {sizes[Batch]})
                    : Value();
  Value keyOffset = b.createOrFold<arith::AddIOp>(
      loc, getKeyOffset(),
      getValueOrCreateConstantIndexOp(b, loc, offsets[Key]));

  SmallVector<Value> outputs;
  SmallVector<Type> types;
  for (auto [number, output] : llvm::enumerate(getOutputs())) {
    SmallVector<OpFoldResult> from, count;
    if (failed(getResultTilePosition(b, number, offsets, sizes, from, count)))
      return failure();
    outputs.push_back(slicer.slice(output, from, count));
    types.push_back(outputs.back().getType());
  }
  auto tiled = OnlineAttentionOp::create(
      b, loc, types, q, k, v, mask, begin, end, kvLen, getScale(), keyOffset,
      heads.headOffset, getGroup(), outputs, getSoftcapAttr(),
      getInstructionAttr(), getAnyQueriesAttr(), getLayoutAttr(),
      /*causal=*/UnitAttr(),
      /*window=*/IntegerAttr());
  return TilingResult{
      {tiled}, SmallVector<Value>(tiled->getResults()), slicer.slices};
}

LogicalResult OnlineAttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.begin() + 3);
  resultSizes.assign(sizes.begin(), sizes.begin() + 3);
  if (resultNumber == 0) {
    resultOffsets.push_back(b.getIndexAttr(0));
    resultSizes.push_back(tensor::getMixedSize(b, getLoc(), getAcc(), 3));
  }
  return success();
}

LogicalResult OnlineAttentionOp::getIterationDomainTileFromResultTile(
    OpBuilder &b, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes,
    SmallVectorImpl<OpFoldResult> &iterDomainOffsets,
    SmallVectorImpl<OpFoldResult> &iterDomainSizes) {
  iterDomainOffsets.assign(offsets.begin(), offsets.begin() + 3);
  iterDomainSizes.assign(sizes.begin(), sizes.begin() + 3);
  iterDomainOffsets.push_back(b.getIndexAttr(0));
  iterDomainSizes.push_back(
      tensor::getMixedSize(b, getLoc(), getK(), getSequenceDim()));
  return success();
}

FailureOr<TilingResult>
OnlineAttentionOp::generateResultTileValue(OpBuilder &b, unsigned resultNumber,
                                           ArrayRef<OpFoldResult> offsets,
                                           ArrayRef<OpFoldResult> sizes) {
  // Features of V are no loop: a tile that cuts them cannot be computed alone.
  if (!isOpFusableWithConsumerSlice(resultNumber, offsets, sizes))
    return failure();
  SmallVector<OpFoldResult> domainOffsets, domainSizes;
  if (failed(getIterationDomainTileFromResultTile(
          b, resultNumber, offsets, sizes, domainOffsets, domainSizes)))
    return failure();
  FailureOr<TilingResult> tiled =
      getTiledImplementation(b, domainOffsets, domainSizes);
  if (failed(tiled))
    return failure();
  return TilingResult{tiled->tiledOps,
                      {tiled->tiledValues[resultNumber]},
                      tiled->generatedSlices};
}

bool OnlineAttentionOp::isOpFusableWithConsumerSlice(
    unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes) {
  if (resultNumber != 0)
    return true;
  int64_t features = cast<RankedTensorType>(getAcc().getType()).getDimSize(3);
  std::optional<int64_t> size = getConstantIntValue(sizes[3]);
  if (!isConstantIntValue(offsets[3], 0))
    return false;
  return ShapedType::isDynamic(features) || (size && *size == features);
}
