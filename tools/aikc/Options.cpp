//===- Options.cpp - The command line of aikc -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: argv. Out: Options, or one coded message per wrong command line. Nothing
// is guessed: no abbreviated names, no single-dash long options. Boost's
// exceptions do not leave this file.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "OptionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include <boost/program_options.hpp>
#include <cmath>

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;
namespace po = boost::program_options;

namespace {

/// Values and operands as written, before they are checked.
struct RawOptions {
  po::variables_map values;
  std::vector<std::string> operands;

  bool has(const char *name) const { return values.count(name) != 0; }
  std::string get(const char *name) const {
    return values[name].as<std::string>();
  }
  std::vector<std::string> getAll(const char *name) const {
    return values[name].as<std::vector<std::string>>();
  }
};

const char kOperands[] = "operand-words";
const char kOptLevel[] = "O";

const OptionRow *findOption(StringRef name) {
  for (const OptionRow &row : getOptionRows())
    if (name == row.name)
      return &row;
  return nullptr;
}

/// As most people write it: -o, not --output.
std::string usualSpelling(const std::string &name) {
  StringRef bare = StringRef(name).ltrim('-');
  if (bare == kOptLevel)
    return "-O";
  const OptionRow *row = findOption(bare);
  return row && row->shortName ? std::string("-") + row->shortName : name;
}

ExitStatus refuseUnknown(const std::string &word, Messages &messages) {
  StringRef name = StringRef(word).ltrim('-').split('=').first;
  llvm::SmallVector<StringRef> names;
  for (const OptionRow &row : getOptionRows())
    names.push_back(row.name);
  StringRef nearest = findNearest(name, names);
  std::string hint;
  if (!nearest.empty())
    hint = ("did you mean '--" + nearest + "'?").str();
  return messages.error(Code::UnknownOption, "unknown option " + quote(word),
                        hint);
}

/// What Boost would accept in shapes that we do not want.
ExitStatus refuseOddShapes(llvm::ArrayRef<std::string> words,
                           Messages &messages) {
  for (StringRef word : words) {
    if (word == "--")
      break;
    if (word.starts_with("-O")) {
      StringRef level = word.drop_front(2);
      if (level.size() != 1 || level[0] < '0' || level[0] > '3')
        return messages.error(Code::BadValue, quote(word) +
                                                  " is not a level; there are "
                                                  "-O0, -O1, -O2 and -O3");
      continue;
    }
    if (word.starts_with("-o") && word.size() > 2 &&
        !findOption(word.drop_front()))
      return messages.error(Code::UnknownOption,
                            "unknown option " + quote(word),
                            "write '-o FILE' as two words");
    bool singleDash = word.size() > 2 && word[0] == '-' && word[1] != '-';
    if (singleDash || word == "--O" || word.starts_with("--O=") ||
        word.starts_with(std::string("--") + kOperands))
      return refuseUnknown(word.str(), messages);
  }
  return kExitOk;
}

/// --time without a value and -O2 do not look like name=value; Boost would
/// take the next word as the value of the first.
std::pair<std::string, std::string> parseSpecial(const std::string &word) {
  if (word == "--time")
    return {"time", "text"};
  if (word.size() == 3 && word[0] == '-' && word[1] == 'O')
    return {kOptLevel, word.substr(2)};
  return {};
}

po::options_description describeOptions() {
  po::options_description description;
  auto add = description.add_options();
  for (const OptionRow &row : getOptionRows()) {
    std::string name = row.name;
    if (row.shortName)
      name += std::string(",") + row.shortName;
    if (!row.argument)
      add(name.c_str(), "");
    else if (row.mayRepeat)
      add(name.c_str(), po::value<std::vector<std::string>>(), "");
    else
      add(name.c_str(), po::value<std::string>(), "");
  }
  add(kOptLevel, po::value<std::string>(), "");
  add(kOperands, po::value<std::vector<std::string>>(), "");
  return description;
}

ExitStatus readWords(llvm::ArrayRef<std::string> words, RawOptions &raw,
                     Messages &messages) {
  namespace style = po::command_line_style;
  try {
    po::options_description description = describeOptions();
    po::positional_options_description positional;
    positional.add(kOperands, -1);
    po::command_line_parser parser(
        std::vector<std::string>(words.begin(), words.end()));
    parser.options(description)
        .positional(positional)
        .extra_parser(parseSpecial)
        .style(style::allow_long | style::allow_short |
               style::allow_dash_for_short | style::long_allow_adjacent |
               style::long_allow_next | style::short_allow_next);
    po::store(parser.run(), raw.values);
    if (raw.has(kOperands))
      raw.operands = raw.getAll(kOperands);
  } catch (const po::unknown_option &error) {
    return refuseUnknown(error.get_option_name(), messages);
  } catch (const po::multiple_occurrences &error) {
    return messages.error(Code::Conflict,
                          "option " +
                              quote(usualSpelling(error.get_option_name())) +
                              " is given more than once");
  } catch (const po::invalid_command_line_syntax &error) {
    std::string name = usualSpelling(error.get_option_name());
    if (error.kind() == po::invalid_syntax::extra_parameter)
      return messages.error(Code::BadValue,
                            "option " + quote(name) + " takes no value");
    return messages.error(Code::MissingValue,
                          "option " + quote(name) + " needs a value");
  } catch (const po::error &error) {
    return messages.error(Code::BadValue, error.what());
  }
  return kExitOk;
}

ExitStatus badValue(const char *option, StringRef value,
                    llvm::ArrayRef<StringRef> choices, Messages &messages) {
  std::string hint;
  StringRef nearest = findNearest(value, choices);
  if (!nearest.empty())
    hint = "did you mean " + quote(nearest) + "?";
  return messages.error(Code::BadValue,
                        "--" + std::string(option) + " cannot be " +
                            quote(value) + "; it is " + listChoices(choices),
                        hint);
}

ExitStatus readPhase(const char *option, StringRef word, bool mayBeArtifact,
                     Phase &phase, Messages &messages) {
  std::optional<Phase> found = parsePhase(word);
  if (found && (mayBeArtifact || *found != Phase::Artifact)) {
    phase = *found;
    return kExitOk;
  }
  llvm::SmallVector<StringRef> names;
  for (const PhaseInfo &info : getPhases())
    if (mayBeArtifact || info.phase != Phase::Artifact)
      names.push_back(info.name);
  return badValue(option, word, names, messages);
}

ExitStatus readLimits(const RawOptions &raw, Limits &limits,
                      Messages &messages) {
  // The largest number of megabytes whose bytes still fit.
  constexpr uint64_t kMaxMegabytes = UINT64_MAX >> 21;
  if (raw.has("max-memory")) {
    StringRef text = raw.values["max-memory"].as<std::string>();
    if (text.getAsInteger(10, limits.memoryMegabytes) ||
        !limits.memoryMegabytes || limits.memoryMegabytes > kMaxMegabytes)
      return messages.error(Code::BadValue,
                            "--max-memory cannot be " + quote(text) +
                                "; it is a whole number of megabytes",
                            "write --max-memory=4096 for 4 GiB");
  }
  if (raw.has("max-time")) {
    StringRef text = raw.values["max-time"].as<std::string>();
    constexpr double kMaxSeconds = 1e9;
    if (text.getAsDouble(limits.seconds) || !std::isfinite(limits.seconds) ||
        limits.seconds <= 0 || limits.seconds > kMaxSeconds)
      return messages.error(Code::BadValue,
                            "--max-time cannot be " + quote(text) +
                                "; it is a number of seconds above 0",
                            "write --max-time=60 for a minute");
  }
  return kExitOk;
}

ExitStatus readTargets(const RawOptions &raw, Options &options,
                       Messages &messages) {
  if (!raw.has("target"))
    return kExitOk;
  options.targets.clear();
  for (const std::string &list : raw.getAll("target")) {
    llvm::SmallVector<StringRef> parts;
    StringRef(list).split(parts, ',');
    for (StringRef part : parts) {
      if (part.empty())
        return messages.error(Code::BadTarget,
                              quote(list) + " names an empty target");
      if (llvm::is_contained(options.targets, part))
        return messages.error(Code::Conflict, "target " + quote(part) +
                                                  " is given more than once");
      options.targets.push_back(part.str());
    }
  }
  return kExitOk;
}

/// Kinds whose file has room for the code of one target.
constexpr EmitKind kSingleTargetKinds[] = {
    EmitKind::LLVMIR, EmitKind::Bitcode,      EmitKind::Assembly,
    EmitKind::Object, EmitKind::SharedObject, EmitKind::PTX,
    EmitKind::Cubin,  EmitKind::HSACO};

ExitStatus readEmit(const RawOptions &raw, Options &options,
                    Messages &messages) {
  if (!raw.has("emit"))
    return kExitOk;
  std::string word = raw.get("emit");
  llvm::SmallVector<StringRef> names;
  for (const EmitInfo &info : getEmitKinds()) {
    if (info.name == word)
      options.emit = info.kind;
    names.push_back(info.name);
  }
  if (!options.emit)
    return badValue("emit", word, names, messages);
  if (llvm::is_contained(kSingleTargetKinds, *options.emit) &&
      options.targets.size() > 1)
    return messages.error(Code::Conflict,
                          "--emit=" + word +
                              " makes a file of one target, but --target "
                              "names " +
                              std::to_string(options.targets.size()),
                          "name one target, or emit aikx");
  return kExitOk;
}

ExitStatus readPhaseOptions(const RawOptions &raw, Options &options,
                            Messages &messages) {
  if (raw.has("compile-from"))
    if (ExitStatus status = readPhase("compile-from", raw.get("compile-from"),
                                      false, options.compileFrom, messages))
      return status;
  if (options.compileFrom != Phase::Import && raw.has("target"))
    return messages.error(Code::Conflict,
                          "--target cannot be used with --compile-from: the "
                          "targets are written in the file of a phase",
                          "leave --target out, or start from the program");
  for (const char *name : {"tuning", "tune-candidates"})
    if (options.compileFrom != Phase::Import && raw.has(name))
      return messages.error(Code::Conflict,
                            "--" + std::string(name) +
                                " cannot be used with --compile-from: "
                                "schedules are chosen for a program",
                            "start from the program");
  if (raw.has("tune-candidates") &&
      (raw.has("compile-to") ||
       options.emit.value_or(EmitKind::Artifact) != EmitKind::Artifact))
    return messages.error(Code::Conflict,
                          "--tune-candidates makes artifacts, and nothing "
                          "else");
  if (raw.has("compile-to")) {
    Phase phase;
    if (ExitStatus status = readPhase("compile-to", raw.get("compile-to"), true,
                                      phase, messages))
      return status;
    if (phase != Phase::Artifact)
      options.compileTo = phase;
    if (options.emit)
      return messages.error(
          Code::Conflict,
          "--compile-to and --emit both say what to make; give one of them");
    if (options.compileTo && *options.compileTo < options.compileFrom)
      return messages.error(
          Code::Conflict,
          "--compile-to=" + raw.get("compile-to") +
              " comes before --compile-from=" + raw.get("compile-from"));
  }
  if (!raw.has("override"))
    return kExitOk;
  for (const std::string &word : raw.getAll("override")) {
    auto [name, file] = StringRef(word).split(':');
    if (file.empty())
      return messages.error(Code::BadValue, "--override cannot be " +
                                                quote(word) +
                                                "; it is PHASE:FILE");
    Phase phase;
    if (ExitStatus status = readPhase("override", name, false, phase, messages))
      return status;
    if (phase < options.compileFrom)
      return messages.error(Code::Conflict,
                            "--override=" + word +
                                " replaces a phase before --compile-from");
    if (options.compileTo && phase > *options.compileTo)
      return messages.error(Code::Conflict,
                            "--override=" + word +
                                " replaces a phase after --compile-to");
    for (auto &[other, path] : options.overrideFiles)
      if (other == phase)
        return messages.error(Code::Conflict, "--override names phase " +
                                                  quote(name) + " twice");
    options.overrideFiles.emplace_back(phase, file.str());
  }
  return kExitOk;
}

ExitStatus readPaths(const RawOptions &raw, Options &options,
                     Messages &messages) {
  const std::pair<const char *, std::string *> kPaths[] = {
      {"output", &options.output},
      {"dump-phases-to", &options.dumpFolder},
      {"save-temps", &options.tempsFolder},
      {"tuning", &options.tuningFile},
      {"tune-candidates", &options.candidatesFolder}};
  for (auto &[name, path] : kPaths) {
    if (!raw.has(name))
      continue;
    *path = raw.get(name);
    if (path->empty())
      return messages.error(Code::BadValue,
                            "--" + std::string(name) + " cannot be empty");
  }
  return kExitOk;
}

ExitStatus readCommand(const RawOptions &raw, Options &options,
                       Messages &messages) {
  if (raw.has("help") || raw.has("version")) {
    options.command = raw.has("help") ? Command::Help : Command::Version;
    return kExitOk;
  }
  llvm::ArrayRef<std::string> words = raw.operands;
  if (words.empty())
    return messages.error(Code::NoInput, "no input file and no command");
  const CommandRow *row = &getCommandRows().front();
  bool named = false;
  for (const CommandRow &candidate : getCommandRows())
    if (words.front() == candidate.name) {
      row = &candidate;
      named = true;
    }
  if (named)
    words = words.drop_front();
  options.command = row->command;

  for (const OptionRow &option : getOptionRows())
    if (raw.has(option.name) && !(option.commands & bitOf(row->command)))
      return messages.error(Code::Conflict, "--" + std::string(option.name) +
                                                " means nothing to '" +
                                                row->name + "'");
  if (raw.has(kOptLevel) && row->command != Command::Compile)
    return messages.error(Code::Conflict, "-O means nothing to '" +
                                              std::string(row->name) + "'");

  if (row->needs && (words.empty() || words.front().empty()))
    return messages.error(
        Code::NoInput, "'" + std::string(row->name) + "' needs " + row->needs,
        "write 'aikc " + std::string(row->name) + " " + row->operand + "'");
  if (words.size() > (row->operand ? 1 : 0)) {
    std::string extra = row->operand ? words[1] : words[0];
    // The first word was most likely meant as a command.
    if (!named && !llvm::sys::fs::exists(words[0]) && words[0] != "-")
      return messages.error(Code::UnknownCommand,
                            quote(words[0]) + " is neither a command nor a "
                                              "file");
    return messages.error(
        Code::Conflict,
        "one " + std::string(row->operand ? "operand" : "word") +
            " too many: " + quote(extra),
        row->operand ? "run aikc once per file" : "run 'aikc --help'");
  }
  if (!words.empty())
    options.operand = words.front();
  StringRef word = options.operand;
  if (!named && word != "-" && !word.contains('.') && !word.contains('/') &&
      !llvm::sys::fs::exists(word)) {
    llvm::SmallVector<StringRef> names;
    for (const CommandRow &candidate : getCommandRows())
      names.push_back(candidate.name);
    StringRef nearest = findNearest(word, names);
    return messages.error(
        Code::UnknownCommand, quote(word) + " is neither a command nor a file",
        nearest.empty() ? "" : "did you mean " + quote(nearest) + "?");
  }
  return kExitOk;
}

ExitStatus readLooks(const RawOptions &raw, Options &options,
                     Messages &messages) {
  if (raw.has("diagnostics")) {
    std::string word = raw.get("diagnostics");
    if (word != "json" && word != "text")
      return badValue("diagnostics", word, {"text", "json"}, messages);
  }
  if (raw.has("color")) {
    std::string word = raw.get("color");
    if (word != "auto" && word != "always" && word != "never")
      return badValue("color", word, {"auto", "always", "never"}, messages);
  }
  if (raw.has("time")) {
    std::string word = raw.get("time");
    if (word != "text" && word != "json")
      return badValue("time", word, {"text", "json"}, messages);
    options.time = word == "json" ? TimeReport::Json : TimeReport::Text;
  }
  return kExitOk;
}

} // namespace

