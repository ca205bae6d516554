//===- Syscalls.cpp - The numbered calls ----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a number and six words from compiled code. What comes out: the
// result of the call of the C API with that number, or -ENOSYS. Files get
// handles like everything else; 0, 1 and 2 are the process's own.
//
//===----------------------------------------------------------------------===//

#include "Core/Artifact.h"
#include "Memory/HostMemory.h"
#include "Queue/CommandQueue.h"

#include <string.h>

using namespace aik;

namespace {
struct File : Object {
  static constexpr ObjectKind kind = ObjectKind::File;
  File(Sys &sys, int fd) : sys(sys), fd(fd) {}
  void destroy() override {
    sys.close(fd);
    dispose(sys, this);
  }
  Sys &sys;
  int fd;
};

constexpr size_t maxPath = 4096;

template <typename T>
T *pointer(int64_t word) {
  return reinterpret_cast<T *>(word);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

int64_t openFile(Runtime &runtime, const char *path, int64_t flags) {
  constexpr int64_t known = 3 | AIK_O_CREATE | AIK_O_TRUNCATE | AIK_O_APPEND;
  if (int32_t status = needPointer(path, "path"))
    return status;
  if ((flags & ~known) || (flags & 3) == 3)
    return fail(AIK_EINVAL, "unknown flags 0x%llx", (long long)flags);
  if (strnlen(path, maxPath) == maxPath)
    return fail(AIK_EINVAL, "a path has %zu characters or more", maxPath);
  int64_t fd = runtime.sys.open(path, uint32_t(flags));
  if (fd < 0 && errorFromSys(fd) == AIK_EINVAL)
    return fail(AIK_EINVAL, "'%s' is not a regular file", path);
  if (fd < 0)
    return failWith(fd, 0, "'%s' could not be opened (%s)", path,
                    aik_error_name(errorFromSys(fd)));
  File *file = create<File>(runtime.sys, runtime.sys, int(fd));
  if (!file) {
    runtime.sys.close(int(fd));
    return fail(AIK_ENOMEM, "no memory for a file handle");
  }
  if (int32_t status = runtime.handles.insert(ObjectKind::File, file)) {
    file->destroy();
    return status;
  }
  return int64_t(file->handle);
}

/// Calls `use` with the descriptor behind a handle.
template <typename Use>
int64_t withFile(Runtime &runtime, int64_t word, Use use) {
  if (word >= 0 && word <= 2)
    return use(int(word));
  Pin<File> file(runtime.handles, aik_handle(word));
  if (!file)
    return fail(AIK_EBADF, "0x%llx is not an open file", (long long)word);
  return use(file->fd);
}

int64_t transfer(Runtime &runtime, int64_t word, void *buffer, int64_t bytes,
                 bool isRead) {
  if (bytes < 0)
    return fail(AIK_EINVAL, "%lld bytes cannot be transferred",
                (long long)bytes);
  if (bytes && !buffer)
    return needPointer(buffer, "buffer");
  return withFile(runtime, word, [&](int fd) -> int64_t {
    int64_t count = isRead ? runtime.sys.read(fd, buffer, size_t(bytes))
                           : runtime.sys.write(fd, buffer, size_t(bytes));
    return count < 0 ? failWith(count, 0, "the file gave error %lld",
                                (long long)-count)
                     : count;
  });
}

int64_t closeFile(Runtime &runtime, int64_t word) {
  Pin<File> file(runtime.handles, aik_handle(word));
  if (!file)
    return fail(AIK_EBADF, "0x%llx is not an open file", (long long)word);
  return runtime.handles.remove(aik_handle(word), true);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int64_t mapMemory(Runtime &runtime, int64_t bytes, int64_t prot, int64_t flags,
                  int64_t file, int64_t offset) {
  constexpr int64_t known = AIK_PROT_READ | AIK_PROT_WRITE;
  if (bytes <= 0 || (prot & ~known) || prot == 0 || flags < 0)
    return fail(AIK_EINVAL, "%lld bytes with protection %lld cannot be mapped",
                (long long)bytes, (long long)prot);
  HostMemory *memory = nullptr;
  int64_t status;
  if (file == -1) {
    status = offset
                 ? fail(AIK_EINVAL, "anonymous memory has no offset")
                 : HostMemory::open(runtime, uint64_t(bytes), runtime.pageSize,
                                    uint32_t(flags), &memory);
    // Read-only memory of zeros, for completeness.
    if (status == 0 && !(prot & AIK_PROT_WRITE))
      runtime.sys.protect(memory->address, memory->byteCount, uint32_t(prot));
  } else {
    if (flags || offset < 0 || uint64_t(offset) % runtime.pageSize != 0)
      return fail(AIK_EINVAL, "a file mapping has no flags and begins at a "
                              "page");
    status = withFile(runtime, file, [&](int fd) -> int64_t {
      return HostMemory::openFile(runtime, uint64_t(bytes), uint32_t(prot), fd,
                                  offset, &memory);
    });
  }
  if (status != 0)
    return status;
  memory->isMapping = true;
  return reinterpret_cast<int64_t>(memory->address);
}

int64_t unmapMemory(Runtime &runtime, int64_t address, int64_t bytes) {
  MemoryObject *memory = MemoryObject::find(runtime, uint64_t(address));
  if (!memory)
    return fail(AIK_EINVAL, "no mapping begins at 0x%llx", (long long)address);
  uint64_t pages = runtime.pageSize - 1;
  uint64_t wanted = (uint64_t(bytes) + pages) & ~pages;
  uint64_t have = (memory->byteCount + pages) & ~pages;
  int64_t status = 0;
  if (!memory->isMapping || int64_t(memory->address) != address || bytes <= 0 ||
      wanted > have)
    status = fail(AIK_EINVAL,
                  "0x%llx is not the start of a mapping of %lld "
                  "bytes",
                  (long long)address, (long long)bytes);
  else if (memory->isInFlight())
    status = fail(AIK_EBUSY, "a queued packet uses the memory");
  else
    status = runtime.handles.remove(memory->handle, true);
  runtime.handles.unpin(memory->handle);
  return status;
}

int64_t mapToDevice(Runtime &runtime, aik_handle handle,
                    aik_handle deviceHandle, uint64_t *out) {
  if (int32_t status = needPointer(out, "out"))
    return status;
  Pin<MemoryObject> memory(runtime.handles, handle);
  if (!memory)
    return -AIK_ENOENT;
  Pin<Device> device(runtime.handles, deviceHandle);
  if (!device)
    return fail(AIK_ENODEV, "0x%llx is not an open device",
                (unsigned long long)deviceHandle);
  return memory->mapTo(*device, *out);
}

//===----------------------------------------------------------------------===//
// Waiting and time
//===----------------------------------------------------------------------===//

int64_t clock(Runtime &runtime, int64_t id, aik_handle device) {
  if (id == AIK_CLOCK_DEVICE) {
    // The devices of this build share the host's clock.
    Pin<Device> known(runtime.handles, device);
    if (!known)
      return -AIK_ENOENT;
  } else if (id != AIK_CLOCK_MONOTONIC) {
    return fail(AIK_EINVAL, "%lld is not a clock", (long long)id);
  }
  return int64_t(runtime.sys.clockNs());
}

int64_t waitOnWord(Runtime &runtime, const uint32_t *word, int64_t expected,
                   int64_t timeoutNs) {
  if (int32_t status = needPointer(word, "word"))
    return status;
  int64_t status = runtime.sys.futexWait(word, uint32_t(expected), timeoutNs);
  if (status >= 0)
    return 0;
  return failWith(status, 0, "the wait ended with %s",
                  aik_error_name(errorFromSys(status)));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

int64_t loadModule(Runtime &runtime, aik_handle device, const void *bytes,
                   int64_t byteCount, int64_t flags) {
  if (flags || byteCount < 0)
    return fail(AIK_EINVAL, "unknown flags or a negative size");
  aik_handle artifactHandle = 0, moduleHandle = 0;
  if (int32_t status = aik_artifact_open_memory(
          &runtime, bytes, size_t(byteCount), &artifactHandle))
    return status;
  int32_t status =
      aik_module_load(&runtime, artifactHandle, device, nullptr, &moduleHandle);
  if (status != 0) {
    aik_artifact_close(&runtime, artifactHandle);
    return status;
  }
  Pin<Module> module(runtime.handles, moduleHandle);
  if (module)
    module->ownsArtifact = true;
  return int64_t(moduleHandle);
}

int64_t findKernel(Runtime &runtime, aik_handle handle, const char *name,
                   aik_kernel_info *out) {
  if (int32_t status = needPointer(name, "name"))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  Pin<Module> module(runtime.handles, handle);
  if (!module)
    return -AIK_ENOENT;
  return module->findKernel(name, *out);
}

int64_t submit(Runtime &runtime, aik_handle queueHandle,
               const aik_packet *packets, int64_t count, aik_fence *fence) {
  if (packets)
    return aik_queue_submit(&runtime, queueHandle, packets, uint64_t(count),
                            fence);
  Pin<CommandQueue> queue(runtime.handles, queueHandle);
  if (!queue)
    return -AIK_ENOENT;
  queue->kick();
  return 0;
}

int64_t dispatch(Runtime &runtime, int64_t number, int64_t a0, int64_t a1,
                 int64_t a2, int64_t a3, int64_t a4, int64_t a5) {
  aik_handle handle = 0;
  int64_t status = 0;
  switch (number) {
  case AIK_SYS_ABI_INFO:
    if (a0 && a1 < int64_t(sizeof(aik_runtime_info)))
      return fail(AIK_EINVAL, "%lld bytes are too few for the information",
                  (long long)a1);
    return aik_runtime_describe(&runtime, pointer<aik_runtime_info>(a0));
  case AIK_SYS_PROC_EXIT:
    runtime.sys.exitProcess(int(a0));
    return 0;
  case AIK_SYS_IO_WRITE:
    return transfer(runtime, a0, pointer<void>(a1), a2, false);
  case AIK_SYS_IO_READ:
    return transfer(runtime, a0, pointer<void>(a1), a2, true);
  case AIK_SYS_IO_OPEN:
    return openFile(runtime, pointer<const char>(a0), a1);
  case AIK_SYS_IO_CLOSE:
    return closeFile(runtime, a0);
  case AIK_SYS_MEM_MMAP:
    return mapMemory(runtime, a1, a2, a3, a4, a5);
  case AIK_SYS_MEM_MUNMAP:
    return unmapMemory(runtime, a0, a1);
  case AIK_SYS_TIME_CLOCK:
    return clock(runtime, a0, aik_handle(a1));
  case AIK_SYS_SYNC_WAIT:
    return waitOnWord(runtime, pointer<const uint32_t>(a0), a1, a2);
  case AIK_SYS_SYNC_WAKE:
    if (int32_t bad = needPointer(pointer<void>(a0), "word"))
      return bad;
    return runtime.sys.futexWake(pointer<const uint32_t>(a0),
                                 a1 < 0 || a1 > INT32_MAX ? INT32_MAX
                                                          : int32_t(a1));
  case AIK_SYS_SCHED_YIELD:
    runtime.sys.yield();
    return 0;

  case AIK_SYS_MEM_ALLOC_PINNED:
    return aik_memory_alloc(&runtime, uint64_t(a0), uint64_t(a1),
                            a2 ? uint32_t(a2)
                               : uint32_t(AIK_MEM_HUGE_TRY | AIK_MEM_LOCK_TRY),
                            pointer<aik_memory_info>(a3));
  case AIK_SYS_MEM_FREE:
    return aik_memory_free(&runtime, aik_handle(a0));
  case AIK_SYS_MEM_MAP_DEVICE:
    return mapToDevice(runtime, aik_handle(a0), aik_handle(a1),
                       pointer<uint64_t>(a3));
  case AIK_SYS_MEM_QUERY:
    return aik_memory_query(&runtime, pointer<const void>(a0),
                            pointer<aik_memory_info>(a1));

  case AIK_SYS_GPU_ENUMERATE:
    return aik_device_enumerate(&runtime, pointer<aik_device_info>(a0),
                                uint32_t(a1));
  case AIK_SYS_GPU_OPEN:
    if (a1)
      return fail(AIK_EINVAL, "unknown flags 0x%llx", (long long)a1);
    status = openDevice(runtime, uint32_t(a0), &handle);
    return status ? status : int64_t(handle);
  case AIK_SYS_GPU_CLOSE:
    return aik_device_close(&runtime, aik_handle(a0));
  case AIK_SYS_GPU_MODULE_LOAD:
    return loadModule(runtime, aik_handle(a0), pointer<const void>(a1), a2, a3);
  case AIK_SYS_GPU_MODULE_UNLOAD:
    return aik_module_unload(&runtime, aik_handle(a0));
  case AIK_SYS_GPU_KERNEL:
    return findKernel(runtime, aik_handle(a0), pointer<const char>(a1),
                      pointer<aik_kernel_info>(a2));
  case AIK_SYS_GPU_QUEUE_CREATE:
    status = aik_queue_create(&runtime, aik_handle(a0),
                              pointer<const aik_queue_config>(a1),
                              pointer<aik_queue_info>(a2));
    return status ? status : int64_t(pointer<aik_queue_info>(a2)->queue);
  case AIK_SYS_GPU_QUEUE_DESTROY:
    return aik_queue_destroy(&runtime, aik_handle(a0), uint32_t(a1), a2);
  case AIK_SYS_GPU_SUBMIT:
    return submit(runtime, aik_handle(a0), pointer<const aik_packet>(a1), a2,
                  pointer<aik_fence>(a3));
  case AIK_SYS_GPU_WAIT:
    return aik_signal_wait(&runtime, aik_handle(a0), uint32_t(a1), a2, a3);
  case AIK_SYS_GPU_FAULT:
    return aik_device_fault(&runtime, aik_handle(a0), pointer<aik_fault>(a1));
  case AIK_SYS_GPU_RESET:
    return aik_device_reset(&runtime, aik_handle(a0));
  case AIK_SYS_GPU_SIGNAL_CREATE:
    status = aik_signal_create(&runtime, a0, &handle);
    return status ? status : int64_t(handle);
  case AIK_SYS_GPU_SIGNAL_DESTROY:
    return aik_signal_destroy(&runtime, aik_handle(a0));

  case AIK_SYS_TRACE_CTL:
    if (a0 & ~int64_t(AIK_TRACE_ALL))
      return fail(AIK_EINVAL, "unknown trace kinds 0x%llx", (long long)a0);
    return runtime.trace.setMask(uint32_t(a0));
  case AIK_SYS_TRACE_EMIT:
    runtime.trace.emit(uint32_t(a0), uint64_t(a1), uint64_t(a2));
    return 0;
  case AIK_SYS_STATS_READ:
    return aik_stats_read(&runtime, pointer<aik_stats>(a0));
  default:
    return fail(AIK_ENOSYS, "there is no call number %lld", (long long)number);
  }
}
} // namespace

int64_t aik_syscall(aik_runtime *runtime, int64_t number, int64_t a0,
                    int64_t a1, int64_t a2, int64_t a3, int64_t a4,
                    int64_t a5) {
  NumberedCall scope(number >= 0 && number < AIK_NO_NUMBER ? uint32_t(number)
                                                           : AIK_NO_NUMBER - 1);
  if (int32_t status = enter(runtime))
    return status;
  return dispatch(*runtime, number, a0, a1, a2, a3, a4, a5);
}
