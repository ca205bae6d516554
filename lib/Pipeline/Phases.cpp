//===- Phases.cpp - The phases of a compilation, as a table ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a phase. Out: its passes. Each pipeline reads as the story of the phase.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Phases.h"
#include "AIKernel/Conversion/AIKernelToLinalg/AIKernelToLinalg.h"
#include "AIKernel/Pipeline/Passes.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace aikernel;

static const PhaseInfo kPhases[] = {
    {Phase::Import, "import", "the program as it was read", populateImport},
    {Phase::Kernel, "kernel",
     "the vocabulary, checked, with entry points and the reference's copy",
     populateKernel},
    {Phase::Structured, "structured", "linalg on tensors, grouped into kernels",
     populateStructured},
    {Phase::Scheduled, "scheduled",
     "one module per target: tiled, fused, bufferized, vectorised",
     populateScheduled},
    {Phase::Target, "target", "each module in its target's own dialect",
     populateTarget},
    {Phase::Artifact, "artifact", "images and metadata in one file", nullptr},
};

llvm::ArrayRef<PhaseInfo> aikernel::getPhases() { return kPhases; }

const PhaseInfo &aikernel::getPhaseInfo(Phase phase) {
  return kPhases[static_cast<unsigned>(phase)];
}

std::optional<Phase> aikernel::parsePhase(StringRef name) {
  for (const PhaseInfo &info : kPhases)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

void aikernel::populateImport(OpPassManager &) {}

void aikernel::populateKernel(OpPassManager &pm) {
  pm.addPass(createInlineCallsPass());
  // What a program says with affine maps is checked as plain arithmetic.
  pm.addPass(createLowerAffinePass());
  pm.addPass(createDecomposeForeignPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCheckArgumentsPass());
  pm.addPass(createBuildEntriesPass());
  pm.addPass(createResolveSizesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createBuildReferencePass());
}

/// Only on functions of the outer module: @reference stays as it is.
void aikernel::populateStructured(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createAIKernelToLinalgPass());
  functions.addPass(createConvertElementwiseToLinalgPass());
  functions.addPass(createGeneralizeProductsPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createFuseElementwisePass());
  functions.addPass(createSplitReductionsPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  pm.addPass(createFormKernelsPass());
}

void aikernel::populateScheduled(OpPassManager &pm) {
  pm.addPass(createForkTargetsPass());
  pm.addNestedPass<ModuleOp>(createScheduleTargetPass());
}

void aikernel::populateTarget(OpPassManager &pm) {
  pm.addNestedPass<ModuleOp>(createLowerTargetPass());
}

void aikernel::registerPhasePipelines() {
  for (const PhaseInfo &info : kPhases) {
    if (!info.populate)
      continue;
    std::string flag = ("aik-phase-" + info.name).str();
    PassPipelineRegistration<>(
        flag, info.summary,
        [populate = info.populate](OpPassManager &pm) { populate(pm); });
  }
}
