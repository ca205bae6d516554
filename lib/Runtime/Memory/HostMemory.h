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

#include "Core/Runtime.h"

namespace aik {

struct HostMemory : Object {
  static constexpr ObjectKind kind = ObjectKind::Memory;
  static constexpr uint64_t maxBytes = uint64_t(1) << 46;
  static constexpr uint64_t maxAlignment = uint64_t(1) << 30;
  static constexpr uint32_t maxMappedDevices = 32;

  explicit HostMemory(Runtime &runtime) : runtime(runtime) {}

  static int32_t open(Runtime &runtime, uint64_t byteCount, uint64_t alignment,
                      uint32_t flags, HostMemory **out);
  /// A private mapping of part of a file, for AIK_SYS_MEM_MMAP.
  static int32_t openFile(Runtime &runtime, uint64_t byteCount, uint32_t prot,
                          int fd, int64_t offset, HostMemory **out);
  /// The allocation that holds `address`, pinned, or null.
  static HostMemory *find(Runtime &runtime, uint64_t address);

  void describe(aik_memory_info &out) const;
  /// True when a packet of some queue that is not done yet names it.
  bool isInFlight() const;
  /// Makes it visible to a device; -EEXIST when it is already.
  int32_t mapTo(uint32_t deviceIndex);

  void destroy() override;

  Runtime &runtime;
  uint8_t *address = nullptr;
  uint64_t byteCount = 0;
  uint32_t device = AIK_NO_DEVICE;
  /// Made by AIK_SYS_MEM_MMAP: only AIK_SYS_MEM_MUNMAP frees it.
  bool isMapping = false;

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
  std::atomic<uint32_t> mappedDevices{0};
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_MEMORY_HOSTMEMORY_H
