//===- Diagnose.cpp - MLIR's diagnostics become coded ones ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: mlir::Diagnostic. Out: aikernel::Diagnostic with a code, a place and a
// hint. Only the first error of a failure is an error; what MLIR adds to it
// are notes.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Diagnose.h"
#include "Hints.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace aikernel;

Diagnose::Diagnose(MLIRContext &context, DiagnosticHandler handler,
                   bool remarks)
    : context(context), handler(std::move(handler)), remarks(remarks),
      scope(&context, [this](mlir::Diagnostic &diagnostic) {
        receive(diagnostic);
        return success();
      }) {}

/// The parser and the verifier have one stage each, but some of what they say
/// has a code of its own.
Code Diagnose::classify(StringRef &message) const {
  if (Code own = takeCode(message); own != Code::None)
    return own;
  // What upstream's bufferization will not do is not our failure.
  if (stage == Code::Internal &&
      (message.contains("not bufferizable") ||
       message.contains("is not equivalent to the corresponding iter") ||
       message.contains("bufferizes to a new allocation") ||
       message.contains("has no lowering")))
    return Code::Unsupported;
  if (stage != Code::Parse && stage != Code::Verify)
    return stage;
  StringRef op = message;
  if (op.consume_front("custom op '") && message.contains("is unknown"))
    // A word without a dialect is no operation at all.
    return op.take_until([](char c) { return c == '\''; }).contains('.')
               ? Code::UnknownOp
               : Code::Parse;
  if (message.contains("unregistered") || message.contains("is unknown") ||
      message.contains("not found for custom op"))
    return Code::UnknownOp;
  if (stage == Code::Verify &&
      (message.starts_with("'func.func' op argument") ||
       message.starts_with("'func.func' op result")))
    return Code::ArgumentAttribute;
  return stage;
}

static void setPlace(aikernel::Diagnostic &out, Location location) {
  if (auto place = location->findInstanceOf<FileLineColLoc>()) {
    out.file = place.getFilename().str();
    out.line = place.getLine();
    out.column = place.getColumn();
  }
}

/// The last quoted name before a place in the source.
static StringRef quotedNameBefore(StringRef source, Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return {};
  for (unsigned line = 1; line < place.getLine(); ++line)
    source = source.split('\n').second;
  StringRef before = source.split('\n').first.take_front(place.getColumn() - 1);
  return before.rsplit('"').first.rsplit('"').second;
}

/// Some of MLIR's sentences speak of its own tools and ways.
std::string Diagnose::reword(std::string message, Location location) const {
  StringRef text = message, name;
  // What no pattern wanted, of a program that the verifiers took.
  if (text.consume_front("failed to legalize operation '"))
    return ("'" + text.split('\'').first + "' has no lowering for its types")
        .str();
  if (text.starts_with("operation being parsed with an unregistered dialect"))
    name = quotedNameBefore(source, location);
  else if (text.contains("not found for custom op '"))
    name = text.rsplit("custom op '").second.split('\'').first;
  else
    return text.split(". If this is intended").first.str();
  return ("the operation '" + name + "' belongs to the unregistered dialect '" +
          name.split('.').first + "'")
      .str();
}

/// What only somebody who builds a compiler can use.
static bool isForDevelopers(StringRef note) {
  return note.starts_with("Available dialects:");
}

void Diagnose::receive(mlir::Diagnostic &diagnostic) {
  aikernel::Diagnostic out;
  std::string message = reword(diagnostic.str(), diagnostic.getLocation());
  StringRef text = message;
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    out.severity = status == kExitOk ? Severity::Error : Severity::Note;
    if (out.severity == Severity::Error)
      out.code = classify(text);
    break;
  case DiagnosticSeverity::Warning:
    out.severity = Severity::Warning;
    break;
  case DiagnosticSeverity::Remark:
    if (!remarks)
      return;
    out.severity = Severity::Remark;
    // MLIR prints: [Passed] name | Category:pass | Remark="sentence".
    if (StringRef sentence = text.split("Remark=\"").second; !sentence.empty())
      text = sentence.rsplit('"').first;
    break;
  case DiagnosticSeverity::Note:
    out.severity = Severity::Note;
    break;
  }
  out.message = text.str();
  setPlace(out, diagnostic.getLocation());
  SmallVector<aikernel::Diagnostic> notes;
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    aikernel::Diagnostic more;
    more.severity = Severity::Note;
    more.message = note.str();
    if (StringRef hint = more.message; hint.consume_front(kHintPrefix)) {
      out.hint = hint.str();
      continue;
    }
    if (isForDevelopers(more.message))
      continue;
    setPlace(more, note.getLocation());
    notes.push_back(std::move(more));
  }
  report(std::move(out));
  for (aikernel::Diagnostic &note : notes)
    report(std::move(note));
}

void Diagnose::report(aikernel::Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error) {
    status = getInfo(diagnostic.code).exitStatus;
    if (diagnostic.hint.empty())
      diagnostic.hint =
          chooseHint(diagnostic.code, diagnostic.message, context);
  }
  if (handler)
    handler(diagnostic);
}

void Diagnose::report(Code code, StringRef message) {
  aikernel::Diagnostic out;
  out.code = code == Code::None ? takeCode(message) : code;
  if (out.code == Code::None)
    out.code = stage;
  out.message = message.str();
  report(std::move(out));
}

bool Diagnose::ensureError() {
  if (status == kExitOk)
    report(stage, getInfo(stage).title);
  return false;
}
