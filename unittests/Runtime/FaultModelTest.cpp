//===- FaultModelTest.cpp - What must hold when things go wrong -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forked children, signal handlers and signal storms, a sandbox without most
// system calls, producers and kernels that hang, and random use of handles
// against a model. The faults of packets and drivers are in the conformance
// suite, those of memory in MemoryTest, those of files in ArtifactTest.
//
//===----------------------------------------------------------------------===//

#include "Core/Runtime.h"
#include "TestSupport.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <map>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace aiktest;

namespace {
constexpr int64_t milli = 1000000, second = 1000 * milli;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Runs `body` in a forked child and gives its exit status.
template <typename Body>
int inChild(Body body) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  if (waitpid(child, &status, 0) != child)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// A Sys on which pages cannot be wiped on fork, as on old kernels.
struct OldKernelSys : CountingSys {
  int64_t advise(void *address, size_t bytes, aik::Advice advice) override {
    return advice == aik::Advice::WipeOnFork
               ? -EINVAL
               : CountingSys::advise(address, bytes, advice);
  }
};

void checkFork(aik::Sys &sys) {
  Session s("cpu", 2, sys);
  aik_queue_info queue = s.queue();
  aik_handle gate = 0;
  CHECK_EQ(aik_signal_create(s.runtime, 1, &gate), 0);
  uint32_t from = 5, to = 0;
  aik_packet packets[] = {waitPacket(gate, AIK_WAIT_EQ, 0),
                          copyPacket(&to, &from, 4)};
  aik_fence fence = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets, 2, &fence), 0);
  auto memory = make<aik_memory_info>();
  CHECK_EQ(aik_memory_alloc(s.runtime, 4096, 0, AIK_MEM_LOCK_TRY, &memory), 0);
  int status = inChild([&] {
    auto info = make<aik_memory_info>();
    if (s.runScalar("trouble", 9) != -AIK_EPERM)
      return 1;
    if (!strstr(aik_fault_message(), "forked"))
      return 2;
    if (aik_queue_submit(s.runtime, queue.queue, packets, 2, nullptr) !=
        -AIK_EPERM)
      return 3;
    if (aik_fence_wait(s.runtime, &fence, -1) != -AIK_EPERM)
      return 4;
    if (aik_memory_alloc(s.runtime, 4096, 0, 0, &info) != -AIK_EPERM)
      return 5;
    if (aik_memory_free(s.runtime, memory.handle) != -AIK_EPERM)
      return 6;
    if (aik_syscall(s.runtime, AIK_SYS_TIME_CLOCK, 0, 0, 0, 0, 0, 0) !=
        -AIK_EPERM)
      return 7;
    if (aik_runtime_close(s.runtime) != -AIK_EPERM)
      return 8;
    // A child may open a runtime of its own.
    aik_runtime *own = nullptr;
    auto options = make<aik_runtime_options>();
    options.threads = 1;
    if (aik_runtime_open(&options, &own) != 0 || aik_runtime_close(own) != 0)
      return 9;
    return 0;
  });
  CHECK_EQ(status, 0);
  // The parent has noticed nothing.
  CHECK_EQ(aik_signal_set(s.runtime, gate, 0), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 10 * second), 0);
  CHECK_EQ(to, 5);
  CHECK_EQ(s.runScalar("submit", int64_t(s.device)), 0);
}

void leavesForkedChildrenInert() {
  checkFork(aik::hostSys());
  OldKernelSys old;
  checkFork(old);
  CHECK(old.isClean());
}

