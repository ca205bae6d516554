//===- Runtime.h - The object behind aik_runtime --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that calls share: the Sys in use, the handles, the thread pool,
// counters. There is no global; several runtimes may live in one process.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_RUNTIME_H
#define AIKERNEL_RUNTIME_CORE_RUNTIME_H

#include "Core/HandleTable.h"
#include "Trace/Trace.h"

namespace aik {
class ThreadPool;
struct CudaLibrary;
} // namespace aik

struct aik_runtime {
  aik_runtime(aik::Sys &sys, const aik_runtime_options &options)
      : sys(sys), options(options), handles(sys), trace(sys) {}

  aik::Sys &sys;
  aik_runtime_options options;
  aik::HandleTable handles;
  aik::Trace trace;
  uint64_t features = 0;
  uint64_t pageSize = 4096;
  uint64_t spinNs = 0;
  /// Sys::advise has an effect when it says so.
  bool adviceWorks = false;

  /// Started when the first device asks for it; null: loops run serially.
  aik::Mutex poolMutex;
  aik::ThreadPool *pool = nullptr;
  std::atomic<uint32_t> threads{0};
  /// As far as they were looked for; cpu and null are always there.
  std::atomic<uint32_t> deviceCount{2};

  /// The CUDA driver's library, loaded when a device is first asked for.
  aik::Mutex cudaMutex;
  aik::CudaLibrary *cuda = nullptr;

  /// One word on a page that a forked child gets zeroed, or null where the
  /// kernel cannot do that: then `processId` is compared.
  uint32_t *forkGuard = nullptr;
  int64_t processId = 0;
};

namespace aik {
using Runtime = ::aik_runtime;

/// aik_runtime_open on another Sys.
int32_t openRuntime(Sys &sys, const aik_runtime_options *options,
                    Runtime **out);

bool isForkedChild(Runtime &runtime);

/// What every call of the C API begins with: 0, -EFAULT or -EPERM.
int32_t enter(Runtime *runtime);

/// -EFAULT for a null pointer, naming the parameter.
int32_t needPointer(const void *pointer, const char *name);

/// -EFAULT or -EINVAL for a struct that is null or was not initialised.
template <typename T>
int32_t needStruct(const T *value, const char *name) {
  if (int32_t status = needPointer(value, name))
    return status;
  if (!isVersioned(value))
    return fail(AIK_EINVAL,
                "'%s' has size %u and version %u, %zu and %u are wanted", name,
                value->size, value->version, sizeof(T), AIK_RUNTIME_VERSION);
  return 0;
}

/// Starts the pool if that has not been done. Null: no memory.
ThreadPool *threadPool(Runtime &runtime);

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_RUNTIME_H
