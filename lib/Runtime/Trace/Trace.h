//===- Trace.h - Counters and recent events -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: what the runtime does. What comes out: a snapshot of counters,
// and the latest events of the kinds that were asked for, in a ring that
// overwrites its oldest entries. Emitting takes no lock and allocates nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_TRACE_TRACE_H
#define AIKERNEL_RUNTIME_TRACE_TRACE_H

#include "AIKernel-c/Runtime.h"
#include "Core/Memory.h"

#include <atomic>

namespace aik {

enum class Counter {
  Runs,
  DenseCopies,
  Submissions,
  Packets,
  Waits,
  Allocations,
  Frees,
  HugeFallbacks,
  LockFallbacks,
  Faults,
  ParallelLoops,
  TraceEvents,
  Count
};

class Trace {
public:
  explicit Trace(Sys &sys) : sys(sys) {}

  void count(Counter counter, uint64_t amount = 1) {
    counters[size_t(counter)].fetch_add(amount, std::memory_order_relaxed);
  }
  void snapshot(aik_stats &out) const;

  uint32_t setMask(uint32_t mask) {
    return enabled.exchange(mask, std::memory_order_relaxed);
  }
  /// Records an event of one AIK_TRACE_* kind if that kind was asked for.
  void event(uint32_t kind, uint64_t a, uint64_t b) {
    if (enabled.load(std::memory_order_relaxed) & kind)
      emit(kind, a, b);
  }
  void emit(uint32_t id, uint64_t a, uint64_t b);
  uint32_t read(aik_trace_event *out, uint32_t capacity);

private:
  static constexpr uint64_t slotCount = 512;

  /// `ticket` is 2n+1 while event n is being written, 2n+2 when it is there.
  struct Slot {
    std::atomic<uint64_t> ticket{0};
    std::atomic<uint64_t> words[4] = {};
  };

  Sys &sys;
  std::atomic<uint32_t> enabled{0};
  std::atomic<uint64_t> counters[size_t(Counter::Count)] = {};
  std::atomic<uint64_t> written{0};
  Mutex readMutex;
  uint64_t readIndex = 0;
  Slot slots[slotCount];
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_TRACE_TRACE_H
