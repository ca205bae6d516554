//===- Messages.cpp - What aikc says, and how it looks --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: diagnostics. Out: text or JSON lines on standard error.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

bool aikc::writeAll(int fd, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.drop_front(written);
  }
  return true;
}

std::string aikc::quote(StringRef name) {
  constexpr size_t kShown = 120;
  if (name.size() <= 2 * kShown)
    return ("'" + name + "'").str();
  return ("'" + name.take_front(kShown) + "..." + name.take_back(kShown) + "'")
      .str();
}

std::string aikc::listChoices(llvm::ArrayRef<StringRef> choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i)
      text += i + 1 == choices.size() ? " or " : ", ";
    text += quote(choices[i]);
  }
  return text;
}

StringRef aikc::findNearest(StringRef word,
                            llvm::ArrayRef<StringRef> candidates) {
  StringRef best;
  unsigned bestDistance = 1 + word.size() / 3;
  for (StringRef candidate : candidates) {
    unsigned distance = word.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance || (distance == bestDistance && best.empty())) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

static StringRef severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "error";
}

static StringRef severityColor(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "\033[1;31m";
  case Severity::Warning:
    return "\033[1;35m";
  case Severity::Remark:
    return "\033[1;34m";
  case Severity::Note:
    return "\033[1;36m";
  }
  return "";
}

/// One line, whatever the text holds: names of files and strings of programs
/// are not ours, and must not move the cursor of a terminal.
static std::string onOneLine(StringRef text) {
  std::string line;
  for (unsigned char c : text.trim()) {
    if (c == '\n' || c == '\t')
      line += ' ';
    else if (c < 0x20 || c == 0x7f) {
      llvm::raw_string_ostream stream(line);
      stream << "\\x" << llvm::hexdigit(c >> 4, true)
             << llvm::hexdigit(c & 15, true);
    } else
      line += c;
  }
  return line;
}

void Messages::setColor(ColorMode mode) {
  if (mode != ColorMode::Auto) {
    color = mode == ColorMode::Always;
    return;
  }
  const char *terminal = std::getenv("TERM");
  const char *noColor = std::getenv("NO_COLOR");
  color = ::isatty(STDERR_FILENO) && terminal &&
          StringRef(terminal) != "dumb" && !(noColor && *noColor);
}

std::string Messages::render(const Diagnostic &diagnostic) const {
  std::string hint = diagnostic.hint;
  if (hint.empty() && diagnostic.severity == Severity::Error &&
      diagnostic.code != Code::None)
    hint = getInfo(diagnostic.code).hint.str();

  std::string text;
  llvm::raw_string_ostream stream(text);
  if (format == MessageFormat::Json) {
    auto string = [](StringRef value) { return llvm::json::fixUTF8(value); };
    llvm::json::OStream json(stream);
    json.object([&] {
      json.attribute("severity", severityName(diagnostic.severity));
      if (diagnostic.code != Code::None)
        json.attribute("code", formatCode(diagnostic.code));
      if (!diagnostic.file.empty())
        json.attribute("file", string(diagnostic.file));
      if (diagnostic.line) {
        json.attribute("line", diagnostic.line);
        json.attribute("column", diagnostic.column);
      }
      json.attribute("message", string(onOneLine(diagnostic.message)));
      if (!hint.empty())
        json.attribute("hint", string(onOneLine(hint)));
    });
    stream << "\n";
    return text;
  }

  StringRef bold = color ? "\033[1m" : "", plain = color ? "\033[0m" : "";
  stream << bold;
  if (diagnostic.file.empty())
    stream << "aikc";
  else
    stream << onOneLine(diagnostic.file);
  if (diagnostic.line)
    stream << ":" << diagnostic.line << ":" << diagnostic.column;
  stream << ": " << plain;
  if (color)
    stream << severityColor(diagnostic.severity);
  stream << severityName(diagnostic.severity) << ": " << plain;
  if (diagnostic.code != Code::None)
    stream << formatCode(diagnostic.code) << ": ";
  stream << onOneLine(diagnostic.message) << "\n";
  if (!hint.empty())
    stream << "  hint: " << onOneLine(hint) << "\n";
  return text;
}

std::string Messages::render(Code code, const std::string &sentence) const {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = sentence;
  return render(diagnostic);
}

void Messages::print(const Diagnostic &diagnostic) {
  printRaw(render(diagnostic));
}

void Messages::printRaw(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  (void)writeAll(STDERR_FILENO, text);
}

ExitStatus Messages::error(Code code, const std::string &sentence,
                           const std::string &hint) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = sentence;
  diagnostic.hint = hint;
  print(diagnostic);
  return getInfo(code).exitStatus;
}

void Messages::note(const std::string &sentence) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Note;
  diagnostic.message = sentence;
  print(diagnostic);
}
