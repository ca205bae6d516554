//===- ScheduleTarget.cpp - Schedule a nested module ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the nested module of a target, or @reference, with kernels on tensors.
// Out: the same module with loops on buffers, as its back end wants.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Passes.h"
#include "TargetPipeline.h"

#define DEBUG_TYPE "aik-schedule-target"

namespace aikernel {
#define GEN_PASS_DEF_SCHEDULETARGETPASS
#include "AIKernel/Pipeline/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

struct ScheduleTargetPass
    : aikernel::impl::ScheduleTargetPassBase<ScheduleTargetPass> {
  using ScheduleTargetPassBase::ScheduleTargetPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    // All back ends there are; each names its own dialects.
    OpPassManager pm(ModuleOp::getOperationName());
    for (const TargetBackend *backend : getBackends())
      backend->populateSchedule(pm);
    populateReferenceSchedule(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    OpPassManager pm(ModuleOp::getOperationName());
    LogicalResult found = populateFor(
        getOperation(),
        [](const TargetBackend &backend, OpPassManager &pm) {
          backend.populateSchedule(pm);
        },
        populateReferenceSchedule, pm);
    if (failed(found) || failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};

} // namespace
