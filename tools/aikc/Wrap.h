//===- Wrap.h - Text in lines of a readable length ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a paragraph. Out: lines of at most 78 columns, each after a prefix.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_WRAP_H
#define AIKC_WRAP_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace aikc {

inline std::string wrapText(llvm::StringRef paragraph, llvm::StringRef prefix) {
  constexpr size_t kWidth = 78;
  llvm::SmallVector<llvm::StringRef> words;
  paragraph.split(words, ' ', -1, /*KeepEmpty=*/false);
  std::string text, line = prefix.str();
  bool first = true;
  for (llvm::StringRef word : words) {
    if (!first && line.size() + 1 + word.size() > kWidth) {
      text += line + "\n";
      line = prefix.str();
      first = true;
    }
    if (!first)
      line += ' ';
    line += word.str();
    first = false;
  }
  return text + line + "\n";
}

} // namespace aikc

#endif // AIKC_WRAP_H
