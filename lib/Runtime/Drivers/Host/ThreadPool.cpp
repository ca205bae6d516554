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
/// A claim is this part of what is left of a share.
constexpr int64_t claimsPerRest = 4;
/// After each of so many pieces a short loop's time is looked at.
constexpr int64_t piecesOfShort = 8;
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

ThreadPool *ThreadPool::start(Sys &sys, uint32_t threads, const Waits &waits) {
  ThreadPool *pool = create<ThreadPool>(sys, sys, waits);
  if (!pool)
    return nullptr;
  uint32_t wanted = threads > maxThreads ? maxThreads : threads;
  wanted = wanted > 1 ? wanted - 1 : 0;
  if (wanted == 0)
    return pool;
  void *workers = sys.allocate(sizeof(Worker) * wanted, alignof(Worker));
  void *shares = sys.allocate(sizeof(Share) * (wanted + 1), alignof(Share));
  if (!workers || !shares) {
    sys.release(workers);
    sys.release(shares);
    dispose(sys, pool);
    return nullptr;
  }
  pool->workers = static_cast<Worker *>(workers);
  pool->shares = static_cast<Share *>(shares);
  for (uint32_t i = 0; i <= wanted; ++i)
    new (&pool->shares[i]) Share();
  for (uint32_t i = 0; i < wanted; ++i) {
    Worker &worker = *new (&pool->workers[i]) Worker{pool, i + 1, {}, {}};
    if (sys.startThread(workerMain, &worker, &worker.thread) < 0)
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
    sys.joinThread(pool->workers[i].thread);
  sys.release(pool->workers);
  sys.release(pool->shares);
  dispose(sys, pool);
}

int64_t aik::runWhileShort(Sys &sys, LoopTimes &times, aik_parallel_body body,
                           void *captures, int64_t count, int32_t &status) {
  uint64_t started = sys.clockNs(), taken = 0;
  int64_t done = 0, piece = (count + piecesOfShort - 1) / piecesOfShort;
  do {
    int64_t end = count - done > piece ? done + piece : count;
    status = callLoopBody(body, captures, done, end);
    done = end;
    taken = sys.clockNs() - started;
  } while (done < count && status == 0 && taken < ThreadPool::worthWakingNs);
  times.note(body, done, taken);
  if (done == count || status != 0 ||
      times.expect(body, count - done) >= ThreadPool::worthWakingNs)
    return done;
  status = callLoopBody(body, captures, done, count);
  return count;
}

int32_t ThreadPool::parallelFor(int64_t count, aik_parallel_body body,
                                void *captures) {
  if (count <= 0)
    return 0;
  if (count == 1 || workerCount == 0 || threadState().insideParallelLoop)
    return callLoopBody(body, captures, 0, count);
  uint64_t expectedNs = times.expect(body, count);
  uint32_t asleep = sleepers.load(std::memory_order_relaxed);
  int64_t done = 0;
  if (expectedNs < (asleep < workerCount ? worthSharingNs : worthWakingNs)) {
    int32_t result = 0;
    done = runWhileShort(sys, times, body, captures, count, result);
    if (done == count || result != 0)
      return result;
    expectedNs = times.expect(body, count - done);
  }
  if (!loopMutex.tryLock())
    return callLoopBody(body, captures, done, count);
  loop = {body, captures};
  share({done, count}, expectedNs);
  int32_t result = status.load(std::memory_order_acquire);
  if (result != 0)
    failAgain(failure);
  loopMutex.unlock();
  return result;
}

void ThreadPool::share(Range all, uint64_t expectedNs) {
  deal(all);
  // Nobody can be quicker than the caller with its own, so there is always
  // something to measure.
  Range first;
  claim(shares[0], first);
  status.store(0, std::memory_order_relaxed);
  toWake.store(countWorthWaking(expectedNs), std::memory_order_relaxed);
  spreadSleepers();
  uint32_t epoch = epochWord.load(std::memory_order_relaxed) + 1;
  gate.store(uint64_t(epoch) << 32 | openBit, std::memory_order_release);
  epochWord.store(epoch, std::memory_order_seq_cst);
  wakeTwo();

  uint64_t begin = sys.clockNs();
  int64_t done = runRange(first) + runShares(0);
  times.note(loop.body, done, sys.clockNs() - begin);
  gate.fetch_and(~openBit, std::memory_order_acq_rel);
  waitForWorkers();
}

/// How many of those asleep would find enough to do.
int32_t ThreadPool::countWorthWaking(uint64_t expectedNs) const {
  uint64_t useful = expectedNs / worthWakingNs;
  return useful < workerCount ? int32_t(useful) : int32_t(workerCount);
}

/// A worker that lies on the caller's CPU would wake up only when the caller
/// has done its work, and of two that lie on one the second likewise.
void ThreadPool::spreadSleepers() {
  if (!waits.keepsCpus || toWake.load(std::memory_order_relaxed) <= 0 ||
      sleepers.load(std::memory_order_relaxed) == 0)
    return;
  int64_t cpu = sys.currentCpu();
  if (cpu < 0)
    return;
  CpuSet taken;
  taken.add(cpu);
  for (uint32_t i = 0; i < workerCount; ++i)
    workers[i].place.take(sys, taken);
}

/// A call that wakes 63 threads takes 76 us, so everybody wakes two. One that
/// stays asleep is not waited for: nothing hangs on the success of the call.
void ThreadPool::wakeTwo() {
  int32_t wanted = toWake.fetch_sub(2, std::memory_order_relaxed);
  if (wanted > 0 && sleepers.load(std::memory_order_seq_cst) != 0)
    sys.futexWake(wordOf(epochWord), wanted < 2 ? wanted : 2);
}

/// Cuts iterations into equal shares. The first ones get what is left over.
void ThreadPool::deal(Range all) {
  int64_t threads = threadCount(), count = all.end - all.begin;
  int64_t each = count / threads, longer = count % threads, begin = all.begin;
  for (int64_t i = 0; i < threads; ++i) {
    int64_t end = begin + each + (i < longer);
    shares[i].next.store(begin, std::memory_order_relaxed);
    shares[i].end.store(end, std::memory_order_relaxed);
    begin = end;
  }
}

/// Takes a part of what is left, so that claims are few and the last ones are
/// short enough for all threads to end together.
bool ThreadPool::claim(Share &share, Range &out) {
  int64_t end = share.end.load(std::memory_order_relaxed);
  out.begin = share.next.load(std::memory_order_relaxed);
  do {
    if (out.begin >= end)
      return false;
    out.end = out.begin + (end - out.begin + claimsPerRest - 1) / claimsPerRest;
  } while (!share.next.compare_exchange_weak(out.begin, out.end,
                                             std::memory_order_relaxed));
  return true;
}

int64_t ThreadPool::runRange(Range range) {
  if (int32_t result =
          callLoopBody(loop.body, loop.captures, range.begin, range.end))
    reportFailure(result);
  return range.end - range.begin;
}

/// Runs the thread's own share, then helps the others. Returns how many
/// iterations that were.
int64_t ThreadPool::runShares(uint32_t number) {
  uint32_t threads = threadCount();
  int64_t done = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    Share &share = shares[(number + i) % threads];
    Range range;
    while (status.load(std::memory_order_relaxed) == 0 && claim(share, range))
      done += runRange(range);
  }
  return done;
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
  while (!spinUntil(sys, waits.callerNs, allLeft)) {
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
  auto &worker = *static_cast<Worker *>(opaque);
  worker.pool->work(worker);
}

void ThreadPool::work(Worker &worker) {
  uint32_t seen = 0;
  bool slept = false;
  while (!stopping.load(std::memory_order_acquire)) {
    auto changed = [&] {
      return epochWord.load(std::memory_order_acquire) != seen;
    };
    if (!spinUntil(sys, waits.workerNs, changed)) {
      sleep(worker, seen);
      slept = true;
      continue;
    }
    seen = epochWord.load(std::memory_order_acquire);
    if (!join(seen))
      continue;
    if (slept)
      wakeTwo();
    slept = false;
    runShares(worker.number);
    leave();
  }
}

void ThreadPool::sleep(Worker &worker, uint32_t epoch) {
  if (waits.keepsCpus)
    worker.place.lieDown(sys);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (epochWord.load(std::memory_order_seq_cst) == epoch)
    sys.futexWait(wordOf(epochWord), epoch, -1);
  sleepers.fetch_sub(1, std::memory_order_relaxed);
  worker.place.getUp(sys);
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
