//===- Explain.cpp - aikc explain -----------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a code of aikc or aik-run, as a message shows it. Out: what it means and
// what to do. The word `all` gives the list.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Output.h"
#include "Wrap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

namespace {
/// A code of any of our tools.
struct Row {
  char tool; // the letter in AIK-Ennnn: E for the compiler, R for aik-run
  unsigned number;
  int exitStatus;
  StringRef title, hint, explanation;

  std::string name() const {
    std::string text;
    llvm::raw_string_ostream(text)
        << "AIK-" << tool << llvm::format("%04u", number);
    return text;
  }
};
} // namespace

static std::vector<Row> collectCodes() {
  std::vector<Row> rows;
  for (const CodeInfo &info : getCodes())
    rows.push_back({'E', static_cast<unsigned>(info.code), info.exitStatus,
                    info.title, info.hint, info.explanation});
#define AIK_RUN_CODE(NAME, NUMBER, EXIT, TITLE, HINT, EXPLANATION)             \
  rows.push_back({'R', NUMBER, EXIT, TITLE, HINT, EXPLANATION});
#include "AIKernel-c/RunCodes.def"
  return rows;
}

/// Accepts AIK-E0002, E0002, aik-e2 and 2, and the same with R; a number alone
/// is the compiler's where both have it.
static const Row *findCode(llvm::ArrayRef<Row> rows, StringRef word) {
  word.consume_front_insensitive("AIK-");
  char tool = 0;
  if (word.consume_front_insensitive("E"))
    tool = 'E';
  else if (word.consume_front_insensitive("R"))
    tool = 'R';
  unsigned number;
  if (word.getAsInteger(10, number))
    return nullptr;
  const Row *found = llvm::find_if(rows, [&](const Row &row) {
    return row.number == number && (!tool || row.tool == tool);
  });
  return found == rows.end() ? nullptr : found;
}

static void writeJson(llvm::json::OStream &json, const Row &row) {
  json.object([&] {
    json.attribute("code", row.name());
    json.attribute("exit_status", row.exitStatus);
    json.attribute("title", row.title);
    json.attribute("hint", row.hint);
    json.attribute("explanation", row.explanation);
  });
}

static std::string explain(const Row &row, bool asJson) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (asJson) {
    llvm::json::OStream json(os, 2);
    writeJson(json, row);
    os << "\n";
    return text;
  }
  os << row.name() << ": " << row.title << "\n\n"
     << wrapText(row.explanation, "") << "\n"
     << wrapText(("What to do: " + row.hint + ".").str(), "")
     << "The exit status is " << row.exitStatus << ".\n";
  return text;
}

static std::string listCodes(llvm::ArrayRef<Row> rows, bool asJson) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (asJson) {
    llvm::json::OStream json(os, 2);
    json.array([&] {
      for (const Row &row : rows)
        writeJson(json, row);
    });
    os << "\n";
    return text;
  }
  for (const Row &row : rows)
    os << row.name() << "  " << row.title << "\n";
  return text;
}

ExitStatus aikc::runExplain(const Options &options, Messages &messages) {
  std::vector<Row> rows = collectCodes();
  if (options.operand == "all")
    return printToUser(listCodes(rows, options.json), messages);
  if (const Row *row = findCode(rows, options.operand))
    return printToUser(explain(*row, options.json), messages);
  return messages.error(Code::BadValue,
                        quote(options.operand) +
                            " is not a code of aikc or aik-run",
                        "run 'aikc explain all' for the list");
}
