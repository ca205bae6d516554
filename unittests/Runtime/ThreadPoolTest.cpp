//===- ThreadPoolTest.cpp - The threads behind parallel_for ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every index exactly once, errors with their record, nested and concurrent
// loops, no allocation per loop, pools that get fewer threads than asked; how
// work is shared, when workers sleep, and which loops wake them.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Host/ThreadPool.h"
#include "TestSupport.h"

#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace aiktest;

namespace {
/// Time runs a thousand times faster, so that every loop is worth sharing.
template <typename Base>
struct FastClock : Base {
  uint64_t clockNs() override { return Base::clockNs() * 1000; }
};
FastClock<aik::Sys> fastClock;

struct Pool {
  explicit Pool(uint32_t threads, aik::Sys &sys = fastClock,
                uint64_t spinNs = 2000, bool keepsCpus = false)
      : pool(aik::ThreadPool::start(sys, threads,
                                    {spinNs, spinNs, keepsCpus})) {}
  ~Pool() { aik::ThreadPool::stop(pool); }
  aik::ThreadPool *operator->() { return pool; }
  aik::ThreadPool *pool;
};

int32_t mark(void *captures, int64_t begin, int64_t end) {
  auto *cells = static_cast<std::atomic<int> *>(captures);
  for (int64_t i = begin; i < end; ++i)
    ++cells[i];
  return 0;
}

void visitsEachIndexOnce() {
  struct Row {
    uint32_t threads;
    uint64_t spinNs;
    bool keepsCpus;
  };
  for (auto [threads, spinNs, keepsCpus] :
       {Row{1, 2000, false}, Row{2, 1, false}, Row{2, 1, true},
        Row{2, 2000000, false}, Row{3, 2000000, true}, Row{8, 2000, false},
        Row{8, 2000, true}}) {
    Pool pool(threads, fastClock, spinNs, keepsCpus);
    CHECK_EQ(pool->threadCount(), threads);
    for (int64_t count : {0, 1, 2, 7, 64, 1000, 1001}) {
      std::vector<std::atomic<int>> cells(size_t(count) + 1);
      for (int round = 0; round < 30; ++round)
        CHECK_EQ(pool->parallelFor(count, mark, cells.data()), 0);
      for (int64_t i = 0; i < count; ++i)
        if (cells[size_t(i)] != 30) {
          CHECK_EQ(cells[size_t(i)].load(), 30);
          break;
        }
      CHECK_EQ(cells[size_t(count)].load(), 0);
    }
    CHECK_EQ(pool->parallelFor(-5, mark, nullptr), 0);
  }
}

void usesSeveralThreads() {
  Pool pool(3);
  struct Captures {
    std::atomic<int> inside{0}, most{0};
  } captures;
  auto body = [](void *opaque, int64_t, int64_t) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    int now = ++c->inside;
    for (int seen = c->most;
         now > seen && !c->most.compare_exchange_weak(seen, now);)
      ;
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    --c->inside;
    return 0;
  };
  CHECK_EQ(pool->parallelFor(12, body, &captures), 0);
  CHECK(captures.most >= 2);
  CHECK(captures.most <= 3);
}

/// The caller is quick, the workers are slow: the loop ends when they do.
void waitsForItsWorkers() {
  Pool pool(3);
  struct Captures {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> begun{0}, ended{0};
  } captures;
  auto body = [](void *opaque, int64_t, int64_t) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    bool isCaller = std::this_thread::get_id() == c->caller;
    c->begun += !isCaller;
    std::this_thread::sleep_for(std::chrono::milliseconds(isCaller ? 1 : 20));
    c->ended += !isCaller;
    return 0;
  };
  for (int round = 0; round < 5; ++round) {
    CHECK_EQ(pool->parallelFor(12, body, &captures), 0);
    CHECK_EQ(captures.begun.load(), captures.ended.load());
  }
  CHECK(captures.begun > 0);
}

/// For a while awake; workers have a time of their own.
void waitsAsLongAsItIsTold() {
  struct CallerAsleep : CountingSys {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> times{0};
    int64_t futexWait(const uint32_t *word, uint32_t expected,
                      int64_t timeoutNs) override {
      times += std::this_thread::get_id() == caller;
      return Sys::futexWait(word, expected, timeoutNs);
    }
  };
  constexpr uint64_t brief = 1, ages = 3600000000000;
  auto body = [](void *opaque, int64_t, int64_t) -> int32_t {
    bool isCaller = std::this_thread::get_id() ==
                    static_cast<CallerAsleep *>(opaque)->caller;
    std::this_thread::sleep_for(std::chrono::milliseconds(isCaller ? 1 : 20));
    return 0;
  };
  for (bool isPatient : {false, true}) {
    CallerAsleep sys;
    aik::ThreadPool *pool = aik::ThreadPool::start(
        sys, 2, {isPatient ? brief : ages, isPatient ? ages : brief, false});
    for (int round = 0; round < 3; ++round)
      CHECK_EQ(pool->parallelFor(8, body, &sys), 0);
    CHECK_EQ(sys.times > 0, !isPatient);
    aik::ThreadPool::stop(pool);
  }
}

