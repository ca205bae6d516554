//===- AMDBackend.cpp - GPU code for AMD ----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a nested module whose target is amd:gfx*. Out: its images: a code object
// (.hsaco), assembled and linked in process, and a launcher for each host.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Target/AMD/AMDBackend.h"
#include "../GPU/DeviceProgram.h"
#include "AIKernel-c/Artifact.h"
#include "AIKernel/Support/Link.h"
#include "AIKernel/Target/AMD/Passes.h"
#include "AIKernel/Target/GPU/GPUPipeline.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Drivers of the last years load it; later ones also load version 6.
constexpr unsigned kCodeObjectVersion = 500;

/// amd:gfx942 is 0x942.
uint64_t processorOf(TargetAttr target) {
  StringRef name = target.getName();
  name.consume_front("amd:gfx");
  uint64_t number = 0;
  (void)name.getAsInteger(16, number);
  return number;
}

class AMDBackend final : public TargetBackend {
public:
  void populateSchedule(OpPassManager &pm) const override {
    populateGPUSchedule(pm, [](OpPassManager &) {});
  }

  void populateLowering(OpPassManager &pm) const override {
    auto convert = [](OpPassManager &device) {
      device.addPass(createConvertToROCDLPass());
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
    chip.consume_front("amd:");
    auto machine =
        createDeviceMachine("amdgcn-amd-amdhsa", chip, target.getFeatures());
    if (!machine)
      return machine.takeError();
    llvm::Expected<DeviceProgram> program =
        DeviceProgram::translate(module.lookupSymbol(kDeviceModuleName),
                                 target.getArch(), std::move(*machine));
    if (!program)
      return program.takeError();
    program->getModule().addModuleFlag(
        llvm::Module::Error, "amdhsa_code_object_version", kCodeObjectVersion);
    Image image;
    image.kind = AIK_IMAGE_HSACO;
    image.features = processorOf(target);
    image.target = target.getName().str();
    SmallVector<ImageMaker> makers;
    makers.push_back([program = std::move(*program), image = std::move(image),
                      options]() mutable {
      return makeImages(program, std::move(image), options);
    });
    if (options.form == ImageForm::SharedObject)
      if (llvm::Error error =
              serializeLaunchers(module, target, options, makers))
        return std::move(error);
    return makers;
  }

private:
  static llvm::Expected<SmallVector<Image>>
  makeImages(DeviceProgram &program, Image image,
             const SerializeOptions &options) {
    // The loader looks kernels up by name, in this file and no other.
    for (llvm::Function &function : program.getModule())
      if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
        function.setVisibility(llvm::GlobalValue::ProtectedVisibility);
    if (llvm::Error error = program.finish())
      return std::move(error);
    llvm::Expected<std::string> code = program.emit(options.form);
    if (!code)
      return code.takeError();
    if (options.form == ImageForm::SharedObject) {
      code = linkShared({*code});
      if (!code)
        return code.takeError();
    }
    image.bytes = std::move(*code);
    return SmallVector<Image>{std::move(image)};
  }
};

} // namespace

const TargetBackend *aikernel::getAMDBackend() {
  static const AMDBackend backend;
  return &backend;
}
