//===- CpuBudget.cpp - How many threads this process may use --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads /proc/self/cgroup, and of the group and its parents cpu.max (cgroup v2)
// and cpu.cfs_quota_us (v1). Whatever cannot be read sets no limit.
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
/// As many bytes of /proc/self/cgroup are read: a line per hierarchy, up to a
/// dozen of them, each with a name of 64 digits twice over in a container.
constexpr size_t groupsBytes = 4096;
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

/// True for "cpu" in "cpu,cpuacct".
bool lists(const char *names, size_t length, const char *name) {
  size_t wanted = strlen(name);
  for (const char *end = names + length; names < end;) {
    size_t comma = 0;
    while (names + comma < end && names[comma] != ',')
      ++comma;
    if (comma == wanted && memcmp(names, name, wanted) == 0)
      return true;
    names += comma + 1;
  }
  return false;
}

/// This process's group in the hierarchy of `controller` ("": version 2), from
/// lines like "4:cpu,cpuacct:/a/b".
bool findGroup(const char *groups, const char *controller, char *out) {
  for (const char *line = groups; *line;) {
    size_t length = strcspn(line, "\n");
    const char *names = static_cast<const char *>(memchr(line, ':', length));
    const char *end = line + length;
    const char *path = names ? static_cast<const char *>(memchr(
                                   names + 1, ':', size_t(end - names - 1)))
                             : nullptr;
    if (path) {
      size_t namesLength = size_t(path - names - 1);
      bool found = *controller ? lists(names + 1, namesLength, controller)
                               : namesLength == 0;
      if (found && size_t(end - path) <= pathBytes) {
        snprintf(out, pathBytes, "%.*s", int(end - path - 1), path + 1);
        return true;
      }
    }
    line = *end ? end + 1 : end;
  }
  return false;
}

uint32_t quotaOfVersion2(Sys &sys, const char *group) {
  char file[pathBytes + 64], text[64];
  snprintf(file, sizeof(file), "/sys/fs/cgroup%s/cpu.max", group);
  return readText(sys, file, text, sizeof(text)) ? cpusFromQuota(text) : 0;
}

uint32_t quotaOfVersion1(Sys &sys, const char *group) {
  char file[pathBytes + 64], quota[32], period[32], both[80];
  snprintf(file, sizeof(file), "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", group);
  if (!readText(sys, file, quota, sizeof(quota)))
    return 0;
  snprintf(file, sizeof(file), "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", group);
  if (!readText(sys, file, period, sizeof(period)))
    return 0;
  snprintf(both, sizeof(both), "%s %s", quota, period);
  return cpusFromQuota(both);
}

/// The smallest quota of a group and those above it. A container may see its
/// own group as the root, so the root counts even where the path is unknown.
uint32_t smallestQuota(Sys &sys, const char *groups, const char *controller,
                       uint32_t (*quotaOf)(Sys &, const char *)) {
  char path[pathBytes] = "";
  findGroup(groups, controller, path);
  if (strcmp(path, "/") == 0)
    *path = 0;
  uint32_t limit = 0;
  for (;;) {
    limit = smallerLimit(limit, quotaOf(sys, path));
    char *parent = strrchr(path, '/');
    if (!parent)
      return limit;
    *parent = 0;
  }
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
  char groups[groupsBytes];
  if (!readText(sys, "/proc/self/cgroup", groups, sizeof(groups)))
    *groups = 0;
  uint32_t limit =
      smallerLimit(smallestQuota(sys, groups, "", quotaOfVersion2),
                   smallestQuota(sys, groups, "cpu", quotaOfVersion1));
  if (limit && limit < count)
    count = limit;
  return count > ThreadPool::maxThreads ? ThreadPool::maxThreads : count;
}
