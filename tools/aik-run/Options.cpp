//===- Options.cpp - The command line of aik-run --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of options drives the parser: --name=value and --name value are the
// same, a flag takes no value, prefixes are not guessed and a long option
// needs two dashes.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Inputs.h"
#include "Numbers.h"

#include <algorithm>
#include <cstring>

namespace aikrun {
namespace {

/// One row of the option table. `apply` gets the value, empty for a flag.
struct Row {
  const char *name;
  const char *valueName; // null: a flag
  bool repeatable;
  Error (*apply)(const std::string &value, Options &options);
};

Error badValue(const char *option, const std::string &value,
               const std::string &wanted) {
  return Error(Code::BadValue,
               format("%s does not take %s", option, quoted(value).c_str()),
               "give " + wanted);
}

Error applyCount(const char *option, const std::string &value, uint64_t low,
                 uint64_t high, uint32_t &out) {
  uint64_t number;
  if (!parseUnsigned(value, number) || number < low || number > high)
    return badValue(option, value,
                    format("a whole number from %llu to %llu",
                           (unsigned long long)low, (unsigned long long)high));
  out = static_cast<uint32_t>(number);
  return Error();
}

Error applyTolerance(const char *option, const std::string &value,
                     double &out) {
  if (!parseDouble(value, out) || !(out >= 0) || out > 1e300)
    return badValue(option, value, "a number that is 0 or larger");
  return Error();
}

Error applyFormat(const std::string &value, Options &options) {
  if (value == "md")
    options.format = Format::Markdown;
  else if (value == "csv")
    options.format = Format::Csv;
  else if (value == "json")
    options.format = Format::Json;
  else
    return badValue("-o", value,
                    "md, csv or json; results are saved with --output");
  return Error();
}

Error applyMemory(const std::string &value, Options &options) {
  if (!parseByteCount(value, options.maxMemory) || options.maxMemory == 0)
    return badValue("--max-memory", value,
                    "a byte count such as 500000000, 512M or 4G");
  return Error();
}

Error splitNamed(const std::string &value, Code code, const char *option,
                 const char *wanted, std::vector<NamedText> &list) {
  size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == value.size())
    return Error(code,
                 format("%s cannot use %s", option, quoted(value).c_str()),
                 wanted);
  NamedText entry{value.substr(0, equals), value.substr(equals + 1)};
  for (const NamedText &other : list)
    if (other.name == entry.name)
      return Error(Code::RepeatedName, format("%s names %s twice", option,
                                              quoted(entry.name).c_str()));
  list.push_back(std::move(entry));
  return Error();
}

Error applyInput(const std::string &value, Options &options) {
  if (Error error = splitNamed(
          value, Code::BadInputSpec, "--input",
          "write --input NAME=@file.npy or NAME=random:SEED", options.inputs))
    return error;
  InputSpec unused;
  return parseInputSpec(options.inputs.back().text, unused);
}

Error applyOutput(const std::string &value, Options &options) {
  const char *wanted = "write --output NAME=@file.npy";
  if (Error error = splitNamed(value, Code::BadOutputSpec, "--output", wanted,
                               options.outputs))
    return error;
  std::string &text = options.outputs.back().text;
  if (text.size() < 2 || text[0] != '@')
    return Error(Code::BadOutputSpec, "--output cannot use " + quoted(value),
                 wanted);
  text.erase(0, 1);
  return Error();
}

Error applyDevice(const std::string &value, Options &options) {
  // Whether it is there is the runtime's to say.
  uint64_t number;
  bool known = value == "cpu" || value == "null";
  for (const char *vendor : {"nvidia:", "amd:"})
    if (value.rfind(vendor, 0) == 0)
      known = parseUnsigned(value.substr(std::strlen(vendor)), number);
  if (!known || value.size() > 16)
    return badValue("--device", value, "cpu, null, nvidia:0 or amd:0");
  options.device = value;
  return Error();
}

Error applyHelp(const std::string &, Options &options) {
  options.command = Command::Help;
  return Error();
}

const Row table[] = {
    {"--function", "NAME", false,
     [](const std::string &value, Options &options) {
       options.function = value;
       return value.empty() ? badValue("--function", value, "a function's name")
                            : Error();
     }},
    {"--input", "NAME=VALUE", true, applyInput},
    {"--output", "NAME=@FILE", true, applyOutput},
    {"--device", "DEVICE", false, applyDevice},
    {"--isa", "TARGET", false,
     [](const std::string &value, Options &options) {
       options.isa = value;
       return value.empty()
                  ? badValue("--isa", value, "a target that --list shows")
                  : Error();
     }},
    {"--threads", "N", false,
     [](const std::string &value, Options &options) {
       return applyCount("--threads", value, 1, 1024, options.threads);
     }},
    {"--verify", "ref", false,
     [](const std::string &value, Options &options) {
       options.verify = true;
       return value == "ref" ? Error() : badValue("--verify", value, "ref");
     }},
    {"--rtol", "X", false,
     [](const std::string &value, Options &options) {
       return applyTolerance("--rtol", value, options.tolerance.relative);
     }},
    {"--scale-rtol", "X", false,
     [](const std::string &value, Options &options) {
       return applyTolerance("--scale-rtol", value, options.tolerance.scale);
     }},
    {"--atol", "X", false,
     [](const std::string &value, Options &options) {
       return applyTolerance("--atol", value, options.tolerance.absolute);
     }},
    {"--graph", nullptr, false,
     [](const std::string &, Options &options) {
       options.graph = true;
       return Error();
     }},
    {"--bench", nullptr, false,
     [](const std::string &, Options &options) {
       options.bench = true;
       return Error();
     }},
    {"--repeat", "N", false,
     [](const std::string &value, Options &options) {
       return applyCount("--repeat", value, 2, 1000000, options.repeat);
     }},
    {"--warmup", "N", false,
     [](const std::string &value, Options &options) {
       return applyCount("--warmup", value, 0, 1000000, options.warmup);
     }},
    {"-o", "md|csv|json", false, applyFormat},
    {"--seed", "N", false,
     [](const std::string &value, Options &options) {
       return parseUnsigned(value, options.seed)
                  ? Error()
                  : badValue("--seed", value, "a whole number");
     }},
    {"--list", nullptr, false,
     [](const std::string &, Options &options) {
       options.command = Command::List;
       return Error();
     }},
    {"--cases", "FILE", false,
     [](const std::string &value, Options &options) {
       options.command = Command::Batch;
       options.casesFile = value;
       return value.empty() ? badValue("--cases", value,
                                       "a file, or - for "
                                       "standard input")
                            : Error();
     }},
    {"--tune", "TABLE", false,
     [](const std::string &value, Options &options) {
       options.command = Command::Tune;
       options.tuneFile = value;
       return value.empty() || value == "-"
                  ? badValue("--tune", value,
                             "a table that aikc --tune-candidates has written")
                  : Error();
     }},
    {"--first", "N", false,
     [](const std::string &value, Options &options) {
       return applyCount("--first", value, 1, 1u << 30, options.firstCase);
     }},
    {"--guard", nullptr, false,
     [](const std::string &, Options &options) {
       options.guard = true;
       return Error();
     }},
    {"--donate", nullptr, false,
     [](const std::string &, Options &options) {
       options.donate = true;
       return Error();
     }},
    {"--max-memory", "BYTES", false, applyMemory},
    {"--help", nullptr, false, applyHelp},
    {"-h", nullptr, false, applyHelp},
    {"--version", nullptr, false,
     [](const std::string &, Options &options) {
       options.command = Command::Version;
       return Error();
     }},
};

/// The number of edits that turn one name into the other.
size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

Error unknownOption(const std::string &name) {
  std::string best, shown = name.substr(0, 64);
  size_t bestDistance = 4;
  for (const Row &row : table) {
    // -input is --input with a dash too few.
    size_t distance = editDistance(shown, row.name);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = row.name;
    }
  }
  return Error(Code::UnknownOption, "there is no option " + quoted(name),
               best.empty() ? "aik-run --help lists the options"
                            : "did you mean " + best + "?");
}

