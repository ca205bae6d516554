//===- TuningTable.cpp - Schedules that were measured ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a table, or the candidates of a compilation. Out: the quickest schedule
// of each product or attention, or a table and artifacts to measure.
//
//===----------------------------------------------------------------------===//

#include "TuningTable.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "Input.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

static constexpr char kFormat[] = "aik-tuning";
static constexpr int64_t kVersion = 1;

ExitStatus
aikc::readTuningTable(const std::string &path,
                      std::vector<std::pair<std::string, std::string>> &tuning,
                      Messages &messages) {
  std::string text;
  if (ExitStatus status = readInput(path, text, messages))
    return status;
  auto bad = [&](const std::string &what) {
    return messages.error(Code::BadTuning, quote(path) + ": " + what);
  };
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed)
    return bad("this is not JSON: " + llvm::toString(parsed.takeError()));
  const llvm::json::Object *table = parsed->getAsObject();
  const llvm::json::Array *rows = table ? table->getArray("rows") : nullptr;
  if (!rows || table->getString("format") != StringRef(kFormat))
    return bad("this is not a tuning table");
  if (table->getInteger("version") != kVersion)
    return bad("this is a table of another version");
  struct Best {
    std::string schedule;
    double microseconds;
  };
  llvm::MapVector<StringRef, Best> best;
  for (const llvm::json::Value &value : *rows) {
    const llvm::json::Object *row = value.getAsObject();
    auto product = row ? row->getString("product") : std::nullopt;
    auto schedule = row ? row->getString("schedule") : std::nullopt;
    if (!product || product->empty() || !schedule)
      return bad("a row lacks its product or its schedule");
    if (!row->get("microseconds"))
      continue;
    std::optional<double> time = row->getNumber("microseconds");
    if (!time || !std::isfinite(*time) || *time <= 0)
      return bad("the microseconds of " + quote(*product) + " are not a time");
    Best found{schedule->str(), *time};
    auto [place, isNew] = best.insert({*product, found});
    if (!isNew && *time < place->second.microseconds)
      place->second = found;
  }
  if (best.empty())
    return messages.error(
        Code::BadTuning, quote(path) + ": no row was measured",
        "run 'aik-run --tune=" + path + "' on the machine that is meant");
  for (auto &[product, found] : best)
    tuning.emplace_back(product.str(), found.schedule);
  return kExitOk;
}

namespace {
struct Candidate {
  std::string product, function, schedule;
};
} // namespace

static std::vector<Candidate> findCandidates(StringRef scheduled) {
  mlir::DialectRegistry registry;
  registerAIKernel(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::vector<Candidate> candidates;
  auto whole = mlir::parseSourceString<mlir::ModuleOp>(scheduled, &context);
  if (!whole)
    return candidates;
  for (auto module : whole->getOps<mlir::ModuleOp>()) {
    auto rows = module->getAttrOfType<mlir::ArrayAttr>(kCandidatesAttrName);
    if (!rows)
      continue;
    for (auto row : rows.getAsRange<mlir::DictionaryAttr>()) {
      auto word = [&](StringRef name) {
        return row.getAs<mlir::StringAttr>(name).str();
      };
      Candidate candidate{word("product"), word("function"), ""};
      llvm::raw_string_ostream(candidate.schedule) << row.get("schedule");
      candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

ExitStatus aikc::saveCandidates(const Options &options, Compiler &compiler,
                                const CompileOptions &given, StringRef program,
                                StringRef name, StringRef scheduled,
                                OutputFiles &outputs, Messages &messages) {
  std::vector<Candidate> candidates = findCandidates(scheduled);
  if (candidates.empty())
    return messages.error(Code::Unsupported,
                          "no kernel of this program has schedules to choose "
                          "from",
                          "products of matrices and attention have, for "
                          "nvidia:sm_90a");
  if (ExitStatus status = outputs.addFolder(options.candidatesFolder))
    return status;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  ExitStatus failure = kExitOk;
  json.object([&] {
    json.attribute("format", kFormat);
    json.attribute("version", kVersion);
    json.attributeArray("rows", [&] {
      for (size_t number = 0; number < candidates.size() && !failure;
           ++number) {
        const Candidate &candidate = candidates[number];
        CompileOptions again = given;
        again.onPhase = nullptr;
        again.onTime = nullptr;
        again.remarks = false;
        // One that came out slow is for the tuner to see.
        again.failOnWarnings = false;
        again.onDiagnostic = [&](const Diagnostic &diagnostic) {
          if (diagnostic.severity != Severity::Warning && given.onDiagnostic)
            given.onDiagnostic(diagnostic);
        };
        again.candidates = 0;
        again.tuning = {{candidate.product, candidate.schedule}};
        CompileResult result = compiler.compile(program, name, again);
        failure = result.status;
        std::string file = std::to_string(number) + ".aikx";
        if (!failure)
          failure = outputs.add(options.candidatesFolder + "/" + file,
                                std::move(result.bytes));
        json.object([&] {
          json.attribute("product", candidate.product);
          json.attribute("function", candidate.function);
          json.attribute("schedule", candidate.schedule);
          json.attribute("artifact", file);
        });
      }
    });
  });
  os << "\n";
  if (failure)
    return failure;
  return outputs.add(options.candidatesFolder + "/table.json", text);
}
