//===- Error.h - Coded errors of aik-run ----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An Error is either success or a code from RunCodes.def with one sentence
// and a hint, which is the code's own where there is no better one. No
// exception is used for errors that a user can cause.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_ERROR_H
#define AIK_RUN_ERROR_H

#include <cstdio>
#include <string>

namespace aikrun {

enum class Code : unsigned {
#define AIK_RUN_CODE(NAME, NUMBER, EXIT, TITLE, HINT, EXPLANATION)             \
  NAME = NUMBER,
#include "AIKernel-c/RunCodes.def"
};

/// The exit status that belongs to `code`.
int exitStatus(Code code);

/// What to do about it, in general.
const char *usualHint(Code code);

/// "AIK-R0101".
std::string codeText(Code code);

class [[nodiscard]] Error {
public:
  Error() = default;
  Error(Code code, std::string sentence, std::string hint = {})
      : failed(true), errorCode(code), text(std::move(sentence)),
        advice(std::move(hint)) {}

  /// True when this is a failure.
  explicit operator bool() const { return failed; }
  Code code() const { return errorCode; }
  const std::string &sentence() const { return text; }
  const std::string &hint() const { return advice; }

  /// Puts `where` and a colon before the sentence.
  Error at(const std::string &where) && {
    if (failed)
      text = where + ": " + text;
    return std::move(*this);
  }

private:
  bool failed = false;
  Code errorCode = Code::Internal;
  std::string text;
  std::string advice;
};

/// Writes the error and its hint to stderr; returns its exit status.
int report(const Error &error);

/// Writes a line that is not an error to stderr.
void note(const std::string &sentence);

/// printf into a string.
std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));

/// `text` in backquotes, with control bytes escaped and the length capped, so
/// that a hostile name cannot damage a terminal.
std::string quoted(const std::string &text);

} // namespace aikrun

#endif // AIK_RUN_ERROR_H