void opensEverythingCloseOnExec() {
  auto countInheritable = [] {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (dirent *entry = folder ? readdir(folder) : nullptr) {
      int fd = atoi(entry->d_name);
      int flags = fd > 2 ? fcntl(fd, F_GETFD) : -1;
      count += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    if (folder)
      closedir(folder);
    return count;
  };
  int before = countInheritable();
  Session s;
  aik_queue_info queue = s.queue();
  CHECK(queue.queue != 0);
  CHECK_EQ(countInheritable(), before);
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

struct HandlerState {
  aik_runtime *runtime;
  aik_handle queue;
  std::atomic<int> submitted{0}, refused{0}, called{0};
} handlerState;

#if defined(__x86_64__)
// QEMU 7.2 enters handlers with a misaligned stack.
__attribute__((force_align_arg_pointer))
#endif
void onAlarm(int) {
  int saved = errno;
  ++handlerState.called;
  aik_packet packet = {};
  int32_t status = aik_queue_submit(handlerState.runtime, handlerState.queue,
                                    &packet, 1, nullptr);
  ++(status == 0 ? handlerState.submitted : handlerState.refused);
  aik_syscall(handlerState.runtime, AIK_SYS_TRACE_EMIT, 1, 2, 3, 0, 0, 0);
  auto info = make<aik_runtime_info>();
  aik_syscall(handlerState.runtime, AIK_SYS_ABI_INFO,
              reinterpret_cast<int64_t>(&info), sizeof(info), 0, 0, 0, 0);
  errno = saved;
}

/// A signal every millisecond, whose handler submits, during every call.
void endsCallsUnderASignalStorm() {
  Session s;
  aik_queue_info mine = s.queue(), theirs = s.queue(4);
  handlerState.runtime = s.runtime;
  handlerState.queue = theirs.queue;
  struct sigaction action = {}, before;
  action.sa_handler = onAlarm; // no SA_RESTART: calls are interrupted
  sigaction(SIGALRM, &action, &before);
  itimerval every = {{0, 1000}, {0, 1000}}, never = {};
  setitimer(ITIMER_REAL, &every, nullptr);
  float x[64] = {}, z[64];
  aik_tensor args[] = {tensor(x, {16, 4}), tensor(x, {16, 4})};
  aik_tensor result = tensor(z, {16, 4});
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  int rounds = 0;
  while (std::chrono::steady_clock::now() < end) {
    ++rounds;
    CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                              &result, 1, nullptr),
             0);
    aik_packet packet = nopPacket();
    aik_fence fence = {};
    CHECK_EQ(aik_queue_submit(s.runtime, mine.queue, &packet, 1, &fence), 0);
    CHECK_EQ(aik_fence_wait(s.runtime, &fence, -1), 0);
    auto memory = make<aik_memory_info>();
    CHECK_EQ(aik_memory_alloc(s.runtime, 65536, 0, 0, &memory), 0);
    CHECK_EQ(aik_memory_free(s.runtime, memory.handle), 0);
    aik_handle module = 0;
    if (rounds % 16 == 0) {
      CHECK_EQ(
          aik_module_load(s.runtime, s.artifact, s.device, nullptr, &module),
          0);
      CHECK_EQ(aik_module_unload(s.runtime, module), 0);
    }
    // A wait of several milliseconds is not cut short.
    if (rounds % 64 == 0) {
      auto begin = std::chrono::steady_clock::now();
      CHECK_EQ(
          aik_signal_wait(s.runtime, mine.timeline, AIK_WAIT_LT, 0, 5 * milli),
          -AIK_ETIMEDOUT);
      CHECK(std::chrono::steady_clock::now() - begin >=
            std::chrono::milliseconds(5));
    }
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  CHECK(handlerState.called > 10);
  CHECK(handlerState.submitted > 0);
  CHECK_EQ(aik_signal_wait(s.runtime, theirs.timeline, AIK_WAIT_GE,
                           handlerState.submitted, 10 * second),
           0);
}

//===----------------------------------------------------------------------===//
// A sandbox
//===----------------------------------------------------------------------===//

/// Kills the process at every system call but those listed. False: this
/// kernel (or emulator) has no such filter.
bool enterSandbox() {
#if defined(__x86_64__)
  constexpr uint32_t arch = AUDIT_ARCH_X86_64;
#else
  constexpr uint32_t arch = AUDIT_ARCH_AARCH64;
#endif
  constexpr uint32_t allowed[] = {SYS_read,
                                  SYS_write,
                                  SYS_mmap,
                                  SYS_munmap,
                                  SYS_mprotect,
                                  SYS_futex,
                                  SYS_exit,
                                  SYS_exit_group,
                                  SYS_clock_gettime,
                                  SYS_sched_getaffinity,
                                  SYS_sched_setaffinity,
                                  SYS_getcpu};
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (uint32_t number : allowed) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  sock_fprog filter = {(unsigned short)program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                 SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

/// Until all threads but this one sleep: a thread makes system calls of its own
/// when it starts, which on a busy machine may be late.
void waitForThreads() {
  for (int tries = 0; tries < 5000; ++tries) {
    bool allSleep = true;
    DIR *tasks = opendir("/proc/self/task");
    while (dirent *task = tasks ? readdir(tasks) : nullptr) {
      if (task->d_name[0] == '.' || atoi(task->d_name) == getpid())
        continue;
      std::string path = std::string("/proc/self/task/") + task->d_name;
      char text[512] = {};
      int fd = open((path + "/stat").c_str(), O_RDONLY);
      ssize_t count = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
      close(fd);
      const char *name = count > 0 ? strrchr(text, ')') : nullptr;
      allSleep &= name && name[2] == 'S';
    }
    if (tasks)
      closedir(tasks);
    if (allSleep)
      return;
    usleep(1000);
  }
}

void runsInASandbox() {
  if (sanitized)
    return; // sanitizers need more system calls than we do
  int status = inChild([] {
    Session s;
    aik_queue_info queue = s.queue();
    float x[4096] = {}, z[4096];
    x[4095] = 4;
    aik_tensor args[] = {tensor(x, {1024, 4}), tensor(x, {1024, 4})};
    aik_tensor result = tensor(z, {1024, 4});
    auto story = [&] {
      int32_t done = aik_function_run(s.runtime, s.module, s.function("add"),
                                      args, 2, &result, 1, nullptr);
      for (int i = 0; i < 50 && done == 0; ++i) {
        aik_packet packet = fillPacket(x, 0, 4, 16);
        aik_fence fence = {};
        done = aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence);
        if (done == 0)
          done = aik_fence_wait(s.runtime, &fence, -1);
      }
      return done == 0 && z[4095] == 8 ? 0 : 1;
    };
    // Once outside, so that the heap has what the story needs.
    if (story() != 0)
      return 1;
    z[4095] = 0;
    waitForThreads();
    if (!enterSandbox())
      return 77;
    _exit(story());
  });
  if (status == 77)
    skip("runs in a sandbox", "no system call filter here");
  else
    CHECK_EQ(status, 0);
}

//===----------------------------------------------------------------------===//
// Things that hang
//===----------------------------------------------------------------------===//

void noticesDeadProducers() {
  Session s;
  aik_queue_info queue = s.queue(3, uint64_t(10 * milli));
  // A producer reserves a slot in the mapped ring and is never seen again.
  reinterpret_cast<std::atomic<uint64_t> *>(
      static_cast<uint8_t *>(queue.region) + AIK_RING_WRITE_INDEX_AT)
      ->fetch_add(1);
  aik_packet packet = nopPacket();
  aik_fence fence = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 10 * second), -AIK_EOWNERDEAD);
  CHECK_SAYS("packet 0 was reserved and not published");
  aik_fault fault = {};
  CHECK_EQ(aik_device_fault(s.runtime, s.device, &fault), 0);
  CHECK_EQ(fault.code, AIK_EOWNERDEAD);
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, nullptr),
           -AIK_EOWNERDEAD);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 10 * second), 0);
}

