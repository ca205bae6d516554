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
constexpr DriverRow drivers[] = {{"cpu", false, countHost, openHost},
                                 {"null", false, countNull, openNull},
                                 {"nvidia", true, countCuda, openCuda}};

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
int32_t envLaunch(const aik_env *, uint32_t, int64_t, void *) {
  return fail(AIK_EOPNOTSUPP, "this device launches no kernels");
}

int32_t notRemote() {
  return fail(AIK_EOPNOTSUPP, "this device has no memory of its own");
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
                                          envSyscall,
                                          envLaunch,
                                          /*threads=*/0,
                                          /*reserved=*/0} {}

void RemoteModule::describeKernel(uint32_t, aik_kernel_info &) {}
bool RemoteModule::ownsKernel(uint64_t) const { return false; }
int32_t RemoteModule::scratch(Scratch, uint64_t, void *&) {
  return notRemote();
}
void RemoteModule::destroy() {}
int32_t RemoteGraph::launch(const RunMode &) { return notRemote(); }
void RemoteGraph::destroy() {}

void Device::describe(aik_device_info &) {}

int32_t Device::start() { return 0; }

bool Device::executes() const { return false; }

int32_t Device::parallelFor(int64_t count, aik_parallel_body body,
                            void *captures) {
  return count > 0 ? body(captures, 0, count) : 0;
}

int32_t Device::execute(const aik_packet &) { return 0; }

bool Device::nameKernel(uint64_t kernelObject, char *out, size_t outBytes) {
  return runtime.sys.nameOf(reinterpret_cast<const void *>(kernelObject), out,
                            outBytes);
}

int32_t Device::wait(int64_t, WaitFor) { return 0; }
int32_t Device::recover(int64_t) { return 0; }

bool Device::isRemote() const { return false; }
bool Device::takes(uint32_t) const { return false; }
bool Device::fits(const aik_meta_image &) const { return false; }
int32_t Device::loadKernels(const aik_meta_image &, const uint8_t *,
                            const char *, const KernelTable &, RemoteModule **,
                            bool &) {
  return notRemote();
}
int32_t Device::allocate(uint64_t, uint64_t &, uint32_t &) {
  return notRemote();
}
void Device::release(uint64_t, uint32_t) {}
uint32_t Device::memoryEpoch() const { return 0; }
int32_t Device::copy(uint64_t, uint64_t, uint64_t) { return notRemote(); }
int32_t Device::mapHost(void *address, uint64_t, uint64_t &mapped,
                        uint32_t &madeIn) {
  madeIn = memoryEpoch();
  mapped = reinterpret_cast<uint64_t>(address);
  return 0;
}
void Device::unmapHost(void *, uint32_t) {}
int32_t Device::beginRun(RemoteModule &, const RunMode &) {
  return notRemote();
}
void Device::orderNextLaunch() {}
void Device::endRun() {}
int32_t Device::waitForStream(void *) { return notRemote(); }
int32_t Device::beginGraph() {
  return fail(AIK_EOPNOTSUPP, "this device records no graphs");
}
int32_t Device::endGraph(RemoteGraph **) { return beginGraph(); }

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
