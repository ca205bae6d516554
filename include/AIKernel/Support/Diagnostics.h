//===- Diagnostics.h - Every error has a code -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what went wrong. Out: a diagnostic with a code (`AIK-E0002`), a sentence,
// a place, and a line that says what to do. The table of codes is what
// `aikc explain` prints; a code's exit status is part of it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_SUPPORT_DIAGNOSTICS_H
#define AIKERNEL_SUPPORT_DIAGNOSTICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>

namespace aikernel {

/// Exit statuses of all tools.
enum ExitStatus {
  kExitOk = 0,
  kExitInput = 1,
  kExitUsage = 2,
  kExitUnsupported = 3,
  kExitFile = 4,
  kExitLimit = 5,
  kExitMismatch = 6,
  kExitInternal = 70
};

/// The numbers after `AIK-E`.
enum class Code : unsigned {
  None = 0,
  Parse = 1,
  Verify = 2,
  UnknownOp = 3,
  Nesting = 4,
  LargeConstant = 5,
  Bytecode = 6,
  Unsupported = 7,
  ArgumentAttribute = 8,
  Contract = 9,
  FunctionForm = 10,
  ElementType = 11,
  TooMany = 12,
  Internal = 13,
  NoBackend = 14,
  NeededOnHost = 15,
  FlawedKernel = 16,
  UnknownOption = 100,
  MissingValue = 101,
  BadValue = 102,
  BadTarget = 103,
  Conflict = 104,
  NoInput = 105,
  UnknownCommand = 106,
  CannotRead = 200,
  CannotWrite = 201,
  NotAnArtifact = 202,
  BadTuning = 203,
  MemoryLimit = 300,
  TimeLimit = 301
};

struct CodeInfo {
  Code code;
  ExitStatus exitStatus;
  llvm::StringRef title;       // what happened, in a few words
  llvm::StringRef hint;        // what to do, one line
  llvm::StringRef explanation; // what `aikc explain` prints
};

/// All codes, in order.
llvm::ArrayRef<CodeInfo> getCodes();
const CodeInfo &getInfo(Code code);
/// "AIK-E0002".
std::string formatCode(Code code);
/// Reads a code at the start of a message ("AIK-E0007: ...") and removes it.
Code takeCode(llvm::StringRef &message);

enum class Severity { Error, Warning, Remark, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  Code code = Code::None;
  std::string file; // empty: no place
  unsigned line = 0, column = 0;
  std::string message;
  std::string hint;
};

using DiagnosticHandler = std::function<void(const Diagnostic &)>;

} // namespace aikernel

#endif // AIKERNEL_SUPPORT_DIAGNOSTICS_H
