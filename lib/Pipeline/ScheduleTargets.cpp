//===- ScheduleTargets.cpp - Schedule each nested module -------------- ===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: one nested module per target, and @reference, with kernels on tensors.
// Out: the same modules with loops on buffers, each as its back end wants.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Passes.h"
#include "NestedPipelines.h"

#define DEBUG_TYPE "aik-schedule-targets"

namespace aikernel {
#define GEN_PASS_DEF_SCHEDULETARGETSPASS
#include "AIKernel/Pipeline/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

struct ScheduleTargetsPass
    : aikernel::impl::ScheduleTargetsPassBase<ScheduleTargetsPass> {
  using ScheduleTargetsPassBase::ScheduleTargetsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    // All back ends there are; each names its own dialects.
    OpPassManager pm(ModuleOp::getOperationName());
    for (const TargetBackend *backend : getBackends())
      backend->populateSchedule(pm);
    populateReferenceSchedule(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    LogicalResult result = runNestedPipelines(
        getOperation(),
        [](const TargetBackend &backend, OpPassManager &pm) {
          backend.populateSchedule(pm);
        },
        populateReferenceSchedule,
        [&](OpPassManager &pm, Operation *op) { return runPipeline(pm, op); });
    if (failed(result))
      signalPassFailure();
  }
};

} // namespace
