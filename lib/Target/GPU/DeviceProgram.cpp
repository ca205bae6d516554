//===- DeviceProgram.cpp - Kernels as LLVM IR -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a gpu.module in the LLVM dialect. Out: LLVM IR with builtins, optimised,
// and assembly or an object of it.
//
//===----------------------------------------------------------------------===//

#include "DeviceProgram.h"
#include "../LoadBuiltins.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include <mutex>

using namespace llvm;
using namespace aikernel;

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
  });
}

Expected<std::unique_ptr<TargetMachine>>
aikernel::createDeviceMachine(StringRef triple, StringRef processor,
                              StringRef features) {
  initializeTargets();
  Triple parsed(triple);
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(parsed, error);
  if (!target)
    return fail("LLVM has no code generator for " + triple + ": " + error);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      parsed, processor, features, TargetOptions(), Reloc::PIC_, std::nullopt,
      CodeGenOptLevel::Aggressive));
  if (!machine)
    return fail("LLVM cannot generate code for " + processor);
  return std::move(machine);
}

Expected<DeviceProgram>
DeviceProgram::translate(mlir::Operation *device, StringRef arch,
                         std::unique_ptr<TargetMachine> machine) {
  DeviceProgram program;
  program.context = std::make_unique<LLVMContext>();
  program.machine = std::move(machine);
  program.arch = arch.str();
  program.module =
      device
          ? mlir::translateModuleToLLVMIR(device, *program.context, "aikernel")
          : std::make_unique<Module>("aikernel", *program.context);
  if (!program.module)
    return fail("the kernels cannot be translated to LLVM IR");
  program.module->setSourceFileName("aikernel");
  program.module->setModuleIdentifier("aikernel");
  program.module->setTargetTriple(program.machine->getTargetTriple());
  program.module->setDataLayout(program.machine->createDataLayout());
  return std::move(program);
}

static bool isKernel(const GlobalValue &value) {
  auto *function = dyn_cast<Function>(&value);
  return function && (function->getCallingConv() == CallingConv::PTX_Kernel ||
                      function->getCallingConv() == CallingConv::AMDGPU_KERNEL);
}

/// What kernels call of lib/Builtins, for this module alone.
static Error linkBuiltins(Module &module, StringRef arch) {
  Expected<std::unique_ptr<Module>> builtins =
      loadBuiltins(module.getContext(), arch);
  if (!builtins)
    return builtins.takeError();
  (*builtins)->setTargetTriple(module.getTargetTriple());
  (*builtins)->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(*builtins),
                          Linker::Flags::LinkOnlyNeeded))
    return fail("the builtins cannot be linked");
  internalizeModule(module, isKernel);
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      return fail("AIK-E0007: generated code calls '" + function.getName() +
                  "', which the builtins do not have");
  return Error::success();
}

static void optimize(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

/// Inline assembly with effects may concern a whole warp or more: it must be
/// neither duplicated nor merged. MLIR cannot say so.
static void keepAssemblyTogether(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      auto *text =
          call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!text || !text->hasSideEffects())
        continue;
      call->setConvergent();
      call->addFnAttr(Attribute::NoMerge);
    }
}

Error DeviceProgram::finish() {
  if (Error error = linkBuiltins(*module, arch))
    return error;
  std::string complaint;
  raw_string_ostream complaints(complaint);
  if (verifyModule(*module, &complaints))
    return fail("the LLVM IR is not valid: " + complaint);
  keepAssemblyTogether(*module);
  optimize(*module, *machine);
  return Error::success();
}

Expected<std::string> DeviceProgram::emit(ImageForm form) {
  std::string bytes;
  raw_string_ostream stream(bytes);
  if (form == ImageForm::LLVMIR) {
    module->print(stream, nullptr);
    return bytes;
  }
  if (form == ImageForm::Bitcode) {
    WriteBitcodeToFile(*module, stream);
    return bytes;
  }
  SmallString<0> code;
  raw_svector_ostream out(code);
  legacy::PassManager passes;
  auto type = form == ImageForm::Assembly ? CodeGenFileType::AssemblyFile
                                          : CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(passes, out, nullptr, type))
    return fail("LLVM cannot write this kind of file");
  passes.run(*module);
  return code.str().str();
}
