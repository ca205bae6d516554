//===- Compiler.cpp - The session API -------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: MLIR text and options. Out: bytes, or coded diagnostics.
//
// The driver loops over the table of phases. At each boundary the module is
// printed and parsed again, so that a run that resumes from a phase file sees
// exactly what the straight run saw and gives the same bytes.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Compiler.h"
#include "AIKernel/Pipeline/Diagnose.h"
#include "AIKernel/Pipeline/Emit.h"
#include "AIKernel/Pipeline/Program.h"
#include "AIKernel/Support/Parallel.h"
#include "AIKernel/Target/Target.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace mlir;
using namespace aikernel;

static const EmitInfo kEmitKinds[] = {
    {EmitKind::Kernel, "kernel", "mlir", "MLIR at the end of `kernel`"},
    {EmitKind::Structured, "structured", "mlir",
     "MLIR at the end of `structured`"},
    {EmitKind::Scheduled, "scheduled", "mlir",
     "MLIR at the end of `scheduled`"},
    {EmitKind::Target, "target", "mlir", "MLIR at the end of `target`"},
    {EmitKind::LLVMIR, "llvm-ir", "ll", "LLVM IR of one target"},
    {EmitKind::Bitcode, "bc", "bc", "LLVM bitcode of one target"},
    {EmitKind::Assembly, "asm", "s", "assembly of one target"},
    {EmitKind::Object, "obj", "o", "an object file with a plain C ABI"},
    {EmitKind::SharedObject, "so", "so", "a shared object with a plain C ABI"},
    {EmitKind::PTX, "ptx", "ptx", "PTX of one NVIDIA target"},
    {EmitKind::Cubin, "cubin", "cubin", "machine code of one NVIDIA target"},
    {EmitKind::HSACO, "hsaco", "hsaco", "the code object of one AMD target"},
    {EmitKind::Header, "header", "h", "a C header for obj and so"},
    {EmitKind::Artifact, "aikx", "aikx", "an artifact for aik-run"},
};

llvm::ArrayRef<EmitInfo> aikernel::getEmitKinds() { return kEmitKinds; }

namespace {

/// Text with locations, as the phase files hold it, of a verified module.
std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream,
                OpPrintingFlags().enableDebugInfo(true).assumeVerified());
  stream << "\n";
  return text;
}

std::optional<Phase> phaseOfEmit(EmitKind emit) {
  switch (emit) {
  case EmitKind::Kernel:
    return Phase::Kernel;
  case EmitKind::Structured:
    return Phase::Structured;
  case EmitKind::Scheduled:
    return Phase::Scheduled;
  case EmitKind::Target:
    return Phase::Target;
  default:
    return std::nullopt;
  }
}

} // namespace

struct Compiler::State {
  DialectRegistry registry;
};

Compiler::Compiler() : state(std::make_unique<State>()) {
  registerAIKernel(state->registry);
}
Compiler::~Compiler() = default;

namespace {

/// One compilation: everything that lives for one call.
class Session {
public:
  Session(const DialectRegistry &registry, const CompileOptions &options,
          StringRef name)
      : options(options), name(name.str()),
        context(registry, MLIRContext::Threading::DISABLED),
        diagnose(context, options.onDiagnostic, options.remarks) {
    context.setThreadPool(workers);
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
    const std::string mine = "aik-.*";
    const remark::RemarkCategories ours = {mine, mine, mine, mine, mine};
    if (options.remarks)
      (void)remark::enableOptimizationRemarks(
          context, /*streamer=*/nullptr,
          std::make_unique<remark::RemarkEmittingPolicyAll>(), ours,
          /*printAsEmitRemarks=*/true);
  }

  CompileResult compile(StringRef source) {
    if (!readProgram(source) || !runPhases())
      return finish();
    if (!stopped)
      emit();
    return finish();
  }

  CompileResult check(StringRef source) {
    readProgram(source);
    return finish();
  }

private:
  bool readProgram(StringRef source) {
    if (std::optional<aikernel::Diagnostic> problem =
            scanText(source, name, options.trustInput)) {
      diagnose.report(*problem);
      return false;
    }
    module = parse(source, name, options.trustInput);
    if (!module)
      return false;
    diagnose.setStage(Code::Verify);
    if (failed(verify(*module)))
      return diagnose.ensureError();
    if (options.compileFrom != Phase::Import)
      return checkPhaseFile(options.compileFrom);
    diagnose.setStage(Code::FunctionForm);
    if (failed(checkProgram(*module)))
      return diagnose.ensureError();
    return setTargets();
  }

  /// A file that is said to be of a phase, before anything relies on that.
  bool checkPhaseFile(Phase phase) {
    VerifyPhasePassOptions contract;
    contract.phase = getPhaseInfo(phase).name.str();
    contract.isInput = true;
    PassManager pm(&context);
    pm.addPass(createVerifyPhasePass(contract));
    return succeeded(pm.run(*module)) || diagnose.ensureError();
  }

  OwningOpRef<ModuleOp> parse(StringRef text, StringRef bufferName,
                              bool trusted) {
    diagnose.setStage(Code::Parse);
    diagnose.setSource(text);
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    auto parsed = parseSourceString<ModuleOp>(text, config, bufferName);
    if (!parsed)
      diagnose.ensureError();
    return parsed;
  }

