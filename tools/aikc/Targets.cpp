//===- Targets.cpp - aikc targets -----------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Out: what can be compiled for, which of it runs here, and what `cpu` stands
// for on this machine.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Target/Target.h"
#include "Commands.h"
#include "Machine.h"
#include "Output.h"
#include "Wrap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

namespace {
struct TargetRow {
  StringRef name, summary;
  std::optional<bool> runsHere;    // none: it depends on what is plugged in
  std::vector<std::string> images; // the targets that it stands for
  std::vector<std::string> features;
};
} // namespace

static std::vector<TargetRow> collectTargets(const Machine &machine) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<AIKernelDialect>();
  std::vector<TargetRow> rows;
  for (const KnownTarget &known : getKnownTargets()) {
    TargetRow row;
    row.name = known.name;
    row.summary = known.summary;
    auto targets = parseTarget(known.name, &context);
    if (!targets) {
      llvm::consumeError(targets.takeError());
      rows.push_back(row);
      continue;
    }
    for (TargetAttr target : *targets) {
      row.images.push_back(target.getName().str());
      if (getArch(target) == AIK_ARCH_NONE)
        continue;
      row.runsHere = row.runsHere.value_or(false) ||
                     (getArch(target) == machine.arch &&
                      !(getFeatureBits(target) & ~machine.features));
    }
    llvm::SmallVector<StringRef> flags;
    targets->front().getFeatures().split(flags, ',', -1, false);
    for (StringRef flag : flags)
      row.features.push_back(flag.drop_front().str());
    rows.push_back(row);
  }
  return rows;
}

static std::string renderText(llvm::ArrayRef<TargetRow> rows,
                              const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0,-18}{1,-11}{2}\n", "target", "runs here",
                      "what it stands for");
  for (const TargetRow &row : rows)
    os << llvm::formatv("{0,-18}{1,-11}{2}\n", row.name,
                        !row.runsHere   ? "-"
                        : *row.runsHere ? "yes"
                                        : "no",
                        row.summary);
  os << "\n-: where there is such a GPU; 'aik-run FILE --list' says what is "
        "here.\nSeveral targets, separated by commas, give one artifact that "
        "picks "
        "at load.\nFeatures may be added to a level, as in "
        "cpu:aarch64+dotprod:\n";
  for (StringRef arch : {"x86_64", "aarch64"})
    os << wrapText((StringRef(arch == "x86_64" ? "x86-64" : arch) + ": " +
                    llvm::join(getFeatureNames(arch), " "))
                       .str(),
                   "  ");
  os << "\nThis machine: " << machine.archName << " with "
     << (machine.featureNames.empty() ? "its baseline only"
                                      : llvm::join(machine.featureNames, " "))
     << "\nHere 'cpu' stands for " << llvm::join(rows.front().images, " and ")
     << "\n";
  return text;
}

static std::string renderJson(llvm::ArrayRef<TargetRow> rows,
                              const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, 2);
  auto strings = [&](StringRef name, const auto &values) {
    json.attributeArray(name, [&] {
      for (StringRef value : values)
        json.value(value);
    });
  };
  json.object([&] {
    json.attributeArray("targets", [&] {
      for (const TargetRow &row : rows)
        json.object([&] {
          json.attribute("name", row.name);
          json.attribute("summary", row.summary);
          json.attribute("runs_here", row.runsHere
                                          ? llvm::json::Value(*row.runsHere)
                                          : llvm::json::Value(nullptr));
          strings("images", row.images);
          strings("features", row.features);
        });
    });
    json.attributeObject("features", [&] {
      for (StringRef arch : {"x86_64", "aarch64"})
        strings(arch, getFeatureNames(arch));
    });
    json.attributeObject("machine", [&] {
      json.attribute("arch", machine.archName);
      strings("features", machine.featureNames);
    });
  });
  os << "\n";
  return text;
}

ExitStatus aikc::runTargets(const Options &options, Messages &messages) {
  Machine machine;
  if (ExitStatus status = describeMachine(machine, messages))
    return status;
  std::vector<TargetRow> rows = collectTargets(machine);
  return printToUser(options.json ? renderJson(rows, machine)
                                  : renderText(rows, machine),
                     messages);
}
