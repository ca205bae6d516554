//===- CudaDevice.cpp - An NVIDIA GPU as a device -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Context, stream, events, waiting, faults and recovery. Memory and packets
// are in CudaMemory.cpp.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaDevice.h"

#include "Core/Wait.h"
#include "Drivers/CUDA/CudaGraph.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
/// Kernels are short, and waking up takes longer than most of them.
constexpr uint64_t eventSpinNs = 100000;
constexpr int64_t pollNs = 50000;

/// After these nothing in the context works any more.
bool isSticky(cu::Result code) {
  constexpr cu::Result others[] = {cu::deinitialized,
                                   cu::deviceUnavailable,
                                   cu::noDevice,
                                   cu::eccUncorrectable,
                                   cu::nvlinkUncorrectable,
                                   cu::contained,
                                   cu::illegalAddress,
                                   cu::launchTimeout,
                                   cu::contextIsDestroyed,
                                   cu::assertionFailed,
                                   cu::unknown};
  for (cu::Result other : others)
    if (code == other)
      return true;
  return code >= cu::hardwareStackError && code <= cu::launchFailed;
}

int32_t errorOf(cu::Result code) {
  return code == cu::outOfMemory     ? AIK_ENOMEM
         : code == cu::notSupported  ? AIK_EOPNOTSUPP
         : code == cu::invalidHandle ? AIK_EINVAL
                                     : AIK_EIO;
}
} // namespace

//===----------------------------------------------------------------------===//
// What it is
//===----------------------------------------------------------------------===//

int32_t aik::openCuda(Runtime &runtime, uint32_t index, uint32_t ordinal,
                      Device **out) {
  CudaLibrary *cuda = nullptr;
  if (int32_t status = loadCuda(runtime, &cuda))
    return status;
  CudaDevice *device =
      create<CudaDevice>(runtime.sys, runtime, index, *cuda, ordinal);
  if (!device)
    return fail(AIK_ENOMEM, "no memory for a device");
  if (int32_t status = device->identify()) {
    device->destroy();
    return status;
  }
  *out = device;
  return 0;
}

int32_t CudaDevice::identify() {
  const cu::Functions &call = cuda.call;
  int major = 0, minor = 0, processors = 0;
  size_t bytes = 0;
  cu::Result code = call.DeviceGet(&device, int(ordinal));
  if (code == cu::success)
    code = call.DeviceGetAttribute(&major, cu::capabilityMajor, device);
  if (code == cu::success)
    code = call.DeviceGetAttribute(&minor, cu::capabilityMinor, device);
  if (code == cu::success)
    code =
        call.DeviceGetAttribute(&processors, cu::multiprocessorCount, device);
  if (code == cu::success)
    code = call.DeviceTotalMem(&bytes, device);
  if (code != cu::success)
    return failWith(code, AIK_ENODEV,
                    "nvidia:%u does not say what it is: %s (%d)", ordinal,
                    cuda.nameOf(code), code);
  capability = uint32_t(major) * 10 + uint32_t(minor);
  multiprocessors = processors > 0 ? uint32_t(processors) : 1;
  memoryBytes = bytes;
  return 0;
}

void CudaDevice::describe(aik_device_info &out) {
  out.kind = AIK_DEVICE_GPU;
  out.memory_bytes = memoryBytes;
  out.threads = multiprocessors;
  snprintf(out.name, sizeof(out.name), "nvidia:%u", ordinal);
  snprintf(out.arch, sizeof(out.arch), "sm_%u", capability);
}

bool CudaDevice::executes() const { return true; }
bool CudaDevice::isRemote() const { return true; }

bool CudaDevice::fits(const aik_meta_image &image) const {
  uint32_t wanted = uint32_t(image.features & 0xffff);
  bool isCubin = image.kind == AIK_IMAGE_CUBIN;
  if (!isCubin && image.kind != AIK_IMAGE_PTX)
    return false;
  if (image.features & AIK_SM_EXACT)
    return wanted == capability;
  return wanted <= capability && (!isCubin || wanted / 10 == capability / 10);
}

//===----------------------------------------------------------------------===//
// Context and stream
//===----------------------------------------------------------------------===//

int32_t CudaDevice::start() {
  ScopedLock lock(mutex);
  contextEpoch = cuda.contextEpochs[ordinal].load(std::memory_order_acquire);
  return acquire();
}

