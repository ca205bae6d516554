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
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addEffects(Operation *op, Effects &effects) {
  auto dps = cast<DestinationStyleOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (dps.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

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

static LogicalResult verifyFormat(Operation *op, QuantAttr format) {
  if (hasQuantPanels(getQuantFormat(format)))
    return success();
  return op->emitOpError() << "blocks of " << format
                           << " have their scales elsewhere";
}

//===----------------------------------------------------------------------===//
// PackBlocksOp
//===----------------------------------------------------------------------===//

LogicalResult PackBlocksOp::verify() {
  if (failed(verifyFormat(*this, getFormat())))
    return failure();
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

void PackBlocksOp::getEffects(Effects &effects) { addEffects(*this, effects); }

LogicalResult
PackBlocksOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getDest()));
  return success();
}

//===----------------------------------------------------------------------===//
// BlockGemvOp
//===----------------------------------------------------------------------===//

bool BlockGemvOp::isPacked() {
  return cast<ShapedType>(getW().getType()).getRank() == 3;
}

LogicalResult BlockGemvOp::verify() {
  if (failed(verifyFormat(*this, getFormat())))
    return failure();
  QuantPanel panel(getQuantFormat(getFormat()), getWholeBytes());
  Builder b(getContext());
  int64_t any = ShapedType::kDynamic;
  if (failed(verifyOperand(*this, "x", getX(), b.getI8Type(),
                           {any, panel.format.blockSize})))
    return failure();
  int64_t blocks = cast<ShapedType>(getX().getType()).getDimSize(0);
  if (failed(verifyOperand(*this, "scales", getScales(), b.getF32Type(),
                           {blocks})) ||
      failed(verifyOperand(*this, "sums", getSums(), b.getI32Type(),
                           {blocks, panel.chunks})) ||
      failed(verifyOperand(*this, "out", getOut(), b.getF32Type(), {any})))
    return failure();
  bool wantsScaledSums = panel.format.activations == ActivationBlock::ScaledSum;
  if (wantsScaledSums != static_cast<bool>(getScaledSums()))
    return emitOpError() << "blocks of " << getFormat()
                         << (wantsScaledSums ? " need" : " have no")
                         << " 'scaled_sums'";
  if (wantsScaledSums &&
      failed(verifyOperand(*this, "scaled_sums", getScaledSums(),
                           b.getF32Type(), {blocks})))
    return failure();
  int64_t rows = cast<ShapedType>(getOut().getType()).getDimSize(0);
  bool known = !ShapedType::isDynamic(rows);
  if (!isPacked()) {
    int64_t bytes = ShapedType::isDynamic(blocks)
                        ? any
                        : blocks * (int64_t)panel.format.blockBytes;
    return verifyOperand(*this, "w", getW(), b.getI8Type(), {rows, bytes});
  }
  int64_t panels =
      known ? (rows + QuantPanel::kRows - 1) / QuantPanel::kRows : any;
  return verifyOperand(*this, "w", getW(), b.getI8Type(),
                       {panels, blocks, panel.getBlockBytes()});
}

void BlockGemvOp::getEffects(Effects &effects) { addEffects(*this, effects); }

LogicalResult
BlockGemvOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getOut()));
  return success();
}
