//===- Submit.c - Memory and queues, as compiled code asks for them -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the operands of the aikernel.mem and aikernel.gpu ops, as SubmitToRuntime
// passes them. Out: numbered calls of the runtime (AIK_SYS_* of Runtime.h) and
// the 64-byte packets that a queue executes.
//
// A queue that could not be had, or a submission that was refused, is
// remembered where it happened and comes back from the wait.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Runtime.h"

/// What !aikernel.queue, !aikernel.commands and !aikernel.fence are in memory;
/// SubmitToRuntime reserves four words for each.
typedef struct {
  int64_t device, queue, error, reserved;
} SubmitQueue;
typedef struct {
  aik_packet *packets;
  int64_t count;
  int64_t reserved[2];
} SubmitCommands;
typedef struct {
  aik_fence fence;
  int64_t error, reserved;
} SubmitFence;

static int64_t call(const aik_env *env, int64_t number, int64_t a0, int64_t a1,
                    int64_t a2, int64_t a3) {
  return env->syscall(env, number, a0, a1, a2, a3, 0, 0);
}

static int64_t address(const void *pointer) {
  return (int64_t)(uintptr_t)pointer;
}

static int sameName(const char *a, const char *b) {
  while (*a && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

/// Null where there is none left.
void *aik_submit_alloc(const aik_env *env, int64_t bytes) {
  aik_memory_info info = {.size = sizeof(info), .version = AIK_RUNTIME_VERSION};
  if (call(env, AIK_SYS_MEM_ALLOC_PINNED, bytes > 0 ? bytes : 1, 64, 0,
           address(&info)) < 0)
    return 0;
  return info.address;
}

static int64_t query(const aik_env *env, const void *memory,
                     aik_memory_info *info) {
  *info =
      (aik_memory_info){.size = sizeof(*info), .version = AIK_RUNTIME_VERSION};
  return call(env, AIK_SYS_MEM_QUERY, address(memory), address(info), 0, 0);
}

/// 0, or a negative error number.
int64_t aik_submit_free(const aik_env *env, void *memory) {
  aik_memory_info info;
  int64_t status = query(env, memory, &info);
  if (status < 0)
    return status;
  return call(env, AIK_SYS_MEM_FREE, (int64_t)info.handle, 0, 0, 0);
}

/// Of memory that is not the runtime's own: the page size is 0.
int64_t aik_submit_page_size(const aik_env *env, void *memory) {
  aik_memory_info info;
  return query(env, memory, &info) < 0 ? 0 : (int64_t)info.page_size;
}

int64_t aik_submit_is_locked(const aik_env *env, void *memory) {
  aik_memory_info info;
  return query(env, memory, &info) < 0 ? 0 : info.locked != 0;
}

static int64_t openDevice(const aik_env *env, const char *name) {
  aik_device_info devices[8];
  for (int i = 0; i < 8; ++i)
    devices[i] = (aik_device_info){.size = sizeof(devices[i]),
                                   .version = AIK_RUNTIME_VERSION};
  int64_t count = call(env, AIK_SYS_GPU_ENUMERATE, address(devices), 8, 0, 0);
  // The function runs here.
  if (sameName(name, "self"))
    name = "cpu";
  for (int64_t i = 0; i < count && i < 8; ++i)
    if (sameName(devices[i].name, name))
      return call(env, AIK_SYS_GPU_OPEN, devices[i].index, 0, 0, 0);
  return count < 0 ? count : -AIK_ENODEV;
}

void aik_submit_open(const aik_env *env, SubmitQueue *queue,
                     const char *device) {
  *queue = (SubmitQueue){0};
  queue->device = openDevice(env, device);
  if (queue->device < 0) {
    queue->error = queue->device;
    return;
  }
  aik_queue_info info = {.size = sizeof(info), .version = AIK_RUNTIME_VERSION};
  queue->queue =
      call(env, AIK_SYS_GPU_QUEUE_CREATE, queue->device, 0, address(&info), 0);
  if (queue->queue < 0) {
    queue->error = queue->queue;
    call(env, AIK_SYS_GPU_CLOSE, queue->device, 0, 0, 0);
  }
}

/// Finishes what was submitted.
void aik_submit_close(const aik_env *env, SubmitQueue *queue) {
  if (queue->error != 0)
    return;
  call(env, AIK_SYS_GPU_QUEUE_DESTROY, queue->queue, AIK_QUEUE_DRAIN, -1, 0);
  call(env, AIK_SYS_GPU_CLOSE, queue->device, 0, 0, 0);
  queue->error = -AIK_EBADF;
}

void aik_submit_launch(aik_packet *packet, aik_host_kernel kernel,
                       void *arguments, int64_t bytes) {
  *packet = (aik_packet){0};
  packet->kernel.header = AIK_PACKET_KERNEL | AIK_PACKET_BARRIER;
  packet->kernel.kernel_object = (uint64_t)(uintptr_t)kernel;
  packet->kernel.kernarg = (uint64_t)address(arguments);
  packet->kernel.kernarg_bytes = (uint64_t)bytes;
}

void aik_submit_copy(aik_packet *packet, void *destination, const void *source,
                     int64_t bytes) {
  *packet = (aik_packet){0};
  packet->copy.header = AIK_PACKET_VENDOR;
  packet->copy.subtype = AIK_VENDOR_COPY;
  packet->copy.destination = (uint64_t)address(destination);
  packet->copy.source = (uint64_t)address(source);
  packet->copy.byte_count = (uint64_t)bytes;
}

void aik_submit_fill(aik_packet *packet, void *destination, int64_t pattern,
                     int64_t patternBytes, int64_t bytes) {
  *packet = (aik_packet){0};
  packet->fill.header = AIK_PACKET_VENDOR;
  packet->fill.subtype = AIK_VENDOR_FILL;
  packet->fill.pattern_bytes = (uint32_t)patternBytes;
  packet->fill.destination = (uint64_t)address(destination);
  packet->fill.pattern = (uint64_t)pattern;
  packet->fill.byte_count = (uint64_t)bytes;
}

void aik_submit_barrier(aik_packet *packet) {
  *packet = (aik_packet){0};
  packet->barrier.header = AIK_PACKET_BARRIER_AND | AIK_PACKET_BARRIER;
}

void aik_submit_commands(const aik_env *env, const SubmitQueue *queue,
                         const SubmitCommands *commands, SubmitFence *fence) {
  *fence = (SubmitFence){0};
  if (queue->error != 0) {
    fence->error = queue->error;
    return;
  }
  int64_t status =
      call(env, AIK_SYS_GPU_SUBMIT, queue->queue, address(commands->packets),
           commands->count, address(&fence->fence));
  if (status < 0)
    fence->error = status;
}

/// 0, or a negative error number; a negative timeout waits for ever.
int32_t aik_submit_wait(const aik_env *env, const SubmitFence *fence,
                        int64_t timeout) {
  if (fence->error != 0)
    return (int32_t)fence->error;
  int64_t status = call(env, AIK_SYS_GPU_WAIT, (int64_t)fence->fence.signal,
                        AIK_WAIT_GE, (int64_t)fence->fence.value, timeout);
  return status < 0 ? (int32_t)status : 0;
}

//===----------------------------------------------------------------------===//
// In a launcher: the device that the function runs on
//===----------------------------------------------------------------------===//

void aik_commands_open(const aik_env *env, SubmitQueue *queue,
                       const char *device) {
  *queue = (SubmitQueue){0};
  queue->error = call(env, AIK_SYS_COMMANDS_OPEN, address(device), 0, 0, 0);
}

/// These two: 0, or a negative error number that ends the run.
int32_t aik_commands_begin(const aik_env *env, int64_t number) {
  return (int32_t)call(env, AIK_SYS_COMMANDS_BEGIN, number, 0, 0, 0);
}

int32_t aik_commands_end(const aik_env *env, int64_t number) {
  return (int32_t)call(env, AIK_SYS_COMMANDS_END, number, 0, 0, 0);
}

void aik_commands_submit(const aik_env *env, const SubmitQueue *queue,
                         int64_t number, SubmitFence *fence) {
  *fence = (SubmitFence){0};
  fence->error = queue->error;
  if (fence->error == 0)
    fence->error = call(env, AIK_SYS_COMMANDS_SUBMIT, number, 0, 0, 0);
}

int32_t aik_commands_wait(const aik_env *env, const SubmitFence *fence,
                          int64_t timeout) {
  if (fence->error != 0)
    return (int32_t)fence->error;
  return (int32_t)call(env, AIK_SYS_COMMANDS_WAIT, timeout, 0, 0, 0);
}
