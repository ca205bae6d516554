//===- Compare.cpp - Is one benchmark faster than another? ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two reports of --bench -o json go in; for each function that both measured
// on the same shapes, the ratio of the means and the verdict of Welch's t-test
// come out. A difference counts as significant when p < 0.01.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Files.h"
#include "Json.h"
#include "Report.h"
#include "Stats.h"

#include <cmath>

namespace aikrun {
namespace {

constexpr uint64_t reportCap = uint64_t(64) << 20;
constexpr double significance = 0.01;

struct Entry {
  std::string function, shapes;
  Summary summary;
};

Error readEntries(const std::string &path, std::vector<Entry> &entries) {
  std::string text, problem;
  if (Error error = readText(path, reportCap, text))
    return error;
  auto bad = [&](const std::string &what) {
    return Error(Code::BadBench, quoted(path) + ": " + what,
                 "write it with aik-run ARTIFACT --bench -o json");
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
  for (const JsonValue &result : results->items) {
    const JsonValue *function = result.member("function", JsonValue::String);
    const JsonValue *shapes = result.member("shapes", JsonValue::String);
    const JsonValue *samples = result.member("samples_s", JsonValue::Array);
    if (!function || !shapes || !samples)
      return bad("a result lacks its function, shapes or samples");
    std::vector<double> values;
    for (const JsonValue &sample : samples->items) {
      if (sample.kind != JsonValue::Number || !(sample.number >= 0))
        return bad("a sample is not a time");
      values.push_back(sample.number);
    }
    if (values.size() < 2)
      return bad("a result has fewer than two samples");
    entries.push_back(
        {function->string, shapes->string, summarize(std::move(values))});
  }
  return Error();
}

std::string verdict(const WelchTest &test) {
  if (!(test.p < significance))
    return "no significant difference";
  return test.t < 0 ? "B is faster" : "B is slower";
}

} // namespace

Error compareCommand(const Options &options) {
  std::vector<Entry> before, after;
  if (Error error = readEntries(options.compareA, before))
    return error;
  if (Error error = readEntries(options.compareB, after))
    return error;
  bool forPeople = options.format == Format::Markdown;
  Table table;
  if (forPeople)
    table.header = {"function", "A mean", "B mean", "B / A",
                    "t",        "df",     "p",      "verdict"};
  else
    table.header = {"function", "a_mean_s", "b_mean_s", "ratio",
                    "t",        "df",       "p",        "verdict"};
  std::string json;
  for (const Entry &a : before)
    for (const Entry &b : after) {
      if (a.function != b.function || a.shapes != b.shapes)
        continue;
      WelchTest test = welchTest(a.summary, b.summary);
      double ratio = b.summary.mean / a.summary.mean;
      auto time = [&](double seconds) {
        return forPeople ? timeText(seconds) : format("%.9g", seconds);
      };
      table.rows.push_back({a.function, time(a.summary.mean),
                            time(b.summary.mean), format("%.4f", ratio),
                            format("%.4g", test.t),
                            format("%.4g", test.degrees),
                            format("%.3g", test.p), verdict(test)});
      json += format(
          "%s\n    {\"function\": %s, \"shapes\": %s, \"a_mean_s\": %s, "
          "\"b_mean_s\": %s, \"ratio\": %s, \"t\": %s, \"df\": %s, \"p\": %s, "
          "\"verdict\": %s}",
          json.empty() ? "" : ",", jsonString(a.function).c_str(),
          jsonString(a.shapes).c_str(), jsonNumber(a.summary.mean).c_str(),
          jsonNumber(b.summary.mean).c_str(), jsonNumber(ratio).c_str(),
          jsonNumber(test.t).c_str(), jsonNumber(test.degrees).c_str(),
          jsonNumber(test.p).c_str(), jsonString(verdict(test)).c_str());
    }
  if (table.rows.empty())
    return Error(Code::NothingInCommon,
                 "the two reports share no function with equal shapes");
  std::string text = forPeople ? table.markdown() : table.csv();
  if (forPeople)
    text += format("\nWelch's t-test; a difference is significant when p < "
                   "%g.\n",
                   significance);
  if (options.format == Format::Json)
    text = "{\n  \"format\": \"aik-compare\",\n  \"version\": 1,\n  "
           "\"results\": [" +
           json + "\n  ]\n}\n";
  if (!print(text))
    return Error(Code::CannotWrite, "standard output cannot be written");
  return Error();
}

} // namespace aikrun
