//===- Readers.h - The readers that are fuzzed ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Reader per kind of input: it makes input number `index` and gives it to
// the code under test. "Accepted" and "refused" are both right; a sanitizer's
// report, a crash or a hang are not.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_UNITTESTS_FUZZ_READERS_H
#define AIK_UNITTESTS_FUZZ_READERS_H

#include "Mutator.h"

#include <memory>
#include <string>

namespace aikfuzz {

class Reader {
public:
  virtual ~Reader() = default;
  /// The input of that number; depends on the number and the seeds alone.
  virtual Bytes make(uint64_t index) = 0;
  /// True: accepted.
  virtual bool read(const Bytes &input, uint64_t index) = 0;
};

/// .aikx files, from whole seed files.
std::unique_ptr<Reader> makeArtifactReader(std::vector<Bytes> seeds);
/// Code for NVIDIA GPUs.
std::unique_ptr<Reader> makeCubinReader();
/// .npy files.
std::unique_ptr<Reader> makeNpyReader();
/// Benchmark reports.
std::unique_ptr<Reader> makeJsonReader();
/// Command lines: words separated by newlines.
std::unique_ptr<Reader> makeCommandLineReader();

/// A file without a name, for code that wants a path.
class MemoryFile {
public:
  explicit MemoryFile(const Bytes &bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  const std::string &path() const { return name; }

private:
  int descriptor;
  std::string name;
};

} // namespace aikfuzz

#endif // AIK_UNITTESTS_FUZZ_READERS_H
