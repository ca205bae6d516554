//===- Messages.h - What aikc says, and how it looks ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: diagnostics. Out: on standard error, as
//
//   file:line:col: error: AIK-E0002: sentence
//     hint: what to do
//
// or as one JSON object per line.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_MESSAGES_H
#define AIKC_MESSAGES_H

#include "AIKernel/Support/Diagnostics.h"
#include <mutex>
#include <string>

namespace aikc {

using aikernel::Code;
using aikernel::ExitStatus;

enum class MessageFormat { Text, Json };
enum class ColorMode { Auto, Always, Never };

class Messages {
public:
  void setFormat(MessageFormat newFormat) { format = newFormat; }
  MessageFormat getFormat() const { return format; }
  void setColor(ColorMode mode);

  /// The diagnostic as it would be printed, for those who must not allocate
  /// when the time comes.
  std::string render(const aikernel::Diagnostic &diagnostic) const;
  std::string render(Code code, const std::string &sentence) const;

  /// May be called from several threads.
  void print(const aikernel::Diagnostic &diagnostic);

  /// An error without a place; gives the exit status that belongs to it. An
  /// empty hint stands for the code's own.
  ExitStatus error(Code code, const std::string &sentence,
                   const std::string &hint = "");
  /// A line of further information.
  void note(const std::string &sentence);

  /// Text that is no diagnostic (the table of --time).
  void printRaw(const std::string &text);

private:
  MessageFormat format = MessageFormat::Text;
  bool color = false;
  std::mutex mutex;
};

/// Writes all of it, also through short writes and interrupts. False: errno.
bool writeAll(int fd, llvm::StringRef bytes);

/// A name between quotes, without its middle when it is very long.
std::string quote(llvm::StringRef name);

/// "'a', 'b' or 'c'".
std::string listChoices(llvm::ArrayRef<llvm::StringRef> choices);

/// The candidate that a misspelt word probably stands for, or nothing.
llvm::StringRef findNearest(llvm::StringRef word,
                            llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace aikc

#endif // AIKC_MESSAGES_H
