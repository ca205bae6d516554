//===- AIKernelToLinalg.cpp - The pass that lowers aikernel ops -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel compute ops on tensors. Out: linalg, tensor and scf on tensors,
// and aikernel.online_attention. The patterns are in one file per op family.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Conversion/AIKernelToLinalg/AIKernelToLinalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#define DEBUG_TYPE "aik-aikernel-to-linalg"

namespace aikernel {
#define GEN_PASS_DEF_AIKERNELTOLINALGPASS
#include "AIKernel/Conversion/AIKernelToLinalg/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

struct AIKernelToLinalg
    : aikernel::impl::AIKernelToLinalgPassBase<AIKernelToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    aikernel::populateLinearToLinalgPatterns(patterns);
    aikernel::populateActivationToLinalgPatterns(patterns);
    aikernel::populateNormToLinalgPatterns(patterns);
    aikernel::populateAttentionToLinalgPatterns(patterns);
    aikernel::populatePositionToLinalgPatterns(patterns);
    aikernel::populateCacheToLinalgPatterns(patterns);
    aikernel::populateQuantToLinalgPatterns(patterns);
    aikernel::populateQuantProductToLinalgPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