int32_t CudaDevice::acquire() {
  const cu::Functions &call = cuda.call;
  cu::Result code = call.DevicePrimaryCtxRetain(&context, device);
  if (code != cu::success)
    context = nullptr;
  if (code == cu::success)
    code = call.CtxSetCurrent(context);
  if (code == cu::success)
    code = call.StreamCreate(&stream, cu::streamNonBlocking);
  // After some faults the driver wants the whole process to begin again.
  if (code != cu::success)
    return failWith(code, code == cu::outOfMemory ? AIK_ENOMEM : AIK_ENODEV,
                    "nvidia:%u cannot be opened%s: %s (%d)", ordinal,
                    isSticky(code) ? " again by this process" : "",
                    cuda.nameOf(code), code);
  target = stream;
  return 0;
}

/// Gives everything back but what modules, buffers and graphs hold.
void CudaDevice::letGo() {
  const cu::Functions &call = cuda.call;
  if (context && attach()) {
    if (stream)
      call.StreamSynchronize(stream);
    for (uint32_t i = 0; i < eventCount; ++i)
      call.EventDestroy(events[i]);
    if (captureStream)
      call.StreamDestroy(captureStream);
    if (stream)
      call.StreamDestroy(stream);
  }
  if (context)
    call.DevicePrimaryCtxRelease(device);
  eventCount = 0;
  stream = captureStream = target = nullptr;
  context = nullptr;
}

void CudaDevice::destroy() {
  if (recording)
    dropRecording();
  letGo();
  dispose(runtime.sys, this);
}

bool CudaDevice::isStale() const {
  return cuda.contextEpochs[ordinal].load(std::memory_order_acquire) !=
         contextEpoch.load(std::memory_order_relaxed);
}

bool CudaDevice::attach() {
  return !isFaulted && !isStale() &&
         cuda.call.CtxSetCurrent(context) == cu::success;
}

int32_t CudaDevice::enter() {
  if (isFaulted)
    return failAgain(faultRecord);
  if (isStale())
    return failSticky(cu::contextIsDestroyed);
  return check(cuda.call.CtxSetCurrent(context),
               "the device's context cannot be used");
}

int32_t CudaDevice::borrow(cu::Context &before) {
  if (int32_t status = isFaulted ? failAgain(faultRecord) : 0)
    return status;
  if (int32_t status = check(cuda.call.CtxGetCurrent(&before),
                             "the caller's context cannot be kept"))
    return status;
  int32_t status = enter();
  if (status != 0)
    giveBack(before);
  return status;
}

void CudaDevice::giveBack(cu::Context before) {
  if (before && before != context)
    cuda.call.CtxSetCurrent(before);
}