void leavesHangingKernelsAlone() {
  Session s;
  aik_queue_info queue = s.queue();
  uint32_t words[2] = {};
  uint32_t *block = words;
  aik_packet packet =
      kernelPacket(s.kernel("kernel_block"), &block, sizeof(block));
  aik_fence fence = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 5 * milli), -AIK_ETIMEDOUT);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 0), -AIK_ETIMEDOUT);
  while (!__atomic_load_n(&words[1], __ATOMIC_ACQUIRE))
    usleep(1000); // what has not begun can be aborted
  // Nothing can stop host code: destroying times out and may be repeated.
  for (uint32_t mode : {AIK_QUEUE_ABORT, AIK_QUEUE_DRAIN})
    CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, mode, 5 * milli),
             -AIK_ETIMEDOUT);
  CHECK_EQ(aik_module_unload(s.runtime, s.module), -AIK_EBUSY);
  __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 10 * second), 0);
  CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_DRAIN, -1), 0);
}

//===----------------------------------------------------------------------===//
// Handles at random
//===----------------------------------------------------------------------===//

/// Opens and closes at random, stale handles included, and compares every
/// answer with a model of what depends on what.
void agreesWithAModel() {
  enum Kind { Artifact, Device, Module, Queue, Signal, Memory, KindCount };
  struct Entry {
    Kind kind;
    bool open;
    size_t parents[2]; // indexes of what it needs; SIZE_MAX: nothing
    int children;
  };
  CountingSys sys;
  {
    auto options = make<aik_runtime_options>();
    options.threads = 2;
    aik_runtime *runtime = nullptr;
    CHECK_EQ(aik::openRuntime(sys, &options, &runtime), 0);
    std::string bytes = testArtifact();
    std::vector<std::pair<aik_handle, Entry>> all;
    std::map<aik_handle, size_t> known;
    uint64_t state = 7;
    auto next = [&](uint64_t bound) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return size_t((state >> 33) % bound);
    };
    auto pick = [&](Kind kind) { // an index, open or stale; SIZE_MAX: none
      for (int attempt = 0; attempt < 30 && !all.empty(); ++attempt) {
        size_t index = next(all.size());
        if (all[index].second.kind == kind)
          return index;
      }
      return SIZE_MAX;
    };
    auto handleOf = [&](size_t index) {
      return index == SIZE_MAX ? aik_handle(0) : all[index].first;
    };
    auto isOpen = [&](size_t index) {
      return index != SIZE_MAX && all[index].second.open;
    };
    auto add = [&](Kind kind, aik_handle handle, size_t a, size_t b) {
      CHECK(known.count(handle) == 0); // never the same handle again
      known[handle] = all.size();
      all.push_back({handle, {kind, true, {a, b}, 0}});
      for (size_t parent : {a, b})
        if (parent != SIZE_MAX)
          ++all[parent].second.children;
    };
    for (int step = 0; step < 3000; ++step) {
      Kind kind = Kind(next(KindCount));
      if (next(2)) { // open
        aik_handle handle = 0;
        size_t a = SIZE_MAX, b = SIZE_MAX;
        int32_t status = 0, wanted = 0;
        switch (kind) {
        case Artifact:
          status = aik_artifact_open_memory(runtime, bytes.data(), bytes.size(),
                                            &handle);
          break;
        case Device:
          status = aik_device_open(runtime, next(2) ? "cpu" : "null", &handle);
          break;
        case Module:
          a = pick(Artifact);
          b = pick(Device);
          wanted = isOpen(a) && isOpen(b) ? 0 : -AIK_ENOENT;
          status = aik_module_load(runtime, handleOf(a), handleOf(b), nullptr,
                                   &handle);
          break;
        case Queue: {
          a = pick(Device);
          wanted = isOpen(a) ? 0 : -AIK_ENOENT;
          auto info = make<aik_queue_info>();
          status = aik_queue_create(runtime, handleOf(a), nullptr, &info);
          handle = info.queue;
          break;
        }
        case Signal:
          status = aik_signal_create(runtime, 0, &handle);
          break;
        default: {
          auto info = make<aik_memory_info>();
          status = aik_memory_alloc(runtime, 4096, 0, 0, &info);
          handle = info.handle;
        }
        }
        CHECK_EQ(status, wanted);
        if (status == 0)
          add(kind, handle, a, b);
        continue;
      }
      size_t index = pick(kind);
      aik_handle handle = handleOf(index);
      int32_t wanted = !isOpen(index)                   ? -AIK_ENOENT
                       : all[index].second.children > 0 ? -AIK_EBUSY
                                                        : 0;
      int32_t status = 0;
      switch (kind) {
      case Artifact:
        status = aik_artifact_close(runtime, handle);
        break;
      case Device:
        status = aik_device_close(runtime, handle);
        break;
      case Module:
        status = aik_module_unload(runtime, handle);
        break;
      case Queue:
        status = aik_queue_destroy(runtime, handle, AIK_QUEUE_DRAIN, -1);
        break;
      case Signal:
        status = aik_signal_destroy(runtime, handle);
        break;
      default:
        status = aik_memory_free(runtime, handle);
      }
      CHECK_EQ(status, wanted);
      if (status == 0) {
        all[index].second.open = false;
        for (size_t parent : all[index].second.parents)
          if (parent != SIZE_MAX)
            --all[parent].second.children;
      }
      if (counts().currentFailed)
        break;
    }
    CHECK_EQ(aik_runtime_close(runtime), 0);
  }
  CHECK(sys.isClean());
}

