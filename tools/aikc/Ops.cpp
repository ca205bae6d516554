//===- Ops.cpp - aikc ops -------------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the name of an op, or nothing. Out: its contract, or the list of all
// ops by family. The text is what TableGen makes of the dialect's definitions
// (OpDocs.h); the dialect itself is asked which ops exist, so that the two
// cannot drift apart unnoticed.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "Commands.h"
#include "OpDocs.h"
#include "Output.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

/// The documented ops that the dialect really has, by family.
static std::vector<OpDoc> collectOps() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<AIKernelDialect>();
  std::vector<OpDoc> ops;
  for (OpDoc &doc : readOpDocs())
    if (mlir::RegisteredOperationName::lookup(doc.name, &context))
      ops.push_back(std::move(doc));
  return ops;
}

static void writeFields(llvm::json::OStream &json, StringRef name,
                        llvm::ArrayRef<OpField> fields) {
  json.attributeArray(name, [&] {
    for (const OpField &field : fields)
      json.object([&] {
        json.attribute("name", field.name);
        json.attribute("description", field.description);
      });
  });
}

static void writeJson(llvm::json::OStream &json, const OpDoc &doc) {
  json.object([&] {
    json.attribute("name", doc.name);
    json.attribute("family", doc.family);
    json.attribute("summary", doc.summary);
    json.attribute("syntax", doc.syntax);
    json.attribute("description", doc.description);
    writeFields(json, "operands", doc.operands);
    writeFields(json, "attributes", doc.attributes);
    writeFields(json, "results", doc.results);
  });
}

static void printFields(llvm::raw_ostream &os, StringRef title,
                        llvm::ArrayRef<OpField> fields) {
  if (fields.empty())
    return;
  os << "\n" << title << ":\n";
  for (const OpField &field : fields)
    os << "  " << field.name << ": " << field.description << "\n";
}

static void printOp(llvm::raw_ostream &os, const OpDoc &doc) {
  os << doc.name << ": " << doc.summary << "\n\n"
     << doc.description << "\n\nSyntax:\n  " << doc.syntax << "\n";
  printFields(os, "Operands", doc.operands);
  printFields(os, "Attributes", doc.attributes);
  printFields(os, "Results", doc.results);
}

static void printList(llvm::raw_ostream &os, llvm::ArrayRef<OpDoc> ops) {
  size_t width = 0;
  for (const OpDoc &doc : ops)
    width = std::max(width, doc.name.size());
  StringRef family;
  for (const OpDoc &doc : ops) {
    if (doc.family != family) {
      os << (family.empty() ? "" : "\n") << doc.family << ":\n";
      family = doc.family;
    }
    os << "  " << doc.name;
    os.indent(width - doc.name.size() + 2) << doc.summary << "\n";
  }
}

ExitStatus aikc::runOps(const Options &options, Messages &messages) {
  std::vector<OpDoc> ops = collectOps();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, 2);
  if (options.operand.empty()) {
    if (options.json)
      json.array([&] {
        for (const OpDoc &doc : ops)
          writeJson(json, doc);
      });
    else
      printList(os, ops);
    os << (options.json ? "\n" : "");
    return printToUser(text, messages);
  }

  StringRef wanted = options.operand;
  wanted.consume_front("aikernel.");
  llvm::SmallVector<StringRef> names;
  for (const OpDoc &doc : ops) {
    StringRef name = StringRef(doc.name).split('.').second;
    names.push_back(name);
    if (name != wanted)
      continue;
    if (options.json) {
      writeJson(json, doc);
      os << "\n";
    } else {
      printOp(os, doc);
    }
    return printToUser(text, messages);
  }
  StringRef nearest = findNearest(wanted, names);
  return messages.error(
      Code::BadValue,
      "there is no operation " + quote("aikernel." + wanted.str()),
      nearest.empty() ? "run 'aikc ops' for the list"
                      : "did you mean " + quote(nearest) + "?");
}
