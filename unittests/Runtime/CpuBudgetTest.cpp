//===- CpuBudgetTest.cpp - How many threads, and how long they stay awake -===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AIK_THREADS, the affinity mask and control groups of both versions, read
// from files that a test makes up.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Host/CpuBudget.h"
#include "Core/Runtime.h"
#include "Drivers/Host/ThreadPool.h"
#include "TestSupport.h"

#include <cstring>
#include <map>
#include <sched.h>

using namespace aiktest;

namespace {
/// A machine of 64 CPUs with these files, and nothing else.
struct MadeUpMachine : CountingSys {
  std::map<std::string, std::string> files;
  std::string threads;
  int64_t cpus = 64;

  int64_t affinityCount() override { return cpus; }
  bool environment(const char *name, char *out, size_t bytes) override {
    if (threads.empty() || strcmp(name, "AIK_THREADS") != 0)
      return false;
    std::snprintf(out, bytes, "%s", threads.c_str());
    return true;
  }
  int64_t open(const char *name, uint32_t) override {
    opened = files.find(name);
    return opened == files.end() ? -2 : 77;
  }
  int64_t close(int) override { return 0; }
  int64_t read(int, void *buffer, size_t bytes) override {
    size_t count = std::min(bytes, opened->second.size());
    memcpy(buffer, opened->second.data(), count);
    return int64_t(count);
  }

private:
  std::map<std::string, std::string>::iterator opened;
};

void readsQuotas() {
  CHECK_EQ(aik::cpusFromQuota("max 100000\n"), 0);
  CHECK_EQ(aik::cpusFromQuota("150000 100000\n"), 2);
  CHECK_EQ(aik::cpusFromQuota("50000 100000"), 1);
  CHECK_EQ(aik::cpusFromQuota("-1 100000"), 0);
  CHECK_EQ(aik::cpusFromQuota("100000"), 0);
  CHECK_EQ(aik::cpusFromQuota(""), 0);
  CHECK_EQ(aik::cpusFromQuota("99999999999 1"), 1024);
}

void respectsTheAffinityMask() {
  MadeUpMachine machine;
  CHECK_EQ(aik::defaultThreadCount(machine), 64);
  machine.cpus = 3;
  CHECK_EQ(aik::defaultThreadCount(machine), 3);
  machine.cpus = -22;
  CHECK_EQ(aik::defaultThreadCount(machine), 1);
  machine.cpus = 5000;
  CHECK_EQ(aik::defaultThreadCount(machine), 1024);

  // The real one.
  cpu_set_t before, one;
  CHECK_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CHECK_EQ(aik::hostSys().affinityCount(), CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before))
      CPU_SET(cpu, &one);
  CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  CHECK_EQ(aik::hostSys().affinityCount(), 1);
  CHECK_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

void respectsVersion2() {
  MadeUpMachine machine;
  machine.files["/proc/self/cgroup"] = "0::/a/b\n";
  machine.files["/sys/fs/cgroup/a/b/cpu.max"] = "max 100000\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 64);
  machine.files["/sys/fs/cgroup/a/cpu.max"] = "350000 100000\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 4);
  machine.files["/sys/fs/cgroup/a/b/cpu.max"] = "200000 100000\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 2);
  machine.cpus = 1;
  CHECK_EQ(aik::defaultThreadCount(machine), 1);
  machine.cpus = 64;
  // In a container the group's own files are at the root.
  machine.files = {{"/proc/self/cgroup", "0::/\n"},
                   {"/sys/fs/cgroup/cpu.max", "300000 100000\n"}};
  CHECK_EQ(aik::defaultThreadCount(machine), 3);
  machine.files["/proc/self/cgroup"] = "0::/../outside\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 3);
}

void respectsVersion1() {
  MadeUpMachine machine;
  std::string root = "/sys/fs/cgroup/cpu";
  machine.files["/proc/self/cgroup"] =
      "12:cpuset:/elsewhere\n4:cpuacct,cpu:/a/b\n1:name=systemd:/\n0::/\n";
  machine.files[root + "/a/cpu.cfs_quota_us"] = "250000\n";
  machine.files[root + "/a/cpu.cfs_period_us"] = "50000\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 5);
  machine.files[root + "/elsewhere/cpu.cfs_quota_us"] = "100000\n";
  machine.files[root + "/elsewhere/cpu.cfs_period_us"] = "100000\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 5);
  machine.files[root + "/a/b/cpu.cfs_quota_us"] = "-1\n";
  machine.files[root + "/a/b/cpu.cfs_period_us"] = "100000\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 5);
  machine.files[root + "/a/b/cpu.cfs_quota_us"] = "200000\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 2);
  // A container without a path of its own, and without the list of groups.
  machine.files = {{root + "/cpu.cfs_quota_us", "600000\n"},
                   {root + "/cpu.cfs_period_us", "100000\n"}};
  CHECK_EQ(aik::defaultThreadCount(machine), 6);
}

/// Version 2's line is the last one, behind a dozen long ones.
void readsLongLists() {
  MadeUpMachine machine;
  std::string &groups = machine.files["/proc/self/cgroup"];
  for (int i = 13; i > 0; --i)
    groups += std::to_string(i) + ":name" + std::to_string(i) + ":/docker/" +
              std::string(64, 'f') + "/" + std::string(64, 'e') + "\n";
  groups += "0::/a\n";
  machine.files["/sys/fs/cgroup/a/cpu.max"] = "700000 100000\n";
  CHECK_EQ(aik::defaultThreadCount(machine), 7);
  groups = "0::/" + std::string(3000, 'a'); // too long to be looked up
  CHECK_EQ(aik::defaultThreadCount(machine), 64);
  groups = "nonsense\n:\n::\n0::";
  CHECK_EQ(aik::defaultThreadCount(machine), 64);
}

void obeysTheEnvironment() {
  MadeUpMachine machine;
  machine.cpus = 4;
  machine.threads = "7";
  CHECK_EQ(aik::defaultThreadCount(machine), 7);
  machine.threads = "99999";
  CHECK_EQ(aik::defaultThreadCount(machine), 1024);
  for (const char *wrong : {"seven", "0", "-3", "7x"}) {
    machine.threads = wrong;
    CHECK_EQ(aik::defaultThreadCount(machine), 4);
  }
}

/// Threads that have a CPU each stay awake between loops, and wake up where
/// they slept; others give way.
void choosesHowLongToSpin() {
  struct Row {
    int64_t cpus;
    uint64_t asked, worker, caller;
    bool keepsCpus;
  };
  for (Row row :
       {Row{64, 0, 50000, 2000000, true}, Row{3, 0, 50000, 2000000, true},
        Row{2, 0, 2000, 2000, false}, Row{-22, 0, 2000, 2000, false},
        Row{2, 9000, 9000, 9000, false}, Row{64, 1, 1, 1, true}}) {
    MadeUpMachine machine;
    machine.cpus = row.cpus;
    auto options = make<aik_runtime_options>();
    options.threads = 3;
    options.spin_ns = row.asked;
    aik_runtime *runtime = nullptr;
    CHECK_EQ(aik::openRuntime(machine, &options, &runtime), 0);
    aik::ThreadPool *pool = aik::threadPool(*runtime);
    CHECK_EQ(pool->threadCount(), 3);
    CHECK_EQ(pool->getWaits().workerNs, row.worker);
    CHECK_EQ(pool->getWaits().callerNs, row.caller);
    CHECK_EQ(pool->getWaits().keepsCpus, row.keepsCpus);
    CHECK_EQ(aik_runtime_close(runtime), 0);
    CHECK_EQ(machine.liveThreads.load(), 0);
  }
}
} // namespace

int main(int argc, char **argv) {
  useTestImage(argc, argv);
  run("reads quotas", readsQuotas);
  run("respects the affinity mask", respectsTheAffinityMask);
  run("respects cgroup version 2", respectsVersion2);
  run("respects cgroup version 1", respectsVersion1);
  run("reads long lists of groups", readsLongLists);
  run("obeys the environment", obeysTheEnvironment);
  run("chooses how long to spin", choosesHowLongToSpin);
  return finish();
}
