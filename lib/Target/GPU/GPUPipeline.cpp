//===- GPUPipeline.cpp - The pipelines that GPUs share --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a nested module with an #aikernel.target, at the end of `structured`.
// Out: after the schedule, functions that launch, their twins, and a gpu.module
// of what one thread does; after the lowering, the LLVM dialect in all three.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Target/GPU/GPUPipeline.h"
#include "../CPU/Serialize.h"
#include "../Lowerings.h"
#include "AIKernel-c/Artifact.h"
#include "AIKernel/Conversion/AIKernelToLinalg/AIKernelToLinalg.h"
#include "AIKernel/Conversion/SubmitToRuntime/Passes.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace aikernel;

void aikernel::populateGPUSchedule(OpPassManager &pm,
                                   AddDevicePasses distribute) {
  pm.addPass(createPackLanesPass());
  pm.addPass(createDecomposeBlockProductsPass());
  pm.addPass(createSelectBlocksPass());
  TileAndFusePassOptions tiles;
  tiles.blockIterations = kBlockIterations;
  pm.addPass(createTileAndFusePass(tiles));
  pm.addPass(createDecomposeAttentionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  populateBufferization(pm);
  pm.addPass(createLowerLanePackingPass());
  pm.addPass(createKeepRowsPass());
  pm.addPass(createSplitKeysPass());
  PromoteScratchPassOptions scratch;
  scratch.stackBytes = kSharedBytes;
  pm.addPass(createPromoteScratchPass(scratch));
  PlanMemoryPassOptions memory;
  memory.apartBytes = kApartBytes;
  pm.addPass(createPlanMemoryPass(memory));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createParallelizeCopiesPass());
  pm.addPass(createFormLaunchesPass());
  distribute(pm);
  pm.addNestedPass<gpu::GPUModuleOp>(createDistributeThreadsPass());
  // Twins are for checking, not for speed.
  pm.addNestedPass<func::FuncOp>(createLowerLaneTwinsPass());
  pm.addNestedPass<func::FuncOp>(createLowerPartTwinsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void aikernel::populateGPULowering(OpPassManager &pm, AddDevicePasses convert) {
  pm.addPass(createSubmitToRuntimePass());
  pm.addPass(createMergeLaunchesPass());
  pm.addPass(createLowerLaunchesPass());
  pm.addPass(createLowerReferenceCallsPass());
  populateControlFlow(pm);
  convert(pm.nest<gpu::GPUModuleOp>());
  populateHostLLVM(pm);
}

llvm::Error aikernel::serializeLaunchers(ModuleOp module, TargetAttr target,
                                         const SerializeOptions &options,
                                         SmallVectorImpl<ImageMaker> &makers) {
  OwningOpRef<ModuleOp> host(cast<ModuleOp>(module->clone()));
  if (Operation *device = host->lookupSymbol(kDeviceModuleName))
    device->erase();
  for (StringRef arch : options.hosts) {
    Image image;
    image.kind = AIK_IMAGE_LAUNCHER;
    image.arch = arch == "x86_64" ? AIK_ARCH_X86_64 : AIK_ARCH_AARCH64;
    image.target = target.getName().str();
    SerializeOptions plain = options;
    plain.optLevel = std::min(1u, options.optLevel);
    llvm::Expected<ImageMaker> maker =
        serializeForCPU(*host, std::move(image), arch, /*features=*/"",
                        /*vscale=*/0, plain);
    if (!maker)
      return maker.takeError();
    makers.push_back(std::move(*maker));
  }
  return llvm::Error::success();
}
