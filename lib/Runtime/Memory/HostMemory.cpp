//===- HostMemory.cpp - Huge and page-locked memory -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order is 1 GiB pages (if asked for), 2 MiB pages, transparent huge pages,
// small pages. Huge pages count as obtained only when they have been touched:
// a mapping alone may be promised and then fail with SIGBUS.
//
//===----------------------------------------------------------------------===//

#include "Memory/HostMemory.h"

#include <string.h>

using namespace aik;

namespace {
constexpr uint64_t hugeBytes = uint64_t(1) << 21;
constexpr uint64_t giantBytes = uint64_t(1) << 30;
/// Below this a huge page would be mostly waste.
constexpr uint64_t hugeWorthwhile = uint64_t(1) << 20;
constexpr uint64_t defaultAlignment = 64;

uint64_t roundUp(uint64_t value, uint64_t granule) {
  return (value + granule - 1) & ~(granule - 1);
}
} // namespace

int32_t HostMemory::open(Runtime &runtime, uint64_t byteCount,
                         uint64_t alignment, uint32_t flags, HostMemory **out) {
  if (alignment == 0)
    alignment = defaultAlignment;
  if (byteCount == 0 || byteCount > maxBytes)
    return fail(byteCount ? AIK_ENOMEM : AIK_EINVAL,
                "%llu bytes cannot be allocated",
                (unsigned long long)byteCount);
  if ((alignment & (alignment - 1)) != 0 || alignment > maxAlignment)
    return fail(
        AIK_EINVAL, "the alignment %llu is not a power of two up to %llu",
        (unsigned long long)alignment, (unsigned long long)maxAlignment);
  if (flags & ~uint32_t(AIK_MEM_ALL_FLAGS))
    return fail(AIK_EINVAL, "unknown memory flags 0x%x", flags);
  HostMemory *memory = create<HostMemory>(runtime.sys, runtime);
  if (!memory)
    return fail(AIK_ENOMEM, "no memory for a handle");
  int32_t status = memory->obtain(byteCount, alignment, flags);
  if (status == 0)
    status = runtime.handles.insert(kind, memory);
  if (status != 0) {
    memory->unmapAll();
    dispose(runtime.sys, memory);
    return status;
  }
  runtime.trace.count(Counter::Allocations);
  runtime.trace.event(AIK_TRACE_MEMORY, memory->handle, byteCount);
  *out = memory;
  return 0;
}

int32_t HostMemory::openFile(Runtime &runtime, uint64_t byteCount,
                             uint32_t prot, int fd, int64_t offset,
                             HostMemory **out) {
  if (byteCount == 0 || byteCount > maxBytes)
    return fail(AIK_EINVAL, "%llu bytes cannot be mapped",
                (unsigned long long)byteCount);
  HostMemory *memory = create<HostMemory>(runtime.sys, runtime);
  if (!memory)
    return fail(AIK_ENOMEM, "no memory for a handle");
  int64_t mapped = runtime.sys.mapFile(byteCount, prot, fd, offset);
  int32_t status = mapped < 0
                       ? failWith(mapped, 0, "the file cannot be mapped (%s)",
                                  aik_error_name(errorFromSys(mapped)))
                       : 0;
  if (status == 0) {
    memory->mapped = memory->address = reinterpret_cast<uint8_t *>(mapped);
    memory->mappedBytes = memory->byteCount = byteCount;
    memory->pageBytes = runtime.pageSize;
    status = runtime.handles.insert(kind, memory);
  }
  if (status != 0) {
    memory->unmapAll();
    dispose(runtime.sys, memory);
    return status;
  }
  runtime.trace.count(Counter::Allocations);
  *out = memory;
  return 0;
}

//===----------------------------------------------------------------------===//
// Obtaining pages
//===----------------------------------------------------------------------===//

int32_t HostMemory::obtain(uint64_t bytes, uint64_t alignment, uint32_t flags) {
  bool must = flags & AIK_MEM_HUGE_MUST;
  bool wanted = must || ((flags & AIK_MEM_HUGE_TRY) && bytes >= hugeWorthwhile);
  bool done = wanted && (((flags & AIK_MEM_HUGE_1G) &&
                          obtainHuge(bytes, alignment, PageKind::Huge1G)) ||
                         obtainHuge(bytes, alignment, PageKind::Huge2M));
  if (!done && must)
    return fail(AIK_ENOMEM,
                "no huge pages for %llu bytes; see /proc/sys/vm/nr_hugepages",
                (unsigned long long)bytes);
  if (!done && wanted)
    runtime.trace.count(Counter::HugeFallbacks);
  if (!done && !obtainSmall(bytes, alignment, wanted))
    return fail(AIK_ENOMEM, "no memory for %llu bytes",
                (unsigned long long)bytes);
  if (flags & (AIK_MEM_LOCK_TRY | AIK_MEM_LOCK_MUST))
    if (int32_t status = lockPages(flags))
      return status;
  if (flags & AIK_MEM_POPULATE &&
      (!runtime.adviceWorks ||
       runtime.sys.advise(address, byteCount, Advice::Populate) < 0))
    // Kernels before 5.14 cannot; touching does the same.
    for (uint64_t at = 0; at < byteCount; at += runtime.pageSize)
      static_cast<volatile uint8_t *>(address)[at] = 0;
  // Only touched pages can be joined to huge ones.
  bool touched = locked || (flags & AIK_MEM_POPULATE);
  if (huge == 1 && touched && runtime.adviceWorks &&
      runtime.sys.advise(address, byteCount, Advice::Collapse) >= 0)
    pageBytes = hugeBytes;
  return 0;
}

