//===- CpuBudget.cpp - How many threads this process may use --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads /proc/self/cgroup and cpu.max of the group and of its parents (cgroup
// v2), or cpu.cfs_quota_us (v1). Whatever cannot be read sets no limit.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Host/CpuBudget.h"

#include "AIKernel-c/Runtime.h"
#include "Drivers/Host/ThreadPool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace aik;

namespace {
constexpr size_t pathBytes = 512;

/// The start of a small text file; false when it cannot be read.
bool readText(Sys &sys, const char *path, char *out, size_t outBytes) {
  int64_t fd = sys.open(path, AIK_O_READ);
  if (fd < 0)
    return false;
  int64_t count = sys.read(int(fd), out, outBytes - 1);
  sys.close(int(fd));
  out[count > 0 ? count : 0] = 0;
  return count > 0;
}

uint32_t smallerLimit(uint32_t a, uint32_t b) {
  return a == 0 || (b != 0 && b < a) ? b : a;
}

uint32_t quotaOfVersion2(Sys &sys) {
  char groups[pathBytes];
  if (!readText(sys, "/proc/self/cgroup", groups, sizeof(groups)))
    return 0;
  const char *group = strstr(groups, "0::");
  if (!group)
    return 0;
  char path[pathBytes];
  snprintf(path, sizeof(path), "%s", group + 3);
  path[strcspn(path, "\n")] = 0;
  uint32_t limit = 0;
  for (;;) {
    char file[pathBytes + 32], text[64];
    snprintf(file, sizeof(file), "/sys/fs/cgroup%s/cpu.max", path);
    if (readText(sys, file, text, sizeof(text)))
      limit = smallerLimit(limit, cpusFromQuota(text));
    char *parent = strrchr(path, '/');
    if (!parent)
      return limit;
    *parent = 0;
  }
}

uint32_t quotaOfVersion1(Sys &sys) {
  char quota[32], period[32], both[80];
  if (!readText(sys, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota,
                sizeof(quota)) ||
      !readText(sys, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", period,
                sizeof(period)))
    return 0;
  snprintf(both, sizeof(both), "%s %s", quota, period);
  return cpusFromQuota(both);
}
} // namespace

uint32_t aik::cpusFromQuota(const char *text) {
  char *end = nullptr;
  long long quota = strtoll(text, &end, 10);
  if (end == text || quota <= 0)
    return 0; // "max", or -1 in version 1
  long long period = strtoll(end, nullptr, 10);
  if (period <= 0)
    return 0;
  long long cpus = quota / period + (quota % period != 0);
  return cpus > ThreadPool::maxThreads ? ThreadPool::maxThreads
                                       : uint32_t(cpus);
}

uint32_t aik::defaultThreadCount(Sys &sys) {
  char text[16];
  if (sys.environment("AIK_THREADS", text, sizeof(text))) {
    char *end = nullptr;
    long asked = strtol(text, &end, 10);
    if (end != text && *end == 0 && asked > 0)
      return asked > long(ThreadPool::maxThreads) ? ThreadPool::maxThreads
                                                  : uint32_t(asked);
  }
  int64_t affinity = sys.affinityCount();
  uint32_t count = affinity > 0 ? uint32_t(affinity) : 1;
  uint32_t limit = smallerLimit(quotaOfVersion2(sys), quotaOfVersion1(sys));
  if (limit && limit < count)
    count = limit;
  return count > ThreadPool::maxThreads ? ThreadPool::maxThreads : count;
}
