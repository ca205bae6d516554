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
#include "../Lowerings.h"
#include "AIKernel-c/Artifact.h"
#include "AIKernel/Conversion/AIKernelToReference/Passes.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Passes.h"
#include "Serialize.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace aikernel;

namespace {

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
    pm.addPass(createShareCopiesPass());
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
    populateHostLowering(pm);
  }

  llvm::Expected<SmallVector<ImageMaker>>
  serialize(ModuleOp module, TargetAttr target,
            const SerializeOptions &options) const override {
    llvm::Expected<ImageMaker> maker =
        serializeForCPU(module, describeImage(target), target.getArch(),
                        target.getFeatures(), target.getVscale(), options);
    if (!maker)
      return maker.takeError();
    SmallVector<ImageMaker> makers;
    makers.push_back(std::move(*maker));
    return makers;
  }
};

} // namespace

Image aikernel::describeImage(TargetAttr target) {
  Image image;
  image.kind = AIK_IMAGE_HOST;
  image.arch = getArch(target);
  image.features = getFeatureBits(target);
  // Wider vectors first, then more features.
  image.rank = target.getVectorBits() * 64 + llvm::popcount(image.features);
  image.target = target.getName().str();
  return image;
}

/// Could LLVM choose instructions by the features of AArch64 that are about
/// these numbers, or about atomics, without being told to?
static bool isChosenByFeatures(Operation *op) {
  auto isNarrow = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isF16() || element.isBF16() ||
           (isa<VectorType>(type) && element.isInteger(8));
  };
  return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op) ||
         llvm::any_of(op->getOperandTypes(), isNarrow) ||
         llvm::any_of(op->getResultTypes(), isNarrow);
}

bool aikernel::givesSameCode(ModuleOp module, ModuleOp other) {
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttrName);
  auto less = other->getAttrOfType<TargetAttr>(kTargetAttrName);
  // Features of x86 say how anything is encoded.
  if (!target || !less || target.getArch() != "aarch64" ||
      less.getArch() != "aarch64" || target.getVscale() != less.getVscale() ||
      (getFeatureBits(less) & ~getFeatureBits(target)) != 0 ||
      !OperationEquivalence::isRegionEquivalentTo(
          &module.getBodyRegion(), &other.getBodyRegion(),
          OperationEquivalence::IgnoreLocations))
    return false;
  return !module
              .walk([](Operation *op) {
                return isChosenByFeatures(op) ? WalkResult::interrupt()
                                              : WalkResult::advance();
              })
              .wasInterrupted();
}

const TargetBackend *aikernel::getCPUBackend() {
  static const CPUBackend backend;
  return &backend;
}

llvm::Expected<ImageMaker>
aikernel::serializeReference(ModuleOp module, StringRef arch,
                             const SerializeOptions &options) {
  // It is clear, not fast: its library is compiled already.
  SerializeOptions plain = options;
  plain.optLevel = std::min(1u, options.optLevel);
  Image image;
  image.kind = AIK_IMAGE_REFERENCE;
  image.arch = arch == "x86_64" ? AIK_ARCH_X86_64 : AIK_ARCH_AARCH64;
  image.target = ("reference:" + arch).str();
  return serializeForCPU(module, std::move(image), arch, /*features=*/"",
                         /*vscale=*/0, plain, BuiltinForm::Object);
}

void aikernel::populateReferenceSchedule(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  pm.addPass(createAIKernelToReferencePass());
  populateBufferization(pm);
  // In order: the memory of calls in a parallel loop would be all threads'.
  pm.addPass(createForallToForLoopPass());
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
  populateHostLowering(pm);
}
