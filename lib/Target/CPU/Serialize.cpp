//===- Serialize.cpp - LLVM dialect to object code ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module in the LLVM dialect, an architecture and its features. It is
// translated at once; all else needs no MLIR and runs on any thread.
// Out: LLVM IR, assembly, an object or a shared object that has no undefined
// symbol: what LLVM calls on its own comes from lib/Builtins.
//
// Builtins are linked twice: first as bitcode, so that what a program calls is
// optimised with it; then, after code generation, whatever calls LLVM has added
// by itself (memcpy, conversions) is compiled into a second object. A
// reference, which calls a whole library of them and need not be fast, is
// linked with an object of all builtins instead: compiling them took half of
// its time.
//
//===----------------------------------------------------------------------===//

#include "Serialize.h"
#include "../LoadBuiltins.h"
#include "AIKernel/Support/Link.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <mutex>

using namespace llvm;
using namespace aikernel;

namespace {

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    // aik-load-addends writes assembly.
    LLVMInitializeAArch64AsmParser();
  });
}

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<std::unique_ptr<TargetMachine>>
createMachine(StringRef arch, StringRef features, unsigned optLevel) {
  initializeTargets();
  std::string tuned = features.str();
  // On a Neoverse-N1 a pair of 16 bytes is loaded no faster than one after the
  // other, and holds up the products beside it.
  if (arch == "aarch64")
    tuned += tuned.empty() ? "+slow-paired-128" : ",+slow-paired-128";
  Triple triple(arch + "-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return fail("LLVM has no code generator for " + arch + ": " + error);
  TargetOptions options;
  options.FunctionSections = true;
  options.DataSections = true;
  // Tile registers across loops are more than the quickest selection can do.
  if (features.contains("+amx-tile"))
    optLevel = std::max(optLevel, 1u);
  auto level = optLevel == 0   ? CodeGenOptLevel::None
               : optLevel == 1 ? CodeGenOptLevel::Less
               : optLevel == 2 ? CodeGenOptLevel::Default
                               : CodeGenOptLevel::Aggressive;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, arch == "x86_64" ? "x86-64" : "generic", tuned, options,
      Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return fail("LLVM cannot generate code for " + arch);
  return std::move(machine);
}

/// The entry points of Entry.h, and the tables of launchers.
bool isExported(const GlobalValue &value) {
  StringRef name = value.getName();
  return !value.isDeclaration() &&
         (name == "aik$kernels" || name == "aik$checks" || name == "aik$maps" ||
          name.ends_with("$run") || name.ends_with("$shape") ||
          name.ends_with("$workspace") || name.ends_with("$prepare") ||
          name.ends_with("$cost"));
}

/// The schedule has already chosen vectors, unrolling and the order of loops.
/// What is left: numbers that are known, calls of small functions, address
/// arithmetic, and what does not change in a loop. LLVM's own pipeline takes
/// half as long again for it, and its code was not faster.
constexpr StringLiteral kPipeline =
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg),"
    "ipsccp,"
    "function(instcombine<no-verify-fixpoint>),"
    "cgscc(inline),"
    "deadargelim,globaldce,"
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,"
    "instcombine<no-verify-fixpoint>,"
    "jump-threading,correlated-propagation,simplifycfg,"
    "loop-mssa(loop-rotate,licm),loop(indvars),"
    "gvn,instcombine<no-verify-fixpoint>,vector-combine,dse,adce,simplifycfg,"
    "infer-alignment)";

Error optimize(Module &module, TargetMachine &machine, unsigned optLevel) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  if (optLevel == 0)
    passes = builder.buildO0DefaultPipeline(OptimizationLevel::O0);
  else if (Error error = builder.parsePassPipeline(passes, kPipeline))
    return error;
  passes.run(module, modules);
  return Error::success();
}

Expected<std::string> generate(Module &module, TargetMachine &machine,
                               CodeGenFileType type) {
  SmallString<0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return fail("LLVM cannot write this kind of file");
  passes.run(module);
  return buffer.str().str();
}

