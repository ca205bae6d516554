//===- NVIDIABackend.cpp - GPU code for NVIDIA ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a nested module whose target is nvidia:sm_*. Out: its images: PTX, a
// cubin where there is a ptxas, and a launcher for each host.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Target/NVIDIA/NVIDIABackend.h"
#include "../GPU/DeviceProgram.h"
#include "AIKernel-c/Artifact.h"
#include "AIKernel/Target/GPU/GPUPipeline.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "Ptxas.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// nvidia:sm_90a is 90 with AIK_SM_EXACT.
uint64_t capabilityOf(TargetAttr target) {
  StringRef name = target.getName();
  name.consume_front("nvidia:sm_");
  bool exact = name.consume_back("a");
  uint64_t number = 0;
  (void)name.getAsInteger(10, number);
  return number | (exact ? AIK_SM_EXACT : 0);
}

class NVIDIABackend final : public TargetBackend {
public:
  void populateSchedule(OpPassManager &pm) const override {
    pm.addPass(createSelectDecodePass());
    pm.addPass(createFormTileAttentionPass());
    pm.addPass(createFormFragmentProductsPass());
    pm.addPass(createSeparateProductsPass());
    pm.addPass(createFormTileProductsPass());
    populateGPUSchedule(
        pm, [](OpPassManager &pm) { pm.addPass(createStreamLongRowsPass()); });
    pm.addNestedPass<gpu::GPUModuleOp>(createBuildTileProgramsPass());
  }

  void populateLowering(OpPassManager &pm) const override {
    OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
    device.addPass(createLowerDecodePass());
    device.addPass(createLowerWarpProductsPass());
    device.addPass(createLowerTileProgramsPass());
    pm.addPass(createOverlapLaunchesPass());
    pm.addNestedPass<gpu::GPUModuleOp>(createApproximateExpPass());
    auto convert = [](OpPassManager &device) {
      device.addPass(createConvertToNVVMPass());
      device.addPass(createReconcileUnrealizedCastsPass());
      device.addPass(createCanonicalizerPass());
      device.addPass(createCSEPass());
    };
    populateGPULowering(pm, convert);
  }

  llvm::Expected<SmallVector<ImageMaker>>
  serialize(ModuleOp module, TargetAttr target,
            const SerializeOptions &options) const override {
    StringRef chip = target.getName();
    chip.consume_front("nvidia:");
    auto machine =
        createDeviceMachine("nvptx64-nvidia-cuda", chip, target.getFeatures());
    if (!machine)
      return machine.takeError();
    llvm::Expected<DeviceProgram> program =
        DeviceProgram::translate(module.lookupSymbol(kDeviceModuleName),
                                 target.getArch(), std::move(*machine));
    if (!program)
      return program.takeError();
    SmallVector<std::string> hot;
    if (Operation *device = module.lookupSymbol(kDeviceModuleName))
      device->walk([&](FunctionOpInterface kernel) {
        if (kernel->hasAttr(kHotAttrName))
          hot.push_back(kernel.getName().str());
      });
    SmallVector<ImageMaker> makers;
    Image image;
    image.features = capabilityOf(target);
    // Newer ones first; of one, what is already machine code.
    image.rank = 2 * (image.features & (AIK_SM_EXACT - 1)) +
                 (image.features & AIK_SM_EXACT ? 1 : 0);
    image.target = target.getName().str();
    makers.push_back([program = std::move(*program), image = std::move(image),
                      hot = std::move(hot), options]() mutable {
      return makeImages(program, std::move(image), hot, options);
    });
    if (options.form == ImageForm::SharedObject)
      if (llvm::Error error =
              serializeLaunchers(module, target, options, makers))
        return std::move(error);
    return makers;
  }

private:
  static llvm::Expected<SmallVector<Image>>
  makeImages(DeviceProgram &program, Image image, ArrayRef<std::string> hot,
             const SerializeOptions &options) {
    if (llvm::Error error = program.finish())
      return std::move(error);
    bool wantsIR =
        options.form == ImageForm::LLVMIR || options.form == ImageForm::Bitcode;
    llvm::Expected<std::string> text =
        program.emit(wantsIR ? options.form : ImageForm::Assembly);
    if (!text)
      return text.takeError();
    SmallVector<Image> images;
    image.kind = AIK_IMAGE_PTX;
    image.bytes = *text;
    images.push_back(image);
    if (options.form != ImageForm::SharedObject || options.ptxas.empty())
      return images;
    llvm::Expected<PtxasResult> made =
        runPtxas(options.ptxas, *text, image.target);
    if (!made)
      return made.takeError();
    for (const PtxasKernel &kernel : made->kernels) {
      std::string sentence = "kernel '" + kernel.name + "' on " + image.target +
                             ": " + kernel.describe();
      bool isFlawed = kernel.isFlawed() && llvm::is_contained(hot, kernel.name);
      if (isFlawed && options.failOnWarnings)
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "AIK-E0016: " + sentence);
      (isFlawed ? image.warnings : image.remarks)
          .push_back(std::move(sentence));
    }
    image.kind = AIK_IMAGE_CUBIN;
    image.bytes = std::move(made->cubin);
    images.push_back(std::move(image));
    return images;
  }
};

} // namespace

const TargetBackend *aikernel::getNVIDIABackend() {
  static const NVIDIABackend backend;
  return &backend;
}
