//===- Compile.cpp - aikc compile -----------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program and options. Out: the files that the options ask for, all of
// them or none. An internal failure leaves a reproducer and prints the command
// that replays it.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Emergency.h"
#include "Input.h"
#include "Output.h"
#include "SaveTemps.h"
#include "TuningTable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

namespace {

/// Schedules of each kernel that are worth measuring.
constexpr unsigned kCandidatesPerKernel = 12;

/// The IR after a phase.
struct PhaseText {
  Phase phase;
  std::string text;
};

struct PhaseTime {
  std::string name;
  double milliseconds;
};

/// One run of `aikc compile`.
class Compilation {
public:
  Compilation(const Options &options, Messages &messages)
      : options(options), messages(messages), outputs(messages) {}

  ExitStatus run();

private:
  ExitStatus chooseOutput();
  ExitStatus readOverrides();
  void fillCompileOptions();
  ExitStatus addDumps();
  ExitStatus reportInternal(const CompileResult &result);
  void reportTimes();
  StringRef textOf(Phase wanted);

  const Options &options;
  Messages &messages;
  OutputFiles outputs;
  Compiler compiler;
  CompileOptions compileOptions;
  std::string program, name, output;
  std::vector<PhaseText> phases;
  std::vector<PhaseTime> times;
};

} // namespace

/// Known before the work starts, so that a wrong one costs no time.
ExitStatus Compilation::chooseOutput() {
  name = options.operand == "-" ? kStandardInputName : options.operand;
  output = options.output;
  if (output.empty()) {
    if (options.operand == "-")
      return messages.error(Code::Conflict,
                            "standard input has no name to make the output's "
                            "name from",
                            "add -o FILE, or -o - for standard output");
    StringRef extension = "mlir";
    if (!options.compileTo) {
      EmitKind kind = options.emit.value_or(EmitKind::Artifact);
      for (const EmitInfo &info : getEmitKinds())
        if (info.kind == kind)
          extension = info.extension;
    }
    output = (llvm::sys::path::stem(options.operand) + "." + extension).str();
  }
  if (output != "-" && options.operand != "-" &&
      isSameFile(output, options.operand))
    return messages.error(Code::Conflict,
                          "the output " + quote(output) + " is the input",
                          "add -o with another name");
  return kExitOk;
}

ExitStatus Compilation::readOverrides() {
  for (const auto &[phase, file] : options.overrideFiles)
    if (ExitStatus status =
            readInput(file, compileOptions.overrides[phase], messages))
      return status;
  return kExitOk;
}

void Compilation::fillCompileOptions() {
  compileOptions.targets = options.targets;
  compileOptions.emit = options.emit.value_or(EmitKind::Artifact);
  compileOptions.optLevel = options.optLevel;
  compileOptions.compileFrom = options.compileFrom;
  compileOptions.compileTo = options.compileTo;
  compileOptions.stripReference = options.stripReference;
  compileOptions.trustInput = options.trustInput;
  compileOptions.remarks = options.remarks;
  compileOptions.failOnWarnings = options.failOnWarnings;
  if (auto ptxas = llvm::sys::findProgramByName("ptxas"))
    compileOptions.ptxas = *ptxas;
  compileOptions.onDiagnostic = [this](const Diagnostic &diagnostic) {
    messages.print(diagnostic);
  };
  compileOptions.onPhase = [this](unsigned number, StringRef, StringRef text) {
    phases.push_back({static_cast<Phase>(number), text.str()});
  };
  compileOptions.onTime = [this](StringRef phase, double milliseconds) {
    times.push_back({phase.str(), milliseconds});
  };
}

ExitStatus Compilation::addDumps() {
  if (options.dumpFolder.empty())
    return kExitOk;
  if (ExitStatus status = outputs.addFolder(options.dumpFolder))
    return status;
  for (const PhaseText &phase : phases) {
    const PhaseInfo &info = getPhaseInfo(phase.phase);
    std::string path = options.dumpFolder + "/" +
                       std::to_string(static_cast<unsigned>(phase.phase)) +
                       "-" + info.name.str() + ".mlir";
    if (ExitStatus status = outputs.add(path, phase.text))
      return status;
  }
  return kExitOk;
}

StringRef Compilation::textOf(Phase wanted) {
  for (const PhaseText &phase : phases)
    if (phase.phase == wanted)
      return phase.text;
  return "";
}

/// The phases that were reached are the evidence, so this is the one failure
/// after which they are written.
ExitStatus Compilation::reportInternal(const CompileResult &result) {
  Phase from = phases.empty() ? options.compileFrom : phases.back().phase;
  StringRef text = result.reproducer;
  if (text.empty())
    text = phases.empty() ? StringRef(program) : StringRef(phases.back().text);
  std::string file = writeReproducer(text);
  if (file.empty())
    messages.note("the reproducer could not be written to the folder for "
                  "temporary files");
  else
    messages.note("this replays it: aikc " + file +
                  getReplayOptions(options, from));
  if (!addDumps())
    (void)outputs.commit();
  return result.status;
}

void Compilation::reportTimes() {
  if (options.time == TimeReport::None)
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  double total = 0;
  auto row = [&](StringRef phase, double milliseconds) {
    if (options.time == TimeReport::Json) {
      llvm::json::OStream json(os);
      json.object([&] {
        json.attribute("phase", phase);
        json.attribute("milliseconds", milliseconds);
      });
      os << "\n";
    } else {
      os << llvm::formatv("{0,-12}", phase)
         << llvm::format("%10.2f ms\n", milliseconds);
    }
  };
  for (const PhaseTime &time : times) {
    total += time.milliseconds;
    row(time.name, time.milliseconds);
  }
  row("total", total);
  messages.printRaw(text);
}

ExitStatus Compilation::run() {
  if (ExitStatus status = chooseOutput())
    return status;
  if (ExitStatus status = readInput(options.operand, program, messages))
    return status;
  RememberedProgram remembered(program,
                               getReplayOptions(options, options.compileFrom));
  if (ExitStatus status = readOverrides())
    return status;
  fillCompileOptions();
  if (!options.tuningFile.empty())
    if (ExitStatus status = readTuningTable(options.tuningFile,
                                            compileOptions.tuning, messages))
      return status;
  if (!options.candidatesFolder.empty())
    compileOptions.candidates = kCandidatesPerKernel;
  CompileResult result = compiler.compile(program, name, compileOptions);
  if (result.status == kExitInternal)
    return reportInternal(result);
  if (!result)
    return result.status;

  if (ExitStatus status = outputs.add(output, std::move(result.bytes)))
    return status;
  if (ExitStatus status = addDumps())
    return status;
  if (!options.tempsFolder.empty()) {
    StringRef targetText;
    if (options.compileFrom == Phase::Target)
      targetText = program;
    else if (!phases.empty() && phases.back().phase == Phase::Target)
      targetText = phases.back().text;
    if (ExitStatus status =
            saveTemps(options, compiler, targetText, outputs, messages))
      return status;
  }
  if (!options.candidatesFolder.empty())
    if (ExitStatus status =
            saveCandidates(options, compiler, compileOptions, program, name,
                           textOf(Phase::Scheduled), outputs, messages))
      return status;
  if (ExitStatus status = outputs.commit())
    return status;
  reportTimes();
  return kExitOk;
}

ExitStatus aikc::runCompile(const Options &options, Messages &messages) {
  return Compilation(options, messages).run();
}