uint32_t CudaDevice::memoryEpoch() const {
  return contextEpoch.load(std::memory_order_acquire);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

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
  const char *who = running == 0   ? "no kernel was running"
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

int32_t CudaDevice::recover() {
  const cu::Functions &call = cuda.call;
  mutex.lock();
  // Who waits in a faulted context is told at once.
  while (waiters) {
    mutex.unlock();
    runtime.sys.yield();
    mutex.lock();
  }
  int32_t status = 0;
  if (!isFaulted && !isStale()) {
    status = enter();
    if (status == 0)
      status = finishStream(-1, true);
    // A check that failed is dropped with the work that it belongs to.
    status = isFaulted ? status : 0;
    for (CudaModule *module = modules; module; module = module->next)
      module->dropFailures();
  }
  if (isFaulted || isStale()) {
    if (recording)
      dropRecording();
    for (CudaModule *module = modules; module; module = module->next)
      module->forget();
    isFaulted = true; // so that letGo touches nothing in the context
    letGo();
    if (!isStale()) {
      call.DevicePrimaryCtxReset(device);
      cuda.contextEpochs[ordinal].fetch_add(1, std::memory_order_acq_rel);
    }
    contextEpoch = cuda.contextEpochs[ordinal].load(std::memory_order_acquire);
    launched = finished = 0;
    hasCallersWork = false;
    isFaulted = false;
    status = acquire();
    for (CudaModule *module = modules; module && status == 0;
         module = module->next) {
      bool refused = false;
      status = module->load(refused);
    }
    if (status != 0 && !isFaulted) {
      isFaulted = true;
      faultRecord = threadState().record;
    }
  }
  mutex.unlock();
  return status;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

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

int32_t CudaDevice::fetchStatuses() {
  cu::Result code = cu::success;
  for (CudaModule *module = modules; module; module = module->next)
    if (cu::Result failed = module->fetchStatus())
      code = failed;
  return check(code, "the status cannot be fetched");
}

/// Waits for what is on the stream. The mutex is held, and let go meanwhile.
int32_t CudaDevice::finishStream(int64_t timeoutNs, bool withChecks,
                                 WaitFor what) {
  if (withChecks)
    if (int32_t status = fetchStatuses())
      return status;
  cu::Event event = nullptr;
  if (int32_t status = takeEvent(event))
    return status;
  cu::Result code = cuda.call.EventRecord(event, stream);
  uint64_t upTo = launched;
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
  if (!hasCallersWork && upTo > finished)
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
    if (int32_t status = fetchStatuses())
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
  if (int32_t status = enter())
    return status;
  return finishStream(timeoutNs, true, what);
}

//===----------------------------------------------------------------------===//
// Runs and recordings
//===----------------------------------------------------------------------===//

int32_t CudaDevice::loadKernels(const aik_meta_image &image,
                                const uint8_t *bytes, const char *imageTarget,
                                const KernelTable &table, RemoteModule **out,
                                bool &refused) {
  CudaModule *module =
      create<CudaModule>(runtime.sys, *this, image, bytes, imageTarget, table);
  if (!module)
    return fail(AIK_ENOMEM, "no memory for a module");
  int32_t status;
  {
    ScopedLock lock(mutex);
    status = enter();
    if (status == 0)
      status = module->load(refused);
    if (status == 0) {
      module->next = modules;
      modules = module;
    }
  }
  if (status != 0) {
    module->destroy();
    return status;
  }
  *out = module;
  return 0;
}

int32_t CudaDevice::beginRun(RemoteModule &remote, const RunMode &mode) {
  auto &module = static_cast<CudaModule &>(remote);
  mutex.lock();
  cu::Context before = nullptr;
  int32_t status = mode.isOnStream ? borrow(before) : enter();
  if (status == 0 && recording) {
    if (mode.isAsync && !mode.isOnStream)
      status = recording->add(module);
    else
      status = fail(AIK_EBUSY, "a graph is being recorded: only runs with "
                               "AIK_RUN_ASYNC, and not on a stream of the "
                               "caller's, can be part of it");
    if (status != 0 && mode.isOnStream)
      giveBack(before);
  }
  if (status != 0) {
    mutex.unlock();
    return status;
  }
  if (mode.isOnStream) {
    target = static_cast<cu::Stream>(mode.stream);
    isOnCallersStream = true;
    callersContext = before;
    running = &module;
  }
  runHasLaunched = false;
  module.commands.stop();
  runner = &threadState();
  return 0;
}

void CudaDevice::endRun() {
  runner = nullptr;
  if (isOnCallersStream) {
    running->passOnScratch();
    giveBack(callersContext);
    isOnCallersStream = false;
    running = nullptr;
    target = stream;
  }
  mutex.unlock();
}

int32_t CudaDevice::waitForStream(void *callers) {
  ScopedLock lock(mutex);
  cu::Context before = nullptr;
  if (int32_t status = borrow(before))
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
    hasCallersWork = false;
  int32_t status = check(code, "waiting for a stream of the caller's failed");
  giveBack(before);
  return status;
}

cu::Result CudaDevice::needCaptureStream() {
  return captureStream
             ? cu::Result(cu::success)
             : cuda.call.StreamCreate(&captureStream, cu::streamNonBlocking);
}

int32_t CudaDevice::beginGraph() {
  const cu::Functions &call = cuda.call;
  ScopedLock lock(mutex);
  if (int32_t status = enter())
    return status;
  if (recording)
    return fail(AIK_EBUSY, "a graph is being recorded already");
  cu::Result code = needCaptureStream();
  if (code == cu::success)
    code = call.StreamBeginCapture(captureStream, cu::captureRelaxed);
  if (int32_t status = check(code, "no graph can be recorded"))
    return status;
  recording = create<CudaGraph>(runtime.sys, *this);
  if (!recording) {
    cu::Graph graph = nullptr;
    if (call.StreamEndCapture(captureStream, &graph) == cu::success && graph)
      call.GraphDestroy(graph);
    return fail(AIK_ENOMEM, "no memory for a graph");
  }
  target = captureStream;
  return 0;
}

int32_t CudaDevice::endGraph(RemoteGraph **out) {
  ScopedLock lock(mutex);
  if (!recording)
    return fail(AIK_EINVAL, "no graph is being recorded");
  if (int32_t status = enter()) {
    dropRecording();
    return status;
  }
  CudaGraph *graph = recording;
  recording = nullptr;
  target = stream;
  if (int32_t status = graph->finish(captureStream)) {
    graph->drop();
    return status;
  }
  *out = graph;
  return 0;
}

void CudaDevice::dropRecording() {
  CudaGraph *graph = recording;
  recording = nullptr;
  target = stream;
  cu::Graph captured = nullptr;
  if (attach() &&
      cuda.call.StreamEndCapture(captureStream, &captured) == cu::success &&
      captured)
    cuda.call.GraphDestroy(captured);
  graph->drop();
}
