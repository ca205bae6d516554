//===- Wait.h - Bounded spinning ------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short waits spin, because a futex costs microseconds. None spins for long
// unless each thread has a CPU: on a crowded machine the spinner holds up what
// it waits for.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_WAIT_H
#define AIKERNEL_RUNTIME_CORE_WAIT_H

#include "Sys.h"

#include <atomic>

namespace aik {

inline void relaxCpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/// True as soon as `done()` is; false when it was not within `spinNs`.
template <typename Condition>
bool spinUntil(Sys &sys, uint64_t spinNs, Condition done) {
  constexpr int looksPerClock = 32;
  if (done())
    return true;
  uint64_t begin = sys.clockNs();
  do {
    for (int i = 0; i < looksPerClock; ++i) {
      if (done())
        return true;
      relaxCpu();
    }
  } while (sys.clockNs() - begin < spinNs);
  return false;
}

/// The futex word inside an atomic.
inline const uint32_t *wordOf(const std::atomic<uint32_t> &word) {
  static_assert(sizeof(word) == sizeof(uint32_t), "used as a futex");
  return reinterpret_cast<const uint32_t *>(&word);
}

/// A point in time after which a wait gives up.
class Deadline {
public:
  Deadline(Sys &sys, int64_t timeoutNs) : sys(&sys), endless(timeoutNs < 0) {
    uint64_t now = endless ? 0 : sys.clockNs();
    if (!endless && __builtin_add_overflow(now, uint64_t(timeoutNs), &end))
      end = UINT64_MAX;
  }

  /// Nanoseconds left, at most `cap` (where cap >= 0); -1: no limit at all.
  int64_t left(int64_t cap = -1) const {
    if (endless)
      return cap;
    uint64_t now = sys->clockNs();
    uint64_t rest = now >= end ? 0 : end - now;
    if (rest > uint64_t(INT64_MAX))
      rest = uint64_t(INT64_MAX);
    return cap >= 0 && rest > uint64_t(cap) ? cap : int64_t(rest);
  }
  bool passed() const { return !endless && sys->clockNs() >= end; }

private:
  Sys *sys;
  bool endless;
  uint64_t end = 0;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_WAIT_H