/// What a worker recorded is in the caller's record.
void bringsTheRecordAcross() {
  Pool pool(2);
  std::thread::id caller = std::this_thread::get_id();
  auto body = [](void *opaque, int64_t, int64_t) -> int32_t {
    if (std::this_thread::get_id() != *static_cast<std::thread::id *>(opaque))
      return aik::fail(AIK_ENOSPC, "said by a worker");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return 0;
  };
  int32_t status = 0;
  uint64_t failures = aik::threadState().failures;
  for (int round = 0; round < 100 && status == 0; ++round)
    status = pool->parallelFor(8, body, &caller);
  CHECK_EQ(status, -AIK_ENOSPC);
  CHECK_SAYS("said by a worker");
  CHECK(aik::threadState().failures > failures);
}

void returnsTheFirstError() {
  Pool pool(4);
  auto body = [](void *, int64_t begin, int64_t end) -> int32_t {
    return begin <= 500 && 500 < end
               ? aik::fail(AIK_ERANGE, "index %d is bad", 500)
               : 0;
  };
  for (int round = 0; round < 50; ++round) {
    aik_fault_clear();
    CHECK_EQ(pool->parallelFor(1000, body, nullptr), -AIK_ERANGE);
    CHECK_SAYS("index 500 is bad"); // though another thread may have met it
    // A body that gives no reason does not get an old one.
    CHECK_EQ(pool->parallelFor(
                 1000,
                 [](void *, int64_t begin, int64_t) -> int32_t {
                   return begin == 0 ? -AIK_EIO : 0;
                 },
                 nullptr),
             -AIK_EIO);
    CHECK_SAYS("a parallel loop returned -5 (EIO)");
  }
  std::vector<std::atomic<int>> cells(100);
  CHECK_EQ(pool->parallelFor(100, mark, cells.data()), 0);
}

/// After an error only what has begun is ended.
void stopsAfterAnError() {
  Pool pool(2);
  struct Captures {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> byCaller{0}, byWorker{0};
  } captures;
  auto body = [](void *opaque, int64_t, int64_t) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    if (std::this_thread::get_id() != c->caller) {
      ++c->byWorker;
      soon([&] { return c->byCaller > 0; });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return 0;
    }
    ++c->byCaller;
    return -AIK_EIO;
  };
  CHECK_EQ(pool->parallelFor(1000, body, &captures), -AIK_EIO);
  CHECK_EQ(captures.byCaller.load(), 1);
  CHECK(captures.byWorker <= 1);
}

void servesManyCallers() {
  Pool pool(2);
  std::atomic<int64_t> sum{0};
  auto body = [](void *opaque, int64_t begin, int64_t end) -> int32_t {
    *static_cast<std::atomic<int64_t> *>(opaque) += end - begin;
    return 0;
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round)
        pool->parallelFor(50, body, &sum);
    });
  for (std::thread &caller : callers)
    caller.join();
  CHECK_EQ(sum.load(), 4 * 300 * 50);
}

void nestsSerially() {
  Pool pool(3);
  struct Captures {
    aik::ThreadPool *pool;
    std::atomic<int64_t> sum{0};
  } captures;
  captures.pool = pool.pool;
  auto body = [](void *opaque, int64_t begin, int64_t end) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    for (int64_t i = begin; i < end; ++i) {
      struct Inner {
        Captures *outer;
        std::thread::id thread;
      } inner = {c, std::this_thread::get_id()};
      c->pool->parallelFor(
          40,
          [](void *p, int64_t b, int64_t e) -> int32_t {
            auto *in = static_cast<Inner *>(p);
            if (in->thread == std::this_thread::get_id())
              in->outer->sum += e - b;
            return 0;
          },
          &inner);
    }
    return 0;
  };
  CHECK_EQ(pool->parallelFor(20, body, &captures), 0);
  CHECK_EQ(captures.sum.load(), 800);
}

