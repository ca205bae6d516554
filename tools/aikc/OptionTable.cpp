//===- OptionTable.cpp - The options of aikc, as data ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables, and the text of --help that is made of them.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "Wrap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

static constexpr unsigned kCompile = bitOf(Command::Compile);
static constexpr unsigned kReading = kCompile | bitOf(Command::Check);
static constexpr unsigned kListing =
    bitOf(Command::Explain) | bitOf(Command::Doctor) | bitOf(Command::Targets) |
    bitOf(Command::Ops) | bitOf(Command::Inspect);
static constexpr unsigned kAll = ~0u;

static const OptionRow kOptions[] = {
    {"output", 'o', "FILE", false, kCompile,
     "where the result goes; - is standard output (default: the input's name "
     "with another extension, in the current folder)"},
    {"target", 0, "T[,T...]", true, kCompile,
     "what to compile for; 'aikc targets' lists them (default: cpu, this "
     "machine)"},
    {"emit", 0, "KIND", false, kCompile,
     "what to make, of the kinds below (default: aikx)"},
    {"strip-reference", 0, nullptr, false, kCompile,
     "leave the reference out of the artifact; 'aik-run --verify' needs it"},
    {"compile-from", 0, "PHASE", false, kCompile,
     "the input is the result of this phase"},
    {"compile-to", 0, "PHASE", false, kCompile,
     "stop after this phase and write its MLIR; the phases are below"},
    {"dump-phases-to", 0, "DIR", false, kCompile,
     "also write the IR after each phase, as 0-import.mlir, 1-kernel.mlir and "
     "so on"},
    {"override", 0, "PHASE:FILE", true, kCompile,
     "continue with FILE in place of the phase's own result"},
    {"remarks", 0, nullptr, false, kCompile,
     "say which schedules were chosen and why"},
    {"fail-on-warnings", 0, nullptr, false, kCompile,
     "a kernel that came out slow is an error, not a warning"},
    {"time", 0, "FORMAT", false, kCompile,
     "print how long each phase took, to standard error"},
    {"save-temps", 0, "DIR", false, kCompile,
     "also write each target's LLVM IR, assembly and object file"},
    {"tuning", 0, "FILE", false, kCompile,
     "use the quickest schedules of a table that aik-run --tune has filled in"},
    {"tune-candidates", 0, "DIR", false, kCompile,
     "also write DIR/table.json, and an artifact for each likely schedule of "
     "each kernel, for aik-run --tune"},
    {"trust-input", 0, nullptr, false, kReading,
     "also read MLIR bytecode, which is not safe on files of unknown origin"},
    {"max-memory", 0, "MB", false, kReading,
     "give up when heaps, stacks and anonymous mappings need more megabytes "
     "(RLIMIT_DATA)"},
    {"max-time", 0, "SECONDS", false, kReading, "give up after this long"},
    {"json", 0, nullptr, false, kListing, "print JSON instead of text"},
    {"diagnostics", 0, "FORMAT", false, kAll,
     "messages as text (default) or json, one object per line"},
    {"color", 0, "WHEN", false, kAll,
     "colours in messages: auto (default), always or never"},
    {"help", 'h', nullptr, false, kAll, "print this and leave"},
    {"version", 0, nullptr, false, kAll, "print the version and leave"},
};

static const CommandRow kCommands[] = {
    {Command::Compile, "compile", "FILE", "an input file",
     "compile FILE; the word itself may be left out"},
    {Command::Check, "check", "FILE", "an input file",
     "parse and verify FILE, write nothing"},
    {Command::Explain, "explain", "CODE", "a code",
     "say what a code of aikc or aik-run means, such as AIK-E0002; 'all' "
     "lists them"},
    {Command::Doctor, "doctor", nullptr, nullptr,
     "check this installation and this machine"},
    {Command::Targets, "targets", nullptr, nullptr,
     "list what can be compiled for, and what this machine has"},
    {Command::Ops, "ops", "[OP]", nullptr,
     "list the operations, or print the contract of one"},
    {Command::Inspect, "inspect", "ARTIFACT", "an artifact",
     "list the images and functions of an artifact"},
};

llvm::ArrayRef<OptionRow> aikc::getOptionRows() { return kOptions; }
llvm::ArrayRef<CommandRow> aikc::getCommandRows() { return kCommands; }

/// Two columns, the second one wrapped.
static void printRow(llvm::raw_ostream &os, StringRef left, StringRef right) {
  constexpr size_t kLeft = 28;
  std::string wrapped = wrapText(right, std::string(kLeft, ' '));
  std::string label = ("  " + left).str();
  if (label.size() < kLeft)
    wrapped.replace(0, label.size(), label);
  else
    os << label << "\n";
  os << wrapped;
}

/// "Options of compile and check".
static std::string describeCommands(unsigned commands) {
  if (commands == kAll)
    return "Options of all commands";
  llvm::SmallVector<StringRef> names;
  for (const CommandRow &row : getCommandRows())
    if (commands & bitOf(row.command))
      names.push_back(row.name);
  std::string text = "Options of ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i)
      text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string aikc::getHelpText() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "aikc compiles programs of the aikernel dialect.\n\n"
        "  aikc [compile] FILE [-o FILE] [--target=T[,T...]] [--emit=KIND] "
        "[-O0..3]\n\nCommands:\n";
  for (const CommandRow &row : getCommandRows())
    printRow(os,
             row.operand ? (StringRef(row.name) + " " + row.operand).str()
                         : std::string(row.name),
             row.help);
  // Under the command that takes them; most belong to one.
  unsigned commands = 0;
  for (const OptionRow &row : getOptionRows()) {
    if (row.commands != commands)
      os << "\n" << describeCommands(row.commands) << ":\n";
    commands = row.commands;
    std::string left = row.shortName ? std::string("-") + row.shortName + ", --"
                                     : std::string("--");
    left += row.name;
    if (StringRef(row.name) == "time")
      left += "[=json]";
    else if (row.argument)
      left += std::string("=") + row.argument;
    printRow(os, left, row.help);
    if (StringRef(row.name) == "emit")
      printRow(os, "-O0, -O1, -O2, -O3", "how hard to optimize (default: -O2)");
  }
  os << "\nKinds for --emit:\n";
  for (const EmitInfo &info : getEmitKinds())
    printRow(os, info.name, info.summary);
  os << "\nPhases:\n";
  for (const PhaseInfo &info : getPhases())
    printRow(os, info.name, info.summary);
  os << "\nExamples:\n";
  printRow(os, "aikc x.mlir",
           "x.aikx for this machine; 'aik-run x.aikx' runs it");
  printRow(os, "aikc x.mlir --target=cpu:x86-64-v3,cpu:aarch64",
           "one artifact for both");
  printRow(os, "aikc x.mlir --emit=obj", "x.o; --emit=header makes x.h");
  os << "\nExit status: 0 done, 1 error in the input, 2 wrong usage, 3 valid "
        "but not\nsupported on the target, 4 file error, 5 resource limit, 70 "
        "internal error.\n";
  return text;
}
