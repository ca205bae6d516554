//===- MemoryTest.cpp - Huge and page-locked memory -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was asked for, what was obtained, and what is reported when the two
// differ. The machine's own huge pages are not changed: a Sys without them,
// and one that pretends to have them, stand for both kinds of machine.
//
//===----------------------------------------------------------------------===//

#include "Core/Runtime.h"
#include "TestSupport.h"

#include <cstring>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace aiktest;

namespace {
constexpr uint64_t mebi = 1 << 20;

/// Gives small pages where huge ones are asked for, and says it worked.
struct PretendingSys : CountingSys {
  int64_t mapAnonymous(size_t bytes, aik::PageKind) override {
    return CountingSys::mapAnonymous(bytes, aik::PageKind::Small);
  }
  bool touchFails = false;
  int64_t advise(void *address, size_t bytes, aik::Advice advice) override {
    return touchFails && advice == aik::Advice::Populate
               ? -12
               : CountingSys::advise(address, bytes, advice);
  }
};

struct Runtime {
  explicit Runtime(aik::Sys &sys = aik::hostSys()) {
    auto options = make<aik_runtime_options>();
    options.threads = 1;
    CHECK_EQ(aik::openRuntime(sys, &options, &runtime), 0);
  }
  ~Runtime() { CHECK_EQ(aik_runtime_close(runtime), 0); }
  int32_t alloc(uint64_t bytes, uint64_t alignment, uint32_t flags) {
    info = make<aik_memory_info>();
    return aik_memory_alloc(runtime, bytes, alignment, flags, &info);
  }
  aik_stats stats() {
    auto stats = make<aik_stats>();
    CHECK_EQ(aik_stats_read(runtime, &stats), 0);
    return stats;
  }
  aik_runtime *runtime = nullptr;
  aik_memory_info info = {};
};

void givesZeroedAlignedMemory() {
  Runtime r;
  for (uint64_t alignment : {0, 1, 64, 4096, 65536, 1 << 22})
    for (uint64_t bytes : {1, 63, 4096, 10000, 3000000}) {
      CHECK_EQ(r.alloc(bytes, alignment, 0), 0);
      auto *memory = static_cast<uint8_t *>(r.info.address);
      CHECK(uint64_t(memory) % (alignment ? alignment : 64) == 0);
      CHECK(r.info.byte_count >= bytes);
      CHECK_EQ(memory[0] | memory[bytes - 1], 0);
      memset(memory, 1, bytes);
      CHECK_EQ(r.info.huge, 0);
      CHECK_EQ(r.info.locked, 0);
      CHECK_EQ(aik_memory_free(r.runtime, r.info.handle), 0);
    }
  CHECK_EQ(r.alloc(0, 0, 0), -AIK_EINVAL);
  CHECK_EQ(r.alloc(1, 3, 0), -AIK_EINVAL);
  CHECK_EQ(r.alloc(1, uint64_t(1) << 40, 0), -AIK_EINVAL);
  CHECK_EQ(r.alloc(1, 0, 1 << 20), -AIK_EINVAL);
  CHECK_EQ(r.alloc(~uint64_t(0), 0, 0), -AIK_ENOMEM);
  CHECK_EQ(r.alloc(uint64_t(1) << 45, 0, AIK_MEM_HUGE_TRY), -AIK_ENOMEM);
  CHECK_EQ(r.alloc(4096, 0, 0), 0); // a smaller one works after that
}

void answersQueries() {
  Runtime r;
  CHECK_EQ(r.alloc(10000, 0, 0), 0);
  aik_memory_info first = r.info;
  CHECK_EQ(r.alloc(10000, 0, 0), 0);
  auto query = make<aik_memory_info>();
  auto *bytes = static_cast<uint8_t *>(first.address);
  CHECK_EQ(aik_memory_query(r.runtime, bytes + 9999, &query), 0);
  CHECK_EQ(query.handle, first.handle);
  CHECK_EQ(query.device, AIK_NO_DEVICE);
  CHECK_EQ(aik_memory_query(r.runtime, &query, &query), -AIK_ENOENT);
  CHECK_SAYS("in no memory of this runtime");
  CHECK_EQ(aik_memory_free(r.runtime, first.handle), 0);
  CHECK_EQ(aik_memory_query(r.runtime, bytes, &query), -AIK_ENOENT);
  CHECK_EQ(aik_memory_free(r.runtime, first.handle), -AIK_ENOENT);
}

void fallsBackFromHugePages() {
  CountingSys sys;
  sys.noHugePages = true;
  {
    Runtime r(sys);
    CHECK_EQ(r.alloc(4 * mebi, 0, AIK_MEM_HUGE_MUST), -AIK_ENOMEM);
    CHECK_SAYS("no huge pages");
    CHECK_EQ(r.stats().huge_fallbacks, 0);
    CHECK_EQ(r.alloc(4 * mebi, 0, AIK_MEM_HUGE_TRY), 0);
    CHECK(r.info.huge != 2);
    CHECK(r.info.page_size < 2 * mebi); // nothing was touched, so nothing is
                                        // known to be huge
    CHECK(uint64_t(r.info.address) % (2 * mebi) == 0);
    CHECK_EQ(r.stats().huge_fallbacks, 1);
    // Too small to be worth one: not a fallback.
    CHECK_EQ(r.alloc(4096, 0, AIK_MEM_HUGE_TRY), 0);
    CHECK_EQ(r.info.huge, 0);
    CHECK_EQ(r.stats().huge_fallbacks, 1);
    CHECK_EQ(r.alloc(4 * mebi, 0, AIK_MEM_HUGE_TRY | AIK_MEM_POPULATE), 0);
    CHECK(r.info.huge != 2);
  }
  CHECK(sys.isClean());
}

void reportsHugePages() {
  PretendingSys sys;
  {
    Runtime r(sys);
    CHECK_EQ(r.alloc(3 * mebi, 0, AIK_MEM_HUGE_MUST), 0);
    CHECK_EQ(r.info.huge, 2);
    CHECK_EQ(r.info.page_size, 2 * mebi);
    CHECK_EQ(r.info.byte_count, 4 * mebi);
    // Promised and then not there at the first touch: counts as none.
    sys.touchFails = true;
    CHECK_EQ(r.alloc(3 * mebi, 0, AIK_MEM_HUGE_MUST), -AIK_ENOMEM);
    CHECK_EQ(r.alloc(3 * mebi, 0, AIK_MEM_HUGE_TRY), 0);
    CHECK(r.info.huge != 2);
  }
  CHECK(sys.isClean());
}

void fallsBackFromLocking() {
  CountingSys sys;
  {
    Runtime r(sys);
    CHECK_EQ(r.alloc(4096, 0, AIK_MEM_LOCK_TRY), 0);
    sys.noLock = true;
    CHECK_EQ(r.alloc(4096, 0, AIK_MEM_LOCK_MUST), -AIK_ENOMEM);
    CHECK_SAYS("cannot be page-locked");
    CHECK_EQ(r.alloc(4096, 0, AIK_MEM_LOCK_TRY), 0);
    CHECK_EQ(r.info.locked, 0);
    CHECK_EQ(r.stats().lock_fallbacks, 1);
    auto info = make<aik_memory_info>();
    CHECK_EQ(aik_syscall(r.runtime, AIK_SYS_MEM_ALLOC_PINNED, 8192, 0, 0,
                         reinterpret_cast<int64_t>(&info), 0, 0),
             0);
    CHECK_EQ(info.locked, 0);
  }
  CHECK(sys.isClean());
}

/// The kernel's own limit. Root is not bound by it, so a child gives up root.
void obeysTheKernelsLockLimit() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return; // their mlock does nothing
#endif
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {65536, 65536};
    setrlimit(RLIMIT_MEMLOCK, &limit);
    if (geteuid() == 0 && setuid(65534) != 0)
      _exit(3);
    auto options = make<aik_runtime_options>();
    options.threads = 1;
    aik_runtime *runtime = nullptr;
    auto info = make<aik_memory_info>();
    if (aik_runtime_open(&options, &runtime) != 0)
      _exit(4);
    if (aik_memory_alloc(runtime, mebi, 0, AIK_MEM_LOCK_MUST, &info) !=
        -AIK_ENOMEM)
      _exit(5);
    if (aik_memory_alloc(runtime, mebi, 0, AIK_MEM_LOCK_TRY, &info) != 0 ||
        info.locked)
      _exit(6);
    if (aik_memory_alloc(runtime, 4096, 0, AIK_MEM_LOCK_MUST, &info) != 0 ||
        !info.locked)
      _exit(7);
    _exit(aik_runtime_close(runtime) == 0 ? 0 : 8);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : 100, 0);
}

