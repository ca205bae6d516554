//===- Run.cpp - Running, verifying and measuring functions ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact and options go in. A plain run prints each result's shape and
// range; --verify=ref prints one line per function and `N passed, N failed`;
// --bench prints a table.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "Commands.h"
#include "Machine.h"
#include "Npy.h"
#include "Report.h"
#include "Verify.h"

#include <algorithm>
#include <cmath>

namespace aikrun {
namespace {

Error cannotPrint() {
  return Error(Code::CannotWrite, "standard output cannot be written");
}

/// The position of `name` among `values`; argN and resultN always work.
template <typename Values>
size_t findValue(const Values &values, const char *prefix,
                 const std::string &name) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].name == name)
      return i;
  for (size_t i = 0; i < values.size(); ++i)
    if (name == prefix + std::to_string(i))
      return i;
  return values.size();
}

std::string namesOf(const std::vector<Value> &values) {
  std::string text;
  for (const Value &value : values)
    text += (text.empty() ? "" : ", ") + value.name;
  return text.empty() ? "there is none" : "there is " + text;
}

Error collectInputs(const Function &function,
                    const std::vector<NamedText> &given, InputList &inputs) {
  inputs.assign(function.args.size(), std::nullopt);
  for (const NamedText &entry : given) {
    size_t index = findValue(function.args, "arg", entry.name);
    if (index == function.args.size())
      return Error(Code::UnknownInput,
                   format("%s has no argument %s",
                          quoted(function.name).c_str(),
                          quoted(entry.name).c_str()),
                   namesOf(function.args));
    if (inputs[index])
      return Error(Code::RepeatedName,
                   format("argument %zu of %s is given "
                          "twice",
                          index, quoted(function.name).c_str()));
    InputSpec spec;
    if (Error error = parseInputSpec(entry.text, spec))
      return error;
    inputs[index] = spec;
  }
  return Error();
}

/// Where each --output comes from: a result, or an argument that the function
/// writes to (numbered after the results).
Error collectOutputs(const Function &function,
                     const std::vector<NamedText> &wanted,
                     std::vector<size_t> &sources) {
  for (const NamedText &entry : wanted) {
    size_t index = findValue(function.results, "result", entry.name);
    if (index == function.results.size()) {
      size_t arg = findValue(function.args, "arg", entry.name);
      if (arg == function.args.size() || !function.args[arg].isMutable)
        return Error(Code::UnknownOutput,
                     format("%s has no result %s",
                            quoted(function.name).c_str(),
                            quoted(entry.name).c_str()),
                     namesOf(function.results));
      index += arg;
    }
    sources.push_back(index);
  }
  return Error();
}

Error writeOutputs(const std::vector<NamedText> &wanted,
                   const std::vector<size_t> &sources,
                   const std::vector<Tensor> &results,
                   const std::vector<Tensor> &args) {
  // All are written before the first gets its name: all or none.
  std::vector<OutputFile> files(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor &tensor = sources[i] < results.size()
                               ? results[sources[i]]
                               : args[sources[i] - results.size()];
    if (Error error = writeNpy(wanted[i].text, tensor, files[i]))
      return error;
  }
  for (OutputFile &file : files)
    if (Error error = file.commit())
      return error;
  return Error();
}

