//===- PositionOps.cpp - rope and kv_append -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape contracts, verification, folds, reference calls, checks of positions
// and costs.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "OpSupport.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;

/// Roles of a [B, H, S, D] tensor in either layout.
static SmallVector<DimRole> inLayout(LayoutKind layout, unsigned batch,
                                     unsigned head, unsigned sequence,
                                     unsigned feature) {
  if (layout == LayoutKind::Bhsd)
    return {{batch}, {head}, {sequence}, {feature}};
  return {{batch}, {sequence}, {head}, {feature}};
}

static Value buildIndexConstant(OpBuilder &builder, Location loc,
                                int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

//===----------------------------------------------------------------------===//
// RopeOp
//===----------------------------------------------------------------------===//

ShapeContract RopeOp::getShapeContract() {
  ShapeContract contract;
  unsigned b = contract.addSize("B", true);
  unsigned h = contract.addSize("H", true);
  unsigned s = contract.addSize("S", true);
  unsigned d = contract.addSize("D", false);
  SmallVector<DimRole> roles = inLayout(getLayout(), b, h, s, d);
  contract.addOperand("x", getX(), roles);
  contract.addOperand("pos", getPos(), {{b}, {s}});
  contract.addResult("result", getResult(), roles);
  return contract;
}

/// Each rotated pair has a constant in the program.
static constexpr int64_t kMostRotatedFeatures = 65536;

static LogicalResult verifyRopeAttributes(RopeOp op) {
  APFloat base = op.getBase();
  if (!base.isFinite() || base.isNegative() || base.isZero())
    return op.emitOpError("attribute 'base' is ")
           << base.convertToDouble() << " but must be finite and positive";
  if (op.getScaling() && op.getScaling()->getKind() == RopeScalingKind::Yarn &&
      base.convertToDouble() <= 1.0)
    return op.emitOpError("attribute 'base' is ")
           << base.convertToDouble()
           << " but scaling 'yarn' needs a base larger than 1";
  auto type = cast<RankedTensorType>(op.getX().getType());
  int64_t features = type.getDimSize(op.getFeatureDim());
  if (!op.getDim()) {
    if (ShapedType::isDynamic(features))
      return op.emitOpError("attribute 'dim' is not given but dimension 3 (D) "
                            "of operand 'x' is dynamic");
    if (features % 2 != 0)
      return op.emitOpError("operand 'x' has size ")
             << features
             << " in dimension 3 (D) but without 'dim' it must be even";
    if (features > kMostRotatedFeatures)
      return op.emitOpError("operand 'x' has size ")
             << features << " in dimension 3 (D) but without 'dim' it is at "
             << "most " << kMostRotatedFeatures;
    return success();
  }
  int64_t dim = *op.getDim();
  if (dim < 0 || dim % 2 != 0)
    return op.emitOpError("attribute 'dim' is ")
           << dim << " but must be even and not negative";
  if (dim > kMostRotatedFeatures)
    return op.emitOpError("attribute 'dim' is ")
           << dim << " but is at most " << kMostRotatedFeatures;
  if (!ShapedType::isDynamic(features) && dim > features)
    return op.emitOpError("attribute 'dim' is ")
           << dim << " but operand 'x' has size " << features
           << " in dimension 3 (D)";
  return success();
}

LogicalResult RopeOp::verify() {
  if (failed(verifyRank(*this, "x", getX(), 4, 4)))
    return failure();
  ShapeContract contract = getShapeContract();
  if (failed(
          verifyElementType(*this, contract.operands[0], ElementSet::Float)) ||
      failed(verifyElementType(*this, contract.operands[1], ElementSet::I32)) ||
      failed(verifySameType(*this, contract.results[0], contract.operands[0])))
    return failure();
  if (failed(verifyRopeAttributes(*this)))
    return failure();
  return contract::verify(*this);
}

void RopeOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
  Location loc = getLoc();
  auto type = cast<RankedTensorType>(getX().getType());
  if (getDim() && type.isDynamicDim(getFeatureDim())) {
    Value features =
        tensor::DimOp::create(builder, loc, getX(), getFeatureDim());
    Value ok = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, features,
        buildIndexConstant(builder, loc, getRotatedDim()));
    require(ok, AIK_EINVAL,
            "aikernel.rope: dimension 3 (D) of operand 'x' is smaller than "
            "attribute 'dim'");
  }
  Value ok = buildForAllElements(
      builder, loc, getPos(), [&](OpBuilder &body, Value position) -> Value {
        Value zero = arith::ConstantIntOp::create(body, loc, 0, 32);
        return arith::CmpIOp::create(body, loc, arith::CmpIPredicate::sge,
                                     position, zero);
      });
  require(ok, AIK_ERANGE,
          "aikernel.rope: a value of operand 'pos' is negative");
}

SmallVector<double> RopeOp::getReferenceParams() {
  SmallVector<double> params = {
      getBase().convertToDouble(), double(getRotatedDim()),
      double(static_cast<uint32_t>(getStyle())),
      double(static_cast<uint32_t>(getLayout())), 0.0};
  if (std::optional<RopeScalingAttr> scaling = getScaling()) {
    params.back() = double(static_cast<uint32_t>(scaling->getKind()));
    llvm::append_range(params, scaling->getConstants().asArrayRef());
  }
  params.resize(10, 0.0);
  return params;
}

