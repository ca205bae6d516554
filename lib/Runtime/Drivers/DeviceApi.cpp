//===- DeviceApi.cpp - C API: devices and buffers -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds a driver by name or index and opens, describes and resets its device.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Driver.h"
#include "Memory/HostMemory.h"
#include "Queue/CommandQueue.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
constexpr int64_t resetTimeoutNs = 10000000000;

void fillInfo(Device &device, aik_device_info &out) {
  uint32_t size = out.size, version = out.version;
  memset(&out, 0, sizeof(out));
  out.size = size;
  out.version = version;
  out.index = device.index;
  out.epoch = device.epoch.load(std::memory_order_acquire);
  device.describe(out);
}

/// The drivers that other builds have, so that their names are not called
/// unknown.
bool isKnownElsewhere(const char *name) {
  return strncmp(name, "nvidia:", 7) == 0 || strncmp(name, "amd:", 4) == 0;
}
} // namespace

int32_t aik::openDevice(Runtime &runtime, uint32_t index, aik_handle *out) {
  uint32_t count = 0;
  const DriverRow *rows = driverTable(count);
  if (index >= count)
    return fail(AIK_ENODEV, "there are %u devices, none with number %u", count,
                index);
  if (int32_t status = rows[index].probe(runtime))
    return status;
  Device *device = nullptr;
  if (int32_t status = rows[index].open(runtime, index, &device))
    return status;
  if (int32_t status = runtime.handles.insert(ObjectKind::Device, device)) {
    device->destroy();
    return status;
  }
  *out = device->handle;
  return 0;
}

int32_t aik_device_enumerate(aik_runtime *runtime, aik_device_info *out,
                             uint32_t capacity) {
  if (int32_t status = enter(runtime))
    return status;
  uint32_t count = 0;
  driverTable(count);
  if (capacity == 0)
    return int32_t(count);
  if (int32_t status = needStruct(out, "out"))
    return status;
  uint32_t stride = out->size;
  for (uint32_t i = 0; i < count && i < capacity; ++i) {
    aik_handle handle = 0;
    if (int32_t status = openDevice(*runtime, i, &handle))
      return status;
    auto *entry = reinterpret_cast<aik_device_info *>(
        reinterpret_cast<uint8_t *>(out) + uint64_t(i) * stride);
    entry->size = stride;
    entry->version = AIK_RUNTIME_VERSION;
    aik_device_describe(runtime, handle, entry);
    aik_device_close(runtime, handle);
  }
  return int32_t(count);
}

int32_t aik_device_open(aik_runtime *runtime, const char *name,
                        aik_handle *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(name, "name"))
    return status;
  if (int32_t status = needPointer(out, "device"))
    return status;
  uint32_t count = 0;
  const DriverRow *rows = driverTable(count);
  for (uint32_t i = 0; i < count; ++i)
    if (strcmp(rows[i].name, name) == 0)
      return openDevice(*runtime, i, out);
  if (isKnownElsewhere(name))
    return fail(AIK_ENODEV,
                "device '%.60s' needs a driver that this build of "
                "the runtime does not have",
                name);
  return fail(AIK_ENODEV, "'%.60s' is not a device; there are cpu and null",
              name);
}

int32_t aik_device_close(aik_runtime *runtime, aik_handle handle) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Device> device(runtime->handles, handle);
  return device ? runtime->handles.remove(handle, true) : -AIK_ENOENT;
}

int32_t aik_device_describe(aik_runtime *runtime, aik_handle handle,
                            aik_device_info *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  Pin<Device> device(runtime->handles, handle);
  if (!device)
    return -AIK_ENOENT;
  fillInfo(*device, *out);
  return 0;
}

int32_t aik_device_fault(aik_runtime *runtime, aik_handle handle,
                         aik_fault *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(out, "out"))
    return status;
  Pin<Device> device(runtime->handles, handle);
  if (!device)
    return -AIK_ENOENT;
  return device->readFault(*out) ? 0
                                 : fail(AIK_ENOENT, "the device has no fault");
}

int32_t aik_device_reset(aik_runtime *runtime, aik_handle handle) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Device> device(runtime->handles, handle);
  if (!device)
    return -AIK_ENOENT;
  int32_t status = 0;
  runtime->handles.forEach(ObjectKind::Queue, [&](Object &object) {
    auto &queue = static_cast<CommandQueue &>(object);
    if (&queue.device == &*device)
      status = queue.reset(resetTimeoutNs);
    return status == 0;
  });
  if (status == 0)
    device->startEpoch();
  return status;
}

int32_t aik_device_env(aik_runtime *runtime, aik_handle handle,
                       const aik_env **out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(out, "out"))
    return status;
  Pin<Device> device(runtime->handles, handle);
  if (!device)
    return -AIK_ENOENT;
  *out = &device->env;
  return 0;
}
