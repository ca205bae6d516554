//===- Sys.cpp - The only file of the runtime that talks to the OS --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux. What goes in: the operations of Sys.h; what comes out: the kernel's
// and libc's answer, errors as -errno.
//
//===----------------------------------------------------------------------===//

#include "Sys.h"

#include "AIKernel-c/Runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

using namespace aik;

// Constants that are newer than the headers of some supported systems.
namespace {
constexpr unsigned memfdExecutable = 0x10;
constexpr int adviceWipeOnFork = 18;
constexpr int advicePopulateWrite = 23;
constexpr int adviceCollapse = 25;
constexpr int hugeShift = 26;

constexpr size_t kThreadStackBytes = 2 * size_t(AIK_STACK_BYTES);

int64_t result(int64_t value) { return value < 0 ? -int64_t(errno) : value; }

int64_t mapped(void *address) {
  return address == MAP_FAILED ? -int64_t(errno)
                               : int64_t(reinterpret_cast<intptr_t>(address));
}

int hostProtection(uint32_t prot) {
  return (prot & AIK_PROT_READ ? PROT_READ : 0) |
         (prot & AIK_PROT_WRITE ? PROT_WRITE : 0);
}

struct ThreadStart {
  void (*body)(void *);
  void *argument;
};

void *threadMain(void *opaque) {
  ThreadStart start = *static_cast<ThreadStart *>(opaque);
  free(opaque);
  start.body(start.argument);
  return nullptr;
}
} // namespace

//===----------------------------------------------------------------------===//
// Heap
//===----------------------------------------------------------------------===//

void *Sys::allocate(size_t bytes, size_t alignment) {
  if (alignment < sizeof(void *))
    alignment = sizeof(void *);
  void *memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes ? bytes : 1) != 0)
    return nullptr;
  return memory;
}

void Sys::release(void *memory) { free(memory); }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

int64_t Sys::open(const char *path, uint32_t aikFlags) {
  // A FIFO would block the open for ever, so it must not block; a terminal or
  // device would block or never end a read, so only regular files are taken.
  int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  flags |= (aikFlags & 3) == AIK_O_READ    ? O_RDONLY
           : (aikFlags & 3) == AIK_O_WRITE ? O_WRONLY
                                           : O_RDWR;
  flags |= aikFlags & AIK_O_CREATE ? O_CREAT : 0;
  flags |= aikFlags & AIK_O_TRUNCATE ? O_TRUNC : 0;
  flags |= aikFlags & AIK_O_APPEND ? O_APPEND : 0;
  int64_t fd;
  do
    fd = result(::open(path, flags, 0666));
  while (fd == -EINTR);
  struct stat info;
  if (fd < 0)
    return fd;
  int64_t refused = result(fstat(int(fd), &info));
  if (refused == 0 && !S_ISREG(info.st_mode))
    refused = -EINVAL;
  if (refused == 0)
    return fd;
  ::close(int(fd));
  return refused;
}

int64_t Sys::close(int fd) { return result(::close(fd)); }

int64_t Sys::read(int fd, void *buffer, size_t bytes) {
  int64_t count;
  do
    count = result(::read(fd, buffer, bytes));
  while (count == -EINTR);
  return count;
}

int64_t Sys::write(int fd, const void *buffer, size_t bytes) {
  int64_t count;
  do
    count = result(::write(fd, buffer, bytes));
  while (count == -EINTR);
  return count;
}

int64_t Sys::fileSize(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return -int64_t(errno);
  return S_ISREG(info.st_mode) ? int64_t(info.st_size) : -int64_t(EINVAL);
}

int64_t Sys::memoryFile(const char *name) {
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  // Kernels that know the flag may refuse executable files without it; older
  // ones refuse the flag.
  int64_t fd = result(memfd_create(name, flags | memfdExecutable));
  return fd == -EINVAL ? result(memfd_create(name, flags)) : fd;
}

int64_t Sys::sealFile(int fd) {
  return result(
      fcntl(fd, F_ADD_SEALS,
            F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

int64_t Sys::mapAnonymous(size_t bytes, PageKind pages) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (pages != PageKind::Small)
    flags |= MAP_HUGETLB | ((pages == PageKind::Huge2M ? 21 : 30) << hugeShift);
  return mapped(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0));
}

int64_t Sys::mapFile(size_t bytes, uint32_t aikProt, int fd, int64_t offset) {
  return mapped(
      mmap(nullptr, bytes, hostProtection(aikProt), MAP_PRIVATE, fd, offset));
}

int64_t Sys::protect(void *address, size_t bytes, uint32_t aikProt) {
  return result(mprotect(address, bytes, hostProtection(aikProt)));
}

int64_t Sys::unmap(void *address, size_t bytes) {
  return result(munmap(address, bytes));
}

int64_t Sys::advise(void *address, size_t bytes, Advice advice) {
  int code = 0;
  switch (advice) {
  case Advice::TransparentHuge:
    code = MADV_HUGEPAGE;
    break;
  case Advice::Populate:
    code = advicePopulateWrite;
    break;
  case Advice::Collapse:
    code = adviceCollapse;
    break;
  case Advice::DontFork:
    code = MADV_DONTFORK;
    break;
  case Advice::WipeOnFork:
    code = adviceWipeOnFork;
    break;
  case Advice::Unknown:
    code = 0x7fff0000;
    break;
  }
  return result(madvise(address, bytes, code));
}

int64_t Sys::lock(void *address, size_t bytes) {
  return result(mlock(address, bytes));
}

int64_t Sys::numaNode(const void *address) {
  constexpr unsigned long nodeOfAddress = 1 | 2; // MPOL_F_NODE | MPOL_F_ADDR
  int node = -1;
  int64_t status = result(
      ::syscall(SYS_get_mempolicy, &node, nullptr, 0, address, nodeOfAddress));
  return status < 0 ? status : node;
}

int64_t Sys::pageSize() { return result(sysconf(_SC_PAGESIZE)); }

int64_t Sys::physicalMemory() {
  int64_t pages = result(sysconf(_SC_PHYS_PAGES));
  return pages < 0 ? pages : pages * pageSize();
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

int64_t Sys::futexWait(const uint32_t *word, uint32_t expected,
                       int64_t timeoutNs) {
  struct timespec timeout;
  timeout.tv_sec = timeoutNs / 1000000000;
  timeout.tv_nsec = timeoutNs % 1000000000;
  return result(::syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected,
                          timeoutNs < 0 ? nullptr : &timeout, nullptr, 0));
}

int64_t Sys::futexWake(const uint32_t *word, int32_t count) {
  return result(::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr,
                          nullptr, 0));
}

