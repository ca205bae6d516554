//===- SleepingPlaceTest.cpp - Where threads of a pool wake up ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a made-up machine that remembers the masks of threads: one CPU while they
// sleep, another than those that are taken when there is work, and afterwards
// what it was before, unless somebody else has changed it. On the real one: a
// thread alone.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Host/SleepingPlace.h"
#include "Drivers/Host/ThreadPool.h"
#include "TestSupport.h"

#include <map>
#include <mutex>
#include <sched.h>

using namespace aiktest;
using aik::CpuSet;
using aik::SleepingPlace;

namespace {
CpuSet setOf(std::initializer_list<int64_t> cpus) {
  CpuSet set;
  for (int64_t cpu : cpus)
    set.add(cpu);
  return set;
}

/// Four CPUs; the thread that made the machine is on `callersCpu`, the others
/// are where they may be, or on `workersCpu`.
struct MadeUpCpus : CountingSys {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int64_t> callersCpu{0}, workersCpu{0};
  std::atomic<int> refusals{0};
  CpuSet all = setOf({0, 1, 2, 3});

  std::map<int64_t, CpuSet> masks() {
    std::lock_guard<std::mutex> lock(mutex);
    return setMasks;
  }
  int64_t currentCpu() override {
    return std::this_thread::get_id() == caller ? callersCpu : workersCpu;
  }
  int64_t affinity(int64_t thread, CpuSet *out) override {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = setMasks.find(thread);
    *out = found == setMasks.end() ? all : found->second;
    return 8;
  }
  int64_t setAffinity(int64_t thread, const CpuSet &cpus) override {
    if (refusals > 0 && refusals-- > 0)
      return -1;
    std::lock_guard<std::mutex> lock(mutex);
    setMasks[thread] = cpus;
    return 0;
  }

private:
  std::mutex mutex;
  std::map<int64_t, CpuSet> setMasks;
};

/// Somebody has work for it whose thread is there.
void wakeFrom(SleepingPlace &place, aik::Sys &sys, int64_t cpu) {
  CpuSet taken = setOf({cpu});
  place.take(sys, taken);
}

/// The mask of this thread.
CpuSet maskOf(aik::Sys &sys) {
  CpuSet set;
  CHECK(sys.affinity(sys.threadId(), &set) >= 0);
  return set;
}

void staysWhereItLiesDown() {
  MadeUpCpus sys;
  SleepingPlace place;
  sys.callersCpu = 2;
  place.lieDown(sys);
  CHECK(maskOf(sys) == setOf({2}));
  place.getUp(sys);
  CHECK(maskOf(sys) == sys.all);
  place.getUp(sys); // it is up
  CHECK(maskOf(sys) == sys.all);
}

void makesRoomForWhoHasWork() {
  MadeUpCpus sys;
  SleepingPlace place;
  sys.callersCpu = 2;
  wakeFrom(place, sys, 2); // nobody lies there yet
  CHECK(sys.masks().empty());
  place.lieDown(sys);
  CpuSet taken = setOf({1});
  place.take(sys, taken);
  CHECK(taken == setOf({1, 2}));
  CHECK(maskOf(sys) == setOf({2}));
  taken = setOf({0, 2});
  place.take(sys, taken);
  CHECK(taken == setOf({0, 2}));
  CHECK(maskOf(sys) == setOf({1, 3}));
  place.getUp(sys);
  CHECK(maskOf(sys) == sys.all);
  wakeFrom(place, sys, 2);
  CHECK(maskOf(sys) == sys.all);
}

/// It lies there all the same if there is no other place.
void staysWhereAllIsTaken() {
  MadeUpCpus sys;
  SleepingPlace place;
  place.lieDown(sys);
  CpuSet taken = sys.all;
  place.take(sys, taken);
  CHECK(maskOf(sys) == setOf({0}));
  place.getUp(sys);
  CHECK(maskOf(sys) == sys.all);
}

/// Who has one CPU has no choice.
void leavesASingleCpuAlone() {
  MadeUpCpus sys;
  sys.all = setOf({0});
  SleepingPlace place;
  place.lieDown(sys);
  wakeFrom(place, sys, 0);
  place.getUp(sys);
  CHECK(sys.masks().empty());
}

/// Somebody has said meanwhile where the thread is to run, before it was to be
/// moved, after that, or where it was not.
void obeysOthers() {
  MadeUpCpus sys;
  SleepingPlace place;
  auto say = [&] { sys.setAffinity(sys.threadId(), setOf({0, 3})); };
  for (int when : {0, 1, 2}) {
    sys.setAffinity(sys.threadId(), sys.all);
    place.lieDown(sys);
    if (when != 1)
      say();
    if (when != 2)
      wakeFrom(place, sys, 0);
    if (when == 1)
      say();
    place.getUp(sys);
    CHECK(maskOf(sys) == setOf({0, 3}));
  }
}

void livesWithRefusals() {
  MadeUpCpus sys;
  SleepingPlace place;
  sys.refusals = 1;
  place.lieDown(sys);
  wakeFrom(place, sys, 0);
  place.getUp(sys);
  CHECK(sys.masks().empty());
  place.lieDown(sys);
  sys.refusals = 1;
  wakeFrom(place, sys, 0);
  CHECK(maskOf(sys) == setOf({0}));
  wakeFrom(place, sys, 0); // now it can be
  CHECK(maskOf(sys) == setOf({1, 2, 3}));
  place.getUp(sys);
  CHECK(maskOf(sys) == sys.all);
}

/// Where masks can be set, but not read.
void getsUpBlindly() {
  struct Blind : MadeUpCpus {
    bool isBlind = false;
    int64_t affinity(int64_t thread, CpuSet *out) override {
      return isBlind ? -1 : MadeUpCpus::affinity(thread, out);
    }
  } sys;
  SleepingPlace place;
  place.lieDown(sys);
  sys.isBlind = true;
  wakeFrom(place, sys, 0);
  place.getUp(sys);
  sys.isBlind = false;
  CHECK(maskOf(sys) == sys.all);
}

/// The thread wakes up while somebody is about to set its mask.
void waitsUntilItIsMoved() {
  struct Slow : MadeUpCpus {
    std::atomic<bool> isMoving{false}, mayMove{false};
    int64_t setAffinity(int64_t thread, const CpuSet &cpus) override {
      if (thread != threadId()) {
        isMoving = true;
        CHECK(soon([&] { return mayMove.load(); }));
      }
      return MadeUpCpus::setAffinity(thread, cpus);
    }
  } sys;
  SleepingPlace place;
  place.lieDown(sys);
  std::thread mover([&] { wakeFrom(place, sys, 0); });
  CHECK(soon([&] { return sys.isMoving.load(); }));
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    sys.mayMove = true;
  });
  place.getUp(sys);
  mover.join();
  release.join();
  CHECK(maskOf(sys) == sys.all);
}

