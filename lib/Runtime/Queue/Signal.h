//===- Signal.h - Values that can be waited for ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 64-bit value, laid out as AMD's amd_signal_t, with a futex beside it.
// Packets decrement it when they are done, a queue's timeline counts up. A
// signal can also fail: then every wait gives the fault of the queue that
// should have set it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_QUEUE_SIGNAL_H
#define AIKERNEL_RUNTIME_QUEUE_SIGNAL_H

#include "Core/HandleTable.h"
#include "Core/Wait.h"

namespace aik {

/// The memory of a signal: 64 bytes.
struct alignas(64) SignalMemory {
  int64_t kind = 1;
  std::atomic<int64_t> value{0};
  uint64_t eventMailbox = 0;
  uint32_t eventId = 0;
  uint32_t reserved1 = 0;
  std::atomic<uint64_t> startNs{0};
  std::atomic<uint64_t> endNs{0};
  uint64_t queue = 0;
  std::atomic<uint32_t> wakeWord{0};
  std::atomic<uint32_t> waiters{0};
};
static_assert(sizeof(SignalMemory) == 64, "as amd_signal_t");

struct Signal : Object {
  static constexpr ObjectKind kind = ObjectKind::Signal;

  Signal(Sys &sys, int64_t initial) : sys(sys) {
    memory.value.store(initial, std::memory_order_relaxed);
  }

  int64_t value() const { return memory.value.load(std::memory_order_acquire); }
  void set(int64_t value);
  void add(int64_t amount);
  /// The first failure stays.
  void failWith(const FaultRecord &record);
  bool hasFailed() const { return failed.load(std::memory_order_acquire); }

  /// 0, -ETIMEDOUT or the failure. `stop` (may be null) ends the wait with
  /// -EAGAIN when it is not zero.
  int32_t wait(uint32_t condition, int64_t wanted, int64_t timeoutNs,
               uint64_t spinNs, const std::atomic<uint32_t> *stop);

  void destroy() override;

  Sys &sys;
  SignalMemory memory;

private:
  void wake();

  Mutex failMutex;
  std::atomic<bool> failed{false};
  FaultRecord failure;
};

/// True when `value` EQ/GE/LT `wanted`.
bool holds(uint32_t condition, int64_t value, int64_t wanted);

} // namespace aik

#endif // AIKERNEL_RUNTIME_QUEUE_SIGNAL_H
