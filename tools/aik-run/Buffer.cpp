//===- Buffer.cpp - Memory for inputs and outputs -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guarded buffer is one mapping:
//
//   | canary page(s) ... canary bytes | data, ends at the page's end | no
//   access |
//
// Sizes are rounded up to whole pages, so the canary is at least one page.
//
// AIK_GUARD_SLACK moves the data away from the end by so many canary bytes, for
// emulators that read more than an instruction does: qemu 7.2 loads 16 bytes
// where a scalar multiply-add of x86 (vfmadd213ss) has 4 bytes in memory. It is
// a multiple of 64, so that the data stay aligned.
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace aikrun {
namespace {

#ifndef AIK_GUARD_SLACK
#define AIK_GUARD_SLACK 0
#endif

constexpr uint8_t canaryByte = 0xC5;
constexpr uint64_t slack = AIK_GUARD_SLACK;
static_assert(slack % 64 == 0, "data must stay aligned");

uint64_t pageSize() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

} // namespace

MemoryBudget::MemoryBudget(uint64_t limit) : cap(limit) {
  if (cap)
    return;
  uint64_t pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  cap = pages * pageSize() / 4 * 3;
}

Error MemoryBudget::take(uint64_t bytes) {
  if (bytes > cap - used)
    return Error(
        Code::TooLarge,
        format("%llu bytes more are over the memory limit of %llu bytes",
               (unsigned long long)bytes, (unsigned long long)cap),
        "use smaller shapes or raise --max-memory");
  used += bytes;
  return Error();
}

Error Buffer::allocate(uint64_t bytes, bool guarded, MemoryBudget &budget,
                       Buffer &out) {
  Buffer fresh;
  if (Error error = budget.take(bytes))
    return error;
  fresh.owner = &budget;
  fresh.bytes = bytes;
  Error noMemory(Code::OutOfMemory,
                 format("the system refuses %llu bytes of memory",
                        (unsigned long long)bytes));
  if (guarded) {
    uint64_t page = pageSize();
    uint64_t dataPages = (bytes + slack + page - 1) / page * page;
    fresh.mappedBytes = dataPages + 2 * page;
    void *mapping = mmap(nullptr, fresh.mappedBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
      return noMemory;
    fresh.mapping = static_cast<uint8_t *>(mapping);
    uint8_t *end = fresh.mapping + page + dataPages;
    if (mprotect(end, page, PROT_NONE) != 0)
      return noMemory;
    fresh.start = end - slack - bytes;
    std::memset(fresh.mapping, canaryByte,
                static_cast<size_t>(fresh.start - fresh.mapping));
    std::memset(end - slack, canaryByte, slack);
  } else if (bytes) {
    void *heap = nullptr;
    if (posix_memalign(&heap, 64, bytes) != 0)
      return noMemory;
    fresh.start = static_cast<uint8_t *>(heap);
    std::memset(heap, 0, bytes);
  }
  out = std::move(fresh);
  return Error();
}

Buffer::~Buffer() {
  if (mapping)
    munmap(mapping, mappedBytes);
  else
    std::free(start);
  if (owner)
    owner->giveBack(bytes);
}

bool Buffer::canaryIntact(uint64_t &distance) const {
  if (!mapping)
    return true;
  for (const uint8_t *byte = mapping; byte != start; ++byte)
    if (*byte != canaryByte) {
      distance = static_cast<uint64_t>(start - byte);
      return false;
    }
  return true;
}

bool Buffer::slackIntact() const {
  const uint8_t *end = start + bytes;
  return !mapping || std::all_of(end, end + slack, [](uint8_t byte) {
    return byte == canaryByte;
  });
}

bool Buffer::guards(const void *address) const {
  const uint8_t *byte = static_cast<const uint8_t *>(address);
  return mapping && byte >= start + bytes && byte < mapping + mappedBytes;
}

void Buffer::swap(Buffer &other) {
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
  std::swap(mapping, other.mapping);
  std::swap(mappedBytes, other.mappedBytes);
  std::swap(owner, other.owner);
}

} // namespace aikrun
