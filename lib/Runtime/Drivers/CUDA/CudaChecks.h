//===- CudaChecks.h - Who is told of a failed check -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After a check of a module's kernels has failed, its kernels do nothing until
// the status word is cleared, whoever launched them. What goes in: which thread
// launched, by the device's count of launches, and the check that was found.
// What comes out: whether a thread that waits has to be told of it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDACHECKS_H
#define AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDACHECKS_H

#include <stdint.h>

namespace aik {

class CudaChecks {
public:
  /// The thread has launched number `number` (from 1) and is to be told how
  /// that went.
  void expect(const void *thread, uint64_t number, bool isOnCallersStream) {
    if (entries[recent].thread != thread || !entries[recent].since)
      addThread(thread, number);
    entries[recent].isOnCallersStream |= isOnCallersStream;
  }

  /// Check number `which` (from 1) was found; launches up to `number` may have
  /// done nothing.
  void noteFailure(uint32_t which, uint64_t number) {
    failed = which;
    failedUpTo = number;
    isTold = false;
  }

  /// The number of the failed check that the thread has not been told of, or
  /// 0. `callersMayPend`: what it has on streams of its own may not be done
  /// yet. `takesAny`: it is told of a failure that nobody was told of, too.
  uint32_t take(const void *thread, bool callersMayPend, bool takesAny) {
    bool isHit = failed && takesAny && !isTold;
    for (Entry &entry : entries) {
      if (entry.thread != thread || !entry.since)
        continue;
      isHit |= failed && entry.since <= failedUpTo;
      if (isHit || !(callersMayPend && entry.isOnCallersStream))
        entry = {};
    }
    isTold |= isHit;
    return isHit ? failed : 0;
  }

  void forget() { *this = CudaChecks(); }

private:
  /// Launches from `since` (0: none) were not waited for.
  struct Entry {
    const void *thread = nullptr;
    uint64_t since = 0;
    bool isOnCallersStream = false;
  };

  void addThread(const void *thread, uint64_t number) {
    uint32_t place = 0;
    for (uint32_t i = 0; i < threads; ++i) {
      if (entries[i].thread == thread && entries[i].since) {
        recent = i;
        return;
      }
      // A free one, or the one that has not waited for longest.
      if (entries[i].since < entries[place].since)
        place = i;
    }
    entries[place] = {thread, number, false};
    recent = place;
  }

  static constexpr uint32_t threads = 32;

  Entry entries[threads];
  uint32_t recent = 0;
  uint32_t failed = 0;
  uint64_t failedUpTo = 0;
  bool isTold = true;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDACHECKS_H
