//===- ParallelTest.cpp - Independent jobs at the same time ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: jobs that count themselves, wait for each other, or look at their thread.
// Out: one line for each job that did not run once, alone, or beside another
// where it should.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Support/Parallel.h"
#include "Check.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

using aikernel::runTogether;
using aikernel::WorkerPool;
using aiktest::finish;
using aiktest::run;

namespace {

bool eachRunsOnce(size_t count) {
  std::vector<std::atomic<int>> runs(count);
  runTogether(count, [&](size_t i) { ++runs[i]; });
  for (std::atomic<int> &times : runs)
    if (times != 1)
      return false;
  return true;
}

void eachJobRunsOnce() {
  for (size_t count : {0, 1, 2, 3, 1000})
    CHECK(eachRunsOnce(count));
}

/// Two jobs that each wait for the other to begin.
void jobsOverlap() {
  if (std::thread::hardware_concurrency() < 2)
    return;
  std::atomic<int> begun{0}, alone{0};
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  runTogether(2, [&](size_t) {
    ++begun;
    while (begun < 2)
      if (std::chrono::steady_clock::now() > deadline) {
        ++alone;
        return;
      }
  });
  CHECK_EQ(alone.load(), 0);
}

void othersTakeNoSignals() {
  pthread_t caller = ::pthread_self();
  std::atomic<int> open{0};
  runTogether(64, [&](size_t) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    // Its own faults it does take.
    if (!::pthread_equal(caller, ::pthread_self()) &&
        (!::sigismember(&mask, SIGTERM) || ::sigismember(&mask, SIGSEGV)))
      ++open;
  });
  CHECK_EQ(open.load(), 0);
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  CHECK(!::sigismember(&mask, SIGTERM));
}

/// No room for the stack of a second thread.
void theCallerAloneIsEnough() {
  rlimit before;
  ::getrlimit(RLIMIT_AS, &before);
  rlimit little = before;
  little.rlim_cur = 1;
  ::setrlimit(RLIMIT_AS, &little);
  pthread_t caller = ::pthread_self();
  std::atomic<int> done{0}, elsewhere{0};
  runTogether(3, [&](size_t) {
    ++done;
    if (!::pthread_equal(caller, ::pthread_self()))
      ++elsewhere;
  });
  ::setrlimit(RLIMIT_AS, &before);
  CHECK_EQ(done.load(), 3);
  CHECK_EQ(elsewhere.load(), 0);
}

/// Each of `outer` tasks starts `inner` tasks and waits for them.
int countNested(WorkerPool &pool, int outer, int inner) {
  std::atomic<int> runs{0};
  llvm::ThreadPoolTaskGroup all(pool);
  for (int i = 0; i < outer; ++i)
    all.async([&] {
      llvm::ThreadPoolTaskGroup mine(pool);
      std::atomic<int> own{0};
      for (int j = 0; j < inner; ++j)
        mine.async([&] { ++own; });
      mine.wait();
      runs += own;
    });
  all.wait();
  return runs;
}

void tasksOfTasksAreWaitedFor() {
  WorkerPool pool;
  for (int round = 0; round < 200; ++round)
    CHECK_EQ(countNested(pool, 7, 5), 35);
  std::atomic<int> runs{0};
  for (int i = 0; i < 20; ++i)
    pool.async([&] { ++runs; });
  pool.wait();
  CHECK_EQ(runs.load(), 20);
}

void aPoolWithoutThreadsWorks() {
  rlimit before;
  ::getrlimit(RLIMIT_AS, &before);
  rlimit little = before;
  little.rlim_cur = 1;
  ::setrlimit(RLIMIT_AS, &little);
  int runs = 0;
  {
    WorkerPool pool;
    runs = countNested(pool, 3, 3);
  }
  ::setrlimit(RLIMIT_AS, &before);
  CHECK_EQ(runs, 9);
}

} // namespace

int main() {
  // First: a stack that an ended thread left behind would be used again.
  run("the caller alone is enough", theCallerAloneIsEnough);
  run("a pool without threads works", aPoolWithoutThreadsWorks);
  run("each job runs once", eachJobRunsOnce);
  run("jobs overlap", jobsOverlap);
  run("others take no signals", othersTakeNoSignals);
  run("tasks of tasks are waited for", tasksOfTasksAreWaitedFor);
  return finish();
}