void allocatesNothingPerLoop() {
  FastClock<CountingSys> sys;
  {
    Pool pool(3, sys);
    std::vector<std::atomic<int>> cells(100);
    pool->parallelFor(100, mark, cells.data());
    int before = sys.allAllocations;
    for (int i = 0; i < 100; ++i)
      pool->parallelFor(100, mark, cells.data());
    CHECK_EQ(sys.allAllocations.load(), before);
    CHECK_EQ(sys.allThreads.load(), 2);
    CHECK_EQ(sys.liveThreads.load(), 2);
  }
  CHECK(sys.isClean());
}

/// Time stands still for the thread that made it, but for what its loops are
/// said to take. Workers have the real clock, and are seen going to sleep.
struct SlowMotion : CountingSys {
  std::thread::id caller = std::this_thread::get_id();
  uint64_t callersTime = 1;
  /// So many workers never sleep, because their time stands still, too.
  std::atomic<int> watchmen{0};
  std::atomic<int> wakesOfCaller{0}, wokenByCaller{0}, woken{0};

  uint64_t clockNs() override {
    static thread_local SlowMotion *keepsAwake = nullptr;
    if (std::this_thread::get_id() == caller)
      return callersTime;
    if (keepsAwake != this && watchmen > 0 && watchmen-- > 0)
      keepsAwake = this;
    return keepsAwake == this ? 1 : Sys::clockNs();
  }
  int64_t futexWake(const uint32_t *word, int32_t count) override {
    if (std::this_thread::get_id() == caller) {
      ++wakesOfCaller;
      wokenByCaller += count;
    }
    woken += count;
    return Sys::futexWake(word, count);
  }
};

/// A loop whose iterations are said to take `ns`, and who ran them.
struct TimedLoop {
  SlowMotion &sys;
  uint64_t ns;
  std::atomic<int> byCaller{0}, byWorkers{0};
  bool waitsForWorkers = false, takesLong = false;

  static int32_t body(void *opaque, int64_t begin, int64_t end) {
    auto &loop = *static_cast<TimedLoop *>(opaque);
    if (std::this_thread::get_id() != loop.sys.caller) {
      loop.byWorkers += int(end - begin);
      return 0;
    }
    loop.sys.callersTime += loop.ns * uint64_t(end - begin);
    loop.byCaller += int(end - begin);
    if (loop.takesLong)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (loop.waitsForWorkers)
      soon([&] { return loop.byWorkers > 0; });
    return 0;
  }
};

/// What is over at once wakes nobody; what is not wakes as many as find work.
void letsSleepersSleep() {
  SlowMotion sys;
  Pool pool(5, sys);
  auto runLoop = [&](uint64_t ns, int64_t count) {
    CHECK(soon([&] { return sys.sleeping == 4; }));
    TimedLoop loop{sys, ns};
    sys.wokenByCaller = sys.woken = 0;
    CHECK_EQ(pool->parallelFor(count, TimedLoop::body, &loop), 0);
    CHECK_EQ(loop.byCaller + loop.byWorkers, count);
  };
  runLoop(100, 100); // nothing is known of it yet
  CHECK(sys.woken >= 2);
  runLoop(199, 100);
  CHECK_EQ(sys.woken.load(), 0);
  runLoop(199, 100); // 19.9 us: known from the run before
  CHECK_EQ(sys.woken.load(), 0);
  runLoop(450, 101); // 20.1 us
  CHECK_EQ(sys.woken.load(), 1);
  runLoop(450, 100); // 45 us
  CHECK_EQ(sys.woken.load(), 2);
  runLoop(450, 1);
  CHECK_EQ(sys.woken.load(), 0);
}

/// What was short and is not any more is shared while it runs.
void noticesThatItTakesLonger() {
  SlowMotion sys;
  Pool pool(5, sys);
  auto runLoop = [&](uint64_t ns, int64_t count) {
    CHECK(soon([&] { return sys.sleeping == 4; }));
    TimedLoop loop{sys, ns};
    sys.woken = 0;
    CHECK_EQ(pool->parallelFor(count, TimedLoop::body, &loop), 0);
    CHECK_EQ(loop.byCaller + loop.byWorkers, count);
    return sys.woken.load();
  };
  runLoop(10, 80);
  CHECK_EQ(runLoop(10, 80), 0);   // 0.8 us
  CHECK(runLoop(10000, 80) >= 2); // 800 us, known after 100 of them
  CHECK(runLoop(10000, 80) >= 2);
  runLoop(10, 80);
  CHECK_EQ(runLoop(10, 80), 0);
  CHECK_EQ(runLoop(2500, 9), 0); // 2.5 us are left after 20: not worth it
}

