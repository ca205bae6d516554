//===- SerializePTX.cpp - LLVM dialect to PTX -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a gpu.module in the NVVM and LLVM dialects, and the target. It is
// translated at once; all else needs no MLIR and runs on any thread.
// Out: PTX, or the LLVM IR that it is made of.
//
//===----------------------------------------------------------------------===//

#include "SerializePTX.h"
#include "../LoadBuiltins.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include <mutex>

using namespace llvm;
using namespace aikernel;

namespace {

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<std::unique_ptr<TargetMachine>> createMachine(TargetAttr target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *nvptx = TargetRegistry::lookupTarget(triple, error);
  if (!nvptx)
    return fail("LLVM has no code generator for NVIDIA: " + error);
  StringRef chip = target.getName();
  chip.consume_front("nvidia:");
  std::unique_ptr<TargetMachine> machine(nvptx->createTargetMachine(
      triple, chip, target.getFeatures(), TargetOptions(), std::nullopt,
      std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return fail("LLVM cannot generate code for " + chip);
  return std::move(machine);
}

struct Translated {
  std::unique_ptr<LLVMContext> context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> module;
  std::unique_ptr<TargetMachine> machine;
};

void optimize(Module &module, TargetMachine &machine) {
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

/// What kernels call of lib/Builtins, for this module alone.
Error linkBuiltins(Module &module) {
  Expected<std::unique_ptr<Module>> builtins =
      loadBuiltins(module.getContext(), "nvptx64");
  if (!builtins)
    return builtins.takeError();
  (*builtins)->setTargetTriple(module.getTargetTriple());
  (*builtins)->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(*builtins),
                          Linker::Flags::LinkOnlyNeeded))
    return fail("the builtins cannot be linked");
  internalizeModule(module, [](const GlobalValue &value) {
    auto *function = dyn_cast<Function>(&value);
    return function && function->getCallingConv() == CallingConv::PTX_Kernel;
  });
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      return fail("AIK-E0007: generated code calls '" + function.getName() +
                  "', which the builtins do not have");
  return Error::success();
}

Expected<std::string> compile(Translated &program,
                              const SerializeOptions &options) {
  Module &module = *program.module;
  if (Error error = linkBuiltins(module))
    return std::move(error);
  std::string complaint;
  raw_string_ostream complaints(complaint);
  if (verifyModule(module, &complaints))
    return fail("the LLVM IR is not valid: " + complaint);
  optimize(module, *program.machine);
  std::string bytes;
  raw_string_ostream stream(bytes);
  if (options.form == ImageForm::LLVMIR) {
    module.print(stream, nullptr);
    return bytes;
  }
  if (options.form == ImageForm::Bitcode) {
    WriteBitcodeToFile(module, stream);
    return bytes;
  }
  SmallString<0> text;
  raw_svector_ostream out(text);
  legacy::PassManager passes;
  if (program.machine->addPassesToEmitFile(passes, out, nullptr,
                                           CodeGenFileType::AssemblyFile))
    return fail("LLVM cannot write PTX");
  passes.run(module);
  return text.str().str();
}

} // namespace

Expected<PTXMaker> aikernel::serializePTX(mlir::Operation *device,
                                          TargetAttr target,
                                          const SerializeOptions &options) {
  auto machine = createMachine(target);
  if (!machine)
    return machine.takeError();
  Translated program;
  program.machine = std::move(*machine);
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
  return PTXMaker([program = std::move(program), options]() mutable {
    return compile(program, options);
  });
}
