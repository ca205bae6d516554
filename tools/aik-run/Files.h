//===- Files.h - Reading and writing files safely -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// InputFile reads a regular file at offsets. OutputFile writes to a temporary
// name next to its target and renames at the end; when it goes away before
// commit, nothing is left behind.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_FILES_H
#define AIK_RUN_FILES_H

#include "Error.h"

#include <cstdint>

namespace aikrun {

class InputFile {
public:
  ~InputFile();
  Error open(const std::string &path);
  uint64_t size() const { return bytes; }
  /// Reads exactly `count` bytes from `offset` on.
  Error read(uint64_t offset, void *into, uint64_t count) const;

private:
  std::string name;
  int descriptor = -1;
  uint64_t bytes = 0;
};

class OutputFile {
public:
  OutputFile() = default;
  OutputFile(OutputFile &&other) noexcept;
  ~OutputFile();
  Error open(const std::string &path);
  Error write(const void *data, uint64_t count);
  /// Closes the file and gives it its name.
  Error commit();

private:
  Error failed(const char *what);

  std::string name, temporary;
  int descriptor = -1;
};

/// The whole of a text file of at most `cap` bytes; "-" is standard input.
Error readText(const std::string &path, uint64_t cap, std::string &text);

} // namespace aikrun

#endif // AIK_RUN_FILES_H
