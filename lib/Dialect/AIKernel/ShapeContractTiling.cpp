//===- ShapeContractTiling.cpp - Tiling that follows from a shape contract ===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op, and a tile of its parallel sizes. Out: a copy of the op on slices
// of its operands. Reductions are never cut here: that needs the
// destination-style forms of the structured phase.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace aikernel;

namespace {
/// Offset and size of one dimension of a slice.
struct DimTile {
  OpFoldResult offset, size;
};
} // namespace

/// The number of the loop over `size`, or nothing.
static std::optional<unsigned> getLoop(const ShapeContract &contract,
                                       unsigned size) {
  if (!contract.sizes[size].parallel)
    return std::nullopt;
  unsigned loop = 0;
  for (unsigned i = 0; i != size; ++i)
    loop += contract.sizes[i].parallel;
  return loop;
}

static OpFoldResult getDim(OpBuilder &builder, Location loc,
                           const TensorRole &tensor, unsigned dim) {
  if (!tensor.getType().isDynamicDim(dim))
    return builder.getIndexAttr(tensor.getType().getDimSize(dim));
  return tensor::DimOp::create(builder, loc, tensor.value, dim).getResult();
}

/// The groups that a tile of grouped elements needs, if they are whole groups
/// or lie in one group for every tile of this size.
static FailureOr<DimTile> getGroupTile(OpBuilder &builder, Location loc,
                                       const ShapeContract &contract,
                                       unsigned size, DimTile whole) {
  OpFoldResult groups = contract::buildSize(builder, loc, contract, size);
  OpFoldResult all = contract::buildSize(builder, loc, contract,
                                         *contract.sizes[size].groupsOf);
  std::optional<int64_t> tile = getConstantIntValue(whole.size);
  std::optional<int64_t> groupCount = getConstantIntValue(groups);
  std::optional<int64_t> elementCount = getConstantIntValue(all);
  if (!tile)
    return failure();
  if (!groupCount || !elementCount) {
    if (*tile != 1)
      return failure();
    Value perGroup = arith::DivUIOp::create(
        builder, loc, getValueOrCreateConstantIndexOp(builder, loc, all),
        getValueOrCreateConstantIndexOp(builder, loc, groups));
    Value group = arith::DivUIOp::create(
        builder, loc,
        getValueOrCreateConstantIndexOp(builder, loc, whole.offset), perGroup);
    return DimTile{group, builder.getIndexAttr(1)};
  }
  if (*groupCount == 0)
    return failure();
  int64_t perGroup = *elementCount / *groupCount;
  if (perGroup == 0 || (*tile % perGroup != 0 && perGroup % *tile != 0))
    return failure();
  AffineExpr offset = builder.getAffineSymbolExpr(0);
  OpFoldResult group = affine::makeComposedFoldedAffineApply(
      builder, loc, offset.floorDiv(perGroup), {whole.offset});
  return DimTile{group,
                 builder.getIndexAttr(std::max<int64_t>(*tile / perGroup, 1))};
}

/// What a tile of the loops needs of one dimension of a tensor.
static FailureOr<DimTile> getDimTile(OpBuilder &builder, Location loc,
                                     const ShapeContract &contract,
                                     const TensorRole &tensor, unsigned dim,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  DimRole role = tensor.dims[dim];
  DimTile full{builder.getIndexAttr(0), {}};
  if (std::optional<unsigned> groupsOf = contract.sizes[role.size].groupsOf)
    if (std::optional<unsigned> loop = getLoop(contract, *groupsOf)) {
      // A loop that is not cut leaves the groups whole.
      OpFoldResult all = contract::buildSize(builder, loc, contract, *groupsOf);
      if (isEqualConstantIntOrValue(all, sizes[*loop])) {
        full.size = getDim(builder, loc, tensor, dim);
        return full;
      }
      return getGroupTile(builder, loc, contract, role.size,
                          {offsets[*loop], sizes[*loop]});
    }
  std::optional<unsigned> loop = getLoop(contract, role.size);
  full.size = getDim(builder, loc, tensor, dim);
  if (!loop)
    return full;
  if (!role.broadcast)
    return DimTile{offsets[*loop], sizes[*loop]};
  if (std::optional<int64_t> known = getConstantIntValue(full.size))
    return *known == 1 ? full : DimTile{offsets[*loop], sizes[*loop]};
  // Whether this dimension is 1 shows at run time.
  auto asValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      asValue(full.size), one);
  Value offset = arith::SelectOp::create(builder, loc, isOne, zero,
                                         asValue(offsets[*loop]));
  Value size =
      arith::SelectOp::create(builder, loc, isOne, one, asValue(sizes[*loop]));
  return DimTile{offset, size};
}

SmallVector<utils::IteratorType>
contract::getLoopIteratorTypes(ShapeContractOpInterface op) {
  ShapeContract contract = op.getShapeContract();
  size_t loops = llvm::count_if(
      contract.sizes, [](const NamedSize &size) { return size.parallel; });
  return SmallVector<utils::IteratorType>(loops, utils::IteratorType::parallel);
}

SmallVector<Range> contract::getIterationDomain(OpBuilder &builder,
                                                ShapeContractOpInterface op) {
  ShapeContract contract = op.getShapeContract();
  SmallVector<Range> domain;
  for (unsigned size = 0, e = contract.sizes.size(); size != e; ++size)
    if (contract.sizes[size].parallel)
      domain.push_back({builder.getIndexAttr(0),
                        buildSize(builder, op->getLoc(), contract, size),
                        builder.getIndexAttr(1)});
  return domain;
}

