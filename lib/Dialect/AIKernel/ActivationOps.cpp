//===- ActivationOps.cpp - Elementwise functions --------------------------===//
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

#include "OpSupport.h"

using namespace mlir;
using namespace aikernel;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static ShapeContract getUnaryContract(Value x, Value result) {
  ShapeContract contract = contractOverDims(x, /*reducedDim=*/-1);
  SmallVector<DimRole> roles = consecutiveRoles(0, contract.sizes.size());
  contract.addOperand("x", x, roles);
  contract.addResult("result", result, roles);
  return contract;
}

static LogicalResult verifyUnary(ShapeContractOpInterface op) {
  ShapeContract contract = op.getShapeContract();
  if (failed(verifyElementType(op, contract.operands[0], ElementSet::Float)) ||
      failed(verifySameType(op, contract.results[0], contract.operands[0])))
    return failure();
  return contract::verify(op);
}

/// What is the same for every function of one operand; `flops` counts the
/// operations of its formula per element.
#define AIKERNEL_UNARY_OP(OpTy, flops)                                         \
  ShapeContract OpTy::getShapeContract() {                                     \
    return getUnaryContract(getX(), getResult());                              \
  }                                                                            \
  LogicalResult OpTy::verify() { return verifyUnary(*this); }                  \
  SmallVector<Value> OpTy::getReferenceOperands() { return {getX()}; }         \
  void OpTy::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {       \
    contract::buildSizeChecks(builder, *this, require);                        \
  }                                                                            \
  Value OpTy::buildFlops(OpBuilder &builder) {                                 \
    return buildElementCount(builder, getLoc(), getX(), flops);                \
  }

AIKERNEL_UNARY_OP(ReluOp, 1)
AIKERNEL_UNARY_OP(GeluOp, 5)
AIKERNEL_UNARY_OP(SiluOp, 3)
AIKERNEL_UNARY_OP(SigmoidOp, 3)
AIKERNEL_UNARY_OP(TanhOp, 1)
#undef AIKERNEL_UNARY_OP

SmallVector<double> ReluOp::getReferenceParams() { return {}; }
SmallVector<double> SiluOp::getReferenceParams() { return {}; }
SmallVector<double> SigmoidOp::getReferenceParams() { return {}; }
SmallVector<double> TanhOp::getReferenceParams() { return {}; }
SmallVector<double> GeluOp::getReferenceParams() {
  return {double(static_cast<uint32_t>(getApproximate()))};
}

/// An empty tensor is its own function value.
static OpFoldResult foldEmpty(Value x) {
  return isEmptyTensor(x.getType()) ? OpFoldResult(x) : OpFoldResult();
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  if (getX().getDefiningOp<ReluOp>())
    return getX();
  return foldEmpty(getX());
}
OpFoldResult GeluOp::fold(FoldAdaptor) { return foldEmpty(getX()); }
OpFoldResult SiluOp::fold(FoldAdaptor) { return foldEmpty(getX()); }
OpFoldResult SigmoidOp::fold(FoldAdaptor) { return foldEmpty(getX()); }
OpFoldResult TanhOp::fold(FoldAdaptor) { return foldEmpty(getX()); }

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

static ShapeContract getGatedContract(Value gate, Value up, Value result) {
  ShapeContract contract = contractOverDims(gate, /*reducedDim=*/-1);
  SmallVector<DimRole> roles = consecutiveRoles(0, contract.sizes.size());
  contract.addOperand("gate", gate, roles);
  contract.addOperand("up", up, roles);
  contract.addResult("result", result, roles);
  return contract;
}

static LogicalResult verifyGated(ShapeContractOpInterface op) {
  ShapeContract contract = op.getShapeContract();
  if (failed(verifyElementType(op, contract.operands[0], ElementSet::Float)) ||
      failed(verifySameElementType(op, contract.operands[1],
                                   contract.operands[0])) ||
      failed(verifySameType(op, contract.results[0], contract.operands[0])))
    return failure();
  return contract::verify(op);
}

#define AIKERNEL_GATED_OP(OpTy, flops)                                         \
  ShapeContract OpTy::getShapeContract() {                                     \
    return getGatedContract(getGate(), getUp(), getResult());                  \
  }                                                                            \
  LogicalResult OpTy::verify() { return verifyGated(*this); }                  \
  SmallVector<Value> OpTy::getReferenceOperands() {                            \
    return {getGate(), getUp()};                                               \
  }                                                                            \
  void OpTy::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {       \
    contract::buildSizeChecks(builder, *this, require);                        \
  }                                                                            \
  OpFoldResult OpTy::fold(FoldAdaptor) { return foldEmpty(getGate()); }        \
  Value OpTy::buildFlops(OpBuilder &builder) {                                 \
    return buildElementCount(builder, getLoc(), getGate(), flops);             \
  }

AIKERNEL_GATED_OP(SwigluOp, 4)
AIKERNEL_GATED_OP(GegluOp, 6)
#undef AIKERNEL_GATED_OP

SmallVector<double> SwigluOp::getReferenceParams() { return {}; }
SmallVector<double> GegluOp::getReferenceParams() {
  return {double(static_cast<uint32_t>(getApproximate()))};
}