  bool setTargets() {
    SmallVector<Attribute> all;
    for (const std::string &text : options.targets) {
      auto targets = parseTarget(text, &context);
      if (!targets) {
        diagnose.setStage(Code::BadTarget);
        diagnose.report(Code::None, llvm::toString(targets.takeError()));
        return false;
      }
      for (TargetAttr target : *targets)
        if (!llvm::is_contained(all, Attribute(target)))
          all.push_back(target);
    }
    // A GPU's launches need a host, and every kernel its twin on the CPU.
    if (llvm::all_of(all, [](Attribute target) {
          return needsHost(cast<TargetAttr>(target));
        })) {
      auto own = parseTarget("cpu", &context);
      if (own)
        llvm::append_range(all, *own);
      else
        llvm::consumeError(own.takeError());
    }
    (*module)->setAttr(kTargetsAttrName, ArrayAttr::get(&context, all));
    return setTuning();
  }

  bool setTuning() {
    Builder builder(&context);
    diagnose.setStage(Code::BadTuning);
    SmallVector<NamedAttribute> rows;
    for (const auto &[product, text] : options.tuning) {
      Attribute schedule = parseAttribute(text, &context);
      if (!schedule)
        return diagnose.ensureError();
      rows.push_back(builder.getNamedAttr(product, schedule));
    }
    if (!rows.empty())
      (*module)->setAttr(kTuningAttrName, builder.getDictionaryAttr(rows));
    if (options.candidates)
      (*module)->setAttr(kCandidatesAttrName,
                         builder.getI64IntegerAttr(options.candidates));
    return true;
  }

  bool runPhases() {
    Phase last = Phase::Target;
    if (options.compileTo)
      last = *options.compileTo;
    else if (std::optional<Phase> phase = phaseOfEmit(options.emit))
      last = *phase;
    for (const PhaseInfo &info : getPhases()) {
      if (!info.populate || info.phase > last)
        break;
      if (info.phase < options.compileFrom ||
          (info.phase == options.compileFrom && info.phase != Phase::Import))
        continue;
      if (!runPhase(info))
        return false;
      if (info.phase == last &&
          (options.compileTo || phaseOfEmit(options.emit))) {
        result.bytes = text;
        stopped = true;
      }
    }
    // A file resumed at its own last phase is its own result.
    if (!stopped && options.compileFrom >= last &&
        (options.compileTo || phaseOfEmit(options.emit))) {
      result.bytes = printModule(*module);
      stopped = true;
    }
    return true;
  }

  bool runPhase(const PhaseInfo &info) {
    auto start = std::chrono::steady_clock::now();
    diagnose.setStage(Code::Internal);
    std::string before = text.empty() ? printModule(*module) : std::move(text);
    PassManager pm(&context);
    // Once, at the end: after each pass it took a seventh of all compile time.
    // aik-opt, by which passes are tested, verifies after each.
    pm.enableVerifier(false);
    info.populate(pm);
    VerifyPhasePassOptions contract;
    contract.phase = info.name.str();
    pm.addPass(createVerifyPhasePass(contract));
    if (failed(pm.run(*module)) || failed(verify(*module))) {
      diagnose.ensureError();
      if (diagnose.getStatus() == kExitInternal)
        result.reproducer = before;
      return false;
    }
    auto replaced = options.overrides.find(info.phase);
    text = replaced != options.overrides.end() ? replaced->second
                                               : printModule(*module);
    module = parse(text, info.name, true);
    if (!module)
      return false;
    if (replaced != options.overrides.end()) {
      diagnose.setStage(Code::Verify);
      if (failed(verify(*module)))
        return diagnose.ensureError();
      if (info.phase != Phase::Import && !checkPhaseFile(info.phase))
        return false;
    }
    if (options.onTime)
      options.onTime(info.name, millisecondsSince(start));
    if (options.onPhase)
      options.onPhase(static_cast<unsigned>(info.phase), info.name, text);
    return true;
  }

  void emit() {
    auto start = std::chrono::steady_clock::now();
    diagnose.setStage(Code::Internal);
    SerializeOptions serialize;
    serialize.optLevel = options.optLevel;
    serialize.ptxas = options.ptxas;
    serialize.failOnWarnings = options.failOnWarnings;
    auto reportAs = [this](Severity severity) {
      return [this, severity](StringRef text) {
        aikernel::Diagnostic diagnostic;
        diagnostic.severity = severity;
        diagnostic.message = text.str();
        diagnose.report(std::move(diagnostic));
      };
    };
    if (options.remarks)
      serialize.onRemark = reportAs(Severity::Remark);
    serialize.onWarning = reportAs(Severity::Warning);
    llvm::Expected<std::string> bytes = emitModule(
        *module, options.emit, std::move(serialize), options.stripReference);
    if (!bytes) {
      diagnose.report(Code::None, llvm::toString(bytes.takeError()));
      return;
    }
    result.bytes = std::move(*bytes);
    if (options.onTime)
      options.onTime(getPhaseInfo(Phase::Artifact).name,
                     millisecondsSince(start));
  }

  static double millisecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now() - start)
        .count();
  }

  CompileResult finish() {
    result.status = diagnose.getStatus();
    if (result.status != kExitOk)
      result.bytes.clear();
    return std::move(result);
  }

  const CompileOptions &options;
  std::string name;
  WorkerPool workers; // of the context, which must not outlive it
  MLIRContext context;
  Diagnose diagnose;
  OwningOpRef<ModuleOp> module;
  std::string text; // of the last phase
  bool stopped = false;
  CompileResult result;
};

} // namespace

CompileResult Compiler::compile(StringRef source, StringRef name,
                                const CompileOptions &options) {
  return Session(state->registry, options, name).compile(source);
}

CompileResult Compiler::check(StringRef source, StringRef name,
                              const CompileOptions &options) {
  return Session(state->registry, options, name).check(source);
}
