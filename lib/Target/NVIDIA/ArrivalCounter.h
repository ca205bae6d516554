//===- ArrivalCounter.h - How many blocks have come
//------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: words of memory that nobody has set, one for each group of blocks. Out: a
// count of the group's blocks, without a kernel that sets it to zero first.
//
// A counter is a word with a mark, whose numbers are signaling NaN in every
// type of 16 and 32 bits, so that no arithmetic leaves it in memory. A block
// looks for the mark at its start and sets the word if there is none: exactly
// one of them does, since the word has to be what it has seen. Nobody has
// counted by then who would not have set it first, and it has its mark until
// the last block of the group, which all others came before, sets it back.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_ARRIVALCOUNTER_H
#define AIKERNEL_LIB_TARGET_NVIDIA_ARRIVALCOUNTER_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

class ArrivalCounter {
public:
  using Value = mlir::Value;

  /// Of all `counters`, an i64 memref, that of group `number`.
  ArrivalCounter(LoopBuilder &b, Value counters, Value number);

  /// What is in the word when the block begins. Whoever uses it waits for it.
  Value read();
  /// In one thread, before it or a thread behind a barrier counts.
  void prepare(Value found);
  /// In one thread: how many of the group were there before (i32).
  Value count();
  /// In one thread of the last block.
  void reset();

private:
  LoopBuilder &b;
  Value address;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_ARRIVALCOUNTER_H
