//===- ThreadPoolTest.cpp - The threads behind parallel_for ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every index exactly once, errors with their record, nested and concurrent
// loops, no allocation per loop, and pools that get fewer threads than asked.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Host/ThreadPool.h"
#include "TestSupport.h"

#include <set>
#include <thread>
#include <vector>

using namespace aiktest;

namespace {
struct Pool {
  explicit Pool(uint32_t threads, aik::Sys &sys = aik::hostSys())
      : pool(aik::ThreadPool::start(sys, threads, 2000)) {}
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
  for (uint32_t threads : {1u, 2u, 3u, 8u}) {
    Pool pool(threads);
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
  auto body = [](void *opaque, int64_t begin, int64_t end) -> int32_t {
    auto *calls = static_cast<std::atomic<int> *>(opaque);
    ++*calls;
    return begin <= 500 && 500 < end
               ? aik::fail(AIK_ERANGE, "index %d is bad", 500)
               : 0;
  };
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> calls{0};
    aik_fault_clear();
    CHECK_EQ(pool->parallelFor(1000, body, &calls), -AIK_ERANGE);
    CHECK_SAYS("index 500 is bad"); // though another thread may have met it
    CHECK(calls <= 17);
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
  CountingSys sys;
  {
    Pool pool(3, sys);
    std::vector<std::atomic<int>> cells(100);
    pool->parallelFor(100, mark, cells.data());
    int before = sys.liveAllocations;
    for (int i = 0; i < 100; ++i)
      pool->parallelFor(100, mark, cells.data());
    CHECK_EQ(sys.liveAllocations.load(), before);
    CHECK_EQ(sys.liveThreads.load(), 2);
  }
  CHECK(sys.isClean());
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
    aik::ThreadPool *pool = aik::ThreadPool::start(sys, 4, 2000);
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
  run("brings the record across", bringsTheRecordAcross);
  run("returns the first error", returnsTheFirstError);
  run("serves many callers", servesManyCallers);
  run("nests serially", nestsSerially);
  run("allocates nothing per loop", allocatesNothingPerLoop);
  run("lives with fewer threads", livesWithFewerThreads);
  return finish();
}
