//===- LoopTimes.h - How long the loops of compiled code took -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what the iterations of a loop took on one thread. Out: what the next run
// of that loop would take on one thread, so that one that is over before
// another thread has woken up is not shared. Loops are known by their bodies;
// a slot that two of them share, or sizes that change inside iterations (a
// longer cache), make a guess wrong: it is looked at again while the loop runs
// (runWhileShort), and the run corrects it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_HOST_LOOPTIMES_H
#define AIKERNEL_RUNTIME_DRIVERS_HOST_LOOPTIMES_H

#include "AIKernel-c/Entry.h"

#include <atomic>

namespace aik {

class LoopTimes {
public:
  static constexpr uint64_t unknown = UINT64_MAX;

  /// Nanoseconds of `count` iterations on one thread, or unknown.
  uint64_t expect(aik_parallel_body body, int64_t count) const {
    uint64_t hash = hashOf(body);
    uint64_t entry = slots[slotOf(hash)].load(std::memory_order_relaxed);
    uint64_t total;
    if (entry >> 32 != hash >> 32 ||
        __builtin_mul_overflow(uint64_t(count), entry & UINT32_MAX, &total))
      return unknown;
    return total / fraction;
  }

  void note(aik_parallel_body body, int64_t iterations, uint64_t ns) {
    if (iterations <= 0)
      return;
    uint64_t hash = hashOf(body);
    uint64_t each =
        ns > longest ? UINT32_MAX : ns * fraction / uint64_t(iterations);
    if (each > UINT32_MAX)
      each = UINT32_MAX;
    slots[slotOf(hash)].store(hash >> 32 << 32 | each,
                              std::memory_order_relaxed);
  }

private:
  static constexpr uint64_t slotCount = 256;
  /// An iteration's time is kept in 64ths of a nanosecond, up to 67 ms.
  static constexpr uint64_t fraction = 64;
  static constexpr uint64_t longest = UINT64_MAX / fraction;

  /// Its upper half, which tells loops apart, is never that of an empty slot.
  static uint64_t hashOf(aik_parallel_body body) {
    return (reinterpret_cast<uint64_t>(body) * 0x9e3779b97f4a7c15u) |
           uint64_t(1) << 63;
  }
  static uint64_t slotOf(uint64_t hash) { return (hash >> 24) % slotCount; }

  std::atomic<uint64_t> slots[slotCount] = {};
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_HOST_LOOPTIMES_H
