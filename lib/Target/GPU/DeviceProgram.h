//===- DeviceProgram.h - Kernels as LLVM IR -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a gpu.module in the LLVM dialect to optimised LLVM IR with all that it
// calls, and to what LLVM's code generator makes of it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_DEVICEPROGRAM_H
#define AIKERNEL_LIB_TARGET_GPU_DEVICEPROGRAM_H

#include "AIKernel/Target/Target.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace aikernel {

/// A machine for a GPU; `processor` is sm_90a or gfx942.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createDeviceMachine(llvm::StringRef triple, llvm::StringRef processor,
                    llvm::StringRef features);

class DeviceProgram {
public:
  /// Translates at once; `device` may be null: there are no kernels then. All
  /// else needs no MLIR and runs on any thread.
  static llvm::Expected<DeviceProgram>
  translate(mlir::Operation *device, llvm::StringRef arch,
            std::unique_ptr<llvm::TargetMachine> machine);

  llvm::Module &getModule() { return *module; }

  /// Links what kernels call of lib/Builtins, and optimises.
  llvm::Error finish();
  /// LLVM IR or bitcode, where a form asks for it, else assembly or an object.
  llvm::Expected<std::string> emit(ImageForm form);

private:
  DeviceProgram() = default;

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string arch;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_DEVICEPROGRAM_H
