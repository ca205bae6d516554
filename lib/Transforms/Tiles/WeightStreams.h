//===- WeightStreams.h - How weights come from memory ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a few rows are multiplied with is read once, from memory. On x86-64 that
// answers faster if it is read in several streams, each asked for a little
// ahead into L2: what L1 waits for at once, and what the hardware guesses up to
// the end of a page, are too few lines of one. On AArch64 the hardware follows
// one stream, but only into L2: L1 is asked for, unless a core has the later
// instructions (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_WEIGHTSTREAMS_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_WEIGHTSTREAMS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace aikernel {

struct WeightStreams {
  unsigned count = 1;     // that are read side by side
  int64_t bytesAhead = 0; // that are asked for, or nothing is
  unsigned locality = 2;  // of those: 2 is L2, 3 is L1
};

inline WeightStreams weightStreamsOf(llvm::StringRef arch) {
  if (arch == "x86_64")
    return {2, 2048, 2};
  if (arch == "aarch64")
    return {1, 512, 3};
  return {};
}

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_WEIGHTSTREAMS_H
