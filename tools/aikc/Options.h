//===- Options.h - The command line of aikc -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: argv. Out: a struct with checked values, or a coded message.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_OPTIONS_H
#define AIKC_OPTIONS_H

#include "AIKernel/Pipeline/Compiler.h"
#include "Limits.h"
#include "Messages.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aikc {

enum class Command {
  Compile,
  Check,
  Explain,
  Doctor,
  Targets,
  Ops,
  Inspect,
  Help,
  Version
};

enum class TimeReport { None, Text, Json };

struct Options {
  Command command = Command::Compile;
  /// The input, the code, the op or the artifact; may be empty where a command
  /// does not need one.
  std::string operand;
  std::string output; // empty: derived from the input

  std::vector<std::string> targets = {"cpu"};
  std::optional<aikernel::EmitKind> emit;
  unsigned optLevel = 2;
  bool stripReference = false;
  bool trustInput = false;

  aikernel::Phase compileFrom = aikernel::Phase::Import;
  std::optional<aikernel::Phase> compileTo;
  std::vector<std::pair<aikernel::Phase, std::string>> overrideFiles;
  std::string dumpFolder;
  std::string tempsFolder;
  std::string tuningFile;
  std::string candidatesFolder;

  bool remarks = false;
  bool failOnWarnings = false;
  TimeReport time = TimeReport::None;
  bool json = false;
  Limits limits;
};

/// Reads the options that decide how messages look, so that complaints about
/// all others already look so. Wrong values are left for parseOptions.
void configureMessages(int argc, char **argv, Messages &messages);

ExitStatus parseOptions(int argc, char **argv, Options &options,
                        Messages &messages);

/// What --help prints.
std::string getHelpText();

/// Options that make `aikc FILE<options>` do the same to a file that continues
/// at `from`; they start with a space.
std::string getReplayOptions(const Options &options, aikernel::Phase from);

} // namespace aikc

#endif // AIKC_OPTIONS_H
