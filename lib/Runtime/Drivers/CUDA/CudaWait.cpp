//===- CudaWait.cpp - Waiting for what was launched on a GPU --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: what is on the device's stream, or on one of a caller's. What
// comes out: that it is done, and the fault or the failed check that it met.
//
//===----------------------------------------------------------------------===//

#include "Core/Wait.h"
#include "Drivers/CUDA/CudaModule.h"

using namespace aik;

namespace {
/// Kernels are short, and waking up takes longer than most of them.
constexpr uint64_t eventSpinNs = 100000;
constexpr int64_t pollNs = 50000;
} // namespace

int32_t CudaDevice::takeEvent(cu::Event &event) {
  cu::Result code = cu::success;
  if (eventCount > 0)
    event = events[--eventCount];
  else
    code = cuda.call.EventCreate(&event, cu::eventBlockingSync |
                                             cu::eventDisableTiming);
  return check(code, "no event for a wait");
}

void CudaDevice::keepEvent(cu::Event event) {
  if (eventCount < keptEvents)
    events[eventCount++] = event;
  else
    cuda.call.EventDestroy(event);
}

/// Spins a little, then sleeps. notReady: the time is up.
cu::Result CudaDevice::waitFor(cu::Event event, int64_t timeoutNs) {
  const cu::Functions &call = cuda.call;
  Sys &sys = runtime.sys;
  Deadline deadline(sys, timeoutNs);
  uint64_t spinNs =
      runtime.options.spin_ns ? runtime.options.spin_ns : eventSpinNs;
  if (timeoutNs >= 0 && uint64_t(timeoutNs) < spinNs)
    spinNs = uint64_t(timeoutNs);
  cu::Result code = cu::notReady;
  spinUntil(sys, spinNs, [&] {
    code = call.EventQuery(event);
    return code != cu::notReady;
  });
  if (code != cu::notReady)
    return code;
  if (timeoutNs < 0)
    return call.EventSynchronize(event);
  uint32_t word = 0; // nobody wakes it
  while (code == cu::notReady && !deadline.passed()) {
    sys.futexWait(&word, 0, deadline.left(pollNs));
    code = call.EventQuery(event);
  }
  return code;
}

int32_t CudaDevice::fetchStatuses(WaitFor what) {
  cu::Result code = cu::success;
  for (CudaModule *module = modules; module; module = module->next)
    if (cu::Result failed = module->fetchStatus(what))
      code = failed;
  return check(code, "the status cannot be fetched");
}

/// Waits for what is on the stream. The mutex is held, and let go meanwhile.
int32_t CudaDevice::finishStream(int64_t timeoutNs, bool withChecks,
                                 WaitFor what) {
  if (isReplaced())
    return failSticky(cu::contextIsDestroyed);
  if (withChecks)
    if (int32_t status = fetchStatuses(what))
      return status;
  cu::Event event = nullptr;
  if (int32_t status = takeEvent(event))
    return status;
  cu::Result code = cuda.call.EventRecord(event, stream);
  uint64_t upTo = launched, onStreams = callersLaunches;
  if (code == cu::success) {
    ++waiters;
    mutex.unlock();
    code = waitFor(event, timeoutNs);
    mutex.lock();
    --waiters;
  }
  keepEvent(event);
  if (isFaulted)
    return failAgain(faultRecord);
  if (code == cu::notReady)
    return fail(AIK_ETIMEDOUT, "nvidia:%u is still at work after %lld ns",
                ordinal, (long long)timeoutNs);
  if (int32_t status = check(code, "waiting for the device failed"))
    return status;
  // Callers wait for streams of their own before they ask for everything.
  bool isEverything = what == WaitFor::Everything;
  if (isEverything && callersLaunches == onStreams)
    hasUnsettledWork = false;
  if ((isEverything || !hasUnsettledWork) && upTo > finished)
    finished = upTo;
  return withChecks ? failedCheck(what) : 0;
}

int32_t CudaDevice::failedCheck(WaitFor what) {
  for (CudaModule *module = modules; module; module = module->next)
    if (int32_t status = module->keepFailedCheck())
      return status;
  for (CudaModule *module = modules; module; module = module->next)
    if (int32_t status = module->takeFailedCheck(what))
      return status;
  return 0;
}

int32_t CudaDevice::isTargetCaptured(bool &isCaptured) {
  int answer = recording != nullptr;
  cu::Result code = isOnCallersStream
                        ? cuda.call.StreamIsCapturing(target, &answer)
                        : cu::success;
  isCaptured = answer != 0;
  return check(code, "a stream does not say whether it is captured");
}

int32_t CudaDevice::finishRun(int64_t timeoutNs) {
  bool isCaptured = false;
  if (int32_t status = isTargetCaptured(isCaptured))
    return status;
  if (isCaptured)
    return fail(AIK_EBUSY, "a function that waits for its commands cannot be "
                           "part of a graph");
  if (!isOnCallersStream)
    if (int32_t status = fetchStatuses(WaitFor::OwnRuns))
      return status;
  cu::Event event = nullptr;
  if (int32_t status = takeEvent(event))
    return status;
  cu::Result code = cuda.call.EventRecord(event, target);
  if (code == cu::success)
    code = waitFor(event, timeoutNs);
  keepEvent(event);
  if (code == cu::notReady)
    return fail(AIK_ETIMEDOUT, "nvidia:%u is still at work after %lld ns",
                ordinal, (long long)timeoutNs);
  if (int32_t status = check(code, "waiting for commands failed"))
    return status;
  return isOnCallersStream ? 0 : failedCheck(WaitFor::OwnRuns);
}

int32_t CudaDevice::wait(int64_t timeoutNs, WaitFor what) {
  ScopedLock lock(mutex);
  CudaScope scope(*this);
  if (int32_t status = scope.enter())
    return status;
  return finishStream(timeoutNs, true, what);
}

int32_t CudaDevice::waitForStream(void *callers) {
  ScopedLock lock(mutex);
  CudaScope scope(*this);
  if (int32_t status = scope.enter())
    return status;
  uint64_t launchesBefore = callersLaunches;
  ++waiters;
  mutex.unlock();
  cu::Result code =
      cuda.call.StreamSynchronize(static_cast<cu::Stream>(callers));
  mutex.lock();
  --waiters;
  if (code == cu::success && callersLaunches == launchesBefore &&
      callersStream == callers && !isOnManyStreams)
    hasCallersWork = hasUnsettledWork = false;
  return check(code, "waiting for a stream of the caller's failed");
}

void CudaDevice::finishEverything(bool wasOnStreams) {
  const cu::Functions &call = cuda.call;
  bool isOnStreams = hasCallersWork || wasOnStreams;
  cu::Result code = call.StreamSynchronize(stream);
  // Streams of callers may be gone, so all there are have to be waited for,
  // which would spoil a recording.
  if (code == cu::success && isOnStreams && recording)
    return;
  if (code == cu::success && isOnStreams)
    code = call.CtxSynchronize();
  if (code != cu::success) {
    // The caller's own error stays what it was; a fault is told by later calls.
    FaultRecord before = threadState().record;
    check(code, "waiting for the device failed");
    threadState().record = before;
    return;
  }
  hasCallersWork = hasUnsettledWork = false;
  finished = launched;
}
