//===- LaneProduct.cpp - Quantized products by the lanes of warps ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and sizes, effects on memory, shapes of results, and tiles: the loops
// of a product are the dimensions of its result, of which the last, rows of W,
// is divided in fours.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantLanes.h"
#include "BufferEffects.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel;

using Bounds = SmallVector<OpFoldResult>;

static constexpr int64_t kAny = ShapedType::kDynamic;

/// The shape of a section; `groups` may be dynamic. Empty if the format has no
/// such numbers.
static SmallVector<int64_t> shapeOf(LaneSection section,
                                    const QuantLanes &layout, int64_t groups,
                                    int64_t units) {
  int64_t rows = QuantLanes::kRows;
  switch (section) {
  case LaneSection::Codes:
    return {groups, rows, layout.getParts(), units, QuantLanes::kWords};
  case LaneSection::High:
    if (layout.highBits == 0)
      return {};
    return {groups, layout.highBits, units, rows};
  case LaneSection::Small:
    if (layout.getSmallBytes() == 0)
      return {};
    return {groups, units, layout.getSmallBytes()};
  case LaneSection::Scales:
    if (layout.getScaleBytes() == 0)
      return {};
    return {groups, units / layout.getUnitsOfBlock(), layout.getScaleBytes()};
  }
  llvm_unreachable("a section without a shape");
}

static bool isLike(ShapedType type, ArrayRef<int64_t> sizes) {
  if (!type.hasRank() || type.getRank() != (int64_t)sizes.size())
    return false;
  for (auto [size, expected] : llvm::zip(type.getShape(), sizes))
    if (size != expected && size != kAny && expected != kAny)
      return false;
  return true;
}

static LogicalResult verifyWords(Operation *op, StringRef name, Value operand,
                                 ArrayRef<int64_t> sizes) {
  if (sizes.empty() != !operand)
    return op->emitOpError()
           << (sizes.empty() ? "has no '" : "needs '") << name << "'";
  if (!operand)
    return success();
  auto type = cast<ShapedType>(operand.getType());
  auto word = IntegerType::get(op->getContext(), 32);
  if (type.getElementType() == word && isLike(type, sizes))
    return success();
  return op->emitOpError() << "'" << name << "' is " << type << ", expected "
                           << RankedTensorType::get(sizes, word);
}

static LogicalResult verifyFormat(Operation *op, QuantAttr format,
                                  const QuantLanes &layout) {
  if (layout.isPossible())
    return success();
  return op->emitOpError() << "lanes do not share blocks of " << format;
}

//===----------------------------------------------------------------------===//
// PackLanesOp
//===----------------------------------------------------------------------===//

LogicalResult PackLanesOp::verify() {
  QuantLanes layout(getQuantFormat(getFormat()));
  if (failed(verifyFormat(*this, getFormat(), layout)))
    return failure();
  auto source = cast<ShapedType>(getSource().getType());
  if (!source.hasStaticShape() || source.getRank() != 2 ||
      !source.getElementType().isInteger(8) ||
      source.getDimSize(1) % layout.format.blockBytes != 0)
    return emitOpError() << "'source' is " << source
                         << ", expected whole blocks of "
                         << layout.format.blockBytes << " bytes";
  int64_t units = source.getDimSize(1) / layout.format.blockBytes *
                  layout.getUnitsOfBlock();
  int64_t groups = llvm::divideCeil(source.getDimSize(0), QuantLanes::kRows);
  SmallVector<int64_t> shape = shapeOf(getSection(), layout, groups, units);
  if (shape.empty())
    return emitOpError() << "blocks of " << getFormat() << " have no "
                         << stringifyLaneSection(getSection());
  return verifyWords(*this, "dest", getDest(), shape);
}

void PackLanesOp::getEffects(BufferEffects &effects) {
  addBufferEffects(*this, effects);
}

LogicalResult
PackLanesOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getDest()));
  return success();
}

SmallVector<int64_t> aikernel::getLaneShape(LaneSection section,
                                            const QuantLanes &layout,
                                            int64_t rows, int64_t units) {
  return shapeOf(section, layout, llvm::divideCeil(rows, QuantLanes::kRows),
                 units);
}

//===----------------------------------------------------------------------===//
// LaneProductOp
//===----------------------------------------------------------------------===//

int64_t LaneProductOp::getUnits() {
  return cast<ShapedType>(getCodes().getType()).getDimSize(3);
}

int64_t LaneProductOp::getRows() {
  auto type = cast<ShapedType>(getOut().getType());
  return type.getRank() == 1 ? 1 : type.getDimSize(0);
}

