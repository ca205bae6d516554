//===- CommandQueue.cpp - Making, feeding and stopping a queue ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The side of the callers. QueueWorker.cpp has the other side.
//
//===----------------------------------------------------------------------===//

#include "Queue/CommandQueue.h"

#include "Memory/MemoryObject.h"

#include <string.h>

using namespace aik;

namespace {
constexpr uint64_t kernargAlignment = 64;

/// Takes a handle out of the table; the object goes with its last pin.
void discard(Runtime &runtime, ObjectKind kind, aik_handle handle) {
  if (handle && runtime.handles.pin(kind, handle)) {
    runtime.handles.remove(handle, false);
    runtime.handles.unpin(handle);
  }
}
} // namespace

int32_t CommandQueue::open(Device &device, const aik_queue_config &config,
                           CommandQueue **out) {
  Runtime &runtime = device.runtime;
  if (config.order > maxOrder)
    return fail(AIK_EINVAL,
                "a queue of 2^%u slots was asked for, 2^%u is the "
                "most",
                config.order, maxOrder);
  uint32_t open = 0;
  runtime.handles.forEach(ObjectKind::Queue,
                          [&](Object &) { return ++open < maxQueues; });
  if (open >= maxQueues)
    return fail(AIK_EMFILE, "%u queues are open", open);
  CommandQueue *queue = create<CommandQueue>(runtime.sys, device, config);
  if (!queue)
    return fail(AIK_ENOMEM, "no memory for a queue");
  device.users.fetch_add(1, std::memory_order_acq_rel);
  int32_t status = queue->build();
  if (status == 0)
    status = runtime.handles.insert(kind, queue);
  if (status != 0) {
    FaultRecord why = threadState().record;
    if (queue->workerStarted)
      queue->shutDown(AIK_QUEUE_ABORT, -1);
    queue->destroy();
    return failAgain(why);
  }
  *out = queue;
  return 0;
}

int32_t CommandQueue::build() {
  Sys &sys = runtime.sys;
  if (config.order == 0)
    config.order = defaultOrder;
  uint64_t ringBytes = Ring::regionBytes(config.order);
  uint64_t pages = runtime.pageSize - 1;
  mappedBytes = (ringBytes + config.kernarg_bytes + pages) & ~pages;
  int64_t region = sys.mapAnonymous(mappedBytes, PageKind::Small);
  if (region < 0) {
    mappedBytes = 0;
    return failWith(region, AIK_ENOMEM, "no memory for a ring of 2^%u packets",
                    config.order);
  }
  ring.format(reinterpret_cast<void *>(region), config.order,
              uint32_t(runtime.processId));
  kernarg = reinterpret_cast<uint8_t *>(region) + ringBytes;
  static_assert(AIK_RING_SLOTS % kernargAlignment == 0, "");

  timeline = create<Signal>(sys, sys, 0);
  if (!timeline)
    return fail(AIK_ENOMEM, "no memory for a signal");
  if (int32_t status = runtime.handles.insert(ObjectKind::Signal, timeline)) {
    dispose(sys, timeline);
    return status;
  }
  timelineHandle.store(timeline->handle, std::memory_order_release);
  int64_t status = sys.startThread(workerMain, this, &thread);
  if (status < 0)
    return failWith(status, 0, "the worker thread of a queue did not start");
  workerStarted = true;
  return 0;
}

void CommandQueue::destroy() {
  Sys &sys = runtime.sys;
  discard(runtime, ObjectKind::Signal,
          timelineHandle.load(std::memory_order_acquire));
  if (mappedBytes)
    sys.unmap(ring.region(), mappedBytes);
  device.users.fetch_sub(1, std::memory_order_acq_rel);
  dispose(sys, this);
}

void CommandQueue::describe(aik_queue_info &out) const {
  auto *region = static_cast<uint8_t *>(ring.region());
  out.queue = handle;
  out.timeline = timelineHandle.load(std::memory_order_acquire);
  out.region = region;
  out.slots = region + AIK_RING_SLOTS;
  out.slot_count = ring.slotCount();
  out.doorbell =
      reinterpret_cast<volatile uint64_t *>(region + AIK_RING_DOORBELL_AT);
  out.kernarg = config.kernarg_bytes ? kernarg : nullptr;
  out.kernarg_bytes = config.kernarg_bytes;
}

//===----------------------------------------------------------------------===//
// Submitting
//===----------------------------------------------------------------------===//

/// A program for one device may name a queue of another.
int32_t CommandQueue::checkMemory(const aik_packet *packets, uint64_t count) {
  const Device *other = nullptr;
  uint64_t number = 0;
  runtime.handles.forEach(ObjectKind::Memory, [&](Object &object) {
    auto &memory = static_cast<MemoryObject &>(object);
    const Device *owner = memory.soleUser();
    uint64_t begin = reinterpret_cast<uint64_t>(memory.address);
    for (number = 0; owner && owner != &device && number < count; ++number)
      if (namesMemory(packets[number], begin, begin + memory.byteCount)) {
        other = owner;
        return false;
      }
    return true;
  });
  if (!other)
    return 0;
  return fail(AIK_EINVAL,
              "packet %llu names memory of device %u, which device %u cannot "
              "reach",
              (unsigned long long)number, other->index, device.index);
}

