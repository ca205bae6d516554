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
     "what to compile for (default: cpu); see 'aikc targets'"},
    {"emit", 0, "KIND", false, kCompile, "what to make (default: aikx)"},
    {"strip-reference", 0, nullptr, false, kCompile,
     "leave the reference out of the artifact"},
    {"compile-from", 0, "PHASE", false, kCompile,
     "the input is the result of this phase"},
    {"compile-to", 0, "PHASE", false, kCompile,
     "stop after this phase and write its IR"},
    {"dump-phases-to", 0, "DIR", false, kCompile,
     "also write the IR after each phase, as 0-import.mlir, 1-kernel.mlir and "
     "so on"},
    {"override", 0, "PHASE:FILE", true, kCompile,
     "continue with FILE in place of the phase's own result"},
    {"remarks", 0, nullptr, false, kCompile,
     "say which schedules were chosen and why"},
    {"time", 0, "FORMAT", false, kCompile,
     "how long each phase took; --time or --time=json"},
    {"save-temps", 0, "DIR", false, kCompile,
     "also write each target's LLVM IR, assembly and object file"},
    {"trust-input", 0, nullptr, false, kReading, "also read MLIR bytecode"},
    {"max-memory", 0, "MB", false, kReading, "give up above this much memory"},
    {"max-time", 0, "SECONDS", false, kReading, "give up after this long"},
    {"json", 0, nullptr, false, kListing, "print JSON"},
    {"diagnostics", 0, "FORMAT", false, kAll,
     "text (default) or json, one object per line"},
    {"color", 0, "WHEN", false, kAll, "auto (default), always or never"},
    {"help", 'h', nullptr, false, kAll, "print this and leave"},
    {"version", 0, nullptr, false, kAll, "print the version and leave"},
};

static const CommandRow kCommands[] = {
    {Command::Compile, "compile", "FILE", "an input file",
     "compile FILE; the word itself may be left out"},
    {Command::Check, "check", "FILE", "an input file",
     "parse and verify FILE only"},
    {Command::Explain, "explain", "CODE", "a code",
     "say what a code such as AIK-E0002 means; 'all' lists the codes"},
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
  os << "\nOptions:\n";
  for (const OptionRow &row : getOptionRows()) {
    std::string left = row.shortName ? std::string("-") + row.shortName + ", --"
                                     : std::string("--");
    left += row.name;
    if (StringRef(row.name) == "time")
      left += "[=json]";
    else if (row.argument)
      left += std::string("=") + row.argument;
    printRow(os, left, row.help);
  }
  printRow(os, "-O0, -O1, -O2, -O3", "how hard to try (default: -O2)");
  os << "\nKinds for --emit:\n";
  for (const EmitInfo &info : getEmitKinds())
    printRow(os, info.name, info.summary);
  os << "\nPhases:\n";
  for (const PhaseInfo &info : getPhases())
    printRow(os, info.name, info.summary);
  os << "\nExit status: 0 done, 1 error in the input, 2 wrong usage, 3 valid "
        "but not\nsupported on the target, 4 file error, 5 resource limit, 70 "
        "internal error.\n";
  return text;
}
