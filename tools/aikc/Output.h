//===- Output.h - Files that appear whole or not at all -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the files of one run. Out: all of them, or none and a coded message.
// Each is written to a temporary file beside its final place; when all are
// written, they are renamed.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_OUTPUT_H
#define AIKC_OUTPUT_H

#include "Messages.h"
#include <string>
#include <vector>

namespace aikc {

class OutputFiles {
public:
  explicit OutputFiles(Messages &messages) : messages(messages) {}
  ~OutputFiles();
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;

  /// Makes the folder (not its parents) if it is not there; commit() keeps it.
  ExitStatus addFolder(const std::string &path);
  /// Writes the bytes to a temporary file. `-` is standard output, and devices
  /// and pipes are written directly: both wait for commit().
  ExitStatus add(const std::string &path, std::string bytes);
  /// Puts everything in its place.
  ExitStatus commit();

private:
  struct File {
    std::string path, temporary;
    int number = -1; // of Emergency.h
    bool done = false;
  };
  struct Stream {
    std::string path, bytes;
  };
  struct Folder {
    std::string path;
    int number = -1;
  };
  ExitStatus failToWrite(const std::string &path, int error);

  Messages &messages;
  std::vector<File> files;
  std::vector<Stream> streams;
  std::vector<Folder> folders;
};

/// Everything that a command prints for its user.
ExitStatus printToUser(const std::string &text, Messages &messages);

/// True when both paths lead to the same file.
bool isSameFile(const std::string &a, const std::string &b);

} // namespace aikc

#endif // AIKC_OUTPUT_H
