//===- MemoryApi.cpp - C API: memory and buffers --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks pointers and handles, then calls HostMemory or, for a device with
// memory of its own, DeviceMemory.
//
//===----------------------------------------------------------------------===//

#include "Memory/DeviceMemory.h"
#include "Memory/HostMemory.h"

using namespace aik;

int32_t aik_memory_alloc(aik_runtime *runtime, uint64_t byteCount,
                         uint64_t alignment, uint32_t flags,
                         aik_memory_info *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  HostMemory *memory = nullptr;
  if (int32_t status =
          HostMemory::open(*runtime, byteCount, alignment, flags, &memory))
    return status;
  memory->describe(*out);
  return 0;
}

int32_t aik_memory_free(aik_runtime *runtime, aik_handle handle) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<MemoryObject> memory(runtime->handles, handle);
  if (!memory)
    return -AIK_ENOENT;
  if (memory->isInFlight())
    return fail(AIK_EBUSY, "a queued packet uses the memory");
  return runtime->handles.remove(handle, true);
}

int32_t aik_memory_query(aik_runtime *runtime, const void *address,
                         aik_memory_info *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  MemoryObject *memory =
      MemoryObject::find(*runtime, reinterpret_cast<uint64_t>(address));
  if (!memory)
    return fail(AIK_ENOENT, "%p lies in no memory of this runtime", address);
  memory->describe(*out);
  runtime->handles.unpin(memory->handle);
  return 0;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

int32_t aik_buffer_create(aik_runtime *runtime, aik_handle deviceHandle,
                          uint64_t byteCount, uint32_t flags,
                          aik_memory_info *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  Pin<Device> device(runtime->handles, deviceHandle);
  if (!device)
    return -AIK_ENOENT;
  if (device->isRemote()) {
    DeviceMemory *remote = nullptr;
    if (int32_t status = DeviceMemory::open(*device, byteCount, flags, &remote))
      return status;
    remote->describe(*out);
    return 0;
  }
  HostMemory *memory = nullptr;
  if (int32_t status = HostMemory::open(*runtime, byteCount, 0, flags, &memory))
    return status;
  memory->device = device->index;
  memory->describe(*out);
  return 0;
}

namespace {
/// Calls `copy` with the buffer when `bytes` at `offset` lie in it.
template <typename Copy>
int32_t accessBuffer(aik_runtime *runtime, aik_handle handle, uint64_t offset,
                     const void *host, uint64_t bytes, Copy copy) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<MemoryObject> memory(runtime->handles, handle);
  if (!memory)
    return -AIK_ENOENT;
  if (offset > memory->byteCount || bytes > memory->byteCount - offset)
    return fail(AIK_ERANGE,
                "%llu bytes at offset %llu do not lie in a buffer of %llu",
                (unsigned long long)bytes, (unsigned long long)offset,
                (unsigned long long)memory->byteCount);
  if (bytes == 0)
    return 0;
  if (int32_t status = needPointer(host, "host memory"))
    return status;
  return copy(*memory);
}
} // namespace

int32_t aik_buffer_write(aik_runtime *runtime, aik_handle buffer,
                         uint64_t offset, const void *source,
                         uint64_t byteCount) {
  return accessBuffer(runtime, buffer, offset, source, byteCount,
                      [&](MemoryObject &memory) {
                        return memory.write(offset, source, byteCount);
                      });
}

int32_t aik_buffer_read(aik_runtime *runtime, aik_handle buffer,
                        uint64_t offset, void *destination,
                        uint64_t byteCount) {
  return accessBuffer(runtime, buffer, offset, destination, byteCount,
                      [&](MemoryObject &memory) {
                        return memory.read(offset, destination, byteCount);
                      });
}
