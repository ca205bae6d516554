//===- Compare.cpp - Is one benchmark faster than another? ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two reports go in, of --bench -o json or of benchmarks/run.py --json; for
// each function that both measured on the same shapes (and, where they say so,
// of the same contender on as many threads), the ratio of the means and the
// verdict of Welch's t-test come out. A difference counts as significant when
// p < 0.01.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Files.h"
#include "Json.h"
#include "Report.h"
#include "Stats.h"

#include <cmath>
#include <map>
#include <tuple>

namespace aikrun {
namespace {

constexpr uint64_t reportCap = uint64_t(64) << 20;
constexpr double significance = 0.01;

/// What must be equal for two results to be compared. Reports of --bench name
/// no contender, and their threads may differ on purpose.
struct Key {
  std::string function, shapes, contender;
  double threads = 0; // 0: not said

  bool operator<(const Key &other) const {
    return std::tie(function, shapes, contender, threads) <
           std::tie(other.function, other.shapes, other.contender,
                    other.threads);
  }
};

struct Entry {
  Key key;
  Summary summary;
};

struct BenchReport {
  std::string machine; // empty: not said
  std::vector<Entry> entries;
  std::map<Key, size_t> places; // in `entries`
};

/// An empty sentence, or what is wrong with `result`.
std::string readEntry(const JsonValue &result, Entry &entry) {
  const JsonValue *function = result.member("function", JsonValue::String);
  const JsonValue *shapes = result.member("shapes", JsonValue::String);
  const JsonValue *samples = result.member("samples_s", JsonValue::Array);
  if (!function || !shapes || !samples)
    return "a result lacks its function, shapes or samples";
  std::vector<double> values;
  for (const JsonValue &sample : samples->items) {
    if (sample.kind != JsonValue::Number || !std::isfinite(sample.number) ||
        sample.number < 0)
      return "a sample is not a time";
    values.push_back(sample.number);
  }
  if (values.size() < 2)
    return "a result has fewer than two samples";
  entry.key.function = function->string;
  entry.key.shapes = shapes->string;
  if (const JsonValue *name = result.member("contender", JsonValue::String))
    entry.key.contender = name->string;
  if (const JsonValue *count = result.member("threads", JsonValue::Number))
    entry.key.threads = count->number;
  entry.summary = summarize(std::move(values));
  return std::string();
}

Error readReport(const std::string &path, BenchReport &out) {
  std::string text, problem;
  if (Error error = readText(path, reportCap, text))
    return error;
  auto bad = [&](const std::string &what) {
    return Error(Code::BadBench, quoted(path) + ": " + what,
                 "write it with aik-run ARTIFACT --bench -o json, or with "
                 "benchmarks/run.py --json");
  };
  JsonValue report;
  if (!parseJson(text, report, problem))
    return bad("this is not JSON: " + problem);
  const JsonValue *kind = report.member("format", JsonValue::String);
  const JsonValue *version = report.member("version", JsonValue::Number);
  const JsonValue *results = report.member("results", JsonValue::Array);
  if (!kind || kind->string != "aik-bench" || !version || !results)
    return bad("this is not a benchmark report");
  if (version->number != 1)
    return bad(
        format("version %g of the report is not known", version->number));
  if (const JsonValue *machine = report.member("machine", JsonValue::Object))
    if (const JsonValue *cpu = machine->member("cpu", JsonValue::String))
      out.machine = cpu->string;
  for (const JsonValue &result : results->items) {
    Entry entry;
    problem = readEntry(result, entry);
    if (!problem.empty())
      return bad(problem);
    if (!out.places.emplace(entry.key, out.entries.size()).second)
      return bad("two results of " + quoted(entry.key.function) +
                 " cannot be told apart");
    out.entries.push_back(std::move(entry));
  }
  return Error();
}

std::string verdict(const WelchTest &test) {
  if (!(test.p < significance))
    return "no significant difference";
  return test.t < 0 ? "B is faster" : "B is slower";
}

/// The table for people, or for csv with plain numbers.
class Rows {
public:
  Rows(bool forPeople, bool withContenders)
      : forPeople(forPeople), withContenders(withContenders) {
    table.header = {"function"};
    if (withContenders)
      table.header.insert(table.header.end(), {"contender", "threads"});
    if (forPeople)
      table.header.insert(table.header.end(), {"A mean", "B mean", "B / A"});
    else
      table.header.insert(table.header.end(),
                          {"a_mean_s", "b_mean_s", "ratio"});
    table.header.insert(table.header.end(), {"t", "df", "p", "verdict"});
  }

