//===- SaveTemps.cpp - What --save-temps writes ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the IR at the end of the phase `target`, which holds one module per
// target. Out: for each of them the LLVM IR, the assembly and the object file,
// made by continuing the compilation with that module alone.
//
//===----------------------------------------------------------------------===//

#include "SaveTemps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

namespace {
struct TargetProgram {
  std::string name; // fit for a file name
  std::string text;
};
} // namespace

/// One program per target, each without the other targets.
static std::vector<TargetProgram> splitTargets(StringRef text) {
  mlir::DialectRegistry registry;
  registerAIKernel(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::vector<TargetProgram> programs;
  auto whole = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!whole)
    return programs;
  size_t count = llvm::range_size(whole->getOps<mlir::ModuleOp>());
  for (size_t kept = 0; kept < count; ++kept) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = whole->clone();
    std::string name;
    size_t index = 0;
    for (auto nested :
         llvm::make_early_inc_range(copy->getOps<mlir::ModuleOp>())) {
      auto target = nested->getAttrOfType<TargetAttr>(kTargetAttrName);
      if (index++ != kept)
        nested.erase();
      else if (target)
        name = target.getName().str();
    }
    if (name.empty()) // the reference
      continue;
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '+' && c != '.')
        c = '-';
    TargetProgram program{name, ""};
    llvm::raw_string_ostream stream(program.text);
    copy->print(stream, mlir::OpPrintingFlags().enableDebugInfo(true));
    programs.push_back(std::move(program));
  }
  return programs;
}

ExitStatus aikc::saveTemps(const Options &options, Compiler &compiler,
                           StringRef targetText, OutputFiles &outputs,
                           Messages &messages) {
  if (ExitStatus status = outputs.addFolder(options.tempsFolder))
    return status;
  // Nothing to save when the compilation stopped before `target`.
  if (targetText.empty())
    return kExitOk;
  std::string stem = options.operand == "-"
                         ? "stdin"
                         : llvm::sys::path::stem(options.operand).str();
  for (const TargetProgram &program : splitTargets(targetText))
    for (EmitKind kind :
         {EmitKind::LLVMIR, EmitKind::Assembly, EmitKind::Object}) {
      CompileOptions compileOptions;
      compileOptions.compileFrom = Phase::Target;
      compileOptions.emit = kind;
      compileOptions.optLevel = options.optLevel;
      compileOptions.onDiagnostic = [&](const Diagnostic &diagnostic) {
        messages.print(diagnostic);
      };
      CompileResult result =
          compiler.compile(program.text, program.name, compileOptions);
      if (!result)
        return result.status;
      StringRef extension;
      for (const EmitInfo &info : getEmitKinds())
        if (info.kind == kind)
          extension = info.extension;
      std::string path = options.tempsFolder + "/" + stem + "." + program.name +
                         "." + extension.str();
      if (ExitStatus status = outputs.add(path, std::move(result.bytes)))
        return status;
    }
  return kExitOk;
}
