//===- FaultInjectionTest.cpp - Every k-th OS call fails, for every k -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole stories (open, load, run, submit, allocate, close) are told once with
// a working OS, which counts the calls, and then once per call with that call
// failing. Each time an error comes back or the story ends well through a
// fallback; results are right or not there; and nothing is left alive.
//
//===----------------------------------------------------------------------===//

#include "Core/Runtime.h"
#include "TestSupport.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace aiktest;

namespace {
std::string artifactPath;

/// How a story ended: 0, a negative error, or `wrong` for what must not be.
constexpr int32_t wrong = 1;

/// Opens a runtime, tells `rest`, closes. Closing must always work. 0 threads:
/// as many as the machine allows, which takes calls of its own to find out.
template <typename Rest>
int32_t withRuntime(CountingSys &sys, uint32_t threads, Rest rest) {
  auto options = make<aik_runtime_options>();
  options.threads = threads;
  aik_runtime *runtime = nullptr;
  if (int32_t status = aik::openRuntime(sys, &options, &runtime))
    return status;
  int32_t status = rest(runtime);
  return aik_runtime_close(runtime) == 0 ? status : wrong;
}

int32_t loadAndRun(CountingSys &sys) {
  return withRuntime(sys, 3, [](aik_runtime *runtime) -> int32_t {
    aik_handle artifact = 0, device = 0, module = 0;
    if (int32_t status =
            aik_artifact_open_file(runtime, artifactPath.c_str(), &artifact))
      return status;
    if (int32_t status = aik_device_open(runtime, "cpu", &device))
      return status;
    if (int32_t status =
            aik_module_load(runtime, artifact, device, nullptr, &module))
      return status;
    int32_t linear = aik_artifact_find_function(runtime, artifact, "linear");
    if (linear < 0)
      return linear;
    // Strided x, unprepared weights, no workspace: all temporaries are used.
    float x[8] = {1, 9, 2, 9, 3, 9, 4, 9};
    float w[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    float y[3] = {-1, -1, -1};
    aik_tensor args[] = {tensor(x, {1, 4}), tensor(w, {4, 3})};
    args[0].strides[1] = 2;
    aik_tensor result = tensor(y, {1, 3});
    if (int32_t status = aik_function_run(runtime, module, uint32_t(linear),
                                          args, 2, &result, 1, nullptr))
      return status;
    if (y[0] != 5 || y[1] != 6 || y[2] != 7)
      return wrong;
    int32_t add = aik_artifact_find_function(runtime, artifact, "add");
    float z[4];
    aik_tensor both[] = {args[0], args[0]};
    result = tensor(z, {1, 4});
    if (int32_t status = aik_function_run(runtime, module, uint32_t(add), both,
                                          2, &result, 1, nullptr))
      return status;
    if (z[3] != 8)
      return wrong;
    if (int32_t status = aik_module_unload(runtime, module))
      return status;
    return aik_artifact_close(runtime, artifact);
  });
}

int32_t submitPackets(CountingSys &sys) {
  return withRuntime(sys, 3, [](aik_runtime *runtime) -> int32_t {
    aik_handle device = 0, signal = 0;
    if (int32_t status = aik_device_open(runtime, "cpu", &device))
      return status;
    auto queue = make<aik_queue_info>();
    if (int32_t status = aik_queue_create(runtime, device, nullptr, &queue))
      return status;
    if (int32_t status = aik_signal_create(runtime, 2, &signal))
      return status;
    uint32_t from = 7, to = 0;
    for (int round = 0; round < 2; ++round) {
      aik_packet packets[] = {copyPacket(&to, &from, 4), nopPacket()};
      packets[1].copy.completion_signal = signal;
      aik_fence fence = {};
      if (int32_t status =
              aik_queue_submit(runtime, queue.queue, packets, 2, &fence))
        return status;
      if (int32_t status = aik_fence_wait(runtime, &fence, -1))
        return status;
      if (to != 7)
        return wrong;
      // Let the worker fall asleep, so that the next round has to wake it.
      usleep(200);
    }
    if (int32_t status = aik_signal_wait(runtime, signal, AIK_WAIT_EQ, 0, -1))
      return status;
    if (int32_t status = aik_device_reset(runtime, device))
      return status;
    return aik_queue_destroy(runtime, queue.queue, AIK_QUEUE_DRAIN, -1);
  });
}

int32_t allocateMemory(CountingSys &sys) {
  return withRuntime(sys, 0, [](aik_runtime *runtime) -> int32_t {
    auto info = make<aik_memory_info>();
    for (uint32_t flags :
         {0u, uint32_t(AIK_MEM_LOCK_TRY),
          uint32_t(AIK_MEM_HUGE_TRY | AIK_MEM_LOCK_TRY | AIK_MEM_POPULATE),
          uint32_t(AIK_MEM_HUGE_TRY | AIK_MEM_HUGE_1G)}) {
      if (int32_t status = aik_memory_alloc(runtime, 3 << 20, 0, flags, &info))
        return status;
      static_cast<char *>(info.address)[(3 << 20) - 1] = 1;
      auto query = make<aik_memory_info>();
      if (int32_t status = aik_memory_query(runtime, info.address, &query))
        return status;
      if (query.handle != info.handle || query.locked != info.locked)
        return wrong;
      if (flags & AIK_MEM_LOCK_TRY)
        continue; // the runtime's close frees these
      if (int32_t status = aik_memory_free(runtime, info.handle))
        return status;
    }
    return 0;
  });
}

int32_t numberedCalls(CountingSys &sys) {
  return withRuntime(sys, 3, [](aik_runtime *runtime) -> int32_t {
    auto call = [&](int64_t number, int64_t a0, int64_t a1 = 0, int64_t a2 = 0,
                    int64_t a3 = 0, int64_t a4 = 0) {
      return aik_syscall(runtime, number, a0, a1, a2, a3, a4, 0);
    };
    int64_t file = call(AIK_SYS_IO_OPEN,
                        reinterpret_cast<int64_t>(artifactPath.c_str()), 0);
    if (file < 0)
      return int32_t(file);
    char magic[4];
    int64_t count =
        call(AIK_SYS_IO_READ, file, reinterpret_cast<int64_t>(magic), 4);
    if (count < 0)
      return int32_t(count);
    int64_t mapped = call(AIK_SYS_MEM_MMAP, 0, 4096, AIK_PROT_READ, 0, file);
    if (mapped < 0)
      return int32_t(mapped);
    if (*reinterpret_cast<char *>(mapped) != 0x7f || magic[0] != 0x7f)
      return wrong;
    if (int64_t status = call(AIK_SYS_MEM_MUNMAP, mapped, 4096))
      return int32_t(status);
    return int32_t(call(AIK_SYS_IO_CLOSE, file));
  });
}

void failEach(const char *name, int32_t (*story)(CountingSys &)) {
  CountingSys sys;
  sys.start(0);
  int32_t status = story(sys);
  CHECK_EQ(status, 0);
  if (status != 0)
    std::printf("%s: %s\n", name, aik_fault_message());
  int calls = sys.calls;
  CHECK(sys.isClean());
  int errors = 0;
  // Threads race, so the number of calls varies a little: go past it.
  for (int k = 1; k <= calls + 10; ++k) {
    sys.start(k);
    aik_fault_clear();
    status = story(sys);
    sys.failAt = 0;
    errors += status < 0;
    bool told = status == 0 || (status < 0 && *aik_fault_message() &&
                                aik_fault_read(nullptr) == -status);
    if (!told || !sys.isClean()) {
      report(__FILE__, __LINE__,
             std::string(name) + ", call " + std::to_string(k) + ": returned " +
                 std::to_string(status) + " '" + aik_fault_message() +
                 "'; alive: " + sys.balance());
      return;
    }
  }
  CHECK(errors > 3);
  std::printf("%s: %d calls, %d gave errors, the others a fallback\n", name,
              calls, errors);
}

void failsEachCallOfLoadAndRun() { failEach("load and run", loadAndRun); }
void failsEachCallOfSubmit() { failEach("submit", submitPackets); }
void failsEachCallOfAllocate() { failEach("allocate", allocateMemory); }
void failsEachNumberedCall() { failEach("numbered calls", numberedCalls); }

void completesShortTransfers() {
  CountingSys sys;
  sys.transferLimit = 1000;
  CHECK_EQ(loadAndRun(sys), 0);
  sys.transferLimit = 7;
  CHECK_EQ(loadAndRun(sys), 0);
  CHECK(sys.isClean());
}
} // namespace

int main(int argc, char **argv) {
  useTestImage(argc, argv);
  char path[] = "/tmp/aik-fault-test-XXXXXX";
  int fd = mkstemp(path);
  artifactPath = path;
  std::string bytes = testArtifact();
  bool written = write(fd, bytes.data(), bytes.size()) == ssize_t(bytes.size());
  close(fd);
  CHECK(written);
  run("fails each call of load and run", failsEachCallOfLoadAndRun);
  run("fails each call of submit", failsEachCallOfSubmit);
  run("fails each call of allocate", failsEachCallOfAllocate);
  run("fails each numbered call", failsEachNumberedCall);
  run("completes short transfers", completesShortTransfers);
  unlink(path);
  return finish();
}
