//===- CommandQueue.h - A ring, its timeline and its worker ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: packets. What comes out: their execution on the device, in
// order, by one worker thread; the timeline signal counts those that are done.
// A packet that fails poisons the queue: nothing more is executed, and every
// wait and submission gives that fault until the device is reset.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_QUEUE_COMMANDQUEUE_H
#define AIKERNEL_RUNTIME_QUEUE_COMMANDQUEUE_H

#include "Drivers/Driver.h"
#include "Queue/Packet.h"
#include "Queue/Ring.h"
#include "Queue/Signal.h"

namespace aik {

struct CommandQueue : Object {
  static constexpr ObjectKind kind = ObjectKind::Queue;
  static constexpr uint32_t maxOrder = 16;
  static constexpr uint32_t defaultOrder = 8;
  static constexpr uint32_t maxQueues = 256;

  /// Makes the queue, starts its worker and gives it a handle.
  static int32_t open(Device &device, const aik_queue_config &config,
                      CommandQueue **out);

  void describe(aik_queue_info &out) const;

  int32_t submit(const aik_packet *packets, uint64_t count, aik_fence *fence);
  void kick() { ring.kick(); }

  /// Stops the worker. -ETIMEDOUT: it goes on as before. -EBUSY: another
  /// thread is doing this.
  int32_t shutDown(uint32_t mode, int64_t timeoutNs);
  /// Drops all packets, clears the fault and takes a new timeline.
  int32_t reset(int64_t timeoutNs);

  /// True when `test` is true of a packet that is not done yet.
  template <typename Test>
  bool anyPending(Test test) {
    ScopedLock lock(retireMutex);
    return ring.anyPending(test);
  }

  bool timelineIs(aik_handle signal) const {
    return timelineHandle.load(std::memory_order_acquire) == signal;
  }

  void destroy() override;

  CommandQueue(Device &device, const aik_queue_config &config)
      : device(device), runtime(device.runtime), config(config),
        ring(device.runtime.sys) {}

  Device &device;

private:
  enum Control : uint32_t { Run, Drain, Abort, Reset, Resetting };

  int32_t build();
  int32_t checkPackets(const aik_packet *packets, uint64_t count);
  int32_t checkMemory(const aik_packet *packets, uint64_t count);
  bool ask(Control control, bool interruptPacket, int64_t timeoutNs);

  // On the worker thread.
  static void workerMain(void *opaque);
  void work();
  void step(uint32_t asked);
  void perform(const aik_packet &packet);
  int32_t execute(const aik_packet &packet);
  int32_t waitForBarrier(const aik_packet &packet);
  int32_t waitForSignal(aik_handle handle, uint32_t condition, int64_t value,
                        int64_t timeoutNs);
  void complete(const aik_packet &packet, bool succeeded);
  void poison(const aik_packet &packet, int32_t status);
  void dropPending(const FaultRecord &record);
  void finishReset();
  void watchForStall();
  void answer();

  FaultRecord currentRecord();

  Runtime &runtime;
  aik_queue_config config;
  Ring ring;
  uint64_t mappedBytes = 0;
  uint8_t *kernarg = nullptr;
  SysThread thread;
  bool workerStarted = false;

  /// What the worker is asked to do, and how it says that it has done so.
  std::atomic<uint32_t> control{Run};
  std::atomic<uint32_t> interrupt{0};
  std::atomic<uint32_t> answers{0};
  std::atomic<bool> workerFinished{false};
  std::atomic<bool> closed{false};
  Mutex controlMutex;

  /// Threads between their look at `accepting` and the end of publishing.
  std::atomic<uint32_t> submitters{0};
  std::atomic<bool> accepting{true};

  std::atomic<bool> poisoned{false};
  Mutex recordMutex;
  FaultRecord record;

  /// Held while a packet is retired: who looks through the pending packets
  /// may read their argument blocks.
  Mutex retireMutex;

  Signal *timeline = nullptr; // worker thread only, after build
  Signal *nextTimeline = nullptr;
  std::atomic<aik_handle> timelineHandle{0};

  uint64_t stalledSince = 0;
  uint64_t stalledIndex = 0;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_QUEUE_COMMANDQUEUE_H
