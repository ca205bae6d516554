//===- OpDocs.cpp - The dialect's documentation, as data ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: generated Markdown, whose form is known:
//
//   ### `aikernel.name` (::aikernel::NameOp)      starts an op
//   _Summary_
//   Syntax: and a fenced block
//   description, up to `Traits:`, `Interfaces:` or `Effects:`
//   #### Attributes:   rows of HTML
//   #### Operands:     rows of Markdown
//   #### Results:      rows of Markdown
//
// Out: one record per op.
//
//===----------------------------------------------------------------------===//

#include "OpDocs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace aikc;
using llvm::StringRef;

namespace {
struct Family {
  StringRef name, markdown;
};
// Made by CMake: {"Norm", R"(...)"},
const Family kFamilies[] = {
#include "OpDocs.inc"
};
} // namespace

/// "<tr><td><code>eps</code></td><td>type</td><td>what</td></tr>"
static OpField readHtmlRow(StringRef line) {
  llvm::SmallVector<StringRef, 4> cells;
  while (line.contains("<td>")) {
    line = line.split("<td>").second;
    cells.push_back(line.split("</td>").first);
  }
  if (cells.size() < 3)
    return {};
  StringRef name = cells[0];
  name.consume_front("<code>");
  name.consume_back("</code>");
  return {name.str(), cells[2].str()};
}

/// "| `x` | what |"
static OpField readMarkdownRow(StringRef line) {
  StringRef name = line.split('`').second.split('`').first;
  StringRef rest = line.split('`').second.split('`').second;
  return {name.str(), rest.trim("| ").str()};
}

/// TableGen makes the first letter of a summary a capital, which is wrong for
/// "x / (1 + exp(-x))".
static std::string readSummary(StringRef text) {
  std::string summary = text.str();
  if (summary.size() > 1 && !llvm::isUpper(summary[1]))
    summary[0] = llvm::toLower(summary[0]);
  return summary;
}

static OpDoc readOp(StringRef family, StringRef section) {
  OpDoc doc;
  doc.family = family.str();
  doc.name = section.split('`').second.split('`').first.str();
  enum { Before, Syntax, Description, Skipped, Fields } state = Before;
  std::vector<OpField> *fields = nullptr;
  auto [heading, rest] = section.split('\n');
  llvm::SmallVector<StringRef> lines;
  rest.split(lines, '\n');
  bool inFence = false;
  for (StringRef line : lines) {
    if (line.starts_with("#### ")) {
      state = Fields;
      fields = line.contains("Attributes") ? &doc.attributes
               : line.contains("Operands") ? &doc.operands
               : line.contains("Results")  ? &doc.results
                                           : nullptr;
      continue;
    }
    switch (state) {
    case Before:
      if (line.starts_with("_") && line.ends_with("_") && line.size() > 2)
        doc.summary = readSummary(line.drop_front().drop_back());
      else if (line == "Syntax:")
        state = Syntax;
      else if (!line.trim().empty()) {
        // An op with a parser of its own has no generated syntax.
        doc.description += line.str() + "\n";
        state = Description;
      }
      break;
    case Syntax:
      if (line.starts_with("```")) {
        if (inFence)
          state = Description;
        inFence = !inFence;
      } else if (inFence) {
        line.consume_front("operation ::= ");
        doc.syntax += (doc.syntax.empty() ? "" : "\n") + line.rtrim().str();
      }
      break;
    case Description:
      if (line.starts_with("Traits: ") || line.starts_with("Interfaces: ") ||
          line.starts_with("Effects: "))
        state = Skipped;
      else
        doc.description += line.str() + "\n";
      break;
    case Fields: {
      if (!fields)
        break;
      OpField field;
      if (line.starts_with("<tr><td>"))
        field = readHtmlRow(line);
      else if (line.starts_with("| `"))
        field = readMarkdownRow(line);
      if (!field.name.empty())
        fields->push_back(std::move(field));
      break;
    }
    case Skipped:
      break;
    }
  }
  doc.description = StringRef(doc.description).trim('\n').str();
  return doc;
}

std::vector<OpDoc> aikc::readOpDocs() {
  std::vector<OpDoc> docs;
  for (const Family &family : kFamilies) {
    StringRef rest = family.markdown.split("\n### ").second;
    while (!rest.empty()) {
      auto [section, next] = rest.split("\n### ");
      docs.push_back(readOp(family.name, section));
      rest = next;
    }
  }
  return docs;
}
