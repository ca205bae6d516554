//===- Parallel.cpp - Independent jobs at the same time -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a number of jobs. Out: all of them done. Threads are made by pthreads
// directly: those of the C++ library end the process where none can be had.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Support/Parallel.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <pthread.h>
#include <thread>

using namespace aikernel;

/// LLVM recurses deeply over long programs; only what is used takes memory.
static constexpr size_t kStackBytes = size_t(64) << 20;

namespace {

struct Jobs {
  size_t count;
  llvm::function_ref<void(size_t)> job;
  std::atomic<size_t> next{0};

  void work() {
    for (size_t i = next++; i < count; i = next++)
      job(i);
  }
};

} // namespace

static bool startThread(Jobs &jobs, pthread_t &thread) {
  // Signals are for the threads of whoever uses this library, but for those
  // that a thread raises itself: blocked, they would end the process unheard.
  sigset_t all, before;
  ::sigfillset(&all);
  for (int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    ::sigdelset(&all, own);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  int error = ::pthread_create(
      &thread, &attributes,
      [](void *shared) -> void * {
        static_cast<Jobs *>(shared)->work();
        return nullptr;
      },
      &jobs);
  ::pthread_attr_destroy(&attributes);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error == 0;
}

void aikernel::runTogether(size_t count, llvm::function_ref<void(size_t)> job) {
  Jobs jobs{count, job};
  size_t processors = std::max(1u, std::thread::hardware_concurrency());
  llvm::SmallVector<pthread_t> threads;
  while (threads.size() + 1 < std::min(count, processors)) {
    pthread_t thread;
    if (!startThread(jobs, thread))
      break;
    threads.push_back(thread);
  }
  jobs.work();
  for (pthread_t thread : threads)
    ::pthread_join(thread, nullptr);
}
