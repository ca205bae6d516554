//===- CudaFaults.cpp - What a GPU does wrong, and what mends it ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the code of a call of the CUDA driver. What comes out: an error
// with its sentence; for a fault the names of the kernels that it can come
// from, the same for every later call, until recover().
//
//===----------------------------------------------------------------------===//

#include "Core/Wait.h"
#include "Drivers/CUDA/CudaGraph.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
int32_t errorOf(cu::Result code) {
  return code == cu::outOfMemory     ? AIK_ENOMEM
         : code == cu::notSupported  ? AIK_EOPNOTSUPP
         : code == cu::invalidHandle ? AIK_EINVAL
                                     : AIK_EIO;
}

/// Somebody else of this process has destroyed the context.
bool isLost(int64_t code) {
  return code == cu::invalidContext || code == cu::invalidHandle ||
         code == cu::contextIsDestroyed;
}
} // namespace

bool CudaDevice::isSticky(cu::Result code) {
  constexpr cu::Result others[] = {
      cu::deinitialized,      cu::deviceUnavailable, cu::noDevice,
      cu::invalidContext,     cu::eccUncorrectable,  cu::nvlinkUncorrectable,
      cu::contained,          cu::illegalAddress,    cu::launchTimeout,
      cu::contextIsDestroyed, cu::assertionFailed,   cu::unknown};
  for (cu::Result other : others)
    if (code == other)
      return true;
  return code >= cu::hardwareStackError && code <= cu::launchFailed;
}

int32_t CudaDevice::check(cu::Result code, const char *what, const char *name) {
  if (code == cu::success)
    return 0;
  if (isSticky(code))
    return failSticky(code);
  int32_t status = failWith(
      code, errorOf(code), "nvidia:%u: %s: %s (%d)%s%.120s%s", ordinal, what,
      cuda.nameOf(code), code, *name ? ", '" : "", name, *name ? "'" : "");
  threadState().record.fault.device = index;
  return status;
}

int32_t CudaDevice::failSticky(cu::Result code) {
  uint64_t running = launched - finished;
  uint32_t shown = running < historyLength ? uint32_t(running) : historyLength;
  char names[280] = "";
  for (uint32_t i = 0; i < shown; ++i) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof(names) - used, "%s'%.60s'",
             i == 0 ? "" : ", ", launchName(launched - shown + i));
  }
  const char *nobody = hasCallersWork ? "no kernel was running, if streams of "
                                        "callers were waited for"
                                      : "no kernel was running";
  const char *who = running == 0   ? nobody
                    : running == 1 ? "the kernel is "
                                   : "it is one of these kernels, the last "
                                     "ones launched: ";
  int32_t status = failWith(code, AIK_EIO,
                            "nvidia:%u has a fault, %s (%d); %s%s; "
                            "aik_device_reset is needed",
                            ordinal, cuda.nameOf(code), code, who, names);
  FaultRecord &record = threadState().record;
  record.fault.device = index;
  if (running)
    record.fault.kernel_hash = aik_name_hash(launchName(launched - 1));
  faultRecord = record;
  isFaulted = true;
  noteFault(record);
  runtime.trace.count(Counter::Faults);
  runtime.trace.event(AIK_TRACE_FAULT, handle, uint64_t(code));
  return status;
}

/// Everything in the context is lost; it, the stream and the modules are made
/// anew.
int32_t CudaDevice::rebuild() {
  if (recording)
    dropRecording();
  for (CudaModule *module = modules; module; module = module->next)
    module->forget();
  // Who has destroyed it may have another one by now.
  bool isOthers = isStale() || isLost(faultRecord.fault.backend_code);
  isFaulted = true; // so that letGo touches nothing in the context
  cu::Context lost = context, before = nullptr;
  letGo();
  if (!isStale()) {
    if (!isOthers)
      cuda.call.DevicePrimaryCtxReset(device);
    cuda.contextEpochs[ordinal].fetch_add(1, std::memory_order_acq_rel);
  }
  contextEpoch = cuda.contextEpochs[ordinal].load(std::memory_order_acquire);
  launched = finished = 0;
  hasCallersWork = hasUnsettledWork = false;
  isFaulted = false;
  int32_t status = acquire(before);
  for (CudaModule *module = modules; module && status == 0;
       module = module->next) {
    bool refused = false;
    status = module->load(refused);
  }
  if (status != 0 && !isFaulted) {
    isFaulted = true;
    faultRecord = threadState().record;
  }
  giveBack(before == lost ? nullptr : before);
  return status;
}

int32_t CudaDevice::recover(int64_t timeoutNs) {
  ScopedLock lock(mutex);
  Deadline deadline(runtime.sys, timeoutNs);
  if (!isFaulted && !isStale()) {
    CudaScope scope(*this);
    int32_t status = scope.enter();
    if (status == 0)
      status = finishStream(timeoutNs, false);
    if (status == 0) {
      // A check that failed is dropped with the work that it belongs to.
      status = finishStream(timeoutNs, true, WaitFor::Everything);
      for (CudaModule *module = modules; module; module = module->next)
        module->dropFailures();
      return isFaulted ? status : 0;
    }
    if (status == -AIK_ETIMEDOUT || status == -AIK_ENOMEM)
      return status;
    // What cannot be waited for is of no use, whatever the reason.
    if (!isFaulted)
      faultRecord = threadState().record;
    isFaulted = true;
  }
  // Who waits in such a context is told at once.
  while (waiters) {
    if (deadline.passed())
      return fail(AIK_ETIMEDOUT, "nvidia:%u is still waited for after %lld ns",
                  ordinal, (long long)timeoutNs);
    mutex.unlock();
    runtime.sys.yield();
    mutex.lock();
  }
  // Another thread may have done it meanwhile.
  return isFaulted || isStale() ? rebuild() : 0;
}
