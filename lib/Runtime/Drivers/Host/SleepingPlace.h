//===- SleepingPlace.h - The CPU on which a thread sleeps -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a thread that is about to sleep. Out: it wakes up on the CPU on which it
// was, or on another, but not on that of the caller that has work for it, or on
// that of another sleeper. On virtual machines the kernel was seen to put who
// is woken beside who wakes: two threads then share a CPU for milliseconds
// while another is idle.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_HOST_SLEEPINGPLACE_H
#define AIKERNEL_RUNTIME_DRIVERS_HOST_SLEEPINGPLACE_H

#include "Sys.h"

#include <atomic>

namespace aik {

class SleepingPlace {
public:
  /// By the thread, before it sleeps: it may run here only.
  void lieDown(Sys &sys);
  /// By the thread, awake: it may run wherever it might before, unless somebody
  /// else has said meanwhile where.
  void getUp(Sys &sys);
  /// By who has work for it: where it lies is taken, or, if that was taken
  /// before, it may run anywhere else.
  void take(Sys &sys, CpuSet &taken);

private:
  /// States that are no CPU.
  static constexpr int64_t awake = -1, isMoved = -2, hasMoved = -3;

  /// Where it lies. The rest belongs to the thread while it is awake, and to
  /// who moves it while it is moved.
  std::atomic<int64_t> place{awake};
  int64_t threadId = 0; // once known
  CpuSet before, now;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_HOST_SLEEPINGPLACE_H
