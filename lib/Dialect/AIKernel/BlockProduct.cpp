//===- BlockProduct.cpp - Verification of block products ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and sizes, effects on memory, and the shapes of results.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantPanels.h"
#include "BufferEffects.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel;

/// One size of an operand; any number matches a dynamic one.
struct Size {
  int64_t value;
  bool isLike(int64_t other) const {
    return ShapedType::isDynamic(value) || ShapedType::isDynamic(other) ||
           value == other;
  }
};

static LogicalResult verifyOperand(Operation *op, StringRef name, Value operand,
                                   Type element, ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(operand.getType());
  bool matches = type.hasRank() && type.getElementType() == element &&
                 type.getRank() == (int64_t)sizes.size();
  for (unsigned i = 0; matches && i != sizes.size(); ++i)
    matches = Size{sizes[i]}.isLike(type.getDimSize(i));
  if (matches)
    return success();
  return op->emitOpError() << "'" << name << "' is " << type << ", expected "
                           << RankedTensorType::get(sizes, element)
                           << " or a part of it";
}

//===----------------------------------------------------------------------===//
// PackBlocksOp
//===----------------------------------------------------------------------===//

LogicalResult PackBlocksOp::verify() {
  QuantPanel panel(getQuantFormat(getFormat()), getWholeBytes());
  Type byte = IntegerType::get(getContext(), 8);
  int64_t any = ShapedType::kDynamic;
  if (failed(verifyOperand(*this, "source", getSource(), byte, {any, any})))
    return failure();
  auto source = cast<ShapedType>(getSource().getType());
  int64_t rows = source.getDimSize(0), bytes = source.getDimSize(1);
  if (!ShapedType::isDynamic(bytes) && bytes % panel.format.blockBytes != 0)
    return emitOpError() << "rows of " << bytes
                         << " bytes are not whole blocks of "
                         << panel.format.blockBytes;
  int64_t panels = ShapedType::isDynamic(rows)
                       ? any
                       : (rows + QuantPanel::kRows - 1) / QuantPanel::kRows;
  int64_t blocks =
      ShapedType::isDynamic(bytes) ? any : bytes / panel.format.blockBytes;
  int64_t packed = panel.getBlockBytes();
  if (ShapedType::isDynamic(
          cast<ShapedType>(getDest().getType()).getShape().back()))
    return emitOpError() << "the last size of 'dest' must be static";
  return verifyOperand(*this, "dest", getDest(), byte,
                       {panels, blocks, packed});
}

void PackBlocksOp::getEffects(BufferEffects &effects) {
  addBufferEffects(*this, effects);
}

LogicalResult
PackBlocksOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getDest()));
  return success();
}

//===----------------------------------------------------------------------===//
// BlockGemvOp and BlockMatmulOp
//===----------------------------------------------------------------------===//

static constexpr int64_t kAny = ShapedType::kDynamic;

static int64_t divideUp(int64_t size, int64_t by) {
  return ShapedType::isDynamic(size) ? kAny : (size + by - 1) / by;
}

static int64_t multiply(int64_t size, int64_t by) {
  return ShapedType::isDynamic(size) ? kAny : size * by;
}

static int64_t sizeOf(Value operand, unsigned dim) {
  return cast<ShapedType>(operand.getType()).getDimSize(dim);
}

namespace {

/// What both products demand of their operands.
template <typename OpTy>
class ProductVerifier {
public:
  explicit ProductVerifier(OpTy op)
      : op(op), b(op.getContext()),
        panel(getQuantFormat(op.getFormat()), op.getWholeBytes()) {}

  LogicalResult verify(int64_t blocks) {
    bool wantsSums = panel.format.activations == ActivationBlock::ScaledSum;
    if (wantsSums != static_cast<bool>(op.getScaledSums()))
      return op.emitOpError()
             << "blocks of " << op.getFormat()
             << (wantsSums ? " need" : " have no") << " 'scaled_sums'";
    bool wantsScales = panel.format.scale == ScaleKind::Operand;
    if (wantsScales != static_cast<bool>(op.getWScales()))
      return op.emitOpError()
             << "blocks of " << op.getFormat()
             << (wantsScales ? " need" : " have no") << " 'w_scales'";
    if (op.getWZeros() && !op.getWScales())
      return op.emitOpError() << "'w_zeros' without 'w_scales'";
    int64_t rows = cast<ShapedType>(op.getOut().getType()).getShape().back();
    SmallVector<int64_t> w, perBlock;
    Type scale = b.getF32Type();
    if (op.isPacked()) {
      int64_t panels = divideUp(rows, QuantPanel::kRows);
      w = {panels, blocks, panel.getBlockBytes()};
      perBlock = {1, panels, blocks, QuantPanel::kRows, 1};
    } else {
      w = {rows, multiply(blocks, panel.format.blockBytes)};
      perBlock = {rows, blocks};
      if (op.getWScales())
        scale = getElementTypeOrSelf(op.getWScales());
    }
    return success(
        succeeded(verifyOperand(op, "w", op.getW(), b.getI8Type(), w)) &&
        isLike("w_scales", op.getWScales(), scale, perBlock) &&
        isLike("w_zeros", op.getWZeros(), b.getI8Type(), perBlock));
  }

