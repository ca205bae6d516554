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
// the end of a page, are too few lines of one (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_WEIGHTSTREAMS_H
#define AIKERNEL_LIB_TRANSFORMS_WEIGHTSTREAMS_H

#include <cstdint>

namespace aikernel {

constexpr unsigned kStreams = 2;
constexpr int64_t kStreamBytesAhead = 2048;

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_WEIGHTSTREAMS_H
