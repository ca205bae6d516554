//===- CudaMemory.cpp - Memory and packets of a GPU -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations, copies, and the packets of command queues: each is put on the
// device's stream and waited for by the queue's worker.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaModule.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
/// What grows, grows at least by this.
constexpr uint64_t blockBytes = 64 << 10;

/// The mutex, unless it is held by a run of this thread, which calls from
/// compiled code.
class LockOutsideRuns {
public:
  explicit LockOutsideRuns(CudaDevice &device)
      : mutex(device.runner == &threadState() ? nullptr : &device.mutex) {
    if (mutex)
      mutex->lock();
  }
  ~LockOutsideRuns() {
    if (mutex)
      mutex->unlock();
  }
  LockOutsideRuns(const LockOutsideRuns &) = delete;
  LockOutsideRuns &operator=(const LockOutsideRuns &) = delete;

private:
  Mutex *mutex;
};
} // namespace

int32_t CudaDevice::allocate(uint64_t bytes, uint64_t &address,
                             uint32_t &madeIn) {
  ScopedLock lock(mutex);
  CudaScope scope(*this);
  if (int32_t status = scope.enter())
    return status;
  madeIn = memoryEpoch();
  cu::Result code = cuda.call.MemAlloc(&address, bytes);
  if (code == cu::outOfMemory)
    return failWith(code, AIK_ENOMEM, "nvidia:%u has no memory for %llu bytes",
                    ordinal, (unsigned long long)bytes);
  return check(code, "no memory for a buffer");
}

void CudaDevice::release(uint64_t address, uint32_t madeIn) {
  ScopedLock lock(mutex);
  CudaScope scope(*this);
  if (madeIn != memoryEpoch() || !scope.attach())
    return; // gone with its context
  finishEverything(false);
  cuda.call.MemFree(address);
}

int32_t CudaDevice::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  ScopedLock lock(mutex);
  CudaScope scope(*this);
  if (int32_t status = scope.enter())
    return status;
  if (int32_t status = check(cuda.call.MemcpyAsync(to, from, bytes, stream),
                             "memory cannot be copied"))
    return status;
  return finishStream(-1, false);
}

int32_t CudaDevice::mapHost(void *address, uint64_t bytes, uint64_t &mapped,
                            uint32_t &madeIn) {
  LockOutsideRuns lock(*this);
  CudaScope scope(*this);
  if (int32_t status = scope.enter())
    return status;
  madeIn = memoryEpoch();
  cu::Result code = cuda.call.MemHostRegister(
      address, bytes, cu::hostRegisterPortable | cu::hostRegisterDeviceMap);
  if (code == cu::hostMemoryAlreadyRegistered)
    return failWith(code, AIK_EEXIST,
                    "the memory is mapped to an NVIDIA device already");
  if (int32_t status = check(code, "host memory cannot be mapped"))
    return status;
  code = cuda.call.MemHostGetDevicePointer(&mapped, address, 0);
  if (code != cu::success)
    cuda.call.MemHostUnregister(address);
  return check(code, "host memory cannot be mapped");
}

void CudaDevice::unmapHost(void *address, uint32_t madeIn) {
  LockOutsideRuns lock(*this);
  CudaScope scope(*this);
  if (madeIn != memoryEpoch() || !scope.attach())
    return;
  finishEverything(false);
  cuda.call.MemHostUnregister(address);
}

int32_t CudaDevice::grow(CudaBlock &block, uint64_t bytes) {
  if (block.bytes >= bytes)
    return 0;
  // What was launched may still use the old one.
  if (block.address)
    if (int32_t status = check(cuda.call.StreamSynchronize(stream),
                               "waiting for the device failed"))
      return status;
  discard(block);
  uint64_t rounded = (bytes + blockBytes - 1) / blockBytes * blockBytes;
  cu::Pointer address = 0;
  cu::Result code = rounded < bytes ? cu::Result(cu::outOfMemory)
                                    : cuda.call.MemAlloc(&address, rounded);
  if (code == cu::outOfMemory)
    return failWith(code, AIK_ENOMEM, "nvidia:%u has no memory for %llu bytes",
                    ordinal, (unsigned long long)bytes);
  if (int32_t status = check(code, "no memory for a workspace"))
    return status;
  block = {address, rounded};
  return 0;
}

