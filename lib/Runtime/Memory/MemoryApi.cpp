//===- MemoryApi.cpp - C API: memory and buffers --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks pointers and handles, then calls HostMemory.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Driver.h"
#include "Memory/HostMemory.h"

#include <string.h>

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
  Pin<HostMemory> memory(runtime->handles, handle);
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
  HostMemory *memory =
      HostMemory::find(*runtime, reinterpret_cast<uint64_t>(address));
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
  HostMemory *memory = nullptr;
  if (int32_t status = HostMemory::open(*runtime, byteCount, 0, flags, &memory))
    return status;
  memory->device = device->index;
  memory->describe(*out);
  return 0;
}

namespace {
/// The address of `bytes` at `offset` of a buffer, pinned meanwhile.
template <typename Copy>
int32_t accessBuffer(aik_runtime *runtime, aik_handle handle, uint64_t offset,
                     const void *host, uint64_t bytes, Copy copy) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<HostMemory> memory(runtime->handles, handle);
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
  copy(memory->address + offset);
  return 0;
}
} // namespace

int32_t aik_buffer_write(aik_runtime *runtime, aik_handle buffer,
                         uint64_t offset, const void *source,
                         uint64_t byteCount) {
  return accessBuffer(
      runtime, buffer, offset, source, byteCount,
      [&](uint8_t *address) { memcpy(address, source, byteCount); });
}

int32_t aik_buffer_read(aik_runtime *runtime, aik_handle buffer,
                        uint64_t offset, void *destination,
                        uint64_t byteCount) {
  return accessBuffer(
      runtime, buffer, offset, destination, byteCount,
      [&](uint8_t *address) { memcpy(destination, address, byteCount); });
}