/// The caller wakes two, those wake the others, and nobody is forgotten.
void wakesByRelay() {
  constexpr int threads = 12;
  SlowMotion sys;
  Pool pool(threads, sys);
  struct Captures {
    SlowMotion &sys;
    std::mutex mutex = {};
    std::set<std::thread::id> came = {};
  };
  auto body = [](void *opaque, int64_t, int64_t) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    if (std::this_thread::get_id() == c->sys.caller)
      c->sys.callersTime += 1000000;
    auto allCame = [&] {
      std::lock_guard<std::mutex> lock(c->mutex);
      c->came.insert(std::this_thread::get_id());
      return c->came.size() == threads;
    };
    CHECK(soon(allCame));
    return 0;
  };
  for (int round = 0; round < 3; ++round) {
    CHECK(soon([&] { return sys.sleeping == threads - 1; }));
    sys.wakesOfCaller = sys.wokenByCaller = sys.woken = 0;
    Captures captures{sys};
    CHECK_EQ(pool->parallelFor(600, body, &captures), 0);
    CHECK_EQ(sys.wakesOfCaller.load(), 1);
    CHECK_EQ(sys.wokenByCaller.load(), 2);
    CHECK_EQ(sys.woken.load(), threads - 1);
  }
}

/// Workers that are awake share what would not be worth waking them for, but
/// not the very smallest loops.
void sharesWithWhoIsAwake() {
  SlowMotion sys;
  Pool pool(2, sys, /*spinNs=*/3600000000000);
  TimedLoop loop{sys, 100};
  loop.waitsForWorkers = true;
  CHECK_EQ(pool->parallelFor(50, TimedLoop::body, &loop), 0);
  CHECK(loop.byWorkers > 0);
  loop.byWorkers = 0;
  CHECK_EQ(pool->parallelFor(50, TimedLoop::body, &loop), 0); // 5 us
  CHECK(loop.byWorkers > 0);
  TimedLoop small{sys, 100};
  small.takesLong = true;
  CHECK_EQ(pool->parallelFor(29, TimedLoop::body, &small), 0); // 2.9 us
  CHECK_EQ(small.byCaller.load(), 29);
  CHECK_EQ(sys.woken.load(), 0);
  CHECK_EQ(sys.sleeping.load(), 0);
}

/// Where one is awake and one asleep, a small loop leaves it at that.
void leavesTheOthersAsleep() {
  SlowMotion sys;
  sys.watchmen = 1;
  Pool pool(3, sys);
  TimedLoop loop{sys, 100};
  loop.waitsForWorkers = true;
  for (int round = 0; round < 3; ++round) {
    // Below 0 where two workers came at once.
    CHECK(soon([&] { return sys.sleeping == 1 && sys.watchmen <= 0; }));
    sys.woken = 0;
    loop.byWorkers = 0;
    CHECK_EQ(pool->parallelFor(100, TimedLoop::body, &loop), 0); // 10 us
    CHECK(loop.byWorkers > 0);
    CHECK_EQ(sys.woken > 0, round == 0);
  }
}

/// Spinning ends: a pool without work uses no CPU.
void sleepsAfterSpinning() {
  SlowMotion sys;
  Pool pool(4, sys, 50000);
  for (int round = 0; round < 3; ++round) {
    CHECK(soon([&] { return sys.sleeping == 3; }));
    TimedLoop loop{sys, 1000000};
    loop.waitsForWorkers = true;
    CHECK_EQ(pool->parallelFor(64, TimedLoop::body, &loop), 0);
    CHECK(loop.byWorkers > 0);
  }
}

/// The same threads run every loop, and each begins with its own share.
void keepsThreadsAtTheirShares() {
  constexpr int64_t threads = 3, count = 300;
  SlowMotion sys;
  Pool pool(threads, sys);
  struct Captures {
    SlowMotion &sys;
    std::mutex mutex = {};
    std::map<std::thread::id, int64_t> first = {};
  };
  auto body = [](void *opaque, int64_t begin, int64_t) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    bool isNew;
    if (std::this_thread::get_id() == c->sys.caller)
      c->sys.callersTime += 1000000; // so that all are woken the next time
    {
      std::lock_guard<std::mutex> lock(c->mutex);
      isNew = c->first.emplace(std::this_thread::get_id(), begin).second;
    }
    // Nobody goes on before all have come.
    if (isNew)
      soon([&] {
        std::lock_guard<std::mutex> lock(c->mutex);
        return int64_t(c->first.size()) == threads;
      });
    return 0;
  };
  std::map<std::thread::id, int64_t> before;
  for (int round = 0; round < 5; ++round) {
    Captures captures{sys};
    CHECK_EQ(pool->parallelFor(count, body, &captures), 0);
    std::set<int64_t> begins;
    for (auto [thread, begin] : captures.first)
      begins.insert(begin);
    CHECK(begins == (std::set<int64_t>{0, 100, 200}));
    CHECK_EQ(captures.first[std::this_thread::get_id()], 0);
    CHECK(round == 0 || captures.first == before);
    before = captures.first;
  }
}