/// All partial state is released, and a later, smaller request works.
void survivesExhaustion() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return; // their shadow memory needs the address space
#endif
  if (isEmulated()) {
    skip("survives exhaustion", "the emulator needs the address space");
    return;
  }
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {512 * mebi, 512 * mebi};
    setrlimit(RLIMIT_AS, &limit);
    CountingSys sys;
    aik_runtime *runtime = nullptr;
    auto options = make<aik_runtime_options>();
    options.threads = 1;
    auto info = make<aik_memory_info>();
    if (aik::openRuntime(sys, &options, &runtime) != 0)
      _exit(3);
    std::vector<aik_handle> handles;
    while (aik_memory_alloc(runtime, 64 * mebi, 0, AIK_MEM_HUGE_TRY, &info) ==
           0)
      handles.push_back(info.handle);
    if (handles.empty() || aik_fault_read(nullptr) != AIK_ENOMEM)
      _exit(4);
    if (aik_memory_alloc(runtime, 4096, 0, 0, &info) != 0)
      _exit(5);
    for (aik_handle handle : handles)
      if (aik_memory_free(runtime, handle) != 0)
        _exit(6);
    if (aik_memory_alloc(runtime, 64 * mebi, 0, 0, &info) != 0)
      _exit(7);
    if (aik_runtime_close(runtime) != 0)
      _exit(8);
    _exit(sys.isClean() ? 0 : 9);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : 100, 0);
}
} // namespace

int main(int, char **) {
  run("gives zeroed, aligned memory", givesZeroedAlignedMemory);
  run("answers queries", answersQueries);
  run("falls back from huge pages", fallsBackFromHugePages);
  run("reports huge pages", reportsHugePages);
  run("falls back from locking", fallsBackFromLocking);
  run("obeys the kernel's lock limit", obeysTheKernelsLockLimit);
  run("survives exhaustion", survivesExhaustion);
  return finish();
}
