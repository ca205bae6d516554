//===- QueueWorker.cpp - Executing a queue's packets ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The worker's side of CommandQueue. A packet is copied once, checked, and
// then executed: synchronization here, everything else by the device.
//
//===----------------------------------------------------------------------===//

#include "Queue/CommandQueue.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

void CommandQueue::workerMain(void *opaque) {
  static_cast<CommandQueue *>(opaque)->work();
}

void CommandQueue::work() {
  while (!workerFinished.load(std::memory_order_relaxed))
    step(control.load(std::memory_order_acquire));
}

void CommandQueue::answer() {
  answers.fetch_add(1, std::memory_order_seq_cst);
  wakeAll(runtime.sys, wordOf(answers));
}

/// One packet, one request, or one rest.
void CommandQueue::step(uint32_t asked) {
  if (asked == Abort || asked == Reset) {
    uint32_t request = asked;
    if (control.compare_exchange_strong(request, Resetting)) {
      finishReset();
      if (asked == Abort)
        workerFinished.store(true, std::memory_order_relaxed);
      answer();
    }
    return;
  }
  aik_packet packet;
  if (ring.peek(packet)) {
    perform(packet);
    return;
  }
  if (asked == Drain) {
    uint32_t request = Drain;
    bool empty = submitters.load(std::memory_order_seq_cst) == 0 &&
                 ring.readIndex() == ring.writeIndex();
    if (!empty)
      runtime.sys.yield();
    else if (control.compare_exchange_strong(request, Resetting)) {
      workerFinished.store(true, std::memory_order_relaxed);
      answer();
    }
    return;
  }
  bool more = spinUntil(runtime.sys, runtime.spinNs, [&] {
    return ring.peek(packet) || control.load(std::memory_order_acquire) != Run;
  });
  if (more)
    return;
  watchForStall();
  int64_t rest = config.stall_ns ? int64_t(config.stall_ns / 4 + 1) : -1;
  ring.sleep(rest, control);
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

void CommandQueue::perform(const aik_packet &packet) {
  if (poisoned.load(std::memory_order_relaxed)) {
    complete(packet, false);
    return;
  }
  int32_t status = execute(packet);
  // An interrupted wait leaves its packet where it is: it is about to be
  // dropped, or the request is taken back and the packet is tried again.
  if (status == -AIK_EAGAIN && interrupt.load(std::memory_order_acquire) != 0 &&
      typeOf(packet) != AIK_PACKET_KERNEL)
    return;
  if (status < 0)
    poison(packet, status);
  runtime.trace.count(Counter::Packets);
  runtime.trace.event(AIK_TRACE_PACKET, handle, ring.readIndex());
  complete(packet, status >= 0);
}

int32_t CommandQueue::execute(const aik_packet &packet) {
  if (const char *reason = whyMalformed(packet))
    return fail(AIK_EINVAL, "a packet on the ring %s", reason);
  switch (typeOf(packet)) {
  case AIK_PACKET_BARRIER_AND:
  case AIK_PACKET_BARRIER_OR:
    return waitForBarrier(packet);
  case AIK_PACKET_VENDOR:
    if (packet.copy.subtype == AIK_VENDOR_WAIT_VALUE)
      return waitForSignal(packet.wait.signal, packet.wait.condition,
                           packet.wait.value, -1);
    if (packet.copy.subtype == AIK_VENDOR_SIGNAL) {
      Pin<Signal> signal(runtime.handles, packet.signal.signal);
      if (!signal)
        return -AIK_ENOENT;
      if (packet.signal.operation == AIK_SIGNAL_SET)
        signal->set(packet.signal.value);
      else
        signal->add(packet.signal.value);
      return 0;
    }
    return device.execute(packet);
  default: {
    uint64_t failures = threadState().failures;
    int32_t status = device.execute(packet);
    if (status < 0 && threadState().failures == failures)
      fail(AIK_EIO, "it gave no reason");
    return status;
  }
  }
}

int32_t CommandQueue::waitForSignal(aik_handle signalHandle, uint32_t condition,
                                    int64_t value, int64_t timeoutNs) {
  Pin<Signal> signal(runtime.handles, signalHandle);
  if (!signal)
    return -AIK_ENOENT;
  return signal->wait(condition, value, timeoutNs, runtime.spinNs, &interrupt);
}

int32_t CommandQueue::waitForBarrier(const aik_packet &packet) {
  constexpr int64_t turnNs = 200000;
  aik_handle signals[5];
  uint32_t count = signalsOf(packet, signals);
  if (typeOf(packet) == AIK_PACKET_BARRIER_AND) {
    for (uint32_t i = 0; i < count; ++i)
      if (int32_t status = waitForSignal(signals[i], AIK_WAIT_EQ, 0, -1))
        return status;
    return 0;
  }
  // OR: take turns; one signal alone can be slept on for longer.
  for (uint32_t i = 0; count != 0; i = (i + 1) % count) {
    int32_t status =
        waitForSignal(signals[i], AIK_WAIT_EQ, 0, count == 1 ? -1 : turnNs);
    if (status != -AIK_ETIMEDOUT)
      return status;
  }
  return 0;
}

/// Frees the slot first, so that whoever is told may free what it named.
void CommandQueue::complete(const aik_packet &packet, bool succeeded) {
  {
    ScopedLock lock(retireMutex);
    ring.retire();
  }
  if (aik_handle completion = packet.words[7]) {
    // A signal that is gone has nobody waiting for it.
    if (auto *signal = static_cast<Signal *>(
            runtime.handles.pin(ObjectKind::Signal, completion))) {
      if (succeeded)
        signal->add(-1);
      else
        signal->failWith(currentRecord());
      runtime.handles.unpin(completion);
    }
  }
  if (succeeded)
    timeline->set(int64_t(ring.readIndex()));
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

void CommandQueue::poison(const aik_packet &packet, int32_t status) {
  FaultRecord fresh = threadState().record;
  char reason[sizeof(fresh.message)];
  memcpy(reason, fresh.message, sizeof(reason));
  fresh.fault.number = AIK_SYS_GPU_SUBMIT;
  fresh.fault.backend_code = status;
  fresh.fault.device = device.index;
  if (typeOf(packet) == AIK_PACKET_KERNEL) {
    fresh.fault.address = packet.kernel.kernel_object;
    char name[AIK_MAX_NAME + 1];
    if (device.nameKernel(packet.kernel.kernel_object, name, sizeof(name)))
      fresh.fault.kernel_hash = aik_name_hash(name);
    else
      snprintf(name, sizeof(name), "0x%llx",
               (unsigned long long)packet.kernel.kernel_object);
    snprintf(fresh.message, sizeof(fresh.message),
             "kernel '%.100s' returned %d (%s): %.300s", name, status,
             aik_error_name(status), reason);
  }
  // What a wait returns is EIO, whatever the reason was; a dead producer keeps
  // its own number.
  fresh.fault.code = status == -AIK_EOWNERDEAD ? AIK_EOWNERDEAD : AIK_EIO;
  memset(fresh.fault.text, 0, sizeof(fresh.fault.text));
  memcpy(fresh.fault.text, fresh.message, sizeof(fresh.fault.text) - 1);
  {
    ScopedLock lock(recordMutex);
    record = fresh;
  }
  poisoned.store(true, std::memory_order_seq_cst);
  ring.publishFault(fresh.fault);
  ring.setFlag(AIK_RING_POISONED);
  device.noteFault(fresh);
  runtime.trace.count(Counter::Faults);
  runtime.trace.event(AIK_TRACE_FAULT, handle, uint64_t(int64_t(status)));
  timeline->failWith(fresh);
}

void CommandQueue::watchForStall() {
  uint64_t read = ring.readIndex();
  if (!config.stall_ns || read == ring.writeIndex()) {
    stalledSince = 0;
    return;
  }
  uint64_t now = runtime.sys.clockNs();
  if (stalledSince == 0 || stalledIndex != read) {
    stalledSince = now;
    stalledIndex = read;
  } else if (now - stalledSince > config.stall_ns && !poisoned.load()) {
    aik_packet nothing = {};
    poison(nothing, fail(AIK_EOWNERDEAD,
                         "packet %llu was reserved and not published for %llu "
                         "ns; its producer seems to be dead",
                         (unsigned long long)read,
                         (unsigned long long)(now - stalledSince)));
  }
}

//===----------------------------------------------------------------------===//
// Dropping everything
//===----------------------------------------------------------------------===//

void CommandQueue::dropPending(const FaultRecord &why) {
  {
    ScopedLock lock(recordMutex);
    if (!poisoned.load(std::memory_order_relaxed))
      record = why;
  }
  timeline->failWith(currentRecord());
  uint64_t end = ring.writeIndex();
  while (ring.readIndex() < end) {
    aik_packet packet;
    if (ring.peek(packet)) {
      complete(packet, false);
    } else {
      ScopedLock lock(retireMutex);
      ring.retire();
    }
  }
}

/// Serves Abort and Reset. No producer of ours is inside: none is accepted,
/// and those that were are waited for.
void CommandQueue::finishReset() {
  while (submitters.load(std::memory_order_seq_cst) != 0)
    runtime.sys.yield();
  fail(AIK_EIO, "the queue was destroyed or reset before the packet was done");
  dropPending(threadState().record);
  if (!nextTimeline)
    return;
  poisoned.store(false, std::memory_order_seq_cst);
  ring.clearFlag(AIK_RING_POISONED | AIK_RING_DRAINING);
  timeline = nextTimeline;
  nextTimeline = nullptr;
  timeline->set(int64_t(ring.readIndex()));
  timelineHandle.store(timeline->handle, std::memory_order_release);
  ring.setEpoch(device.epoch.load(std::memory_order_acquire) + 1);
  interrupt.store(0, std::memory_order_release);
  control.store(Run, std::memory_order_release);
  accepting.store(true, std::memory_order_seq_cst);
}
