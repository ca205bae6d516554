//===- Tune.cpp - Measuring the schedules of a table ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a table that aikc --tune-candidates has written, beside its artifacts.
// Out: the same table with the microseconds of each row, which aikc --tuning
// reads. Each row is measured twice, in both orders, and the shorter time
// counts: a chip gets warm.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "Commands.h"
#include "Files.h"
#include "Json.h"
#include "Report.h"

#include <algorithm>

namespace aikrun {
namespace {

constexpr uint64_t tableCap = uint64_t(16) << 20;

struct TuningRow {
  std::string product, function, schedule, artifact;
  double microseconds = 0;
};

std::string readRow(const JsonValue &value, TuningRow &row) {
  const std::pair<const char *, std::string *> fields[] = {
      {"product", &row.product},
      {"function", &row.function},
      {"schedule", &row.schedule},
      {"artifact", &row.artifact}};
  for (const auto &[name, field] : fields) {
    const JsonValue *found = value.member(name, JsonValue::String);
    if (!found || found->string.empty())
      return format("a row lacks its %s", name);
    *field = found->string;
  }
  // Beside the table, wherever that has been carried.
  if (row.artifact.find('/') != std::string::npos)
    return "an artifact is not beside the table";
  return std::string();
}

Error readTable(const std::string &path, std::vector<TuningRow> &rows) {
  std::string text, problem;
  if (Error error = readText(path, tableCap, text))
    return error;
  auto bad = [&](const std::string &what) {
    return Error(Code::BadTuning, quoted(path) + ": " + what);
  };
  JsonValue table;
  if (!parseJson(text, table, problem))
    return bad("this is not JSON: " + problem);
  const JsonValue *kind = table.member("format", JsonValue::String);
  const JsonValue *version = table.member("version", JsonValue::Number);
  const JsonValue *list = table.member("rows", JsonValue::Array);
  if (!kind || kind->string != "aik-tuning" || !version || !list)
    return bad("this is not a tuning table");
  if (version->number != 1)
    return bad("this is a table of another version");
  for (const JsonValue &value : list->items) {
    rows.emplace_back();
    problem = readRow(value, rows.back());
    if (!problem.empty())
      return bad(problem);
  }
  return rows.empty() ? bad("the table has no rows") : Error();
}

Error writeTable(const std::string &path, const std::vector<TuningRow> &rows) {
  std::string text =
      "{\n  \"format\": \"aik-tuning\",\n  \"version\": 1,\n  \"rows\": [";
  for (size_t i = 0; i < rows.size(); ++i) {
    const TuningRow &row = rows[i];
    text += format(
        "%s\n    {\n      \"product\": %s,\n      \"function\": %s,\n"
        "      \"schedule\": %s,\n      \"artifact\": %s,\n"
        "      \"microseconds\": %s\n    }",
        i ? "," : "", jsonString(row.product).c_str(),
        jsonString(row.function).c_str(), jsonString(row.schedule).c_str(),
        jsonString(row.artifact).c_str(), jsonNumber(row.microseconds).c_str());
  }
  text += "\n  ]\n}\n";
  OutputFile file;
  if (Error error = file.open(path))
    return error;
  if (Error error = file.write(text.data(), text.size()))
    return error;
  return file.commit();
}

Error measureRow(const Options &options, const std::string &folder,
                 TuningRow &row) {
  MemoryBudget budget(options.maxMemory);
  CallSettings settings{budget, false, false, options.seed, {}};
  Program program; // before the module, which goes first
  Module module;
  const Function *function = nullptr;
  if (Error error = program.open(folder + row.artifact, options.threads))
    return error;
  if (Error error = program.findFunction(row.function, function))
    return error;
  if (Error error = program.load(options.device, options.isa, module))
    return error;
  std::vector<Tensor> args;
  if (Error error = makeArguments(
          module, *function, InputList(function->args.size()), settings, args))
    return error;
  Measurement measurement;
  if (Error error = measure(module, *function, args, options, settings,
                            std::max(1u, program.threads()), measurement))
    return error;
  double found = measurement.summary.median * 1e6;
  row.microseconds =
      row.microseconds > 0 ? std::min(row.microseconds, found) : found;
  return Error();
}

} // namespace

Error tuneCommand(const Options &options) {
  std::vector<TuningRow> rows;
  if (Error error = readTable(options.tuneFile, rows))
    return error;
  size_t slash = options.tuneFile.rfind('/');
  std::string folder = slash == std::string::npos
                           ? std::string()
                           : options.tuneFile.substr(0, slash + 1);
  for (size_t i = 0; i < 2 * rows.size(); ++i) {
    size_t number = i < rows.size() ? i : 2 * rows.size() - 1 - i;
    if (Error error = measureRow(options, folder, rows[number]))
      return error;
  }
  if (Error error = writeTable(options.tuneFile, rows))
    return error;
  Table table;
  table.header = {"product", "microseconds", "first", "of"};
  for (size_t i = 0; i < rows.size(); ++i) {
    auto isSame = [&](const TuningRow &row) {
      return row.product == rows[i].product;
    };
    auto first = std::find_if(rows.begin(), rows.end(), isSame);
    if (first != rows.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    double least = first->microseconds;
    for (const TuningRow &row : rows)
      if (isSame(row))
        least = std::min(least, row.microseconds);
    table.rows.push_back(
        {rows[i].product, format("%.2f", least),
         format("%.2f", first->microseconds),
         format("%zu", static_cast<size_t>(
                           std::count_if(rows.begin(), rows.end(), isSame)))});
  }
  if (!print(table.markdown()))
    return Error(Code::CannotWrite, "standard output cannot be written");
  return Error();
}

} // namespace aikrun
