//===- CPUBackend.cpp - Schedule and lowering of CPU code -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a nested module with an #aikernel.target, at the end of `structured`.
// Out: after the schedule, loops over vectors on buffers; after the lowering,
// the LLVM dialect; after serialize, an image.
//
// @reference takes the same road without kernels, tiles and vectors.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Target/CPU/CPUBackend.h"
#include "AIKernel-c/Artifact.h"
#include "AIKernel/Conversion/AIKernelToReference/Passes.h"
#include "AIKernel/Conversion/SubmitToRuntime/Passes.h"
#include "AIKernel/Transforms/Passes.h"
#include "Serialize.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace aikernel;

namespace {

void populateBufferization(OpPassManager &pm) {
  pm.addPass(createInlineCallsPass());
  // Sizes in terms of arguments, not of intermediates: PlanMemory needs them
  // before anything is computed.
  pm.addNestedPass<func::FuncOp>(createSCFForLoopCanonicalizationPass());
  pm.addPass(createResolveSizesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createPrepareWeightsPass());
  pm.addPass(createSeparateDestinationsPass());
  pm.addPass(createAddDestinationsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addPass(createCarryInPlacePass());
  pm.addPass(bufferization::createOneShotBufferizePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void populateToLLVM(OpPassManager &pm) {
  // @reference has no target and runs anywhere.
  ExpandMathPassOptions anywhere;
  anywhere.hasFma = false;
  pm.addPass(createSubmitToRuntimePass());
  pm.addPass(createOutlineParallelPass());
  pm.addPass(createLowerEntriesPass());
  math::MathExpandOpsPassOptions rare;
  rare.opMnemonics = {"clampf", "fpowi"};
  pm.addPass(math::createMathExpandOpsPass(rare));
  pm.addPass(createExpandMathPass(anywhere));
  // Arithmetic of narrow types is done in f32 and rounded once, the same way on
  // every target: LLVM 22 was seen to round a tie down on AArch64 without bf16.
  arith::ArithEmulateUnsupportedFloatsOptions narrow;
  narrow.sourceTypeStrs = {"bf16", "f8E4M3FN", "f8E5M2"};
  narrow.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(narrow));
  pm.addPass(createExpandFloatConversionsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createGuardDivisionsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerChecksPass());
  pm.addPass(createConvertVectorToLLVMPass());
  // What has no LLVM intrinsic becomes a call into lib/Builtins.
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

class CPUBackend final : public TargetBackend {
public:
  void populateSchedule(OpPassManager &pm) const override {
    pm.addPass(createPackProductsPass());
    pm.addPass(createPackBlocksPass());
    pm.addPass(createSelectSchedulePass());
    pm.addPass(createTileAndFusePass());
    pm.addPass(createDecomposeAttentionPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    populateBufferization(pm);
    pm.addPass(createFuseRowsPass());
    pm.addPass(createPromoteScratchPass());
    pm.addPass(createLowerBlockProductsPass());
    pm.addPass(createLowerAttentionPass());
    pm.addPass(createLowerContractionsPass());
    pm.addPass(createLowerPackedProductsPass());
    pm.addPass(createLowerBlockProductsPass());
    pm.addPass(createVectorizePass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createPlanMemoryPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }

  void populateLowering(OpPassManager &pm) const override {
    // quantize is a call into lib/Builtins in kernels too.
    pm.addPass(createLowerReferenceCallsPass());
    populateToLLVM(pm);
  }

  llvm::Expected<ImageMaker>
  serialize(ModuleOp module, TargetAttr target,
            const SerializeOptions &options) const override {
    Image image;
    image.kind = AIK_IMAGE_HOST;
    image.arch = getArch(target);
    image.features = getFeatureBits(target);
    // Wider vectors first, then more features.
    image.rank = target.getVectorBits() * 64 + llvm::popcount(image.features);
    image.target = target.getName().str();
    return serializeForCPU(module, std::move(image), target.getArch(),
                           target.getFeatures(), target.getVscale(), options);
  }
};

} // namespace

const TargetBackend *aikernel::getCPUBackend() {
  static const CPUBackend backend;
  return &backend;
}

llvm::Expected<ImageMaker>
aikernel::serializeReference(ModuleOp module, StringRef arch,
                             const SerializeOptions &options) {
  // It is clear, not fast: its library is optimised already.
  SerializeOptions plain = options;
  plain.optLevel = std::min(1u, options.optLevel);
  Image image;
  image.kind = AIK_IMAGE_REFERENCE;
  image.arch = arch == "x86_64" ? AIK_ARCH_X86_64 : AIK_ARCH_AARCH64;
  image.target = ("reference:" + arch).str();
  return serializeForCPU(module, std::move(image), arch, /*features=*/"",
                         /*vscale=*/0, plain);
}

void aikernel::populateReferenceSchedule(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  pm.addPass(createAIKernelToReferencePass());
  populateBufferization(pm);
  pm.addPass(createVectorizePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createPlanMemoryPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Reference calls keep their memrefs until memory is planned: behind a plain
/// address a buffer's life cannot be seen.
void aikernel::populateReferenceLowering(OpPassManager &pm) {
  pm.addPass(createLowerReferenceCallsPass());
  populateToLLVM(pm);
}
