//===- SleepingPlace.cpp - The CPU on which a thread sleeps ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Affinity masks, set and taken back. A call that fails changes nothing but
// where the thread wakes up.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Host/SleepingPlace.h"

using namespace aik;

void SleepingPlace::lieDown(Sys &sys) {
  if (!threadId)
    threadId = sys.threadId();
  int64_t here = sys.currentCpu();
  if (here < 0 || sys.affinity(threadId, &before) < 0)
    return;
  now = {};
  now.add(here);
  if (before.without(now).isEmpty() || sys.setAffinity(threadId, now) < 0)
    return;
  place.store(here, std::memory_order_release);
}

void SleepingPlace::take(Sys &sys, CpuSet &taken) {
  int64_t cpu = place.load(std::memory_order_relaxed);
  if (cpu < 0)
    return;
  if (!taken.has(cpu))
    return taken.add(cpu);
  if (!place.compare_exchange_strong(cpu, isMoved, std::memory_order_acq_rel))
    return;
  CpuSet others = before.without(taken), actual;
  if (!others.isEmpty() && sys.affinity(threadId, &actual) >= 0 &&
      actual == now && sys.setAffinity(threadId, others) >= 0) {
    now = others;
    cpu = hasMoved;
  }
  place.store(cpu, std::memory_order_release);
}

void SleepingPlace::getUp(Sys &sys) {
  int64_t found = place.load(std::memory_order_relaxed);
  if (found == awake)
    return;
  // Who moves it is between two system calls.
  while (found == isMoved || !place.compare_exchange_weak(
                                 found, awake, std::memory_order_acq_rel)) {
    sys.yield();
    found = place.load(std::memory_order_relaxed);
  }
  CpuSet actual;
  if (sys.affinity(threadId, &actual) < 0 || actual == now)
    sys.setAffinity(threadId, before);
}