Error conflict(const char *a, const char *b, const char *hint = "") {
  return Error(Code::ConflictingOptions,
               format("%s cannot be used with %s", a, b), hint);
}

/// What may be given with --tune.
const char *const tuneOptions[] = {"--tune",       "--device", "--isa",
                                   "--repeat",     "--warmup", "--graph",
                                   "--max-memory", "--seed",   "--threads"};

/// Options that are fine alone but not together.
Error checkTogether(const Options &options,
                    const std::vector<const Row *> &seen) {
  auto given = [&](const char *name) {
    return std::any_of(seen.begin(), seen.end(), [&](const Row *row) {
      return !std::strcmp(row->name, name);
    });
  };
  if (options.command == Command::Compare) {
    for (const Row *row : seen)
      if (std::strcmp(row->name, "-o"))
        return conflict("compare", row->name,
                        "aik-run compare A.json B.json [-o md|csv|json]");
    return Error();
  }
  if (options.command == Command::Tune) {
    for (const Row *row : seen)
      if (std::none_of(
              std::begin(tuneOptions), std::end(tuneOptions),
              [&](const char *name) { return !std::strcmp(name, row->name); }))
        return conflict("--tune", row->name);
    return given("--device")
               ? Error()
               : Error(Code::ConflictingOptions, "--tune needs --device",
                       "aik-run --tune=TABLE --device nvidia:0");
  }
  if (options.command == Command::List)
    for (const char *other : {"--cases", "--bench", "--verify", "--input",
                              "--output", "--function"})
      if (given(other))
        return conflict("--list", other);
  if (!options.casesFile.empty())
    for (const char *other : {"--bench", "--function", "--input", "--output"})
      if (given(other))
        return conflict("--cases", other,
                        "each line of the case file names its function, "
                        "inputs and outputs");
  if (options.device == "null")
    for (const char *other : {"--verify", "--output", "--cases"})
      if (given(other))
        return conflict("--device null", other,
                        "the null device computes nothing: its results are "
                        "not results");
  if (options.device.find(':') != std::string::npos && options.guard)
    return conflict("--guard", "a device that has memory of its own",
                    "the pages around a device's memory are not this "
                    "program's to unmap");
  if (given("--first") && options.casesFile.empty())
    return Error(Code::ConflictingOptions, "--first needs --cases");
  if (options.bench && options.verify)
    return conflict("--bench", "--verify", "verify first, then measure");
  for (const char *other : {"--guard", "--donate", "--output"})
    if (options.bench && given(other))
      return conflict("--bench", other);
  for (const char *other : {"--repeat", "--warmup", "-o", "--graph"})
    if (given(other) && !options.bench)
      return Error(Code::ConflictingOptions, format("%s needs --bench", other));
  for (const char *other : {"--rtol", "--atol", "--scale-rtol"})
    if (given(other) && !options.verify)
      return Error(Code::ConflictingOptions,
                   format("%s needs --verify=ref", other));
  return Error();
}

