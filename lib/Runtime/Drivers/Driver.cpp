//===- Driver.cpp - What all devices share --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of drivers, the environment that compiled code gets, and the
// defaults of Device.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Driver.h"

using namespace aik;

namespace {
constexpr DriverRow drivers[] = {{"cpu", probeHost, openHost},
                                 {"null", probeNull, openNull}};

Device &deviceOf(const aik_env *env) {
  return *static_cast<Device *>(env->context);
}

int32_t envParallelFor(const aik_env *env, int64_t count,
                       aik_parallel_body body, void *captures) {
  return deviceOf(env).parallelFor(count, body, captures);
}

int32_t envFail(const aik_env *env, int32_t code, const char *text) {
  if (code < 0)
    code = -code;
  int32_t status = fail(code ? code : AIK_EIO, "%s", text ? text : "");
  threadState().record.fault.device = deviceOf(env).index;
  return status;
}

int64_t envSyscall(const aik_env *env, int64_t number, int64_t a0, int64_t a1,
                   int64_t a2, int64_t a3, int64_t a4, int64_t a5) {
  return aik_syscall(&deviceOf(env).runtime, number, a0, a1, a2, a3, a4, a5);
}
} // namespace

const DriverRow *aik::driverTable(uint32_t &count) {
  count = sizeof(drivers) / sizeof(*drivers);
  return drivers;
}

Device::Device(Runtime &runtime, uint32_t index)
    : runtime(runtime), index(index), env{uint32_t(sizeof(aik_env)),
                                          AIK_ENTRY_ABI_VERSION,
                                          this,
                                          envParallelFor,
                                          envFail,
                                          envSyscall} {}

void Device::describe(aik_device_info &) {}

bool Device::executes() const { return false; }

int32_t Device::parallelFor(int64_t count, aik_parallel_body body,
                            void *captures) {
  return count > 0 ? body(captures, 0, count) : 0;
}

int32_t Device::execute(const aik_packet &) { return 0; }

void Device::destroy() { dispose(runtime.sys, this); }

void Device::noteFault(const FaultRecord &record) {
  ScopedLock lock(faultMutex);
  if (!hasFault)
    fault = record;
  hasFault = true;
}

bool Device::readFault(aik_fault &out) {
  ScopedLock lock(faultMutex);
  if (hasFault)
    out = fault.fault;
  return hasFault;
}

void Device::startEpoch() {
  ScopedLock lock(faultMutex);
  hasFault = false;
  epoch.fetch_add(1, std::memory_order_acq_rel);
}