/// Symbols that an object needs and the set does not have.
Expected<SmallVector<std::string>> undefinedSymbols(StringRef object,
                                                    StringSet<> &defined) {
  auto file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(object, "object"));
  if (!file)
    return file.takeError();
  SmallVector<std::string> needed;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint32_t> flags = symbol.getFlags();
    if (!name)
      return name.takeError();
    if (!flags)
      return flags.takeError();
    if (name->empty())
      continue;
    if (!(*flags & object::SymbolRef::SF_Undefined))
      defined.insert(*name);
    else if (!defined.contains(*name) && *name != "_GLOBAL_OFFSET_TABLE_")
      needed.push_back(name->str());
  }
  return needed;
}

/// Compiles the builtins that earlier objects call, until nothing is missing.
Error addMissingBuiltins(SmallVectorImpl<std::string> &objects, StringRef arch,
                         TargetMachine &machine) {
  StringSet<> defined;
  while (true) {
    Expected<SmallVector<std::string>> needed =
        undefinedSymbols(objects.back(), defined);
    if (!needed)
      return needed.takeError();
    if (needed->empty())
      return Error::success();
    LLVMContext context;
    Module module("builtins", context);
    module.setTargetTriple(machine.getTargetTriple());
    module.setDataLayout(machine.createDataLayout());
    Expected<std::unique_ptr<Module>> builtins = loadBuiltins(context, arch);
    if (!builtins)
      return builtins.takeError();
    SmallVector<GlobalValue *> keep;
    for (const std::string &name : *needed) {
      Function *source = (*builtins)->getFunction(name);
      if (!source)
        return fail("AIK-E0007: generated code calls '" + name +
                    "', which the builtins do not have");
      keep.push_back(Function::Create(source->getFunctionType(),
                                      GlobalValue::ExternalLinkage, name,
                                      module));
    }
    if (Linker::linkModules(module, std::move(*builtins),
                            Linker::Flags::LinkOnlyNeeded))
      return fail("the builtins cannot be linked");
    StringSet<> wanted;
    for (const std::string &name : *needed)
      wanted.insert(name);
    for (Function &function : module)
      if (!function.isDeclaration() && !wanted.contains(function.getName()))
        function.setLinkage(GlobalValue::InternalLinkage);
      else if (!function.isDeclaration())
        function.setVisibility(GlobalValue::HiddenVisibility);
    Expected<std::string> object =
        generate(module, machine, CodeGenFileType::ObjectFile);
    if (!object)
      return object.takeError();
    objects.push_back(std::move(*object));
  }
}

/// Links the named builtins into a module, for itself alone.
Error linkPrivately(Module &module, StringRef arch, const StringSet<> &names) {
  Expected<std::unique_ptr<Module>> builtins =
      loadBuiltins(module.getContext(), arch);
  if (!builtins)
    return builtins.takeError();
  SmallVector<GlobalValue *> keep;
  for (const auto &name : names) {
    Function *source = (*builtins)->getFunction(name.getKey());
    if (!source)
      return fail("AIK-E0007: generated code calls '" + name.getKey() +
                  "', which the builtins do not have");
    if (!module.getFunction(name.getKey()))
      Function::Create(source->getFunctionType(), GlobalValue::ExternalLinkage,
                       name.getKey(), module);
  }
  if (Linker::linkModules(module, std::move(*builtins),
                          Linker::Flags::LinkOnlyNeeded))
    return fail("the builtins cannot be linked");
  internalizeModule(module, isExported);
  for (const auto &name : names)
    keep.push_back(module.getFunction(name.getKey()));
  // Code generation is the one that calls them.
  appendToCompilerUsed(module, keep);
  return Error::success();
}

/// One object file that needs nothing and defines nothing but the entry
/// points, so that it can be linked beside others and a C library.
Expected<std::string> generateSelfContained(Module &module, StringRef arch,
                                            TargetMachine &machine) {
  StringSet<> names;
  while (true) {
    std::unique_ptr<Module> copy = CloneModule(module);
    if (Error error = linkPrivately(*copy, arch, names))
      return std::move(error);
    Expected<std::string> object =
        generate(*copy, machine, CodeGenFileType::ObjectFile);
    if (!object)
      return object;
    StringSet<> defined;
    Expected<SmallVector<std::string>> needed =
        undefinedSymbols(*object, defined);
    if (!needed)
      return needed.takeError();
    if (needed->empty())
      return object;
    for (const std::string &name : *needed)
      if (!names.insert(name).second)
        return fail("the builtin '" + name + "' cannot be linked");
  }
}