  void add(const Entry &a, const Entry &b, const WelchTest &test) {
    std::vector<std::string> row = {a.key.function};
    if (withContenders) {
      row.push_back(a.key.contender);
      row.push_back(a.key.threads ? format("%g", a.key.threads) : "");
    }
    double before = a.summary.mean, after = b.summary.mean;
    row.insert(row.end(), {time(before), time(after),
                           before > 0 ? format("%.4f", after / before) : "-",
                           format("%.4g", test.t), format("%.4g", test.degrees),
                           format("%.3g", test.p), verdict(test)});
    table.rows.push_back(std::move(row));
  }

  Table table;

private:
  std::string time(double seconds) const {
    return forPeople ? timeText(seconds) : format("%.9g", seconds);
  }

  bool forPeople, withContenders;
};

std::string jsonRow(const Entry &a, const Entry &b, const WelchTest &test) {
  std::string who;
  if (!a.key.contender.empty())
    who += ", \"contender\": " + jsonString(a.key.contender);
  if (a.key.threads)
    who += ", \"threads\": " + jsonNumber(a.key.threads);
  return format("\n    {\"function\": %s, \"shapes\": %s%s, \"a_mean_s\": %s, "
                "\"b_mean_s\": %s, \"ratio\": %s, \"t\": %s, \"df\": %s, "
                "\"p\": %s, \"verdict\": %s}",
                jsonString(a.key.function).c_str(),
                jsonString(a.key.shapes).c_str(), who.c_str(),
                jsonNumber(a.summary.mean).c_str(),
                jsonNumber(b.summary.mean).c_str(),
                jsonNumber(b.summary.mean / a.summary.mean).c_str(),
                jsonNumber(test.t).c_str(), jsonNumber(test.degrees).c_str(),
                jsonNumber(test.p).c_str(), jsonString(verdict(test)).c_str());
}

/// What a reader of the table should know besides.
std::string remarks(const BenchReport &before, const BenchReport &after,
                    size_t compared) {
  std::string text = format("\nWelch's t-test; a difference is significant "
                            "when p < %g.\n",
                            significance);
  size_t alone = before.entries.size() + after.entries.size() - 2 * compared;
  if (alone)
    text += format("%zu result%s of one report, with no counterpart in the "
                   "other, left out.\n",
                   alone, alone == 1 ? "" : "s");
  if (!before.machine.empty() && !after.machine.empty() &&
      before.machine != after.machine)
    text += "The machines differ: " + before.machine + " and " + after.machine +
            ".\n";
  return text;
}

} // namespace

Error compareCommand(const Options &options) {
  BenchReport before, after;
  if (Error error = readReport(options.compareA, before))
    return error;
  if (Error error = readReport(options.compareB, after))
    return error;
  bool withContenders = false;
  for (const Entry &entry : before.entries)
    withContenders |= !entry.key.contender.empty() || entry.key.threads;
  Rows rows(options.format == Format::Markdown, withContenders);
  std::string json;
  for (const Entry &a : before.entries) {
    auto place = after.places.find(a.key);
    if (place == after.places.end())
      continue;
    const Entry &b = after.entries[place->second];
    WelchTest test = welchTest(a.summary, b.summary);
    rows.add(a, b, test);
    json += (json.empty() ? "" : ",") + jsonRow(a, b, test);
  }
  size_t compared = rows.table.rows.size();
  if (!compared)
    return Error(Code::NothingInCommon,
                 "the two reports share no function with equal shapes");
  std::string text;
  switch (options.format) {
  case Format::Markdown:
    text = rows.table.markdown() + remarks(before, after, compared);
    break;
  case Format::Csv:
    text = rows.table.csv();
    break;
  case Format::Json:
    text = "{\n  \"format\": \"aik-compare\",\n  \"version\": 1,\n  "
           "\"results\": [" +
           json + "\n  ]\n}\n";
    break;
  }
  if (!print(text))
    return Error(Code::CannotWrite, "standard output cannot be written");
  return Error();
}

} // namespace aikrun
