//===- HostMemory.h - Huge and page-locked memory -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: bytes, alignment and wishes (AIK_MEM_*). What comes out: zeroed
// memory and a report of what was obtained. A wish that cannot be met falls
// back and is counted; one with _MUST fails.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_MEMORY_HOSTMEMORY_H
#define AIKERNEL_RUNTIME_MEMORY_HOSTMEMORY_H

#include "Memory/MemoryObject.h"

namespace aik {

struct HostMemory final : MemoryObject {
  static constexpr uint64_t maxAlignment = uint64_t(1) << 30;
  static constexpr uint32_t maxMappedDevices = 4;

  explicit HostMemory(Runtime &runtime) : MemoryObject(runtime) {}

  static int32_t open(Runtime &runtime, uint64_t byteCount, uint64_t alignment,
                      uint32_t flags, HostMemory **out);
  /// A private mapping of part of a file, for AIK_SYS_MEM_MMAP.
  static int32_t openFile(Runtime &runtime, uint64_t byteCount, uint32_t prot,
                          int fd, int64_t offset, HostMemory **out);

  void describe(aik_memory_info &out) const override;
  int32_t write(uint64_t offset, const void *source, uint64_t bytes) override;
  int32_t read(uint64_t offset, void *destination, uint64_t bytes) override;
  int32_t mapTo(Device &device, uint64_t &mapped) override;

  void destroy() override;

private:
  int32_t obtain(uint64_t bytes, uint64_t alignment, uint32_t flags);
  bool obtainHuge(uint64_t bytes, uint64_t alignment, PageKind pages);
  bool obtainSmall(uint64_t bytes, uint64_t alignment, bool transparent);
  bool map(uint64_t bytes, uint64_t alignment, PageKind pages,
           uint64_t granule);
  int32_t lockPages(uint32_t flags);
  void unmapAll();

  void *mapped = nullptr;
  uint64_t mappedBytes = 0;
  uint64_t pageBytes = 0;
  uint32_t huge = 0;
  bool locked = false;
  /// The devices that see it; it keeps them open.
  Mutex mapMutex;
  struct {
    Device *device;
    uint32_t madeIn;
  } mappings[maxMappedDevices] = {};
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_MEMORY_HOSTMEMORY_H