/// More CPUs than a set has room for, or none that is known.
void livesWithoutACpu() {
  MadeUpCpus sys;
  SleepingPlace place;
  sys.callersCpu = -34;
  place.lieDown(sys);
  place.getUp(sys);
  CHECK(sys.masks().empty());
}

void worksOnThisMachine() {
  aik::Sys &sys = aik::hostSys();
  CpuSet before = maskOf(sys);
  cpu_set_t same;
  CHECK_EQ(sched_getaffinity(0, sizeof(same), &same), 0);
  for (int64_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (before.has(cpu) != bool(CPU_ISSET(cpu, &same)))
      CHECK_EQ(cpu, -1);
  }
  SleepingPlace place;
  for (int round = 0; round < 20; ++round) {
    place.lieDown(sys);
    CHECK(maskOf(sys) == setOf({sys.currentCpu()}));
    wakeFrom(place, sys, sys.currentCpu());
    place.getUp(sys);
    CHECK(maskOf(sys) == before);
  }
}

int32_t nothing(void *, int64_t, int64_t) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return 0;
}

/// All workers lie on the caller's CPU, are moved before they are woken, and
/// may go anywhere when they are up.
void poolsMoveTheirWorkers(bool keepsCpus) {
  constexpr int threads = 4;
  MadeUpCpus sys;
  aik::ThreadPool *pool =
      aik::ThreadPool::start(sys, threads, {1, 1, keepsCpus});
  for (int64_t cpu : {0, 0, 3}) {
    sys.callersCpu = cpu;
    CHECK(soon([&] { return sys.sleeping == threads - 1; }));
    if (!keepsCpus) {
      CHECK(sys.masks().empty());
    } else {
      CHECK_EQ(sys.masks().size(), size_t(threads - 1));
      for (auto &[thread, mask] : sys.masks())
        CHECK(mask == setOf({sys.workersCpu}));
    }
    struct Captures {
      MadeUpCpus &sys;
      std::atomic<int> others{0};
    } captures{sys};
    auto body = [](void *opaque, int64_t, int64_t) -> int32_t {
      auto *c = static_cast<Captures *>(opaque);
      if (std::this_thread::get_id() != c->sys.caller)
        c->others += !(maskOf(c->sys) == c->sys.all);
      return nothing(nullptr, 0, 0);
    };
    CHECK_EQ(pool->parallelFor(64, body, &captures), 0);
    CHECK_EQ(captures.others.load(), 0);
  }
  aik::ThreadPool::stop(pool);
  for (auto &[thread, mask] : sys.masks())
    CHECK(mask == sys.all);
  CHECK(sys.isClean());
}
void workersWakeUpWhereTheySlept() { poolsMoveTheirWorkers(true); }
void crowdedOnesAreLeftToTheKernel() { poolsMoveTheirWorkers(false); }

