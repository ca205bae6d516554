//===- Parallel.h - Independent jobs at the same time ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generation is most of a compilation, and each image is its own; so are
// the nested modules of targets and the functions in them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_SUPPORT_PARALLEL_H
#define AIKERNEL_SUPPORT_PARALLEL_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ThreadPool.h"
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <pthread.h>

namespace aikernel {

/// Calls `job(0)` to `job(count - 1)`, each once, on as many threads as this
/// process has processors. The caller is one of them, and does all of it where
/// no other thread can be had.
void runTogether(size_t count, llvm::function_ref<void(size_t)> job);

/// The same for MLIR: whoever waits works, so that no thread is ever needed
/// besides those that wait. LLVM's own pool ends the process where a thread
/// cannot be had.
class WorkerPool final : public llvm::ThreadPoolInterface {
public:
  ~WorkerPool() override;

  void wait() override { waitFor(nullptr); }
  void wait(llvm::ThreadPoolTaskGroup &group) override { waitFor(&group); }
  unsigned getMaxConcurrency() const override;

  /// What its threads do until it ends.
  void work();

private:
  using Group = llvm::ThreadPoolTaskGroup;
  struct Task {
    llvm::unique_function<void()> run;
    Group *group;
  };

  void asyncEnqueue(llvm::unique_function<void()> task, Group *group) override;
  void waitFor(Group *group);
  void runOne(std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed; // a task came, or ended
  std::deque<Task> tasks;
  llvm::DenseMap<Group *, size_t> unfinished; // nullptr: of all groups
  llvm::SmallVector<pthread_t> threads;
  bool isFull = false; // no more threads, or no more can be had
  bool isEnding = false;
};

} // namespace aikernel

#endif // AIKERNEL_SUPPORT_PARALLEL_H
