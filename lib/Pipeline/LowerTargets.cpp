//===- LowerTargets.cpp - Lower each nested module to its dialect ---- ===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: scheduled nested modules. Out: the same modules in the dialect that their
// back end serializes (LLVM for CPUs).
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Passes.h"
#include "NestedPipelines.h"

#define DEBUG_TYPE "aik-lower-targets"

namespace aikernel {
#define GEN_PASS_DEF_LOWERTARGETSPASS
#include "AIKernel/Pipeline/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

struct LowerTargetsPass
    : aikernel::impl::LowerTargetsPassBase<LowerTargetsPass> {
  using LowerTargetsPassBase::LowerTargetsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    // All back ends there are; each names its own dialects.
    OpPassManager pm(ModuleOp::getOperationName());
    for (const TargetBackend *backend : getBackends())
      backend->populateLowering(pm);
    populateReferenceLowering(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    LogicalResult result = runNestedPipelines(
        getOperation(),
        [](const TargetBackend &backend, OpPassManager &pm) {
          backend.populateLowering(pm);
        },
        populateReferenceLowering,
        [&](OpPassManager &pm, Operation *op) { return runPipeline(pm, op); });
    if (failed(result))
      signalPassFailure();
  }
};

} // namespace
