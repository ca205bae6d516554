//===- Error.cpp - Coded errors of aik-run --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a code, a sentence and a hint to the two lines that a user reads:
//
//   aik-run: error: AIK-R0101: there is no option `--inptu`
//     hint: did you mean --input?
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <cstdarg>

namespace aikrun {

int exitStatus(Code code) {
  switch (code) {
#define AIK_RUN_CODE(NAME, NUMBER, EXIT, TITLE, HINT, EXPLANATION)             \
  case Code::NAME:                                                             \
    return EXIT;
#include "AIKernel-c/RunCodes.def"
  }
  return 70;
}

const char *usualHint(Code code) {
  switch (code) {
#define AIK_RUN_CODE(NAME, NUMBER, EXIT, TITLE, HINT, EXPLANATION)             \
  case Code::NAME:                                                             \
    return HINT;
#include "AIKernel-c/RunCodes.def"
  }
  return "";
}

std::string codeText(Code code) {
  return format("AIK-R%04u", static_cast<unsigned>(code));
}

int report(const Error &error) {
  // What the user has already been shown must not appear after the error.
  std::fflush(stdout);
  std::fprintf(stderr, "aik-run: error: %s: %s\n",
               codeText(error.code()).c_str(), error.sentence().c_str());
  std::fprintf(stderr, "  hint: %s\n",
               error.hint().empty() ? usualHint(error.code())
                                    : error.hint().c_str());
  return exitStatus(error.code());
}

void note(const std::string &sentence) {
  std::fflush(stdout);
  std::fprintf(stderr, "aik-run: note: %s\n", sentence.c_str());
}

std::string format(const char *pattern, ...) {
  va_list args, again;
  va_start(args, pattern);
  va_copy(again, args);
  int length = std::vsnprintf(nullptr, 0, pattern, args);
  va_end(args);
  std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
  if (length > 0)
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

std::string quoted(const std::string &text) {
  const size_t cap = 160;
  std::string out = "`";
  for (size_t i = 0; i < text.size() && i < cap; ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f)
      out += format("\\x%02x", c);
    else
      out += static_cast<char>(c);
  }
  if (text.size() > cap)
    out += "...";
  return out + "`";
}

} // namespace aikrun