void Sys::yield() { sched_yield(); }

uint64_t Sys::clockNs() {
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
}

//===----------------------------------------------------------------------===//
// Threads and processes
//===----------------------------------------------------------------------===//

int64_t Sys::startThread(void (*body)(void *), void *argument, SysThread *out) {
  auto *start = static_cast<ThreadStart *>(malloc(sizeof(ThreadStart)));
  if (!start)
    return -ENOMEM;
  *start = {body, argument};
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // Compiled code keeps its tiles on the stack; a limit of the process that is
  // meant for recursion must not reach it.
  pthread_attr_setstacksize(&attributes, kThreadStackBytes);
  int error = pthread_create(&thread, &attributes, threadMain, start);
  pthread_attr_destroy(&attributes);
  if (error) {
    free(start);
    return -error;
  }
  out->id = uint64_t(thread);
  return 0;
}

void Sys::joinThread(SysThread thread) {
  pthread_join(pthread_t(thread.id), nullptr);
}

int64_t Sys::affinityCount() {
  // The kernel wants a mask at least as wide as its own.
  for (size_t cpus = CPU_SETSIZE; cpus <= (1u << 18); cpus *= 4) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (!set)
      return -ENOMEM;
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    int64_t status = result(sched_getaffinity(0, bytes, set));
    int64_t count = status < 0 ? status : CPU_COUNT_S(bytes, set);
    CPU_FREE(set);
    if (count != -EINVAL)
      return count;
  }
  return -EINVAL;
}

int64_t Sys::threadId() { return ::syscall(SYS_gettid); }

int64_t Sys::currentCpu() {
  int64_t cpu = result(sched_getcpu());
  return cpu < int64_t(CpuSet::room) ? cpu : -ERANGE;
}

// The kernel's own call: glibc's wants a cpu_set_t.
int64_t Sys::affinity(int64_t threadId, CpuSet *out) {
  *out = {};
  return result(::syscall(SYS_sched_getaffinity, threadId, sizeof(out->words),
                          out->words));
}

int64_t Sys::setAffinity(int64_t threadId, const CpuSet &cpus) {
  return result(::syscall(SYS_sched_setaffinity, threadId, sizeof(cpus.words),
                          cpus.words));
}

int64_t Sys::processId() { return getpid(); }

void Sys::exitProcess(int code) { exit(code); }

//===----------------------------------------------------------------------===//
// Shared objects
//===----------------------------------------------------------------------===//

void *Sys::loadLibrary(const char *path, char *error, size_t errorBytes) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library && errorBytes) {
    const char *text = dlerror();
    snprintf(error, errorBytes, "%s", text ? text : "no reason given");
  }
  return library;
}

void *Sys::symbol(void *library, const char *name) {
  return dlsym(library, name);
}

void Sys::unloadLibrary(void *library) { dlclose(library); }

void *Sys::loadAddress(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

bool Sys::nameOf(const void *address, char *out, size_t outBytes) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_sname || info.dli_saddr != address)
    return false;
  snprintf(out, outBytes, "%s", info.dli_sname);
  return true;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

uint64_t Sys::auxiliary(int hwcap) {
  return getauxval(hwcap == 0 ? AT_HWCAP : AT_HWCAP2);
}

int64_t Sys::permitTileRegisters() {
#if defined(__x86_64__) && defined(SYS_arch_prctl)
  constexpr int requestPermission = 0x1023, tileData = 18;
  return result(::syscall(SYS_arch_prctl, requestPermission, tileData));
#else
  return -ENOSYS;
#endif
}

int64_t Sys::scalableVectorBytes() {
  constexpr int getLength = 51, lengthMask = 0xffff;
  int64_t length = result(prctl(getLength, 0, 0, 0, 0));
  return length < 0 ? length : length & lengthMask;
}

bool Sys::environment(const char *name, char *out, size_t outBytes) {
  const char *value = getenv(name);
  if (!value || strlen(value) >= outBytes)
    return false;
  memcpy(out, value, strlen(value) + 1);
  return true;
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Sys &aik::hostSys() {
  static Sys sys;
  return sys;
}

void aik::wakeAll(Sys &sys, const uint32_t *word) {
  for (int attempt = 0; attempt < 8; ++attempt)
    if (sys.futexWake(word, INT32_MAX) >= 0)
      return;
}