/// Eight threads share a runtime and do everything at once.
void sharesARuntime() {
  Session s("cpu", 2);
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 25; ++round) {
        float x[32], z[32];
        for (int i = 0; i < 32; ++i)
          x[i] = float(t * 100 + i);
        aik_tensor args[] = {tensor(x, {8, 4}), tensor(x, {8, 4})};
        aik_tensor result = tensor(z, {8, 4});
        failures += aik_function_run(s.runtime, s.module, s.function("add"),
                                     args, 2, &result, 1, nullptr) != 0;
        failures += z[31] != 2 * x[31];
        failures += s.runScalar("trouble", 0) != -AIK_EINVAL;
        failures += strcmp(aik_fault_message(), "trouble: asked for") != 0;
        if (round % 5 == 0)
          failures += s.runScalar("submit", int64_t(s.device)) != 0;
        aik_handle module = 0;
        if (round % 10 == 0) {
          failures += aik_module_load(s.runtime, s.artifact, s.device, nullptr,
                                      &module) != 0;
          failures += aik_module_unload(s.runtime, module) != 0;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK_EQ(failures.load(), 0);
}
} // namespace

int main(int argc, char **argv) {
  useTestImage(argc, argv);
  run("leaves forked children inert", leavesForkedChildrenInert);
  run("opens everything close-on-exec", opensEverythingCloseOnExec);
  run("ends calls under a signal storm", endsCallsUnderASignalStorm);
  run("runs in a sandbox", runsInASandbox);
  run("notices dead producers", noticesDeadProducers);
  run("leaves hanging kernels alone", leavesHangingKernelsAlone);
  run("agrees with a model", agreesWithAModel);
  run("shares a runtime", sharesARuntime);
  return finish();
}
