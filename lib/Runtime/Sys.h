//===- Sys.h - Everything the runtime asks of the operating system --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of operations. The functions of `Sys` itself are the real ones;
// tests derive from it to count calls and to fail the k-th one. Results are
// >= 0 (or a pointer) on success and -errno (or null) on failure. Nothing else
// under lib/Runtime calls the OS, and nothing else reads the environment.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_SYS_H
#define AIKERNEL_RUNTIME_SYS_H

#include <stddef.h>
#include <stdint.h>

namespace aik {

/// What an anonymous mapping should be made of.
enum class PageKind { Small, Huge2M, Huge1G };

/// Hints that may be given for mapped memory. No kernel knows Unknown: who
/// accepts it (some emulators do) accepts everything and does nothing.
enum class Advice {
  TransparentHuge,
  Populate,
  Collapse,
  DontFork,
  WipeOnFork,
  Unknown
};

/// CPUs by their numbers. A machine with more of them than fit has no set.
struct CpuSet {
  static constexpr size_t room = 1024;
  uint64_t words[room / 64] = {};

  void add(int64_t cpu) { words[cpu / 64] |= uint64_t(1) << cpu % 64; }
  bool has(int64_t cpu) const { return words[cpu / 64] >> cpu % 64 & 1; }
  CpuSet without(const CpuSet &others) const {
    CpuSet rest;
    for (size_t i = 0; i < room / 64; ++i)
      rest.words[i] = words[i] & ~others.words[i];
    return rest;
  }
  bool isEmpty() const { return *this == CpuSet(); }
  bool operator==(const CpuSet &other) const {
    for (size_t i = 0; i < room / 64; ++i)
      if (words[i] != other.words[i])
        return false;
    return true;
  }
};

/// A started thread; opaque outside Sys.cpp.
struct SysThread {
  uint64_t id = 0;
};

struct Sys {
  // Heap. `bytes` may be 0; `alignment` is a power of two.
  virtual void *allocate(size_t bytes, size_t alignment);
  virtual void release(void *memory);

  // Files. Interrupted calls are repeated here; short ones are not. What is no
  // regular file is not opened: -EINVAL.
  virtual int64_t open(const char *path, uint32_t aikFlags);
  virtual int64_t close(int fd);
  virtual int64_t read(int fd, void *buffer, size_t bytes);
  virtual int64_t write(int fd, const void *buffer, size_t bytes);
  /// Bytes of a regular file; -EINVAL for anything else.
  virtual int64_t fileSize(int fd);
  /// An anonymous file that may be executed, and its seals.
  virtual int64_t memoryFile(const char *name);
  virtual int64_t sealFile(int fd);

  // Pages.
  virtual int64_t mapAnonymous(size_t bytes, PageKind pages);
  virtual int64_t mapFile(size_t bytes, uint32_t aikProt, int fd,
                          int64_t offset);
  virtual int64_t protect(void *address, size_t bytes, uint32_t aikProt);
  virtual int64_t unmap(void *address, size_t bytes);
  virtual int64_t advise(void *address, size_t bytes, Advice advice);
  virtual int64_t lock(void *address, size_t bytes);
  virtual int64_t numaNode(const void *address);
  virtual int64_t pageSize();
  virtual int64_t physicalMemory();

  // Waiting. Timeouts are relative; < 0 means none.
  virtual int64_t futexWait(const uint32_t *word, uint32_t expected,
                            int64_t timeoutNs);
  virtual int64_t futexWake(const uint32_t *word, int32_t count);
  virtual void yield();
  virtual uint64_t clockNs();

  // Threads and processes.
  virtual int64_t startThread(void (*body)(void *), void *argument,
                              SysThread *out);
  virtual void joinThread(SysThread thread);
  virtual int64_t affinityCount();
  /// The calling thread, and the CPU on which it is.
  virtual int64_t threadId();
  virtual int64_t currentCpu();
  /// Where a thread may run.
  virtual int64_t affinity(int64_t threadId, CpuSet *out);
  virtual int64_t setAffinity(int64_t threadId, const CpuSet &cpus);
  virtual int64_t processId();
  [[noreturn]] virtual void exitProcess(int code);

  // Shared objects. `error` gets the loader's sentence.
  virtual void *loadLibrary(const char *path, char *error, size_t errorBytes);
  virtual void *symbol(void *library, const char *name);
  virtual void unloadLibrary(void *library);
  /// Where the object that holds `address` was loaded, or null.
  virtual void *loadAddress(const void *address);
  /// Name of the exported function that starts at `address`, or false.
  virtual bool nameOf(const void *address, char *out, size_t outBytes);

  // The machine. `hwcap` 0 and 1 are AT_HWCAP and AT_HWCAP2 (0 on x86).
  virtual uint64_t auxiliary(int hwcap);
  /// Asks the kernel to let this process use AMX tile registers.
  virtual int64_t permitTileRegisters();
  /// Bytes of an SVE register of this thread and of those that it starts.
  virtual int64_t scalableVectorBytes();
  /// Copies the variable; false when unset or too long.
  virtual bool environment(const char *name, char *out, size_t outBytes);
};

/// The real one. It has no state.
Sys &hostSys();

/// Wakes all sleepers on `word`. A lost wake-up would hang a waiter, so a
/// failing call is repeated.
void wakeAll(Sys &sys, const uint32_t *word);

} // namespace aik

#endif // AIKERNEL_RUNTIME_SYS_H
