//===- DeviceMemory.cpp - Buffers of devices with memory of their own -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device allocates and copies; here is the handle around it. A buffer
// keeps its device open.
//
//===----------------------------------------------------------------------===//

#include "Memory/DeviceMemory.h"

using namespace aik;

int32_t DeviceMemory::open(Device &owner, uint64_t byteCount, uint32_t flags,
                           DeviceMemory **out) {
  Runtime &runtime = owner.runtime;
  if (byteCount == 0 || byteCount > maxBytes)
    return fail(byteCount ? AIK_ENOMEM : AIK_EINVAL,
                "%llu bytes cannot be allocated",
                (unsigned long long)byteCount);
  if (flags & ~uint32_t(AIK_MEM_ALL_FLAGS))
    return fail(AIK_EINVAL, "unknown memory flags 0x%x", flags);
  DeviceMemory *memory = create<DeviceMemory>(runtime.sys, owner);
  if (!memory)
    return fail(AIK_ENOMEM, "no memory for a handle");
  uint64_t address = 0;
  if (int32_t status = owner.allocate(byteCount, address, memory->madeIn)) {
    dispose(runtime.sys, memory);
    return status;
  }
  memory->address = reinterpret_cast<uint8_t *>(address);
  memory->byteCount = byteCount;
  memory->device = owner.index;
  owner.users.fetch_add(1, std::memory_order_acq_rel);
  if (int32_t status = runtime.handles.insert(kind, memory)) {
    memory->destroy();
    return status;
  }
  runtime.trace.count(Counter::Allocations);
  runtime.trace.event(AIK_TRACE_MEMORY, memory->handle, byteCount);
  *out = memory;
  return 0;
}

void DeviceMemory::describe(aik_memory_info &out) const {
  out.address = nullptr;
  out.handle = handle;
  out.byte_count = byteCount;
  out.page_size = 0;
  out.locked = 1;
  out.huge = 0;
  out.numa = -1;
  out.device = device;
  out.device_address = reinterpret_cast<uint64_t>(address);
}

int32_t DeviceMemory::checkAlive() const {
  return madeIn == owner.memoryEpoch()
             ? 0
             : fail(AIK_ENOENT,
                    "the buffer's contents were lost when the device was "
                    "reset; free it and make a new one");
}

int32_t DeviceMemory::write(uint64_t offset, const void *source,
                            uint64_t bytes) {
  if (int32_t status = checkAlive())
    return status;
  return owner.copy(reinterpret_cast<uint64_t>(address) + offset,
                    reinterpret_cast<uint64_t>(source), bytes);
}

int32_t DeviceMemory::read(uint64_t offset, void *destination, uint64_t bytes) {
  if (int32_t status = checkAlive())
    return status;
  return owner.copy(reinterpret_cast<uint64_t>(destination),
                    reinterpret_cast<uint64_t>(address) + offset, bytes);
}

int32_t DeviceMemory::mapTo(Device &other, uint64_t &mapped) {
  if (&other != &owner)
    return fail(AIK_EOPNOTSUPP, "a buffer is seen by its own device alone");
  if (isMapped.exchange(true, std::memory_order_acq_rel))
    return fail(AIK_EEXIST, "the memory is mapped to device %u already",
                device);
  mapped = reinterpret_cast<uint64_t>(address);
  return 0;
}

void DeviceMemory::destroy() {
  runtime.trace.count(Counter::Frees);
  owner.release(reinterpret_cast<uint64_t>(address), madeIn);
  owner.users.fetch_sub(1, std::memory_order_acq_rel);
  dispose(runtime.sys, this);
}