SmallVector<Value> RopeOp::getReferenceOperands() { return {getX(), getPos()}; }

/// Four multiplications and two additions per pair; angles are not counted.
Value RopeOp::buildFlops(OpBuilder &builder) {
  Location loc = getLoc();
  ShapeContract contract = getShapeContract();
  return buildProduct(builder, loc,
                      {contract::buildSize(builder, loc, contract, 0),
                       contract::buildSize(builder, loc, contract, 1),
                       contract::buildSize(builder, loc, contract, 2),
                       builder.getIndexAttr(3 * getRotatedDim())});
}

OpFoldResult RopeOp::fold(FoldAdaptor) {
  if (isEmptyTensor(getX().getType()) || getRotatedDim() == 0)
    return getX();
  std::optional<RopeScalingAttr> scaling = getScaling();
  if (!scaling)
    return {};
  bool saysNothing = scaling->getKind() == RopeScalingKind::None ||
                     (scaling->getKind() == RopeScalingKind::Linear &&
                      scaling->getConstants()[0] == 1.0);
  if (!saysNothing)
    return {};
  removeScalingAttr();
  return getResult();
}

//===----------------------------------------------------------------------===//
// KvAppendOp
//===----------------------------------------------------------------------===//

ShapeContract KvAppendOp::getShapeContract() {
  ShapeContract contract;
  unsigned b = contract.addSize("B", true);
  unsigned h = contract.addSize("H", true);
  unsigned d = contract.addSize("D", true);
  unsigned smax = contract.addSize("Smax", false);
  unsigned s = contract.addSize("S", false);
  SmallVector<DimRole> cache = inLayout(getLayout(), b, h, smax, d);
  contract.addOperand("cache", getCache(), cache);
  contract.addOperand("new", getNewRows(), inLayout(getLayout(), b, h, s, d));
  contract.addOperand("pos", getPos(), {{b}});
  contract.addResult("result", getResult(), cache);
  return contract;
}

LogicalResult KvAppendOp::verify() {
  ShapeContract contract = getShapeContract();
  if (failed(
          verifyElementType(*this, contract.operands[0], ElementSet::Float)) ||
      failed(verifySameElementType(*this, contract.operands[1],
                                   contract.operands[0])) ||
      failed(verifyElementType(*this, contract.operands[2], ElementSet::I32)) ||
      failed(
          verifySameType(*this, contract.results[0], contract.operands[0])) ||
      failed(contract::verify(*this)))
    return failure();
  int64_t most =
      cast<RankedTensorType>(getCache().getType()).getDimSize(getSequenceDim());
  int64_t rows = cast<RankedTensorType>(getNewRows().getType())
                     .getDimSize(getSequenceDim());
  if (!ShapedType::isDynamic(most) && !ShapedType::isDynamic(rows) &&
      rows > most)
    return emitOpError("operand 'new' has size ")
           << rows << " in dimension " << getSequenceDim()
           << " (S) but operand 'cache' has room for " << most;
  return success();
}

void KvAppendOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
  Location loc = getLoc();
  int64_t sequence = getSequenceDim();
  auto sizeOf = [&](Value tensor) {
    return getValueOrCreateConstantIndexOp(
        builder, loc, tensor::getMixedSize(builder, loc, tensor, sequence));
  };
  // pos <= Smax - S, without overflow; S <= Smax holds when any pos passes.
  Value last = builder.createOrFold<arith::SubIOp>(loc, sizeOf(getCache()),
                                                   sizeOf(getNewRows()));
  Value ok = buildForAllElements(
      builder, loc, getPos(), [&](OpBuilder &body, Value position) -> Value {
        Value zero = buildIndexConstant(body, loc, 0);
        Value asIndex = arith::IndexCastOp::create(
            body, loc, body.getIndexType(), position);
        Value notNegative = arith::CmpIOp::create(
            body, loc, arith::CmpIPredicate::sge, asIndex, zero);
        Value fits = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::sle,
                                           asIndex, last);
        return arith::AndIOp::create(body, loc, notNegative, fits);
      });
  require(ok, AIK_ERANGE,
          "aikernel.kv_append: a value of operand 'pos' is negative, or the "
          "new rows do not fit behind it in operand 'cache'");
}

SmallVector<double> KvAppendOp::getReferenceParams() {
  return {double(static_cast<uint32_t>(getLayout()))};
}

SmallVector<Value> KvAppendOp::getReferenceOperands() {
  return {getCache(), getNewRows(), getPos()};
}

/// It only moves data.
Value KvAppendOp::buildFlops(OpBuilder &builder) {
  return buildIndexConstant(builder, getLoc(), 0);
}

OpFoldResult KvAppendOp::fold(FoldAdaptor) {
  if (isEmptyTensor(getNewRows().getType()) ||
      isEmptyTensor(getCache().getType()))
    return getCache();
  return {};
}
