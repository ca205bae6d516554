//===- Explain.cpp - aikc explain -----------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a code as a message shows it. Out: what it means and what to do. The word
// `all` gives the list.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Output.h"
#include "Wrap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

/// Accepts AIK-E0002, E0002, aik-e2 and 2.
static const CodeInfo *findCode(StringRef word) {
  StringRef rest = word;
  rest.consume_front_insensitive("AIK-");
  rest.consume_front_insensitive("E");
  unsigned number;
  if (rest.getAsInteger(10, number))
    return nullptr;
  for (const CodeInfo &info : getCodes())
    if (static_cast<unsigned>(info.code) == number)
      return &info;
  return nullptr;
}

static void writeJson(llvm::json::OStream &json, const CodeInfo &info) {
  json.object([&] {
    json.attribute("code", formatCode(info.code));
    json.attribute("exit_status", static_cast<int>(info.exitStatus));
    json.attribute("title", info.title);
    json.attribute("hint", info.hint);
    json.attribute("explanation", info.explanation);
  });
}

static std::string explain(const CodeInfo &info, bool asJson) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (asJson) {
    llvm::json::OStream json(os, 2);
    writeJson(json, info);
    os << "\n";
    return text;
  }
  os << formatCode(info.code) << ": " << info.title << "\n\n"
     << wrapText(info.explanation, "") << "\n"
     << wrapText(("What to do: " + info.hint + ".").str(), "")
     << "The exit status is " << static_cast<int>(info.exitStatus) << ".\n";
  return text;
}

static std::string listCodes(bool asJson) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (asJson) {
    llvm::json::OStream json(os, 2);
    json.array([&] {
      for (const CodeInfo &info : getCodes())
        writeJson(json, info);
    });
    os << "\n";
    return text;
  }
  for (const CodeInfo &info : getCodes())
    os << formatCode(info.code) << "  " << info.title << "\n";
  return text;
}

ExitStatus aikc::runExplain(const Options &options, Messages &messages) {
  if (options.operand == "all")
    return printToUser(listCodes(options.json), messages);
  if (const CodeInfo *info = findCode(options.operand))
    return printToUser(explain(*info, options.json), messages);
  return messages.error(Code::BadValue,
                        quote(options.operand) + " is not a code of aikc",
                        "run 'aikc explain all' for the list");
}