  /// Optional operands may be missing.
  bool isLike(StringRef name, Value operand, Type element,
              ArrayRef<int64_t> sizes) {
    return !operand ||
           succeeded(verifyOperand(op, name, operand, element, sizes));
  }

  OpTy op;
  Builder b;
  QuantPanel panel;
};

} // namespace

bool BlockGemvOp::isPacked() {
  return cast<ShapedType>(getW().getType()).getRank() == 3;
}
bool BlockMatmulOp::isPacked() {
  return cast<ShapedType>(getW().getType()).getRank() == 3;
}

LogicalResult BlockGemvOp::verify() {
  ProductVerifier verifier(*this);
  Builder &b = verifier.b;
  const QuantPanel &panel = verifier.panel;
  if (!verifier.isLike("x", getX(), b.getI8Type(),
                       {kAny, panel.format.blockSize}))
    return failure();
  int64_t blocks = sizeOf(getX(), 0);
  if (!verifier.isLike("scales", getScales(), b.getF32Type(), {blocks}) ||
      !verifier.isLike("sums", getSums(), b.getI32Type(),
                       {blocks, panel.chunks}) ||
      !verifier.isLike("scaled_sums", getScaledSums(), b.getF32Type(),
                       {blocks}) ||
      !verifier.isLike("out", getOut(), b.getF32Type(), {kAny}))
    return failure();
  return verifier.verify(blocks);
}

LogicalResult BlockMatmulOp::verify() {
  ProductVerifier verifier(*this);
  Builder &b = verifier.b;
  const QuantPanel &panel = verifier.panel;
  if (!verifier.isLike("out", getOut(), b.getF32Type(), {kAny, kAny}))
    return failure();
  int64_t rows = sizeOf(getOut(), 0);
  if (!isPacked()) {
    if (!verifier.isLike("x", getX(), b.getI8Type(),
                         {rows, kAny, panel.format.blockSize}))
      return failure();
    int64_t blocks = sizeOf(getX(), 1);
    if (!verifier.isLike("scales", getScales(), b.getF32Type(),
                         {rows, blocks}) ||
        !verifier.isLike("sums", getSums(), b.getI32Type(),
                         {rows, blocks, panel.chunks}) ||
        !verifier.isLike("scaled_sums", getScaledSums(), b.getF32Type(),
                         {rows, blocks}))
      return failure();
    return verifier.verify(blocks);
  }
  if (!verifier.isLike("x", getX(), b.getI8Type(),
                       {kAny, kAny, kAny, kAny, kAny}))
    return failure();
  int64_t steps = sizeOf(getX(), 2), tile = sizeOf(getX(), 3),
          depth = sizeOf(getX(), 4);
  if (ShapedType::isDynamic(steps) || ShapedType::isDynamic(tile) ||
      ShapedType::isDynamic(depth) || tile == 0 || depth == 0 || steps == 0 ||
      steps * depth % panel.format.blockSize != 0 ||
      (panel.chunkSize % depth != 0 &&
       (depth % panel.chunkSize != 0 || panel.format.blockSize % depth != 0)))
    return emitOpError() << "a part of 'x' must be whole blocks of "
                         << panel.format.blockSize << ", in whole steps";
  int64_t panels = divideUp(rows, tile), blocks = sizeOf(getW(), 1);
  int64_t parts =
      divideUp(multiply(blocks, panel.format.blockSize), steps * depth);
  int64_t blocksOfPart = steps * depth / panel.format.blockSize;
  if (!verifier.isLike("scales", getScales(), b.getF32Type(),
                       {parts, panels, blocksOfPart, tile, kAny}))
    return failure();
  int64_t copies = sizeOf(getScales(), 4);
  if (!verifier.isLike("x", getX(), b.getI8Type(),
                       {parts, panels, steps, tile, depth}) ||
      !verifier.isLike("scaled_sums", getScaledSums(), b.getF32Type(),
                       {parts, panels, blocksOfPart, tile, copies}) ||
      !verifier.isLike(
          "sums", getSums(), b.getI32Type(),
          {parts, panels, blocksOfPart * panel.chunks, tile, copies}))
    return failure();
  return verifier.verify(blocks);
}

void BlockGemvOp::getEffects(BufferEffects &effects) {
  addBufferEffects(*this, effects);
}
void BlockMatmulOp::getEffects(BufferEffects &effects) {
  addBufferEffects(*this, effects);
}

LogicalResult
BlockGemvOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getOut()));
  return success();
}
LogicalResult
BlockMatmulOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getOut()));
  return success();
}
