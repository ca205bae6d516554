//===- AIKernelToReference.cpp - Compute ops to reference calls -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: compute ops on tensors. Out: aikernel.reference_call on the same tensors,
// each writing into a fresh tensor.empty of its result's size. Which tensors
// and numbers the reference takes is asked of the op (ReferenceOpInterface), so
// a new op needs nothing here. The linalg ops between them that overwrite a
// tensor without reading it get a tensor.empty as well: in a chain of ops that
// all work in place, bufferization compares each with each.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Conversion/AIKernelToReference/Passes.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#define DEBUG_TYPE "aik-aikernel-to-reference"

namespace aikernel {
#define GEN_PASS_DEF_AIKERNELTOREFERENCEPASS
#include "AIKernel/Conversion/AIKernelToReference/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

struct AIKernelToReferencePass
    : aikernel::impl::AIKernelToReferencePassBase<AIKernelToReferencePass> {
  using AIKernelToReferencePassBase::AIKernelToReferencePassBase;

  void runOnOperation() override {
    SmallVector<ReferenceOpInterface> ops;
    getOperation()->walk([&](ReferenceOpInterface op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (ReferenceOpInterface op : ops)
      if (failed(convert(op, rewriter)))
        return signalPassFailure();
    getOperation()->walk([&](linalg::LinalgOp op) { refresh(op, rewriter); });
  }

  /// Lets `op` write into new memory where it reads nothing of the old.
  static void refresh(linalg::LinalgOp op, RewriterBase &rewriter) {
    if (!op.hasPureTensorSemantics())
      return;
    rewriter.setInsertionPoint(op);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (op.payloadUsesValueFromOperand(&init) ||
          init.get().getDefiningOp<tensor::EmptyOp>())
        continue;
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(rewriter, op.getLoc(), init.get());
      auto type = cast<RankedTensorType>(init.get().getType());
      init.set(tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                       type.getElementType(),
                                       type.getEncoding()));
    }
  }

  LogicalResult convert(ReferenceOpInterface op, RewriterBase &rewriter) {
    rewriter.setInsertionPoint(op);
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return op->emitOpError("has a result whose size is not known");

    SmallVector<Value> inputs, outputs;
    SmallVector<bool> present;
    for (Value operand : op.getReferenceOperands()) {
      present.push_back(static_cast<bool>(operand));
      if (operand)
        inputs.push_back(operand);
    }
    for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes))
      outputs.push_back(tensor::EmptyOp::create(
          rewriter, op->getLoc(), shape,
          cast<RankedTensorType>(result.getType()).getElementType()));
    auto call = ReferenceCallOp::create(
        rewriter, op->getLoc(), op->getResultTypes(),
        rewriter.getStringAttr(op.getReferenceName()), inputs, outputs,
        rewriter.getDenseF64ArrayAttr(op.getReferenceParams()),
        llvm::all_of(present, [](bool given) { return given; })
            ? DenseBoolArrayAttr()
            : rewriter.getDenseBoolArrayAttr(present));
    rewriter.replaceOp(op, call.getResults());
    return success();
  }
};

} // namespace
