//===- Options.h - The command line of aik-run ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// argv goes in, one Options comes out. Nothing is opened here: an error from
// this file is always a usage error (exit status 2).
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_OPTIONS_H
#define AIK_RUN_OPTIONS_H

#include "Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aikrun {

enum class Command { Run, List, Batch, Compare, Tune, Help, Version };
enum class Format { Markdown, Csv, Json };

/// `NAME=TEXT` as the user wrote it; Inputs.h gives TEXT its meaning.
struct NamedText {
  std::string name;
  std::string text;
};

/// How far a float result may be from the reference; negative: the default of
/// the result's element type.
struct Tolerance {
  double relative = -1; // of |reference|, element by element
  double scale = -1;    // of the largest |reference| in the tensor
  double absolute = 0;
};

struct Options {
  Command command = Command::Run;
  std::string artifact;
  std::string function;
  std::vector<NamedText> inputs;
  std::vector<NamedText> outputs;
  std::string device = "cpu";
  std::string isa;
  uint32_t threads = 0; // 0: as many as the machine has
  bool verify = false;
  Tolerance tolerance;
  bool bench = false;
  bool graph = false; // recorded runs
  uint32_t repeat = 30;
  uint32_t warmup = 5;
  Format format = Format::Markdown;
  bool guard = false;
  bool donate = false;    // results take the memory of arguments given away
  uint64_t maxMemory = 0; // 0: three quarters of the machine's
  uint64_t seed = 1;
  std::string casesFile;
  uint32_t firstCase = 1;
  std::string compareA, compareB;
  std::string tuneFile;
};

Error parseOptions(int argc, const char *const *argv, Options &options);

/// What --help prints.
std::string helpText();

} // namespace aikrun

#endif // AIK_RUN_OPTIONS_H