FailureOr<TilingResult> contract::getTiledImplementation(
    OpBuilder &builder, ShapeContractOpInterface op,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  ShapeContract contract = op.getShapeContract();
  Location loc = op->getLoc();
  TilingResult tiling;
  SmallVector<Value> operands;
  for (const TensorRole &tensor : contract.operands) {
    bool isCut = llvm::any_of(tensor.dims, [&](DimRole role) {
      std::optional<unsigned> groupsOf = contract.sizes[role.size].groupsOf;
      return contract.sizes[role.size].parallel ||
             (groupsOf && contract.sizes[*groupsOf].parallel);
    });
    if (!isCut) {
      operands.push_back(tensor.value);
      continue;
    }
    SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
    for (unsigned dim = 0, e = tensor.dims.size(); dim != e; ++dim) {
      FailureOr<DimTile> tile =
          getDimTile(builder, loc, contract, tensor, dim, offsets, sizes);
      if (failed(tile))
        return failure();
      sliceOffsets.push_back(tile->offset);
      sliceSizes.push_back(tile->size);
    }
    SmallVector<OpFoldResult> strides(tensor.dims.size(),
                                      builder.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(
        builder, loc, tensor.value, sliceOffsets, sliceSizes, strides);
    tiling.generatedSlices.push_back(slice);
    operands.push_back(slice);
  }

  SmallVector<Type> resultTypes;
  for (const TensorRole &result : contract.results) {
    SmallVector<int64_t> shape(result.getType().getShape());
    for (auto [dim, role] : llvm::enumerate(result.dims))
      if (std::optional<unsigned> loop = getLoop(contract, role.size))
        shape[dim] =
            getConstantIntValue(sizes[*loop]).value_or(ShapedType::kDynamic);
    resultTypes.push_back(result.getType().clone(shape));
  }
  Operation *tiled = mlir::clone(builder, op, resultTypes, operands);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(tiled);
    if (failed(op.adjustTile(builder, tiled, offsets, sizes)))
      return failure();
  }
  tiling.tiledOps.push_back(tiled);
  llvm::append_range(tiling.tiledValues, tiled->getResults());
  return tiling;
}

LogicalResult contract::getResultTilePosition(
    OpBuilder &builder, ShapeContractOpInterface op, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  ShapeContract contract = op.getShapeContract();
  for (DimRole role : contract.results[resultNumber].dims) {
    if (std::optional<unsigned> loop = getLoop(contract, role.size)) {
      resultOffsets.push_back(offsets[*loop]);
      resultSizes.push_back(sizes[*loop]);
      continue;
    }
    resultOffsets.push_back(builder.getIndexAttr(0));
    resultSizes.push_back(
        buildSize(builder, op->getLoc(), contract, role.size));
  }
  return success();
}

bool contract::isResultTileWhole(ShapeContractOpInterface op,
                                 unsigned resultNumber,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  ShapeContract contract = op.getShapeContract();
  const TensorRole &result = contract.results[resultNumber];
  for (auto [dim, role] : llvm::enumerate(result.dims)) {
    if (contract.sizes[role.size].parallel)
      continue;
    std::optional<int64_t> offset = getConstantIntValue(offsets[dim]);
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    if (offset && *offset != 0)
      return false;
    if (size && !result.getType().isDynamicDim(dim) &&
        *size != result.getType().getDimSize(dim))
      return false;
  }
  return true;
}

LogicalResult contract::getIterationDomainTileFromResultTile(
    OpBuilder &builder, ShapeContractOpInterface op, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    SmallVectorImpl<OpFoldResult> &loopOffsets,
    SmallVectorImpl<OpFoldResult> &loopSizes) {
  if (!isResultTileWhole(op, resultNumber, offsets, sizes))
    return failure();
  ShapeContract contract = op.getShapeContract();
  for (const Range &range : contract::getIterationDomain(builder, op)) {
    loopOffsets.push_back(range.offset);
    loopSizes.push_back(range.size);
  }
  for (auto [dim, role] : llvm::enumerate(contract.results[resultNumber].dims))
    if (std::optional<unsigned> loop = getLoop(contract, role.size)) {
      loopOffsets[*loop] = offsets[dim];
      loopSizes[*loop] = sizes[dim];
    }
  return success();
}

FailureOr<TilingResult> contract::generateResultTileValue(
    OpBuilder &builder, ShapeContractOpInterface op, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> loopOffsets, loopSizes;
  if (failed(contract::getIterationDomainTileFromResultTile(
          builder, op, resultNumber, offsets, sizes, loopOffsets, loopSizes)))
    return failure();
  FailureOr<TilingResult> tiling =
      contract::getTiledImplementation(builder, op, loopOffsets, loopSizes);
  if (failed(tiling))
    return failure();
  Value tile = tiling->tiledValues[resultNumber];

  // A dimension that is not cut came out whole; the consumer's tile of it is
  // whole too, unless that shows only at run time: then take what it asked for.
  ShapeContract contract = op.getShapeContract();
  const TensorRole &result = contract.results[resultNumber];
  SmallVector<OpFoldResult> restOffsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> restSizes(sizes);
  bool hasRest = false;
  for (auto [dim, role] : llvm::enumerate(result.dims)) {
    if (contract.sizes[role.size].parallel)
      continue;
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    if (isConstantIntValue(offsets[dim], 0) && size &&
        *size == result.getType().getDimSize(dim))
      continue;
    restOffsets[dim] = offsets[dim];
    hasRest = true;
  }
  if (hasRest) {
    SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
    tile = tensor::ExtractSliceOp::create(builder, op->getLoc(), tile,
                                          restOffsets, restSizes, strides);
  }
  tiling->tiledValues = {tile};
  return tiling;
}
