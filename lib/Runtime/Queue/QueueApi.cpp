//===- QueueApi.cpp - C API: queues, fences, signals ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks pointers and handles, then calls CommandQueue and Signal.
//
//===----------------------------------------------------------------------===//

#include "Queue/CommandQueue.h"

using namespace aik;

int32_t aik_queue_create(aik_runtime *runtime, aik_handle deviceHandle,
                         const aik_queue_config *config, aik_queue_info *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  aik_queue_config chosen = {};
  AIK_INIT(&chosen);
  if (config) {
    if (int32_t status = needStruct(config, "config"))
      return status;
    chosen = *config;
  }
  Pin<Device> device(runtime->handles, deviceHandle);
  if (!device)
    return -AIK_ENOENT;
  CommandQueue *queue = nullptr;
  if (int32_t status = CommandQueue::open(*device, chosen, &queue))
    return status;
  queue->describe(*out);
  return 0;
}

int32_t aik_queue_destroy(aik_runtime *runtime, aik_handle handle,
                          uint32_t mode, int64_t timeoutNs) {
  if (int32_t status = enter(runtime))
    return status;
  if (mode > AIK_QUEUE_ABORT)
    return fail(AIK_EINVAL, "%u is not a way to destroy a queue", mode);
  Pin<CommandQueue> queue(runtime->handles, handle);
  if (!queue)
    return -AIK_ENOENT;
  if (int32_t status = queue->shutDown(mode, timeoutNs))
    return status;
  return runtime->handles.remove(handle, false);
}

int32_t aik_queue_submit(aik_runtime *runtime, aik_handle handle,
                         const aik_packet *packets, uint64_t count,
                         aik_fence *fence) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(packets, "packets"))
    return status;
  Pin<CommandQueue> queue(runtime->handles, handle);
  return queue ? queue->submit(packets, count, fence) : -AIK_ENOENT;
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

int32_t aik_signal_create(aik_runtime *runtime, int64_t initial,
                          aik_handle *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(out, "signal"))
    return status;
  Signal *signal = create<Signal>(runtime->sys, runtime->sys, initial);
  if (!signal)
    return fail(AIK_ENOMEM, "no memory for a signal");
  if (int32_t status = runtime->handles.insert(ObjectKind::Signal, signal)) {
    dispose(runtime->sys, signal);
    return status;
  }
  *out = signal->handle;
  return 0;
}

int32_t aik_signal_destroy(aik_runtime *runtime, aik_handle handle) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Signal> signal(runtime->handles, handle);
  if (!signal)
    return -AIK_ENOENT;
  bool busy = false;
  runtime->handles.forEach(ObjectKind::Queue, [&](Object &object) {
    auto &queue = static_cast<CommandQueue &>(object);
    busy = queue.timelineIs(handle) ||
           queue.anyPending([&](const aik_packet &packet) {
             return namesSignal(packet, handle);
           });
    return !busy;
  });
  if (busy)
    return fail(AIK_EBUSY, "a queue uses the signal");
  return runtime->handles.remove(handle, true);
}

int32_t aik_signal_read(aik_runtime *runtime, aik_handle handle,
                        int64_t *value) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(value, "value"))
    return status;
  Pin<Signal> signal(runtime->handles, handle);
  if (!signal)
    return -AIK_ENOENT;
  *value = signal->value();
  return signal->hasFailed() ? signal->wait(AIK_WAIT_EQ, *value, 0, 0, nullptr)
                             : 0;
}

int32_t aik_signal_set(aik_runtime *runtime, aik_handle handle, int64_t value) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Signal> signal(runtime->handles, handle);
  if (!signal)
    return -AIK_ENOENT;
  signal->set(value);
  return 0;
}

int32_t aik_signal_wait(aik_runtime *runtime, aik_handle handle,
                        uint32_t condition, int64_t value, int64_t timeoutNs) {
  if (int32_t status = enter(runtime))
    return status;
  if (condition > AIK_WAIT_LT)
    return fail(AIK_EINVAL, "%u is not a condition to wait for", condition);
  Pin<Signal> signal(runtime->handles, handle);
  if (!signal)
    return -AIK_ENOENT;
  runtime->trace.count(Counter::Waits);
  runtime->trace.event(AIK_TRACE_WAIT, handle, uint64_t(value));
  return signal->wait(condition, value, timeoutNs, runtime->spinNs, nullptr);
}

int32_t aik_fence_wait(aik_runtime *runtime, const aik_fence *fence,
                       int64_t timeoutNs) {
  if (int32_t status = needPointer(fence, "fence"))
    return status;
  return aik_signal_wait(runtime, fence->signal, AIK_WAIT_GE,
                         int64_t(fence->value), timeoutNs);
}
