//===- HostDriver.cpp - This machine's CPU as a device --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are functions of loaded host images, called with their argument
// block on the queue's worker thread; their loops spread over the thread pool.
//
//===----------------------------------------------------------------------===//

#include "Core/CpuFeatures.h"
#include "Drivers/Driver.h"
#include "Drivers/Host/ThreadPool.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
void fillMemory(const aik_fill_packet &fill) {
  auto *bytes = reinterpret_cast<uint8_t *>(fill.destination);
  if (fill.pattern_bytes == 1) {
    memset(bytes, int(fill.pattern & 0xff), fill.byte_count);
    return;
  }
  for (uint64_t at = 0; at < fill.byte_count; at += fill.pattern_bytes)
    memcpy(bytes + at, &fill.pattern, fill.pattern_bytes);
}

/// A loop handed to the caller's pool: nested loops stay serial there too, and
/// the first failure's record comes back to the calling thread.
struct InjectedLoop {
  Sys &sys;
  LoopTimes &times;
  aik_parallel_body body;
  void *captures;
  int64_t first = 0; // iteration 0 of the pool
  Mutex mutex = {};
  bool failed = false;
  FaultRecord record;

  static int32_t run(void *opaque, int64_t begin, int64_t end) {
    auto &loop = *static_cast<InjectedLoop *>(opaque);
    uint64_t started = loop.sys.clockNs();
    int32_t status = callLoopBody(loop.body, loop.captures, loop.first + begin,
                                  loop.first + end);
    loop.times.note(loop.body, end - begin, loop.sys.clockNs() - started);
    if (status != 0) {
      ScopedLock lock(loop.mutex);
      if (!loop.failed)
        loop.record = threadState().record;
      loop.failed = true;
    }
    return status;
  }
};

struct HostDevice final : Device {
  HostDevice(Runtime &runtime, uint32_t index, ThreadPool *pool)
      : Device(runtime, index), pool(pool) {
    env.threads = pool ? pool->threadCount() : runtime.options.threads;
  }

  void describe(aik_device_info &out) override {
    out.kind = AIK_DEVICE_CPU;
    int64_t memory = runtime.sys.physicalMemory();
    out.memory_bytes = memory > 0 ? uint64_t(memory) : 0;
    out.threads = runtime.threads.load(std::memory_order_relaxed);
    snprintf(out.name, sizeof(out.name), "cpu");
    snprintf(out.arch, sizeof(out.arch), "%s", aik_arch_name(hostArch()));
    appendFeatures(hostArch(), runtime.features, "+", out.arch,
                   sizeof(out.arch));
  }

  bool executes() const override { return true; }

  int32_t parallelFor(int64_t count, aik_parallel_body body,
                      void *captures) override {
    if (isForkedChild(runtime))
      return fail(AIK_EPERM, "this process was forked from the one that opened "
                             "the runtime");
    runtime.trace.count(Counter::ParallelLoops);
    if (pool)
      return pool->parallelFor(count, body, captures);
    if (count <= 0 || threadState().insideParallelLoop)
      return Device::parallelFor(count, body, captures);
    InjectedLoop loop = {runtime.sys, injectedTimes, body, captures};
    if (injectedTimes.expect(body, count) < ThreadPool::worthWakingNs) {
      int32_t status = 0;
      loop.first = runWhileShort(runtime.sys, injectedTimes, body, captures,
                                 count, status);
      if (loop.first == count || status != 0)
        return status;
    }
    const aik_runtime_options &options = runtime.options;
    int32_t status = options.parallel_for(options.pool, count - loop.first,
                                          InjectedLoop::run, &loop);
    if (status != 0 && loop.failed)
      failAgain(loop.record);
    return status;
  }

  int32_t execute(const aik_packet &packet) override {
    if (packet.kernel.header % 256 == AIK_PACKET_KERNEL) {
      auto kernel =
          reinterpret_cast<aik_host_kernel>(packet.kernel.kernel_object);
      return kernel(&env, reinterpret_cast<void *>(packet.kernel.kernarg));
    }
    switch (packet.copy.subtype) {
    case AIK_VENDOR_COPY:
      if (packet.copy.byte_count)
        memcpy(reinterpret_cast<void *>(packet.copy.destination),
               reinterpret_cast<const void *>(packet.copy.source),
               packet.copy.byte_count);
      return 0;
    case AIK_VENDOR_FILL:
      if (packet.fill.byte_count)
        fillMemory(packet.fill);
      return 0;
    case AIK_VENDOR_TIMESTAMP:
      *reinterpret_cast<uint64_t *>(packet.timestamp.destination) =
          runtime.sys.clockNs();
      return 0;
    default:
      return 0;
    }
  }

  void destroy() override { dispose(runtime.sys, this); }

private:
  ThreadPool *pool; // null: the caller's pool is used
  LoopTimes injectedTimes;
};
} // namespace

int32_t aik::countHost(Runtime &) { return 1; }

int32_t aik::openHost(Runtime &runtime, uint32_t index, uint32_t,
                      Device **out) {
  ThreadPool *pool = nullptr;
  if (!runtime.options.parallel_for && !(pool = threadPool(runtime)))
    return fail(AIK_ENOMEM, "no memory for the thread pool");
  *out = create<HostDevice>(runtime.sys, runtime, index, pool);
  return *out ? 0 : fail(AIK_ENOMEM, "no memory for a device");
}
