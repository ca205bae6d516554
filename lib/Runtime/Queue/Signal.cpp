//===- Signal.cpp - Values that can be waited for -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A waiter counts itself, reads the futex word, looks at the value and sleeps
// on the word it read; who changes the value then changes the word. One of the
// two always sees the other.
//
//===----------------------------------------------------------------------===//

#include "Queue/Signal.h"

using namespace aik;

bool aik::holds(uint32_t condition, int64_t value, int64_t wanted) {
  return condition == AIK_WAIT_EQ   ? value == wanted
         : condition == AIK_WAIT_GE ? value >= wanted
                                    : value < wanted;
}

void Signal::wake() {
  memory.wakeWord.fetch_add(1, std::memory_order_seq_cst);
  if (memory.waiters.load(std::memory_order_seq_cst) != 0)
    wakeAll(sys, wordOf(memory.wakeWord));
}

void Signal::set(int64_t value) {
  memory.value.store(value, std::memory_order_release);
  wake();
}

void Signal::add(int64_t amount) {
  memory.value.fetch_add(amount, std::memory_order_acq_rel);
  wake();
}

void Signal::failWith(const FaultRecord &record) {
  {
    ScopedLock lock(failMutex);
    if (!failed.load(std::memory_order_relaxed))
      failure = record;
    failed.store(true, std::memory_order_release);
  }
  wake();
}

int32_t Signal::wait(uint32_t condition, int64_t wanted, int64_t timeoutNs,
                     uint64_t spinNs, const std::atomic<uint32_t> *stop) {
  // A wait that can be stopped from outside looks at `stop` this often.
  constexpr int64_t stopPollNs = 2000000;
  enum { Pending, Reached, Failed, Stopped } outcome = Pending;
  int64_t found = 0;
  auto settled = [&] {
    found = value();
    outcome = hasFailed()                                     ? Failed
              : holds(condition, found, wanted)               ? Reached
              : stop && stop->load(std::memory_order_acquire) ? Stopped
                                                              : Pending;
    return outcome != Pending;
  };
  Deadline deadline(sys, timeoutNs);
  bool done = timeoutNs == 0 ? settled() : spinUntil(sys, spinNs, settled);
  while (!done && !deadline.passed()) {
    memory.waiters.fetch_add(1, std::memory_order_seq_cst);
    uint32_t seen = memory.wakeWord.load(std::memory_order_seq_cst);
    done = settled();
    if (!done) {
      sys.futexWait(wordOf(memory.wakeWord), seen,
                    deadline.left(stop ? stopPollNs : -1));
      done = settled();
    }
    memory.waiters.fetch_sub(1, std::memory_order_relaxed);
  }
  switch (outcome) {
  case Reached:
    return 0;
  case Failed:
    return failAgain(failure);
  case Stopped:
    return fail(AIK_EAGAIN, "the wait was interrupted");
  case Pending:
    break;
  }
  constexpr const char *names[] = {"==", ">=", "<"};
  return fail(AIK_ETIMEDOUT,
              "the signal has the value %lld after %lld ns of waiting for %s "
              "%lld",
              (long long)found, (long long)timeoutNs, names[condition],
              (long long)wanted);
}

void Signal::destroy() { dispose(sys, this); }
