//===- ThreadPool.cpp - The threads behind parallel_for -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gate makes late workers harmless: a worker may touch the loop only
// between a compare-and-swap that adds it to an open gate of the epoch it saw
// and the decrement that takes it out; the caller closes the gate and then
// waits for those inside only.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Host/ThreadPool.h"

#include "Core/Wait.h"

using namespace aik;

namespace {
constexpr uint64_t openBit = 1u << 31;
constexpr uint64_t insideMask = openBit - 1;
constexpr int64_t piecesPerThread = 4;
} // namespace

int32_t aik::callLoopBody(aik_parallel_body body, void *captures, int64_t begin,
                          int64_t end) {
  ThreadState &state = threadState();
  uint64_t failures = state.failures;
  bool before = state.insideParallelLoop;
  state.insideParallelLoop = true;
  int32_t status = body(captures, begin, end);
  state.insideParallelLoop = before;
  if (status != 0 && state.failures == failures)
    failWith(status, 0, "the body of a parallel loop returned %d (%s)", status,
             aik_error_name(status));
  return status;
}

ThreadPool *ThreadPool::start(Sys &sys, uint32_t threads, uint64_t spinNs) {
  ThreadPool *pool = create<ThreadPool>(sys, sys, spinNs);
  if (!pool)
    return nullptr;
  uint32_t wanted = threads > maxThreads ? maxThreads : threads;
  wanted = wanted > 1 ? wanted - 1 : 0;
  if (wanted == 0)
    return pool;
  pool->threads = static_cast<SysThread *>(
      sys.allocate(sizeof(SysThread) * wanted, alignof(SysThread)));
  if (!pool->threads) {
    dispose(sys, pool);
    return nullptr;
  }
  for (uint32_t i = 0; i < wanted; ++i) {
    if (sys.startThread(workerMain, pool, &pool->threads[i]) < 0)
      break;
    ++pool->workerCount;
  }
  return pool;
}

void ThreadPool::stop(ThreadPool *pool) {
  if (!pool)
    return;
  Sys &sys = pool->sys;
  pool->stopping.store(true, std::memory_order_seq_cst);
  pool->epochWord.fetch_add(1, std::memory_order_seq_cst);
  wakeAll(sys, wordOf(pool->epochWord));
  for (uint32_t i = 0; i < pool->workerCount; ++i)
    sys.joinThread(pool->threads[i]);
  sys.release(pool->threads);
  dispose(sys, pool);
}

int32_t ThreadPool::parallelFor(int64_t count, aik_parallel_body body,
                                void *captures) {
  if (count <= 0)
    return 0;
  if (count == 1 || workerCount == 0 || threadState().insideParallelLoop ||
      !loopMutex.tryLock())
    return callLoopBody(body, captures, 0, count);

  int64_t pieces = int64_t(threadCount()) * piecesPerThread;
  loop = {body, captures, count, count / pieces > 0 ? count / pieces : 1};
  next.store(0, std::memory_order_relaxed);
  status.store(0, std::memory_order_relaxed);
  uint32_t epoch = epochWord.load(std::memory_order_relaxed) + 1;
  gate.store(uint64_t(epoch) << 32 | openBit, std::memory_order_release);
  epochWord.store(epoch, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) != 0)
    wakeAll(sys, wordOf(epochWord));

  runPieces();
  gate.fetch_and(~openBit, std::memory_order_acq_rel);
  waitForWorkers();
  int32_t result = status.load(std::memory_order_acquire);
  if (result != 0)
    failAgain(failure);
  loopMutex.unlock();
  return result;
}

void ThreadPool::runPieces() {
  while (status.load(std::memory_order_relaxed) == 0) {
    int64_t begin = next.fetch_add(loop.grain, std::memory_order_relaxed);
    if (begin >= loop.count)
      return;
    int64_t end =
        loop.count - begin < loop.grain ? loop.count : begin + loop.grain;
    if (int32_t result = callLoopBody(loop.body, loop.captures, begin, end))
      reportFailure(result);
  }
}

void ThreadPool::reportFailure(int32_t result) {
  // The first failure wins. Its record is read after all workers have left.
  int32_t none = 0;
  if (!status.compare_exchange_strong(none, result, std::memory_order_acq_rel))
    return;
  failure = threadState().record;
}

void ThreadPool::waitForWorkers() {
  auto allLeft = [this] {
    return (gate.load(std::memory_order_acquire) & insideMask) == 0;
  };
  while (!spinUntil(sys, spinNs, allLeft)) {
    uint32_t seen = doneWord.load(std::memory_order_acquire);
    callerSleeps.store(1, std::memory_order_seq_cst);
    if (!allLeft())
      sys.futexWait(wordOf(doneWord), seen, -1);
    callerSleeps.store(0, std::memory_order_relaxed);
  }
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

void ThreadPool::workerMain(void *opaque) {
  static_cast<ThreadPool *>(opaque)->work();
}

void ThreadPool::work() {
  uint32_t seen = 0;
  while (!stopping.load(std::memory_order_acquire)) {
    auto changed = [&] {
      return epochWord.load(std::memory_order_acquire) != seen;
    };
    if (!spinUntil(sys, spinNs, changed)) {
      sleepers.fetch_add(1, std::memory_order_seq_cst);
      if (epochWord.load(std::memory_order_seq_cst) == seen)
        sys.futexWait(wordOf(epochWord), seen, -1);
      sleepers.fetch_sub(1, std::memory_order_relaxed);
      continue;
    }
    seen = epochWord.load(std::memory_order_acquire);
    if (!join(seen))
      continue;
    runPieces();
    leave();
  }
}

bool ThreadPool::join(uint32_t epoch) {
  uint64_t seen = gate.load(std::memory_order_acquire);
  do {
    if (seen >> 32 != epoch || !(seen & openBit))
      return false;
  } while (
      !gate.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel));
  return true;
}

void ThreadPool::leave() {
  uint64_t before = gate.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & insideMask) != 1 || (before & openBit))
    return;
  doneWord.fetch_add(1, std::memory_order_seq_cst);
  if (callerSleeps.load(std::memory_order_seq_cst))
    wakeAll(sys, wordOf(doneWord));
}