/// Hands out the file names that were found, or says which one is missing.
Error placeFiles(const std::vector<std::string> &files, Options &options) {
  bool comparing = !files.empty() && files[0] == "compare";
  bool tuning = options.command == Command::Tune;
  size_t wanted = comparing ? 3 : tuning ? 0 : 1;
  if (files.size() > wanted)
    return Error(
        Code::ExtraArgument,
        format("there is no place for %s", quoted(files[wanted]).c_str()),
        comparing ? "compare takes two files"
        : tuning  ? "the table names its artifacts"
                  : "aik-run takes one artifact; inputs are given "
                    "with --input NAME=@file.npy");
  if (files.size() < wanted)
    return Error(Code::MissingArgument,
                 comparing ? "compare needs two benchmark files"
                           : "the artifact to run is missing",
                 comparing ? "aik-run compare A.json B.json"
                           : "aik-run ARTIFACT.aikx; --help shows more");
  if (comparing) {
    options.command = Command::Compare;
    options.compareA = files[1];
    options.compareB = files[2];
  } else if (!tuning) {
    options.artifact = files[0];
  }
  return Error();
}

} // namespace

Error parseOptions(int argc, const char *const *argv, Options &options) {
  std::vector<std::string> files;
  std::vector<const Row *> seen;
  bool onlyFiles = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (onlyFiles || word.size() < 2 || word[0] != '-') {
      if (word.empty() || word == "-")
        return Error(Code::BadValue,
                     word.empty() ? "a file name is empty"
                                  : "an artifact cannot come from standard "
                                    "input",
                     "give the artifact's path");
      files.push_back(std::move(word));
      continue;
    }
    if (word == "--") {
      onlyFiles = true;
      continue;
    }
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    const Row *row = std::find_if(
        std::begin(table), std::end(table),
        [&](const Row &candidate) { return name == candidate.name; });
    if (row == std::end(table))
      return unknownOption(name);
    std::string value;
    if (!row->valueName) {
      if (equals != std::string::npos)
        return Error(Code::UnexpectedValue,
                     format("%s takes no value", row->name));
    } else if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < argc) {
      value = argv[++i];
    } else {
      return Error(Code::MissingValue, format("%s needs a value", row->name),
                   format("%s%c%s", row->name, name == "-o" ? ' ' : '=',
                          row->valueName));
    }
    if (!row->repeatable &&
        std::find(seen.begin(), seen.end(), row) != seen.end())
      return Error(Code::RepeatedOption,
                   format("%s is given twice", row->name));
    seen.push_back(row);
    if (Error error = row->apply(value, options))
      return error;
  }
  for (Command alone : {Command::Help, Command::Version})
    if (options.command == alone)
      return Error();
  if (Error error = placeFiles(files, options))
    return error;
  return checkTogether(options, seen);
}

} // namespace aikrun
