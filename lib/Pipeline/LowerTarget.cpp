//===- LowerTarget.cpp - Lower a nested module to its dialect -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a scheduled nested module. Out: the same module in the dialect that its
// back end serializes (LLVM for CPUs).
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Passes.h"
#include "TargetPipeline.h"

#define DEBUG_TYPE "aik-lower-target"

namespace aikernel {
#define GEN_PASS_DEF_LOWERTARGETPASS
#include "AIKernel/Pipeline/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

struct LowerTargetPass : aikernel::impl::LowerTargetPassBase<LowerTargetPass> {
  using LowerTargetPassBase::LowerTargetPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    // All back ends there are; each names its own dialects.
    OpPassManager pm(ModuleOp::getOperationName());
    for (const TargetBackend *backend : getBackends())
      backend->populateLowering(pm);
    populateReferenceLowering(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    OpPassManager pm(ModuleOp::getOperationName());
    LogicalResult found = populateFor(
        getOperation(),
        [](const TargetBackend &backend, OpPassManager &pm) {
          backend.populateLowering(pm);
        },
        populateReferenceLowering, pm);
    if (failed(found) || failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};

} // namespace