void CudaDevice::discard(CudaBlock &block) {
  if (block.address)
    cuda.call.MemFree(block.address);
  block = {};
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

int32_t CudaDevice::execute(const aik_packet &packet) {
  const cu::Functions &call = cuda.call;
  bool isKernel = (packet.header & AIK_PACKET_TYPE_MASK) == AIK_PACKET_KERNEL;
  ScopedLock lock(mutex);
  CudaScope scope(*this);
  int32_t status = scope.enter();
  if (status != 0)
    return status;
  if (isKernel) {
    status = launchPacket(packet.kernel);
  } else if (packet.copy.subtype == AIK_VENDOR_COPY) {
    if (packet.copy.byte_count)
      status =
          check(call.MemcpyAsync(packet.copy.destination, packet.copy.source,
                                 packet.copy.byte_count, stream),
                "memory cannot be copied");
  } else if (packet.copy.subtype == AIK_VENDOR_FILL) {
    status = fillMemory(packet.fill);
  } else if (packet.copy.subtype == AIK_VENDOR_TIMESTAMP) {
    uint64_t now = runtime.sys.clockNs();
    status = check(call.MemcpyAsync(packet.timestamp.destination,
                                    reinterpret_cast<uint64_t>(&now),
                                    sizeof(now), stream),
                   "a time cannot be written");
    return status ? status : finishStream(-1, true);
  }
  return status ? status : finishStream(-1, isKernel);
}

CudaModule *CudaDevice::ownerOf(uint64_t kernelObject) const {
  CudaModule *module = modules;
  while (module && !module->ownsKernel(kernelObject))
    module = module->next;
  return module;
}

bool CudaDevice::nameKernel(uint64_t kernelObject, char *out, size_t outBytes) {
  ScopedLock lock(mutex);
  if (!ownerOf(kernelObject))
    return false;
  const auto &kernel = *reinterpret_cast<const CudaKernel *>(kernelObject);
  snprintf(out, outBytes, "%s", kernel.row->name);
  return true;
}

int32_t CudaDevice::launchPacket(const aik_kernel_packet &packet) {
  CudaModule *module = ownerOf(packet.kernel_object);
  if (!module)
    return fail(AIK_EINVAL, "0x%llx is not a kernel of a module on nvidia:%u",
                (unsigned long long)packet.kernel_object, ordinal);
  const auto &kernel =
      *reinterpret_cast<const CudaKernel *>(packet.kernel_object);
  const aik_kernel &row = *kernel.row;
  uint32_t items = packet.grid_x ? packet.grid_x : row.threads;
  if (packet.grid_y > 1 || packet.grid_z > 1 || items % row.threads != 0 ||
      (packet.workgroup_x && packet.workgroup_x != row.threads))
    return fail(AIK_EINVAL,
                "kernel '%s' has blocks of %u work-items in one row, which the "
                "packet's grid is not made of",
                row.name, row.threads);
  uint64_t parameters[KernelTable::maxParameters];
  uint64_t bytes = uint64_t(row.parameters) * 8;
  if (packet.kernarg_bytes != bytes || (bytes && !packet.kernarg))
    return fail(AIK_EINVAL,
                "kernel '%s' has %llu bytes of parameters, found "
                "%llu",
                row.name, (unsigned long long)bytes,
                (unsigned long long)packet.kernarg_bytes);
  if (bytes)
    memcpy(parameters, reinterpret_cast<const void *>(packet.kernarg), bytes);
  return module->launch(kernel, items / row.threads, parameters, stream,
                        LaunchOrder::AfterEverything);
}

int32_t CudaDevice::fillMemory(const aik_fill_packet &fill) {
  const cu::Functions &call = cuda.call;
  uint64_t count = fill.byte_count / fill.pattern_bytes;
  if (count == 0)
    return 0;
  cu::Result code;
  switch (fill.pattern_bytes) {
  case 1:
    code = call.MemsetD8Async(fill.destination, uint8_t(fill.pattern), count,
                              stream);
    break;
  case 2:
    code = call.MemsetD16Async(fill.destination, uint16_t(fill.pattern), count,
                               stream);
    break;
  case 4:
    code = call.MemsetD32Async(fill.destination, uint32_t(fill.pattern), count,
                               stream);
    break;
  default: // one half of each word, then the other
    code = call.MemsetD2D32Async(fill.destination, 8, uint32_t(fill.pattern), 1,
                                 count, stream);
    if (code == cu::success)
      code =
          call.MemsetD2D32Async(fill.destination + 4, 8,
                                uint32_t(fill.pattern >> 32), 1, count, stream);
  }
  return check(code, "memory cannot be filled");
}