void aikc::configureMessages(int argc, char **argv, Messages &messages) {
  ColorMode color = ColorMode::Auto;
  for (int i = 1; i < argc; ++i) {
    StringRef word = argv[i];
    if (word == "--")
      break;
    auto valueOf = [&](StringRef name) -> StringRef {
      if (word == name)
        return i + 1 < argc ? argv[i + 1] : "";
      return word.consume_front(name) && word.consume_front("=") ? word : "";
    };
    if (valueOf("--diagnostics") == "json")
      messages.setFormat(MessageFormat::Json);
    word = argv[i];
    StringRef when = valueOf("--color");
    if (when == "always")
      color = ColorMode::Always;
    else if (when == "never")
      color = ColorMode::Never;
  }
  messages.setColor(color);
}

ExitStatus aikc::parseOptions(int argc, char **argv, Options &options,
                              Messages &messages) {
  std::vector<std::string> words(argv + (argc ? 1 : 0), argv + argc);
  RawOptions raw;
  if (ExitStatus status = refuseOddShapes(words, messages))
    return status;
  if (ExitStatus status = readWords(words, raw, messages))
    return status;
  using Reader = ExitStatus (*)(const RawOptions &, Options &, Messages &);
  for (Reader read : {readCommand, readLooks, readTargets, readEmit,
                      readPhaseOptions, readPaths})
    if (ExitStatus status = read(raw, options, messages))
      return status;
  if (ExitStatus status = readLimits(raw, options.limits, messages))
    return status;
  options.stripReference = raw.has("strip-reference");
  options.trustInput = raw.has("trust-input");
  options.remarks = raw.has("remarks");
  options.failOnWarnings = raw.has("fail-on-warnings");
  options.json = raw.has("json");
  if (raw.has(kOptLevel))
    options.optLevel = raw.get(kOptLevel)[0] - '0';
  return kExitOk;
}

std::string aikc::getReplayOptions(const Options &options, Phase from) {
  std::string text = " -o /dev/null";
  if (options.command == Command::Check)
    return "";
  if (from == Phase::Import)
    text += " --target=" + llvm::join(options.targets, ",");
  else
    text += " --compile-from=" + getPhaseInfo(from).name.str();
  if (options.compileTo)
    text += " --compile-to=" + getPhaseInfo(*options.compileTo).name.str();
  for (const EmitInfo &info : getEmitKinds())
    if (options.emit == info.kind)
      text += " --emit=" + info.name.str();
  if (options.optLevel != 2)
    text += " -O" + std::to_string(options.optLevel);
  if (options.stripReference)
    text += " --strip-reference";
  if (options.failOnWarnings)
    text += " --fail-on-warnings";
  if (options.trustInput)
    text += " --trust-input";
  return text;
}