/// A thread that is slow does little, and the others its share.
void takesFromTheSlow() {
  Pool pool(2);
  struct Captures {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> byCaller{0}, byWorker{0};
  };
  auto body = [](void *opaque, int64_t begin, int64_t end) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    if (std::this_thread::get_id() == c->caller) {
      soon([&] { return c->byWorker > 0; });
      c->byCaller += int(end - begin);
      return 0;
    }
    c->byWorker += int(end - begin);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return 0;
  };
  Captures captures;
  CHECK_EQ(pool->parallelFor(64, body, &captures), 0);
  CHECK_EQ(captures.byCaller + captures.byWorker, 64);
  // A quarter of its 32; two quarters where the caller was held up.
  CHECK(captures.byWorker <= 14);
}

/// Whoever takes them: pieces of a share become shorter, down to one iteration,
/// so that no thread is left with a long one at the end.
void endsWithShortPieces() {
  constexpr int64_t threads = 2, count = 42, share = count / threads;
  Pool pool(threads);
  struct Captures {
    std::mutex mutex;
    std::map<int64_t, int64_t> lengths; // by where they begin
  } captures;
  auto body = [](void *opaque, int64_t begin, int64_t end) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    std::lock_guard<std::mutex> lock(c->mutex);
    c->lengths[begin] = end - begin;
    return 0;
  };
  CHECK_EQ(pool->parallelFor(count, body, &captures), 0);
  int64_t before = 0, end = 0;
  for (auto [begin, length] : captures.lengths) {
    CHECK_EQ(begin, end);
    CHECK(length <= (begin % share == 0 ? (share + 3) / 4 : before));
    before = length;
    end = begin + length;
    CHECK(end % share != 0 || length == 1);
  }
  CHECK_EQ(end, count);
}

void livesWithFewerThreads() {
  struct FewThreads : CountingSys {
    uint32_t left = 0;
    int64_t startThread(void (*body)(void *), void *argument,
                        aik::SysThread *out) override {
      return left-- == 0 ? -11 : CountingSys::startThread(body, argument, out);
    }
  } sys;
  for (uint32_t workers = 0; workers < 5; ++workers) {
    sys.left = workers;
    aik::ThreadPool *pool = aik::ThreadPool::start(sys, 4, {2000, 2000, false});
    CHECK_EQ(pool->threadCount(), workers < 3 ? workers + 1 : 4);
    std::vector<std::atomic<int>> cells(100);
    CHECK_EQ(pool->parallelFor(100, mark, cells.data()), 0);
    CHECK_EQ(cells[99].load(), 1);
    aik::ThreadPool::stop(pool);
    CHECK(sys.isClean());
  }
}
} // namespace

int main(int argc, char **argv) {
  useTestImage(argc, argv);
  run("visits each index once", visitsEachIndexOnce);
  run("uses several threads", usesSeveralThreads);
  run("waits for its workers", waitsForItsWorkers);
  run("waits as long as it is told", waitsAsLongAsItIsTold);
  run("brings the record across", bringsTheRecordAcross);
  run("returns the first error", returnsTheFirstError);
  run("stops after an error", stopsAfterAnError);
  run("serves many callers", servesManyCallers);
  run("nests serially", nestsSerially);
  run("allocates nothing per loop", allocatesNothingPerLoop);
  run("lets sleepers sleep", letsSleepersSleep);
  run("notices that it takes longer", noticesThatItTakesLonger);
  run("wakes by relay", wakesByRelay);
  run("shares with who is awake", sharesWithWhoIsAwake);
  run("leaves the others asleep", leavesTheOthersAsleep);
  run("sleeps after spinning", sleepsAfterSpinning);
  run("keeps threads at their shares", keepsThreadsAtTheirShares);
  run("takes from the slow", takesFromTheSlow);
  run("ends with short pieces", endsWithShortPieces);
  run("lives with fewer threads", livesWithFewerThreads);
  return finish();
}
