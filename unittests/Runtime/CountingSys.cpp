//===- CountingSys.cpp - A Sys that counts and fails ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call either fails as the OS would, without an effect, or does the real
// thing. A failing close or unmap still has its effect, as on Linux.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace aiktest;

namespace {
/// Counts a thing that was made.
int64_t made(int64_t result, std::atomic<int> &live) {
  if (result >= 0)
    ++live;
  return result;
}
} // namespace

std::string CountingSys::balance() const {
  return "allocations " + std::to_string(liveAllocations) + ", files " +
         std::to_string(liveFiles) + ", mappings " +
         std::to_string(liveMappings) + ", libraries " +
         std::to_string(liveLibraries) + ", threads " +
         std::to_string(liveThreads);
}

void *CountingSys::allocate(size_t bytes, size_t alignment) {
  if (failsNow())
    return nullptr;
  void *memory = Sys::allocate(bytes, alignment);
  liveAllocations += memory != nullptr;
  ++allAllocations;
  return memory;
}

void CountingSys::release(void *memory) {
  liveAllocations -= memory != nullptr;
  Sys::release(memory);
}

int64_t CountingSys::open(const char *path, uint32_t flags) {
  return failsNow() ? -24 /* EMFILE */
                    : made(Sys::open(path, flags), liveFiles);
}

int64_t CountingSys::close(int fd) {
  bool fails = failsNow();
  --liveFiles;
  int64_t result = Sys::close(fd);
  return fails ? -5 /* EIO */ : result;
}

int64_t CountingSys::read(int fd, void *buffer, size_t bytes) {
  size_t limit = transferLimit;
  return failsNow() ? -5 : Sys::read(fd, buffer, bytes < limit ? bytes : limit);
}

int64_t CountingSys::write(int fd, const void *buffer, size_t bytes) {
  size_t limit = transferLimit;
  return failsNow() ? -28 /* ENOSPC */
                    : Sys::write(fd, buffer, bytes < limit ? bytes : limit);
}

int64_t CountingSys::fileSize(int fd) {
  return failsNow() ? -5 : Sys::fileSize(fd);
}

int64_t CountingSys::memoryFile(const char *name) {
  return failsNow() ? -24 : made(Sys::memoryFile(name), liveFiles);
}

int64_t CountingSys::sealFile(int fd) {
  return failsNow() ? -1 /* EPERM */ : Sys::sealFile(fd);
}

int64_t CountingSys::mapAnonymous(size_t bytes, aik::PageKind pages) {
  if (failsNow() || (noHugePages && pages != aik::PageKind::Small))
    return -12 /* ENOMEM */;
  return made(Sys::mapAnonymous(bytes, pages), liveMappings);
}

int64_t CountingSys::mapFile(size_t bytes, uint32_t prot, int fd,
                             int64_t offset) {
  return failsNow() ? -19 /* ENODEV */
                    : made(Sys::mapFile(bytes, prot, fd, offset), liveMappings);
}

int64_t CountingSys::protect(void *address, size_t bytes, uint32_t prot) {
  return failsNow() ? -12 : Sys::protect(address, bytes, prot);
}

int64_t CountingSys::unmap(void *address, size_t bytes) {
  bool fails = failsNow();
  --liveMappings;
  int64_t result = Sys::unmap(address, bytes);
  return fails ? -22 : result;
}

int64_t CountingSys::advise(void *address, size_t bytes, aik::Advice advice) {
  return failsNow() ? -22 : Sys::advise(address, bytes, advice);
}

int64_t CountingSys::lock(void *address, size_t bytes) {
  return failsNow() || noLock ? -12 : Sys::lock(address, bytes);
}

int64_t CountingSys::numaNode(const void *address) {
  return failsNow() ? -38 : Sys::numaNode(address);
}

int64_t CountingSys::pageSize() { return failsNow() ? -22 : Sys::pageSize(); }

int64_t CountingSys::physicalMemory() {
  return failsNow() ? -22 : Sys::physicalMemory();
}

int64_t CountingSys::futexWait(const uint32_t *word, uint32_t expected,
                               int64_t timeoutNs) {
  if (failsNow())
    return -4 /* EINTR */;
  ++sleeping;
  int64_t result = Sys::futexWait(word, expected, timeoutNs);
  --sleeping;
  return result;
}

int64_t CountingSys::futexWake(const uint32_t *word, int32_t count) {
  return failsNow() ? -14 /* EFAULT */ : Sys::futexWake(word, count);
}

int64_t CountingSys::startThread(void (*body)(void *), void *argument,
                                 aik::SysThread *out) {
  ++allThreads;
  return failsNow() ? -11 /* EAGAIN */
                    : made(Sys::startThread(body, argument, out), liveThreads);
}

void CountingSys::joinThread(aik::SysThread thread) {
  --liveThreads;
  Sys::joinThread(thread);
}

int64_t CountingSys::affinityCount() {
  return failsNow() ? -22 : Sys::affinityCount();
}

int64_t CountingSys::affinity(int64_t threadId, aik::CpuSet *out) {
  return failsNow() ? -22 : Sys::affinity(threadId, out);
}

int64_t CountingSys::setAffinity(int64_t threadId, const aik::CpuSet &cpus) {
  return failsNow() ? -22 : Sys::setAffinity(threadId, cpus);
}

int64_t CountingSys::scalableVectorBytes() {
  return failsNow() ? -22 : Sys::scalableVectorBytes();
}

void *CountingSys::loadLibrary(const char *path, char *error, size_t bytes) {
  if (failsNow()) {
    std::snprintf(error, bytes, "made to fail");
    return nullptr;
  }
  void *library = Sys::loadLibrary(path, error, bytes);
  liveLibraries += library != nullptr;
  return library;
}

void *CountingSys::symbol(void *library, const char *name) {
  return failsNow() ? nullptr : Sys::symbol(library, name);
}

void CountingSys::unloadLibrary(void *library) {
  --liveLibraries;
  Sys::unloadLibrary(library);
}
