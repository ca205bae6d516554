//===- Trace.cpp - Counters and recent events -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each slot is a sequence lock: a reader keeps an event only when the slot's
// ticket was the same before and after.
//
//===----------------------------------------------------------------------===//

#include "Trace/Trace.h"

using namespace aik;

void Trace::snapshot(aik_stats &out) const {
  // In the order of Counter.
  uint64_t *fields[] = {&out.runs,    &out.dense_copies,   &out.submissions,
                        &out.packets, &out.waits,          &out.allocations,
                        &out.frees,   &out.huge_fallbacks, &out.lock_fallbacks,
                        &out.faults,  &out.parallel_loops, &out.trace_events};
  static_assert(sizeof(fields) / sizeof(*fields) == size_t(Counter::Count), "");
  for (size_t i = 0; i < size_t(Counter::Count); ++i)
    *fields[i] = counters[i].load(std::memory_order_relaxed);
}

void Trace::emit(uint32_t id, uint64_t a, uint64_t b) {
  uint64_t index = written.fetch_add(1, std::memory_order_relaxed);
  Slot &slot = slots[index % slotCount];
  slot.ticket.store(2 * index + 1, std::memory_order_release);
  uint64_t words[4] = {sys.clockNs(), uint64_t(index) << 32 | id, a, b};
  for (int i = 0; i < 4; ++i)
    slot.words[i].store(words[i], std::memory_order_release);
  slot.ticket.store(2 * index + 2, std::memory_order_release);
  count(Counter::TraceEvents);
}

uint32_t Trace::read(aik_trace_event *out, uint32_t capacity) {
  ScopedLock lock(readMutex);
  uint64_t end = written.load(std::memory_order_acquire);
  if (end - readIndex > slotCount)
    readIndex = end - slotCount;
  uint32_t count = 0;
  for (; readIndex < end && count < capacity; ++readIndex) {
    Slot &slot = slots[readIndex % slotCount];
    uint64_t wanted = 2 * readIndex + 2;
    uint64_t before = slot.ticket.load(std::memory_order_acquire);
    if (before < wanted)
      break; // still being written
    uint64_t words[4];
    for (int i = 0; i < 4; ++i)
      words[i] = slot.words[i].load(std::memory_order_acquire);
    if (slot.ticket.load(std::memory_order_acquire) != wanted)
      continue; // overwritten meanwhile
    out[count++] = {words[0], uint32_t(words[1]), uint32_t(words[1] >> 32),
                    words[2], words[3]};
  }
  return count;
}
