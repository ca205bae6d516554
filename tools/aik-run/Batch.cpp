//===- Batch.cpp - Many calls in one process ------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case file goes in, one case per line:
//
//   function in1.npy,in2.npy -> out1.npy,out2.npy
//
// Blank lines and lines that begin with # are skipped. An input is a file or
// what --input takes after the equals sign; an output may be `-`: not saved.
// Out comes one line per case as soon as it is done,
//
//   3 ok matmul
//   4 error AIK-R0504 the sentence
//
// and `N passed, N failed` at the end. A case that fails does not stop the
// others.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Files.h"
#include "Npy.h"
#include "Report.h"
#include "Verify.h"

namespace aikrun {
namespace {

constexpr uint64_t caseFileCap = uint64_t(64) << 20;

struct Case {
  std::string function;
  std::vector<std::string> inputs, outputs;
};

std::vector<std::string> splitCommas(const std::string &text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (!text.empty()) {
    size_t end = text.find(',', begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos)
      break;
    begin = end + 1;
  }
  return parts;
}

Error parseCase(const std::string &line, Case &out) {
  // Words: function, inputs, arrow, outputs; either list may be missing.
  std::vector<std::string> words;
  for (char c : line + " ")
    if (c == ' ' || c == '\t' || c == '\r')
      words.emplace_back();
    else if (words.empty())
      words.emplace_back(1, c);
    else
      words.back() += c;
  std::vector<std::string> filled;
  for (std::string &word : words)
    if (!word.empty())
      filled.push_back(std::move(word));
  size_t arrow = 0;
  while (arrow < filled.size() && filled[arrow] != "->")
    ++arrow;
  if (arrow == filled.size() || arrow == 0 || arrow > 2 ||
      filled.size() - arrow > 2)
    return Error(Code::BadCase,
                 "a case is `function inputs -> outputs`, with commas and no "
                 "blanks inside the lists");
  out = Case();
  out.function = filled[0];
  if (arrow == 2)
    out.inputs = splitCommas(filled[1]);
  if (filled.size() - arrow == 2)
    out.outputs = splitCommas(filled[arrow + 1]);
  return Error();
}

/// A bare word is a file name, unless it opens like a generator.
std::string inputText(const std::string &word) {
  for (const char *generator : {"random:", "full:", "zeros", "ones", "arange"})
    if (word.rfind(generator, 0) == 0 && word.find(".npy") == std::string::npos)
      return word;
  return word.rfind('@', 0) == 0 ? word : "@" + word;
}

class Batch {
public:
  explicit Batch(const Options &options)
      : options(options), budget(options.maxMemory),
        settings{budget, options.guard, options.donate, options.seed, {}} {}
  Error run();

private:
  Error runCase(const std::string &line, std::string &detail);

  const Options &options;
  MemoryBudget budget;
  CallSettings settings;
  Program program; // before the modules, which go first
  Module module, reference;
};

Error Batch::runCase(const std::string &line, std::string &detail) {
  Case one;
  const Function *function;
  if (Error error = parseCase(line, one))
    return error;
  if (Error error = program.findFunction(one.function, function))
    return error;
  if (one.inputs.size() != function->args.size())
    return Error(Code::WrongCount,
                 format("%s takes %zu inputs and %zu are given",
                        quoted(one.function).c_str(), function->args.size(),
                        one.inputs.size()));
  if (!one.outputs.empty() && one.outputs.size() != function->results.size())
    return Error(Code::WrongCount,
                 format("%s gives %zu results and %zu outputs are named",
                        quoted(one.function).c_str(), function->results.size(),
                        one.outputs.size()));
  InputList inputs(one.inputs.size());
  for (size_t i = 0; i < one.inputs.size(); ++i) {
    inputs[i] = InputSpec();
    if (Error error = parseInputSpec(inputText(one.inputs[i]), *inputs[i]))
      return error;
  }
  std::vector<Tensor> args, results;
  if (Error error = makeArguments(module, *function, inputs, settings, args))
    return error;
  if (options.verify) {
    if (Error error = verifyCall(module, reference, *function, args, settings,
                                 options.tolerance, results, detail))
      return error;
    detail = ": " + detail;
  } else if (Error error =
                 call(module, *function, args, 0xA5, settings, results)) {
    return error;
  }
  std::vector<OutputFile> files(one.outputs.size());
  for (size_t i = 0; i < one.outputs.size(); ++i)
    if (one.outputs[i] != "-")
      if (Error error = writeNpy(one.outputs[i], results[i], files[i]))
        return error;
  for (size_t i = 0; i < one.outputs.size(); ++i)
    if (one.outputs[i] != "-")
      if (Error error = files[i].commit())
        return error;
  return Error();
}

Error Batch::run() {
  std::string text;
  if (Error error = readText(options.casesFile, caseFileCap, text))
    return error;
  if (Error error = program.open(options.artifact, options.threads))
    return error;
  if (Error error = program.load(options.device, options.isa, module))
    return error;
  if (options.verify)
    if (Error error = program.load("cpu", "reference", reference))
      return error;
  Error cannotPrint(Code::CannotWrite, "standard output cannot be written");
  size_t passed = 0, failed = 0, number = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    size_t content = line.find_first_not_of(" \t\r");
    if (content == std::string::npos || line[content] == '#')
      continue;
    if (++number < options.firstCase)
      continue;
    settings.label = format("case %zu: ", number);
    std::string detail;
    Error error = runCase(line, detail);
    bool goesOn = !error || module.recover();
    ++(error ? failed : passed);
    std::string name = line.substr(content);
    name.resize(std::min(name.find_first_of(" \t\r"), name.size()));
    std::string status =
        error ? format("%zu error %s %s\n", number,
                       codeText(error.code()).c_str(), error.sentence().c_str())
              : format("%zu ok %s%s\n", number, name.c_str(), detail.c_str());
    if (!print(status))
      return cannotPrint;
    if (!goesOn)
      return Error(Code::RuntimeFailed,
                   "the device cannot be used by this process any more");
  }
  if (!print(format("%zu passed, %zu failed\n", passed, failed)))
    return cannotPrint;
  if (failed)
    return Error(Code::CasesFailed,
                 format("%zu of %zu cases failed", failed, passed + failed));
  return Error();
}

} // namespace

Error batchCommand(const Options &options) { return Batch(options).run(); }

} // namespace aikrun
