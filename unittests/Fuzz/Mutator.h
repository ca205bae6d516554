//===- Mutator.h - Damages bytes in a repeatable way ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes and a random stream go in; bytes with one to eight changes come out.
// The stream is a function of one number, so every input can be made again.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_UNITTESTS_FUZZ_MUTATOR_H
#define AIK_UNITTESTS_FUZZ_MUTATOR_H

#include <cstdint>
#include <vector>

namespace aikfuzz {

using Bytes = std::vector<uint8_t>;

/// SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// In [0, bound); 0 when bound is 0.
  uint64_t below(uint64_t bound) { return bound ? next() % bound : 0; }
  bool oneIn(uint64_t n) { return below(n) == 0; }

private:
  uint64_t state;
};

/// Changes `bytes` in [begin, end). With `keepSize`, nothing is inserted or
/// removed.
void mutate(Random &random, Bytes &bytes, uint64_t begin, uint64_t end,
            bool keepSize);

/// Text pieces that parsers care about, put in or over `bytes`.
void mutateText(Random &random, Bytes &bytes,
                const std::vector<const char *> &words);

} // namespace aikfuzz

#endif // AIK_UNITTESTS_FUZZ_MUTATOR_H