std::string printed(Module &module) {
  std::string text;
  raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// A program as LLVM IR, and the machine that it is compiled for.
struct Translated {
  std::unique_ptr<LLVMContext> context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> module;
  std::unique_ptr<TargetMachine> machine;
  std::string arch;
  unsigned vscale;
  BuiltinForm builtins;
};

Error linkBuiltins(Translated &program) {
  if (program.builtins == BuiltinForm::Bitcode) {
    Expected<std::unique_ptr<Module>> builtins =
        loadBuiltins(*program.context, program.arch);
    if (!builtins)
      return builtins.takeError();
    if (Linker::linkModules(*program.module, std::move(*builtins),
                            Linker::Flags::LinkOnlyNeeded))
      return fail("the builtins cannot be linked");
  }
  internalizeModule(*program.module, isExported);
  for (Function &function : *program.module)
    if (!function.isDeclaration()) {
      function.addFnAttr(Attribute::NoUnwind);
      function.addFnAttr("frame-pointer", "none");
      // Vectors of known sizes then live in SVE registers.
      if (program.vscale)
        function.addFnAttr(Attribute::getWithVScaleRangeArgs(
            *program.context, program.vscale, program.vscale));
    }
  std::string complaint;
  raw_string_ostream stream(complaint);
  if (verifyModule(*program.module, &stream))
    return fail("the LLVM IR is not valid: " + complaint);
  return Error::success();
}

Expected<std::string> linkObjects(Translated &program) {
  SmallVector<std::string> objects;
  Expected<std::string> object =
      generate(*program.module, *program.machine, CodeGenFileType::ObjectFile);
  if (!object)
    return object.takeError();
  if (program.builtins == BuiltinForm::Object)
    return linkShared({*object, compiledBuiltins(program.arch)});
  objects.push_back(std::move(*object));
  if (Error error = addMissingBuiltins(objects, program.arch, *program.machine))
    return std::move(error);
  SmallVector<StringRef> inputs(objects.begin(), objects.end());
  return linkShared(inputs);
}

Expected<std::string> compile(Translated &program,
                              const SerializeOptions &options) {
  if (Error error = linkBuiltins(program))
    return std::move(error);
  Module &module = *program.module;
  TargetMachine &machine = *program.machine;
  if (Error error = optimize(module, machine, options.optLevel))
    return std::move(error);
  switch (options.form) {
  case ImageForm::LLVMIR:
    return printed(module);
  case ImageForm::Bitcode: {
    std::string bytes;
    raw_string_ostream out(bytes);
    WriteBitcodeToFile(module, out);
    return bytes;
  }
  case ImageForm::Assembly:
    return generate(module, machine, CodeGenFileType::AssemblyFile);
  case ImageForm::Object:
    return generateSelfContained(module, program.arch, machine);
  case ImageForm::SharedObject:
    return linkObjects(program);
  }
  llvm_unreachable("all forms are above");
}

} // namespace

Expected<ImageMaker> aikernel::serializeForCPU(
    mlir::ModuleOp source, Image image, StringRef arch, StringRef features,
    unsigned vscale, const SerializeOptions &options, BuiltinForm builtins) {
  auto machine = createMachine(arch, features, options.optLevel);
  if (!machine)
    return machine.takeError();
  Translated program;
  program.arch = arch.str();
  program.vscale = vscale;
  program.builtins = builtins;
  program.machine = std::move(*machine);
  program.module =
      mlir::translateModuleToLLVMIR(source, *program.context, "aikernel");
  if (!program.module)
    return fail("the module cannot be translated to LLVM IR");
  // Names of files must not reach the artifact.
  program.module->setSourceFileName("aikernel");
  program.module->setModuleIdentifier("aikernel");
  program.module->setTargetTriple(program.machine->getTargetTriple());
  program.module->setDataLayout(program.machine->createDataLayout());
  return ImageMaker([program = std::move(program), image = std::move(image),
                     options]() mutable -> Expected<SmallVector<Image>> {
    Expected<std::string> bytes = compile(program, options);
    if (!bytes)
      return bytes.takeError();
    image.bytes = std::move(*bytes);
    return SmallVector<Image>{std::move(image)};
  });
}
