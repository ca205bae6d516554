//===- Runtime.cpp - Opening and closing the runtime ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: options. What comes out: an aik_runtime, and at the end nothing
// of it is left: whatever the caller did not close is closed here, in the order
// in which things depend on each other.
//
//===----------------------------------------------------------------------===//

#include "Core/Runtime.h"

#include "Core/CpuFeatures.h"
#include "Drivers/Host/CpuBudget.h"
#include "Drivers/Host/ThreadPool.h"
#include "Queue/CommandQueue.h"

#include <string.h>

using namespace aik;

namespace {
constexpr uint64_t defaultSpinNs = 2000;
constexpr uint64_t poolSpinNs = 50000;
/// For the last workers of a loop, before the caller sleeps and would wake up
/// on the CPU of one of them: where somebody else's thread may run is not ours
/// to say.
constexpr uint64_t callerSpinNs = 2000000;
constexpr int64_t closeTimeoutNs = 10000000000;

/// A page with one word that a forked child reads as zero.
void makeForkGuard(Runtime &runtime) {
  Sys &sys = runtime.sys;
  int64_t page = sys.mapAnonymous(runtime.pageSize, PageKind::Small);
  if (page < 0)
    return;
  void *address = reinterpret_cast<void *>(page);
  runtime.adviceWorks =
      sys.advise(address, runtime.pageSize, Advice::Unknown) < 0;
  if (!runtime.adviceWorks ||
      sys.advise(address, runtime.pageSize, Advice::WipeOnFork) < 0) {
    sys.unmap(address, runtime.pageSize);
    return;
  }
  runtime.forkGuard = static_cast<uint32_t *>(address);
  __atomic_store_n(runtime.forkGuard, 1, __ATOMIC_RELEASE);
}

void destroyRuntime(Runtime *runtime) {
  Sys &sys = runtime->sys;
  closeCuda(*runtime);
  ThreadPool::stop(runtime->pool);
  if (runtime->forkGuard)
    sys.unmap(runtime->forkGuard, runtime->pageSize);
  dispose(sys, runtime);
}

void closeAll(Runtime &runtime, ObjectKind kind) {
  runtime.handles.forEach(kind, [&](Object &object) {
    runtime.handles.remove(object.handle, false);
    return true;
  });
}
} // namespace

int32_t aik::openRuntime(Sys &sys, const aik_runtime_options *given,
                         Runtime **out) {
  if (int32_t status = needPointer(out, "out"))
    return status;
  aik_runtime_options options = {};
  AIK_INIT(&options);
  if (given) {
    if (int32_t status = needStruct(given, "options"))
      return status;
    options = *given;
  }
  if (options.reserved)
    return fail(AIK_EINVAL, "a reserved field of 'options' is not 0");
  if (options.threads > ThreadPool::maxThreads)
    return fail(AIK_EINVAL, "%u threads were asked for, %u are the most",
                options.threads, ThreadPool::maxThreads);
  Runtime *runtime = create<Runtime>(sys, sys, options);
  if (!runtime)
    return fail(AIK_ENOMEM, "no memory for the runtime");
  int64_t pageSize = sys.pageSize();
  if (pageSize > 0)
    runtime->pageSize = uint64_t(pageSize);
  runtime->spinNs = options.spin_ns ? options.spin_ns : defaultSpinNs;
  runtime->features = detectFeatures(sys) & ~options.hidden_features;
  runtime->processId = sys.processId();
  runtime->threads = options.threads        ? options.threads
                     : options.parallel_for ? 1
                                            : defaultThreadCount(sys);
  makeForkGuard(*runtime);
  *out = runtime;
  return 0;
}

ThreadPool *aik::threadPool(Runtime &runtime) {
  ScopedLock lock(runtime.poolMutex);
  if (!runtime.pool) {
    // Between the loops of one call workers stay awake, unless they would then
    // keep a CPU from the threads that they wait for.
    ThreadPool::Waits waits = {runtime.spinNs, runtime.spinNs, false};
    waits.keepsCpus = int64_t(runtime.threads) <= runtime.sys.affinityCount();
    if (waits.keepsCpus && !runtime.options.spin_ns)
      waits.workerNs = poolSpinNs, waits.callerNs = callerSpinNs;
    runtime.pool = ThreadPool::start(runtime.sys, runtime.threads, waits);
    if (runtime.pool)
      runtime.threads = runtime.pool->threadCount();
  }
  return runtime.pool;
}

bool aik::isForkedChild(Runtime &runtime) {
  if (runtime.forkGuard)
    return __atomic_load_n(runtime.forkGuard, __ATOMIC_ACQUIRE) == 0;
  return runtime.sys.processId() != runtime.processId;
}

int32_t aik::enter(Runtime *runtime) {
  if (int32_t status = needPointer(runtime, "runtime"))
    return status;
  if (isForkedChild(*runtime))
    return fail(AIK_EPERM, "this process was forked from the one that opened "
                           "the runtime");
  return 0;
}

int32_t aik::needPointer(const void *pointer, const char *name) {
  return pointer ? 0 : fail(AIK_EFAULT, "'%s' is a null pointer", name);
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

int32_t aik_runtime_open(const aik_runtime_options *options,
                         aik_runtime **out) {
  return openRuntime(hostSys(), options, out);
}

int32_t aik_runtime_close(aik_runtime *runtime) {
  if (int32_t status = enter(runtime))
    return status;
  // Queues first: their packets may use everything else.
  int32_t status = 0;
  runtime->handles.forEach(ObjectKind::Queue, [&](Object &object) {
    auto &queue = static_cast<CommandQueue &>(object);
    int32_t stopped = queue.shutDown(AIK_QUEUE_ABORT, closeTimeoutNs);
    if (stopped == 0)
      runtime->handles.remove(object.handle, false);
    else
      status = stopped;
    return true;
  });
  if (status != 0)
    return fail(AIK_EBUSY, "a kernel is still running");
  for (ObjectKind kind :
       {ObjectKind::Graph, ObjectKind::Module, ObjectKind::Artifact,
        ObjectKind::Memory, ObjectKind::Device, ObjectKind::Signal,
        ObjectKind::File})
    closeAll(*runtime, kind);
  destroyRuntime(runtime);
  return 0;
}

int32_t aik_runtime_describe(aik_runtime *runtime, aik_runtime_info *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  out->entry_abi = AIK_ENTRY_ABI_VERSION;
  out->arch = hostArch();
  out->features = runtime->features;
  out->page_size = runtime->pageSize;
  out->threads = runtime->threads;
  out->device_count = runtime->deviceCount;
  out->max_queues = CommandQueue::maxQueues;
  out->max_queue_slots = 1u << CommandQueue::maxOrder;
  return 0;
}

int32_t aik_trace_read(aik_runtime *runtime, aik_trace_event *out,
                       uint32_t capacity) {
  if (int32_t status = enter(runtime))
    return status;
  if (capacity == 0)
    return 0;
  if (int32_t status = needPointer(out, "out"))
    return status;
  return int32_t(runtime->trace.read(out, capacity));
}

int32_t aik_stats_read(aik_runtime *runtime, aik_stats *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  runtime->trace.snapshot(*out);
  return 0;
}
