//===- CudaDevice.cpp - An NVIDIA GPU as a device -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a device of the CUDA driver. What comes out: what it is and can
// run, its context, and the stream that is its queue.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaDevice.h"

#include <stdio.h>

using namespace aik;

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

bool CudaDevice::takes(uint32_t imageKind) const {
  return imageKind == AIK_IMAGE_CUBIN || imageKind == AIK_IMAGE_PTX;
}

bool CudaDevice::fits(const aik_meta_image &image) const {
  uint32_t wanted = uint32_t(image.features & 0xffff);
  bool isCubin = image.kind == AIK_IMAGE_CUBIN;
  if (!takes(image.kind))
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
  cu::Context before = nullptr;
  int32_t status = acquire(before);
  giveBack(before);
  return status;
}

/// Like enter, where there is no context yet.
int32_t CudaDevice::acquire(cu::Context &before) {
  const cu::Functions &call = cuda.call;
  cu::Context found = nullptr;
  cu::Result code = call.CtxGetCurrent(&found);
  if (code == cu::success)
    code = call.DevicePrimaryCtxRetain(&context, device);
  if (code != cu::success)
    context = nullptr;
  if (code == cu::success)
    code = call.CtxSetCurrent(context);
  if (code == cu::success && found != context)
    before = found;
  contextId = 0;
  if (code == cu::success && call.CtxGetId)
    call.CtxGetId(context, &contextId);
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
  CudaScope scope(*this);
  if (context && scope.attach()) {
    if (stream)
      finishEverything(false);
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

/// Has somebody else of this process destroyed the context? There may be
/// another one by now, with streams that look like ours.
bool CudaDevice::isReplaced() const {
  unsigned long long id = contextId;
  return contextId && cuda.call.CtxGetId(context, &id) == cu::success &&
         id != contextId;
}

/// Asking costs less than setting, and mostly nothing has to be set.
cu::Result CudaDevice::makeCurrent(cu::Context &before) {
  cu::Context found = nullptr;
  cu::Result code = cuda.call.CtxGetCurrent(&found);
  if (code != cu::success || found == context)
    return code;
  code = cuda.call.CtxSetCurrent(context);
  if (code == cu::success)
    before = found;
  return code;
}

bool CudaDevice::attach(cu::Context &before) {
  return !isFaulted && !isStale() && makeCurrent(before) == cu::success;
}

int32_t CudaDevice::enter(cu::Context &before) {
  if (isFaulted)
    return failAgain(faultRecord);
  if (isStale())
    return failSticky(cu::contextIsDestroyed);
  return check(makeCurrent(before), "the device's context cannot be used");
}

uint32_t CudaDevice::memoryEpoch() const {
  return contextEpoch.load(std::memory_order_acquire);
}
