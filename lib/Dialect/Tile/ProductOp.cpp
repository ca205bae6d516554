//===- ProductOp.cpp - A matrix product and what follows it ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, effects on memory and the shape of the result.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel::tile;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

static LogicalResult checkSizes(Operation *op, StringRef what, int64_t a,
                                int64_t b) {
  if (a != b && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b))
    return op->emitOpError() << what << " is " << a << " and " << b;
  return success();
}

/// Of a product with packed weights: [M, K], lines of codes, lines of scales.
static LogicalResult verifyPacked(ProductOp op) {
  ShapedType lhs = shaped(op.getLhs()), codes = shaped(op.getRhs()),
             out = shaped(op.getOut());
  if (op.getExtras().size() != 1 || op.getLhsTransposed())
    return op.emitOpError("of packed weights takes scales, and rows of x");
  ShapedType scales = shaped(op.getExtras()[0]);
  if (lhs.getElementType().getIntOrFloatBitWidth() != 16 ||
      !codes.getElementType().isInteger(8) || !scales.getElementType().isF32())
    return op.emitOpError(
        "of packed weights takes bf16 or f16, codes of i8 and scales of f32");
  int64_t slabs = out.getDimSize(1) / 64, groups = lhs.getDimSize(1) / 128;
  if (out.getDimSize(1) % 64 != 0 || lhs.getDimSize(1) % 128 != 0 ||
      codes.getShape() != ArrayRef<int64_t>{slabs * groups * 32, 128} ||
      scales.getShape() != ArrayRef<int64_t>{slabs * groups * 2, 32})
    return op.emitOpError()
           << "of packed weights takes " << slabs * groups * 32
           << " lines of codes and " << slabs * groups * 2 << " of scales";
  // Nobody looks whether there is a slab for each warpgroup of a cluster.
  ScheduleAttr schedule = op.getSchedule();
  if (op.getRhsTransposed() || op.getOutTransposed() || op.getFast() ||
      schedule.getRows() != 64 * schedule.getWarpgroups() ||
      schedule.getDepth() != 128 || schedule.getSplit() != 1 ||
      schedule.getBoxes() != 0 || schedule.getShareLeft() ||
      slabs % (schedule.getWarpgroups() * schedule.getCluster()) != 0)
    return op.emitOpError("of packed weights has 64 rows for each warpgroup, "
                          "and whole clusters of them");
  Block &body = op.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (body.getNumArguments() != 2 || yield.getNumOperands() != 1 ||
      yield.getOperand(0).getType() != out.getElementType())
    return op.emitOpError("yields one element of its destination");
  return checkSizes(op, "the number of rows", lhs.getDimSize(0),
                    out.getDimSize(0));
}

int64_t ProductOp::getStepsOfPart() {
  int64_t depth = shaped(getLhs()).getDimSize(1 - getLhsRowDim());
  ScheduleAttr schedule = getSchedule();
  return llvm::divideCeil(llvm::divideCeil(depth, schedule.getDepth()),
                          schedule.getSplit());
}

int64_t ProductOp::getRowsOfPart() {
  return llvm::alignTo(shaped(getLhs()).getDimSize(getLhsRowDim()),
                       getSchedule().getClusterRows());
}

/// Parts of sums are stored as they are, where their kernel expects them.
static LogicalResult verifyParts(ProductOp op) {
  ShapedType out = shaped(op.getOut());
  Block &body = op.getBody().front();
  if (ShapedType::isDynamic(
          shaped(op.getLhs()).getDimSize(op.getLhsRowDim())) ||
      ShapedType::isDynamic(
          shaped(op.getRhs()).getDimSize(1 - op.getRhsColumnDim())))
    return op.emitOpError("splits sums of unknown sizes");
  if (op.getOutTransposed() || !out.getElementType().isF32() ||
      !op.getExtras().empty() ||
      body.getTerminator()->getOperands() != body.getArguments())
    return op.emitOpError("gives parts of sums as they are, in f32");
  int64_t rows = op.getSchedule().getStoredParts() * op.getRowsOfPart();
  if (out.getDimSize(0) != rows)
    return op.emitOpError()
           << "gives parts of " << op.getRowsOfPart() << " rows, " << rows
           << " in all, but has " << out.getDimSize(0);
  return success();
}

LogicalResult ProductOp::verify() {
  for (Value operand : {getLhs(), getRhs(), getOut()})
    if (shaped(operand).getRank() != 2)
      return emitOpError("takes and gives matrices");
  if (getPacked())
    return verifyPacked(*this);
  Type left = shaped(getLhs()).getElementType();
  Type right = shaped(getRhs()).getElementType();
  Type sums = sumsOf(left, right);
  if (!sums)
    return emitOpError() << "has no instruction for " << left << " and "
                         << right;
  if (left.getIntOrFloatBitWidth() != 16 &&
      (getLhsTransposed() || !getRhsTransposed()))
    return emitOpError() << "of " << left
                         << " needs both matrices contiguous along the sums";
  if (left.isF32() && !getFast())
    return emitOpError("of f32 rounds its operands, which has to be asked for");
  if (shaped(getOut()).getElementType().getIntOrFloatBitWidth() < 16)
    return emitOpError("gives numbers of 16 or 32 bits");
  auto size = [](Value value, unsigned dim) {
    return shaped(value).getDimSize(dim);
  };
  unsigned row = getLhsRowDim(), column = getRhsColumnDim();
  if (failed(checkSizes(*this, "the length of sums", size(getLhs(), 1 - row),
                        size(getRhs(), 1 - column))) ||
      failed(checkSizes(*this, "the number of columns", size(getRhs(), column),
                        size(getOut(), 1 - getOutRowDim()))))
    return failure();
  bool isSplit = getSchedule().getStoredParts() > 1;
  if (!isSplit &&
      failed(checkSizes(*this, "the number of rows", size(getLhs(), row),
                        size(getOut(), getOutRowDim()))))
    return failure();
  Block &body = getBody().front();
  if (getExtraMaps().size() != getExtras().size() ||
      body.getNumArguments() != getExtras().size() + 1)
    return emitOpError("has a map and a block argument for each extra");
  if (body.getArgument(0).getType() != sums)
    return emitOpError() << "sums are " << sums;
  for (auto [number, extra] : llvm::enumerate(getExtras())) {
    auto map = cast<AffineMapAttr>(getExtraMaps()[number]).getValue();
    if (map.getNumDims() != 2 ||
        !map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
        (int64_t)map.getNumResults() != shaped(extra).getRank())
      return emitOpError() << "extra " << number
                           << " is not indexed by rows and columns";
    if (body.getArgument(number + 1).getType() !=
        shaped(extra).getElementType())
      return emitOpError() << "extra " << number
                           << " has another element type in the region";
  }
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getNumOperands() != 1 ||
      yield.getOperand(0).getType() != shaped(getOut()).getElementType())
    return emitOpError("yields one element of its destination");
  return isSplit ? verifyParts(*this) : success();
}

void ProductOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

LogicalResult
ProductOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getOut()));
  return success();
}