int32_t CommandQueue::checkPackets(const aik_packet *packets, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    if (const char *reason = whyMalformed(packets[i]))
      return fail(AIK_EINVAL, "packet %llu %s", (unsigned long long)i, reason);
    aik_handle signals[6];
    uint32_t signalCount = signalsOf(packets[i], signals);
    if (aik_handle completion = packets[i].words[7])
      signals[signalCount++] = completion;
    for (uint32_t s = 0; s < signalCount; ++s) {
      if (!runtime.handles.pin(ObjectKind::Signal, signals[s]))
        return fail(AIK_EINVAL,
                    "packet %llu names 0x%llx, which is not a "
                    "signal",
                    (unsigned long long)i, (unsigned long long)signals[s]);
      runtime.handles.unpin(signals[s]);
    }
  }
  return checkMemory(packets, count);
}

int32_t CommandQueue::submit(const aik_packet *packets, uint64_t count,
                             aik_fence *fence) {
  if (count == 0)
    return fail(AIK_EINVAL, "a submission needs at least one packet");
  if (count > ring.slotCount())
    return fail(AIK_EINVAL, "%llu packets never fit a ring of %llu",
                (unsigned long long)count,
                (unsigned long long)ring.slotCount());
  if (int32_t status = checkPackets(packets, count))
    return status;

  submitters.fetch_add(1, std::memory_order_seq_cst);
  int32_t status = 0;
  uint64_t end = 0;
  if (!accepting.load(std::memory_order_seq_cst))
    status = fail(AIK_EBUSY, "the queue is being destroyed or reset");
  else if (poisoned.load(std::memory_order_seq_cst))
    status = failAgain(currentRecord());
  else if (!ring.trySubmit(packets, count, end))
    status = fail(AIK_EAGAIN, "the ring has no room for %llu packets now",
                  (unsigned long long)count);
  else if (fence)
    *fence = {timelineHandle.load(std::memory_order_acquire), end};
  submitters.fetch_sub(1, std::memory_order_seq_cst);
  if (status != 0)
    return status;
  runtime.trace.count(Counter::Submissions);
  runtime.trace.event(AIK_TRACE_SUBMIT, handle, end);
  return 0;
}

FaultRecord CommandQueue::currentRecord() {
  ScopedLock lock(recordMutex);
  return record;
}

//===----------------------------------------------------------------------===//
// Stopping
//===----------------------------------------------------------------------===//

/// Asks the worker and waits for its answer. False: it did not answer in time
/// and has been told to go on.
bool CommandQueue::ask(Control request, bool interruptPacket,
                       int64_t timeoutNs) {
  uint32_t before = answers.load(std::memory_order_acquire);
  accepting.store(false, std::memory_order_seq_cst);
  ring.setFlag(AIK_RING_DRAINING);
  interrupt.store(interruptPacket, std::memory_order_release);
  control.store(request, std::memory_order_seq_cst);
  ring.kickAlways();
  Deadline deadline(runtime.sys, timeoutNs);
  while (answers.load(std::memory_order_acquire) == before) {
    if (!deadline.passed()) {
      runtime.sys.futexWait(wordOf(answers), before, deadline.left());
      continue;
    }
    uint32_t asked = request;
    if (control.compare_exchange_strong(asked, Run)) {
      // The worker has not begun: take the request back.
      interrupt.store(0, std::memory_order_release);
      ring.clearFlag(AIK_RING_DRAINING);
      accepting.store(true, std::memory_order_seq_cst);
      return false;
    }
    deadline = Deadline(runtime.sys, -1);
  }
  return true;
}

int32_t CommandQueue::shutDown(uint32_t mode, int64_t timeoutNs) {
  if (!controlMutex.tryLock())
    return fail(AIK_EBUSY, "the queue is being destroyed or reset by another "
                           "thread");
  int32_t status = 0;
  bool abort = mode == AIK_QUEUE_ABORT;
  if (closed.load(std::memory_order_relaxed))
    status = fail(AIK_ENOENT, "the queue has been destroyed");
  else if (!ask(abort ? Abort : Drain, abort, timeoutNs))
    status = fail(AIK_ETIMEDOUT,
                  "the queue's packets are not done after %lld "
                  "ns",
                  (long long)timeoutNs);
  else {
    runtime.sys.joinThread(thread);
    closed.store(true, std::memory_order_relaxed);
  }
  controlMutex.unlock();
  return status;
}

int32_t CommandQueue::reset(int64_t timeoutNs) {
  if (!controlMutex.tryLock())
    return fail(AIK_EBUSY, "the queue is being destroyed or reset by another "
                           "thread");
  int32_t status = 0;
  Signal *fresh = nullptr;
  if (closed.load(std::memory_order_relaxed))
    status = 0; // nothing left to reset
  else if (!(fresh = create<Signal>(runtime.sys, runtime.sys, 0)))
    status = fail(AIK_ENOMEM, "no memory for a signal");
  else if ((status = runtime.handles.insert(ObjectKind::Signal, fresh)) != 0)
    dispose(runtime.sys, fresh);
  else {
    aik_handle old = timelineHandle.load(std::memory_order_acquire);
    nextTimeline = fresh;
    if (ask(Reset, true, timeoutNs)) {
      discard(runtime, ObjectKind::Signal, old);
    } else {
      nextTimeline = nullptr;
      discard(runtime, ObjectKind::Signal, fresh->handle);
      status = fail(AIK_EBUSY, "a kernel is still running after %lld ns",
                    (long long)timeoutNs);
    }
  }
  controlMutex.unlock();
  return status;
}