/// "name f32[2x3]: min -1, mean 0.5, max 2".
std::string describeTensor(const std::string &name, const Tensor &tensor) {
  std::string text =
      format("  %s %s[%s]", name.c_str(), tensor.type->name,
             tensor.dims.empty() ? "" : shapeText(tensor.dims).c_str());
  uint64_t count = tensor.elementCount();
  if (count == 1 && tensor.dims.empty())
    return text + " = " + elementText(*tensor.type, tensor.element(0)) + "\n";
  double low = INFINITY, high = -INFINITY, sum = 0;
  uint64_t notFinite = 0;
  for (uint64_t i = 0; i < count; ++i) {
    double value = loadDouble(*tensor.type, tensor.element(i));
    if (!std::isfinite(value)) {
      ++notFinite;
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  if (count > notFinite)
    text += format(": min %.6g, mean %.6g, max %.6g", low,
                   sum / static_cast<double>(count - notFinite), high);
  if (notFinite)
    text += format(", %llu not finite", (unsigned long long)notFinite);
  return text + "\n";
}

class Runner {
public:
  explicit Runner(const Options &options)
      : options(options), budget(options.maxMemory),
        settings{budget, options.guard, options.donate, options.seed, {}} {}

  Error run();

private:
  Error selectFunctions();
  Error runOne(const Function &function);
  template <typename Attempt>
  Error withDefaults(const Function &function, InputList inputs,
                     Attempt attempt);
  Error verifyOne(const Function &function, std::string &summary);
  Error verifyAll();
  Error benchAll();

  const Options &options;
  MemoryBudget budget;
  CallSettings settings;
  Program program; // before the modules, which go first
  Module module, reference;
  std::vector<const Function *> chosen;
};

Error Runner::selectFunctions() {
  if (!options.function.empty()) {
    chosen.resize(1);
    return program.findFunction(options.function, chosen[0]);
  }
  for (const Function &function : program.functions())
    chosen.push_back(&function);
  bool needsOne = !options.inputs.empty() || !options.outputs.empty() ||
                  !(options.verify || options.bench);
  if (chosen.empty())
    return Error(Code::UnknownFunction, "the artifact has no function");
  if (needsOne && chosen.size() > 1)
    return Error(Code::FunctionNeeded,
                 format("the artifact has %zu functions and --function does "
                        "not say which one is meant",
                        chosen.size()),
                 "aik-run ARTIFACT --list shows them");
  return Error();
}

Error Runner::runOne(const Function &function) {
  InputList inputs;
  std::vector<size_t> sources;
  std::vector<Tensor> args, results;
  if (Error error = collectInputs(function, options.inputs, inputs))
    return error;
  if (Error error = collectOutputs(function, options.outputs, sources))
    return error;
  std::string summary;
  double seconds = 0;
  Error error =
      withDefaults(function, inputs, [&](const InputList &list) -> Error {
        if (Error error = makeArguments(module, function, list, settings, args))
          return error;
        if (options.verify)
          return verifyCall(module, reference, function, args, settings,
                            options.tolerance, results, summary);
        uint64_t begin = nowNanoseconds();
        Error error = call(module, function, args, 0xA5, settings, results);
        seconds = static_cast<double>(nowNanoseconds() - begin) * 1e-9;
        return error;
      });
  if (error)
    return error;
  if (Error error = writeOutputs(options.outputs, sources, results, args))
    return error;
  std::string text;
  if (options.verify) {
    text = format("%s: ok: %s\n", function.name.c_str(), summary.c_str());
  } else if (options.device == "null") {
    text = format("%s: accepted in %s; the null device computes nothing\n",
                  function.name.c_str(), timeText(seconds).c_str());
  } else {
    text = format("%s: ok on %s in %s\n", function.name.c_str(),
                  module.target().c_str(), timeText(seconds).c_str());
    for (size_t i = 0; i < results.size(); ++i)
      text += describeTensor(function.results[i].name, results[i]);
  }
  return print(text) ? Error() : cannotPrint();
}

/// Calls `attempt` with `inputs`: integers that the user did not mention are
/// zeros. Where the function refuses those when it runs, they become ones; the
/// first error stands when that does not help either.
template <typename Attempt>
Error Runner::withDefaults(const Function &function, InputList inputs,
                           Attempt attempt) {
  Error first = attempt(inputs);
  if (!first || first.code() != Code::FunctionFailed)
    return first;
  bool changed = false;
  for (size_t i = 0; i < function.args.size(); ++i) {
    uint32_t dtype = function.args[i].type->dtype;
    if (inputs[i] || (dtype != AIK_I32 && dtype != AIK_I64))
      continue;
    inputs[i] = InputSpec();
    inputs[i]->kind = InputSpec::Ones;
    changed = true;
  }
  return changed && !attempt(inputs) ? Error() : first;
}

Error Runner::verifyOne(const Function &function, std::string &summary) {
  return withDefaults(function, InputList(function.args.size()),
                      [&](const InputList &inputs) -> Error {
                        std::vector<Tensor> args, results;
                        if (Error error = makeArguments(module, function,
                                                        inputs, settings, args))
                          return error;
                        return verifyCall(module, reference, function, args,
                                          settings, options.tolerance, results,
                                          summary);
                      });
}

Error Runner::verifyAll() {
  size_t failed = 0;
  bool isLost = false;
  Error first;
  for (const Function *function : chosen) {
    std::string summary = "not run: the device has a fault";
    Error error = isLost ? Error() : verifyOne(*function, summary);
    if (error) {
      report(error);
      isLost = error.code() == Code::DeviceFault && !module.recover();
      if (!first)
        first = error;
    } else if (!print(format("%s: %s%s\n", function->name.c_str(),
                             isLost ? "" : "ok: ", summary.c_str()))) {
      return cannotPrint();
    }
    failed += error || isLost;
  }
  if (!print(
          format("%zu passed, %zu failed\n", chosen.size() - failed, failed)))
    return cannotPrint();
  if (!first || chosen.size() == 1)
    return first ? Error(first.code(), "") : Error();
  return Error(first.code(), format("%zu of %zu functions failed; this is the "
                                    "first one's status",
                                    failed, chosen.size()));
}

Error Runner::benchAll() {
  std::vector<Measurement> measurements;
  uint32_t threads = program.threads() ? program.threads() : 1;
  for (const Function *function : chosen) {
    InputList inputs;
    Measurement measurement;
    if (Error error = collectInputs(*function, options.inputs, inputs))
      return error;
    Error error =
        withDefaults(*function, inputs, [&](const InputList &list) -> Error {
          std::vector<Tensor> args;
          measurement = Measurement();
          if (Error error =
                  makeArguments(module, *function, list, settings, args))
            return error;
          return measure(module, *function, args, options, settings, threads,
                         measurement);
        });
    if (error)
      return error;
    measurements.push_back(std::move(measurement));
  }
  // Peaks are those of this CPU.
  double peak = module.isRemote() ? 0 : measurePeakFlops(threads);
  threads = module.isRemote() ? 0 : threads;
  return print(
             benchReport(options, module.target(), threads, peak, measurements))
             ? Error()
             : cannotPrint();
}

Error Runner::run() {
  if (Error error = program.open(options.artifact, options.threads))
    return error;
  if (Error error = selectFunctions())
    return error;
  if (Error error = program.load(options.device, options.isa, module))
    return error;
  if (options.verify)
    if (Error error = program.load("cpu", "reference", reference))
      return error;
  if (options.bench)
    return benchAll();
  if (options.verify && options.inputs.empty() && options.outputs.empty())
    return verifyAll();
  return runOne(*chosen[0]);
}

} // namespace

Error runCommand(const Options &options) { return Runner(options).run(); }

} // namespace aikrun