LogicalResult LaneProductOp::verify() {
  QuantLanes layout(getQuantFormat(getFormat()));
  if (failed(verifyFormat(*this, getFormat(), layout)))
    return failure();
  auto codes = cast<ShapedType>(getCodes().getType());
  if (!codes.hasRank() || codes.getRank() != 5 || codes.isDynamicDim(3))
    return emitOpError() << "'codes' is " << codes
                         << ", expected a known number of units";
  auto out = cast<ShapedType>(getOut().getType());
  auto x = cast<ShapedType>(getX().getType());
  int64_t rows = out.getRank() == 2 ? out.getDimSize(0) : 0;
  int64_t n = out.getShape().back(), units = getUnits();
  if (!out.getElementType().isF32() || out.getRank() > 2 || rows == kAny)
    return emitOpError() << "'out' is " << out
                         << ", expected f32 of a known number of rows";
  SmallVector<int64_t> xSizes(out.getRank(), rows);
  xSizes.back() = units * QuantLanes::kUnit;
  if (!isa<FloatType>(x.getElementType()) || !isLike(x, xSizes))
    return emitOpError() << "'x' is " << x << ", expected rows of "
                         << xSizes.back() << " floats";
  int64_t groups =
      n == kAny ? kAny : llvm::divideCeil(n, (int64_t)QuantLanes::kRows);
  auto isWords = [&](StringRef name, Value operand, LaneSection section) {
    return succeeded(verifyWords(*this, name, operand,
                                 shapeOf(section, layout, groups, units)));
  };
  if (!isWords("codes", getCodes(), LaneSection::Codes) ||
      !isWords("high", getHigh(), LaneSection::High) ||
      !isWords("small", getSmall(), LaneSection::Small) ||
      !isWords("scales", getScales(), LaneSection::Scales))
    return failure();
  bool wantsScales = layout.format.scale == ScaleKind::Operand;
  if (wantsScales != static_cast<bool>(getWScales()) ||
      (getWZeros() && !wantsScales))
    return emitOpError() << "blocks of " << getFormat()
                         << (wantsScales ? " need" : " have no")
                         << " 'w_scales'";
  for (Value operand : {getWScales(), getWZeros()})
    if (operand && !isLike(cast<ShapedType>(operand.getType()),
                           {n, units / (int64_t)layout.getUnitsOfBlock()}))
      return emitOpError() << "'" << operand.getType()
                           << "' is not one number for each block";
  return success();
}

void LaneProductOp::getEffects(BufferEffects &effects) {
  addBufferEffects(*this, effects);
}

LogicalResult
LaneProductOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getOut()));
  return success();
}

SmallVector<utils::IteratorType> LaneProductOp::getLoopIteratorTypes() {
  unsigned rank = cast<ShapedType>(getOut().getType()).getRank();
  return SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel);
}

SmallVector<Range> LaneProductOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> domain;
  for (OpFoldResult size : tensor::getMixedSizes(b, getLoc(), getOut()))
    domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  return domain;
}

FailureOr<TilingResult>
LaneProductOp::getTiledImplementation(OpBuilder &b,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  SmallVector<Operation *> slices;
  auto slice = [&](Value tensor, Bounds from, Bounds count) -> Value {
    Bounds strides(from.size(), b.getIndexAttr(1));
    Value part =
        tensor::ExtractSliceOp::create(b, loc, tensor, from, count, strides);
    slices.push_back(part.getDefiningOp());
    return part;
  };
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto divide = [&](AffineExpr expr, OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(b, loc, expr, {value});
  };
  auto rows = [&](Value tensor, int64_t width) -> Value {
    if (!tensor)
      return Value();
    Bounds count = tensor::getMixedSizes(b, loc, tensor);
    Bounds from(count.size(), b.getIndexAttr(0));
    from[0] = divide(d0.floorDiv(width), offsets.back());
    count[0] = divide(d0.ceilDiv(width), sizes.back());
    return slice(tensor, from, count);
  };
  int64_t four = QuantLanes::kRows;
  Value out = slice(getOut(), Bounds(offsets), Bounds(sizes));
  auto tiled = LaneProductOp::create(
      b, loc, TypeRange{out.getType()}, rows(getCodes(), four),
      rows(getHigh(), four), rows(getSmall(), four), rows(getScales(), four),
      rows(getWScales(), 1), rows(getWZeros(), 1), getX(), out, getFormat());
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

LogicalResult LaneProductOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

LogicalResult LaneProductOp::getIterationDomainTileFromResultTile(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVectorImpl<OpFoldResult> &from,
    SmallVectorImpl<OpFoldResult> &count) {
  from.assign(offsets.begin(), offsets.end());
  count.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
LaneProductOp::generateResultTileValue(OpBuilder &b, unsigned,
                                       ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(b, offsets, sizes);
}
