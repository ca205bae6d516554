//===- ThreadPool.h - The threads behind parallel_for ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a loop body and a count. What comes out: the body called for
// disjoint ranges that cover [0, count), on the caller's thread and on workers
// that live as long as the pool. A loop allocates nothing. Workers that wake
// up late are not waited for.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_HOST_THREADPOOL_H
#define AIKERNEL_RUNTIME_DRIVERS_HOST_THREADPOOL_H

#include "Core/Memory.h"
#include "Core/Status.h"
#include "Drivers/Host/LoopTimes.h"
#include "Drivers/Host/SleepingPlace.h"

#include <atomic>

namespace aik {

/// Runs a loop's body on this thread with nested loops marked as such. When it
/// fails, this thread's fault record says why, even if the body did not.
int32_t callLoopBody(aik_parallel_body body, void *captures, int64_t begin,
                     int64_t end);

/// Runs a loop that is said to be short on this thread, in a few pieces, until
/// it has taken so long that the guess was wrong. Returns how many iterations
/// ran; all of them, unless there is something left that is worth sharing.
int64_t runWhileShort(Sys &sys, LoopTimes &times, aik_parallel_body body,
                      void *captures, int64_t count, int32_t &status);

class ThreadPool {
public:
  static constexpr uint32_t maxThreads = 1024;
  /// A loop that takes less than this on one thread wakes nobody up: that
  /// alone costs the caller microseconds, and the sleeper some more.
  static constexpr uint64_t worthWakingNs = 20000;
  /// One that takes less than this is not even shared with threads that are
  /// awake.
  static constexpr uint64_t worthSharingNs = 3000;

  struct Waits {
    /// How long threads look on before they sleep: workers for the next loop,
    /// the caller for the last workers.
    uint64_t workerNs, callerNs;
    /// Each thread has a CPU, and wakes up where it slept.
    bool keepsCpus;
  };

  /// `threads` counts the caller's. Fewer are started when the system gives
  /// fewer. Null: no memory.
  static ThreadPool *start(Sys &sys, uint32_t threads, const Waits &waits);
  /// Joins the workers and releases the pool.
  static void stop(ThreadPool *pool);

  uint32_t threadCount() const { return workerCount + 1; }
  const Waits &getWaits() const { return waits; }

  /// The first failing body's result, with its fault record, or 0. Nested
  /// calls and calls while another thread's loop runs are serial.
  int32_t parallelFor(int64_t count, aik_parallel_body body, void *captures);

  ThreadPool(Sys &sys, const Waits &waits) : sys(sys), waits(waits) {}

private:
  struct Loop {
    aik_parallel_body body;
    void *captures;
  };

  struct Range {
    int64_t begin, end;
  };

  /// The iterations that one thread begins with, and what others take of them
  /// when they have done their own. The same thread begins at the same place
  /// in loops of the same length, so what it touched before is in its cache.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    std::atomic<int64_t> end{0};
  };

  /// A thread of the pool: 0 is the caller's.
  struct Worker {
    ThreadPool *pool;
    uint32_t number;
    SysThread thread;
    SleepingPlace place;
  };

  static void workerMain(void *opaque);
  void work(Worker &worker);
  void sleep(Worker &worker, uint32_t epoch);
  bool join(uint32_t epoch);
  void leave();
  void share(Range all, uint64_t expectedNs);
  int32_t countWorthWaking(uint64_t expectedNs) const;
  void spreadSleepers();
  void wakeTwo();
  void deal(Range all);
  bool claim(Share &share, Range &out);
  int64_t runRange(Range range);
  int64_t runShares(uint32_t number);
  void reportFailure(int32_t status);
  void waitForWorkers();

  Sys &sys;
  const Waits waits;
  uint32_t workerCount = 0;
  Worker *workers = nullptr; // those started; the caller's is not among them
  Share *shares = nullptr;   // one per thread

  LoopTimes times;
  /// Held by the thread whose loop is running.
  Mutex loopMutex;
  Loop loop = {};
  FaultRecord failure;

  /// epoch (32 bits), open (1 bit), workers inside (31 bits).
  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<int32_t> status{0};
  alignas(64) std::atomic<uint32_t> epochWord{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<int32_t> toWake{0};
  std::atomic<bool> stopping{false};
  alignas(64) std::atomic<uint32_t> doneWord{0};
  std::atomic<uint32_t> callerSleeps{0};
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_HOST_THREADPOOL_H
