//===- NormOps.cpp - Normalizations over one axis -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape contracts, verification, folds, reference calls and costs.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "OpSupport.h"

using namespace mlir;
using namespace aikernel;

static int64_t getRank(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

/// x and the result are [d0, ..., N]; each parameter is [N].
static ShapeContract
getNormContract(Value x, ArrayRef<std::pair<StringRef, Value>> parameters,
                Value result) {
  unsigned last = getRank(x) - 1;
  ShapeContract contract = contractOverDims(x, last);
  SmallVector<DimRole> roles = consecutiveRoles(0, last + 1);
  contract.addOperand("x", x, roles);
  for (auto [name, value] : parameters)
    contract.addOperand(name, value, {{last}});
  contract.addResult("result", result, roles);
  return contract;
}

static LogicalResult verifyNorm(ShapeContractOpInterface op, Value x,
                                const APFloat &eps) {
  if (failed(verifyRank(op, "x", x, 1, AIK_MAX_RANK)))
    return failure();
  ShapeContract contract = op.getShapeContract();
  ArrayRef<TensorRole> operands = contract.operands;
  if (failed(verifyElementType(op, operands[0], ElementSet::Float)))
    return failure();
  for (const TensorRole &parameter : operands.drop_front())
    if (failed(verifyParameterElementType(op, parameter, operands[0])))
      return failure();
  if (failed(verifySameType(op, contract.results[0], operands[0])) ||
      failed(verifyEpsilon(op, eps)))
    return failure();
  return contract::verify(op);
}

/// `perElement` operations for each element and `perRow` for each row.
static Value buildRowFlops(OpBuilder &builder, Location loc, Value x,
                           int64_t axis, int64_t perElement, int64_t perRow) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, x);
  SmallVector<OpFoldResult> rows;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (static_cast<int64_t>(dim) != axis)
      rows.push_back(size);
  sizes.push_back(builder.getIndexAttr(perElement));
  rows.push_back(builder.getIndexAttr(perRow));
  return builder.createOrFold<arith::AddIOp>(
      loc, buildProduct(builder, loc, sizes), buildProduct(builder, loc, rows));
}

//===----------------------------------------------------------------------===//
// RmsNormOp
//===----------------------------------------------------------------------===//

ShapeContract RmsNormOp::getShapeContract() {
  return getNormContract(getX(), {{"gamma", getGamma()}}, getResult());
}

LogicalResult RmsNormOp::verify() {
  return verifyNorm(*this, getX(), getEps());
}

void RmsNormOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> RmsNormOp::getReferenceParams() {
  return {getEps().convertToDouble()};
}

SmallVector<Value> RmsNormOp::getReferenceOperands() {
  return {getX(), getGamma()};
}

/// Square, sum, scale and gamma per element; mean, eps and root per row.
Value RmsNormOp::buildFlops(OpBuilder &builder) {
  return buildRowFlops(builder, getLoc(), getX(), getRank(getX()) - 1, 4, 3);
}

OpFoldResult RmsNormOp::fold(FoldAdaptor) {
  return isEmptyTensor(getX().getType()) ? OpFoldResult(getX())
                                         : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// LayerNormOp
//===----------------------------------------------------------------------===//

ShapeContract LayerNormOp::getShapeContract() {
  return getNormContract(getX(), {{"gamma", getGamma()}, {"beta", getBeta()}},
                         getResult());
}

LogicalResult LayerNormOp::verify() {
  return verifyNorm(*this, getX(), getEps());
}

void LayerNormOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> LayerNormOp::getReferenceParams() {
  return {getEps().convertToDouble()};
}

SmallVector<Value> LayerNormOp::getReferenceOperands() {
  return {getX(), getGamma(), getBeta()};
}

/// Sum, centre, square, sum, scale, gamma and beta per element; two means, eps
/// and root per row.
Value LayerNormOp::buildFlops(OpBuilder &builder) {
  return buildRowFlops(builder, getLoc(), getX(), getRank(getX()) - 1, 7, 4);
}

OpFoldResult LayerNormOp::fold(FoldAdaptor) {
  return isEmptyTensor(getX().getType()) ? OpFoldResult(getX())
                                         : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// L2NormOp
//===----------------------------------------------------------------------===//

ShapeContract L2NormOp::getShapeContract() {
  return getNormContract(getX(), {}, getResult());
}

LogicalResult L2NormOp::verify() { return verifyNorm(*this, getX(), getEps()); }

void L2NormOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> L2NormOp::getReferenceParams() {
  return {getEps().convertToDouble()};
}

SmallVector<Value> L2NormOp::getReferenceOperands() { return {getX()}; }

/// Square, sum and quotient per element; root and maximum per row.
Value L2NormOp::buildFlops(OpBuilder &builder) {
  return buildRowFlops(builder, getLoc(), getX(), getRank(getX()) - 1, 3, 2);
}

OpFoldResult L2NormOp::fold(FoldAdaptor) {
  return isEmptyTensor(getX().getType()) ? OpFoldResult(getX())
                                         : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// SoftmaxOp
//===----------------------------------------------------------------------===//

ShapeContract SoftmaxOp::getShapeContract() {
  ShapeContract contract = contractOverDims(getX(), getNormalizedAxis());
  SmallVector<DimRole> roles = consecutiveRoles(0, contract.sizes.size());
  contract.addOperand("x", getX(), roles);
  contract.addResult("result", getResult(), roles);
  return contract;
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyRank(*this, "x", getX(), 1, AIK_MAX_RANK)))
    return failure();
  int64_t rank = getRank(getX()), axis = getAxis();
  if (axis < -rank || axis >= rank)
    return emitOpError() << "attribute 'axis' is " << axis
                         << " but operand 'x' has rank " << rank;
  ShapeContract contract = getShapeContract();
  if (failed(
          verifyElementType(*this, contract.operands[0], ElementSet::Float)) ||
      failed(verifySameType(*this, contract.results[0], contract.operands[0])))
    return failure();
  return contract::verify(*this);
}

void SoftmaxOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> SoftmaxOp::getReferenceParams() {
  return {double(getNormalizedAxis())};
}

SmallVector<Value> SoftmaxOp::getReferenceOperands() { return {getX()}; }

/// Maximum, difference, exponential, sum and quotient per element.
Value SoftmaxOp::buildFlops(OpBuilder &builder) {
  return buildElementCount(builder, getLoc(), getX(), 5);
}

/// An axis of size 1 does not fold to ones: -inf gives 0 and NaN stays NaN.
OpFoldResult SoftmaxOp::fold(FoldAdaptor) {
  if (isEmptyTensor(getX().getType()))
    return getX();
  // One spelling for each axis: -1 for the last, else counted from the front.
  int64_t axis = getNormalizedAxis();
  int64_t canonical = axis == getRank(getX()) - 1 ? -1 : axis;
  if (canonical == static_cast<int64_t>(getAxis()))
    return {};
  setAxis(canonical);
  return getResult();
}
