//===- CpuBudget.h - How many threads this process may use ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The smaller of the affinity mask and the CPU quota of the control group, so
// that a container with two CPUs of a large machine does not get ninety
// threads.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_HOST_CPUBUDGET_H
#define AIKERNEL_RUNTIME_DRIVERS_HOST_CPUBUDGET_H

#include "Sys.h"

namespace aik {

/// At least 1. The environment's AIK_THREADS wins where it is a number.
uint32_t defaultThreadCount(Sys &sys);

/// CPUs that a "quota period" text (cgroup v2's cpu.max) allows; 0: no limit.
uint32_t cpusFromQuota(const char *text);

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_HOST_CPUBUDGET_H
