//===- RuntimeOps.cpp - Run-time checks and reference calls ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, canonical form and bufferization of the ops that passes add.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "OpSupport.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace aikernel;

//===----------------------------------------------------------------------===//
// CheckOp
//===----------------------------------------------------------------------===//

LogicalResult CheckOp::verify() {
  int32_t code = getCode();
  if (code <= 0)
    return emitOpError() << "attribute 'code' is " << code
                         << " but an error number is positive";
  if (getMessage().empty())
    return emitOpError("attribute 'message' is empty but must say what is "
                       "wrong");
  return success();
}

/// A requirement that always holds is no requirement.
LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op, "the condition may be false");
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// ReferenceCallOp
//===----------------------------------------------------------------------===//

SmallVector<bool> ReferenceCallOp::getOperandPresence() {
  if (std::optional<ArrayRef<bool>> present = getPresent())
    return SmallVector<bool>(*present);
  return SmallVector<bool>(getInputs().size(), true);
}

LogicalResult ReferenceCallOp::verify() {
  if (getCallee().empty())
    return emitOpError("attribute 'callee' is empty but must name a reference");
  int64_t given = llvm::count(getOperandPresence(), true);
  if (given != static_cast<int64_t>(getInputs().size()))
    return emitOpError() << "has " << getInputs().size()
                         << " inputs but attribute 'present' tells of "
                         << given;
  bool onTensors = getNumResults() != 0;
  for (auto [index, type] : llvm::enumerate(getOperandTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasRank() ||
        isa<RankedTensorType>(type) != onTensors)
      return emitOpError() << "operand " << index << " has type " << type
                           << " but must be a ranked "
                           << (onTensors ? "tensor" : "memref");
    if (shaped.getRank() > AIK_MAX_RANK)
      return emitOpError() << "operand " << index << " has rank "
                           << shaped.getRank() << " but the largest rank is "
                           << AIK_MAX_RANK;
  }
  return success();
}

void ReferenceCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getNumResults() != 0)
    return;
  for (OpOperand &input : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &output);
}

bool ReferenceCallOp::bufferizesToMemoryRead(
    OpOperand &operand, const bufferization::AnalysisState &) {
  return !isDpsInit(&operand);
}

bool ReferenceCallOp::bufferizesToMemoryWrite(
    OpOperand &operand, const bufferization::AnalysisState &) {
  return isDpsInit(&operand);
}

bufferization::AliasingValueList
ReferenceCallOp::getAliasingValues(OpOperand &operand,
                                   const bufferization::AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {
      {getTiedOpResult(&operand), bufferization::BufferRelation::Equivalent}};
}

LogicalResult
ReferenceCallOp::bufferize(RewriterBase &rewriter,
                           const bufferization::BufferizationOptions &options,
                           bufferization::BufferizationState &state) {
  auto toBuffers = [&](ValueRange values,
                       SmallVector<Value> &buffers) -> LogicalResult {
    for (Value value : values) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, value, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    return success();
  };
  SmallVector<Value> inputs, outputs;
  if (failed(toBuffers(getInputs(), inputs)) ||
      failed(toBuffers(getOutputs(), outputs)))
    return failure();
  ReferenceCallOp::create(rewriter, getLoc(), TypeRange(), getCalleeAttr(),
                          inputs, outputs, getParamsAttr(), getPresentAttr());
  bufferization::replaceOpWithBufferizedValues(rewriter, *this, outputs);
  return success();
}