/// Both lie on one CPU. If it is the caller's both are moved, and before
/// anybody is woken; if not one of them may stay.
void eachIsWokenOnACpuOfItsOwn() {
  struct Watching : MadeUpCpus {
    int moved = 0, movedBeforeWake = -1;
    int64_t setAffinity(int64_t thread, const CpuSet &cpus) override {
      if (std::this_thread::get_id() == caller)
        ++moved;
      return MadeUpCpus::setAffinity(thread, cpus);
    }
    int64_t futexWake(const uint32_t *word, int32_t count) override {
      if (std::this_thread::get_id() == caller)
        movedBeforeWake = moved;
      return Sys::futexWake(word, count);
    }
  } sys;
  aik::ThreadPool *pool = aik::ThreadPool::start(sys, 3, {1, 1, true});
  for (int64_t cpu : {0, 0, 1, 0}) {
    CHECK(soon([&] { return sys.sleeping == 2; }));
    sys.moved = 0, sys.movedBeforeWake = -1;
    sys.callersCpu = cpu;
    CHECK_EQ(pool->parallelFor(16, nothing, nullptr), 0);
    CHECK_EQ(sys.moved, cpu == sys.workersCpu ? 2 : 1);
    CHECK_EQ(sys.movedBeforeWake, sys.moved);
  }
  aik::ThreadPool::stop(pool);
}
} // namespace

int main(int argc, char **argv) {
  useTestImage(argc, argv);
  run("stays where it lies down", staysWhereItLiesDown);
  run("makes room for who has work", makesRoomForWhoHasWork);
  run("stays where all is taken", staysWhereAllIsTaken);
  run("leaves a single CPU alone", leavesASingleCpuAlone);
  run("obeys others", obeysOthers);
  run("lives with refusals", livesWithRefusals);
  run("gets up blindly", getsUpBlindly);
  run("waits until it is moved", waitsUntilItIsMoved);
  run("lives without a CPU", livesWithoutACpu);
  run("works on this machine", worksOnThisMachine);
  run("workers wake up where they slept", workersWakeUpWhereTheySlept);
  run("crowded ones are left to the kernel", crowdedOnesAreLeftToTheKernel);
  run("each is woken on a CPU of its own", eachIsWokenOnACpuOfItsOwn);
  return finish();
}
