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
#include <algorithm>
#include <atomic>
#include <csignal>
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

/// Calls `shared->work()` on a thread of its own, where there can be one.
template <typename Shared>
static bool startThread(Shared &shared, pthread_t &thread) {
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
        static_cast<Shared *>(shared)->work();
        return nullptr;
      },
      &shared);
  ::pthread_attr_destroy(&attributes);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error == 0;
}

static size_t countProcessors() {
  return std::max(1u, std::thread::hardware_concurrency());
}

void aikernel::runTogether(size_t count, llvm::function_ref<void(size_t)> job) {
  Jobs jobs{count, job};
  llvm::SmallVector<pthread_t> threads;
  while (threads.size() + 1 < std::min(count, countProcessors())) {
    pthread_t thread;
    if (!startThread(jobs, thread))
      break;
    threads.push_back(thread);
  }
  jobs.work();
  for (pthread_t thread : threads)
    ::pthread_join(thread, nullptr);
}

WorkerPool::~WorkerPool() {
  wait();
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (pthread_t thread : threads)
    ::pthread_join(thread, nullptr);
}

unsigned WorkerPool::getMaxConcurrency() const { return countProcessors(); }

void WorkerPool::asyncEnqueue(llvm::unique_function<void()> task,
                              Group *group) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    tasks.push_back({std::move(task), group});
    ++unfinished[group];
    if (group)
      ++unfinished[nullptr];
    isFull |= threads.size() + 1 >= countProcessors();
    if (!isFull) {
      pthread_t thread;
      if (startThread(*this, thread))
        threads.push_back(thread);
      else
        isFull = true;
    }
  }
  changed.notify_all();
}

/// Takes a task, unlocked while it runs.
void WorkerPool::runOne(std::unique_lock<std::mutex> &lock) {
  Task task = std::move(tasks.front());
  tasks.pop_front();
  lock.unlock();
  task.run();
  lock.lock();
  --unfinished[task.group];
  if (task.group) {
    --unfinished[nullptr];
    if (unfinished[task.group] == 0)
      unfinished.erase(task.group);
  }
  changed.notify_all();
}

void WorkerPool::waitFor(Group *group) {
  std::unique_lock<std::mutex> lock(mutex);
  while (unfinished.lookup(group) != 0) {
    if (tasks.empty())
      changed.wait(lock);
    else
      runOne(lock);
  }
}

void WorkerPool::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isEnding) {
    if (tasks.empty())
      changed.wait(lock);
    else
      runOne(lock);
  }
}