/// Maps `bytes` rounded up to `granule`, with room to align.
bool HostMemory::map(uint64_t bytes, uint64_t alignment, PageKind pages,
                     uint64_t granule) {
  uint64_t usable = roundUp(bytes, granule);
  uint64_t slack = alignment > granule ? alignment : 0;
  int64_t region = runtime.sys.mapAnonymous(usable + slack, pages);
  if (region < 0)
    return false;
  mapped = reinterpret_cast<void *>(region);
  mappedBytes = usable + slack;
  address = reinterpret_cast<uint8_t *>(roundUp(uint64_t(region), alignment));
  byteCount = usable;
  return true;
}

bool HostMemory::obtainHuge(uint64_t bytes, uint64_t alignment,
                            PageKind pages) {
  uint64_t granule = pages == PageKind::Huge1G ? giantBytes : hugeBytes;
  if (!map(bytes, alignment, pages, granule))
    return false;
  int64_t touched = runtime.sys.advise(mapped, mappedBytes, Advice::Populate);
  if (touched < 0 && touched != -AIK_EINVAL) {
    unmapAll();
    return false;
  }
  huge = 2;
  pageBytes = granule;
  return true;
}

bool HostMemory::obtainSmall(uint64_t bytes, uint64_t alignment,
                             bool transparent) {
  if (transparent && alignment < hugeBytes)
    alignment = hugeBytes;
  if (!map(bytes, alignment, PageKind::Small, runtime.pageSize))
    return false;
  pageBytes = runtime.pageSize;
  huge = transparent &&
         runtime.sys.advise(address, byteCount, Advice::TransparentHuge) >= 0;
  return true;
}

int32_t HostMemory::lockPages(uint32_t flags) {
  int64_t status = runtime.sys.lock(address, byteCount);
  if (status >= 0) {
    locked = true;
    // A child that touched the parent's locked pages would copy them.
    runtime.sys.advise(mapped, mappedBytes, Advice::DontFork);
    return 0;
  }
  if (flags & AIK_MEM_LOCK_MUST)
    return failWith(status, status == -AIK_EPERM ? AIK_EPERM : AIK_ENOMEM,
                    "%llu bytes cannot be page-locked; see `ulimit -l`",
                    (unsigned long long)byteCount);
  runtime.trace.count(Counter::LockFallbacks);
  return 0;
}

void HostMemory::unmapAll() {
  if (mapped)
    runtime.sys.unmap(mapped, mappedBytes);
  mapped = nullptr;
}

void HostMemory::destroy() {
  runtime.trace.count(Counter::Frees);
  for (auto &mapping : mappings)
    if (mapping.device) {
      mapping.device->unmapHost(address, mapping.madeIn);
      mapping.device->users.fetch_sub(1, std::memory_order_acq_rel);
    }
  unmapAll();
  dispose(runtime.sys, this);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

void HostMemory::describe(aik_memory_info &out) const {
  out.address = address;
  out.handle = handle;
  out.byte_count = byteCount;
  out.page_size = pageBytes;
  out.locked = locked;
  out.huge = huge;
  int64_t node = runtime.sys.numaNode(address);
  out.numa = node >= 0 ? int32_t(node) : -1;
  out.device = device;
  out.device_address = reinterpret_cast<uint64_t>(address);
}

int32_t HostMemory::write(uint64_t offset, const void *source, uint64_t bytes) {
  memcpy(address + offset, source, bytes);
  return 0;
}

int32_t HostMemory::read(uint64_t offset, void *destination, uint64_t bytes) {
  memcpy(destination, address + offset, bytes);
  return 0;
}

int32_t HostMemory::mapTo(Device &wanted, uint64_t &seenAt) {
  ScopedLock lock(mapMutex);
  for (auto &mapping : mappings) {
    if (mapping.device == &wanted)
      return fail(AIK_EEXIST, "the memory is mapped to device %u already",
                  wanted.index);
    if (mapping.device)
      continue;
    uint32_t madeIn = 0;
    if (int32_t status = wanted.mapHost(address, byteCount, seenAt, madeIn))
      return status;
    mapping = {&wanted, madeIn};
    wanted.users.fetch_add(1, std::memory_order_acq_rel);
    return 0;
  }
  return fail(AIK_EMFILE, "the memory is mapped to %u devices already",
              maxMappedDevices);
}
