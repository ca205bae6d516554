//===- FuseElementwise.cpp - Chains of elementwise ops become one ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: linalg on tensors. Out: the same with each elementwise op merged into
// its only user.
//
// Upstream's patterns do the work; this pass holds the policy that upstream's
// own pass lacks: never into the operand of a matrix product (its body would be
// computed again for every tile of the other side), not through a broadcast,
// unless computing it again is cheap or is not done often, and not into a body
// without end: later passes take time in proportion to the square of its
// length.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "aik-fuse-elementwise"

namespace aikernel {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Far longer than the bodies of any layer: only chains of tens of activations
/// are cut.
constexpr size_t kLongestBody = 192;

/// So few steps of a consumer are over before another kernel has begun.
constexpr int64_t kFewSteps = 1 << 14;

size_t bodyLength(Operation *op) {
  return op->getRegion(0).front().getOperations().size();
}

bool shouldFuse(OpOperand *use) {
  Operation *producer = use->get().getDefiningOp();
  Operation *consumer = use->getOwner();
  if (!producer || !use->get().hasOneUse() || readsInit(producer))
    return false;
  OpKind kind = kindOf(consumer);
  if (kind != OpKind::Elementwise && kind != OpKind::RowReduction)
    return false;
  if (isa<linalg::LinalgOp>(producer) &&
      bodyLength(producer) + bodyLength(consumer) > kLongestBody)
    return false;
  auto user = cast<linalg::LinalgOp>(consumer);
  return user.getMatchingIndexingMap(use).isPermutation() ||
         isCheap(producer) ||
         stepsOf(user).value_or(kFewSteps + 1) <= kFewSteps;
}

struct FuseElementwisePass
    : aikernel::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
