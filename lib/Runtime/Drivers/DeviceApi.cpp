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

/// Which device of a numbered driver `name` is: "nvidia:12" is 12 of nvidia.
bool parseOrdinal(const char *name, const char *driver, uint32_t &ordinal) {
  size_t length = strlen(driver);
  if (strncmp(name, driver, length) != 0 || name[length] != ':')
    return false;
  const char *digits = name + length + 1;
  ordinal = 0;
  for (; *digits >= '0' && *digits <= '9' && ordinal < 1000; ++digits)
    ordinal = ordinal * 10 + uint32_t(*digits - '0');
  return digits[-1] != ':' && *digits == 0;
}
} // namespace

int32_t aik::countDevices(Runtime &runtime) {
  uint32_t rowCount = 0;
  const DriverRow *rows = driverTable(rowCount);
  int32_t total = 0;
  for (uint32_t i = 0; i < rowCount; ++i) {
    // That a driver is not there is not a failure of this call.
    FaultRecord before = threadState().record;
    int32_t count = rows[i].count(runtime);
    if (count == -AIK_ENODEV) {
      threadState().record = before;
      continue;
    }
    if (count < 0)
      return count;
    total += count;
  }
  runtime.deviceCount = uint32_t(total);
  return total;
}

int32_t aik::makeDevice(Runtime &runtime, uint32_t index, Device **out) {
  uint32_t rowCount = 0;
  const DriverRow *rows = driverTable(rowCount);
  uint32_t first = 0;
  for (uint32_t i = 0; i < rowCount; ++i) {
    int32_t count = rows[i].count(runtime);
    if (count < 0 && count != -AIK_ENODEV)
      return count;
    if (count > 0 && index - first < uint32_t(count))
      return rows[i].open(runtime, index, index - first, out);
    first += count > 0 ? uint32_t(count) : 0;
  }
  return fail(AIK_ENODEV, "there are %u devices, none with number %u", first,
              index);
}

int32_t aik::openDevice(Runtime &runtime, uint32_t index, aik_handle *out) {
  Device *device = nullptr;
  if (int32_t status = makeDevice(runtime, index, &device))
    return status;
  int32_t status = device->start();
  if (status == 0)
    status = runtime.handles.insert(ObjectKind::Device, device);
  if (status != 0) {
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
  int32_t count = countDevices(*runtime);
  if (count < 0 || capacity == 0)
    return count;
  if (int32_t status = needStruct(out, "out"))
    return status;
  uint32_t stride = out->size;
  for (uint32_t i = 0; i < uint32_t(count) && i < capacity; ++i) {
    Device *device = nullptr;
    if (int32_t status = makeDevice(*runtime, i, &device))
      return status;
    auto *entry = reinterpret_cast<aik_device_info *>(
        reinterpret_cast<uint8_t *>(out) + uint64_t(i) * stride);
    entry->size = stride;
    entry->version = AIK_RUNTIME_VERSION;
    fillInfo(*device, *entry);
    device->destroy();
  }
  return count;
}

int32_t aik_device_open(aik_runtime *runtime, const char *name,
                        aik_handle *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(name, "name"))
    return status;
  if (int32_t status = needPointer(out, "device"))
    return status;
  uint32_t rowCount = 0, first = 0, ordinal = 0;
  const DriverRow *rows = driverTable(rowCount);
  for (uint32_t i = 0; i < rowCount; ++i) {
    if (!rows[i].isNumbered) {
      if (strcmp(rows[i].name, name) == 0)
        return openDevice(*runtime, first, out);
      ++first;
      continue;
    }
    int32_t count = 0;
    bool isThis = parseOrdinal(name, rows[i].name, ordinal);
    if (isThis && (count = rows[i].count(*runtime)) < 0)
      return count;
    if (isThis && ordinal >= uint32_t(count))
      return fail(AIK_ENODEV, "there are %d devices of %s, none with number %u",
                  count, rows[i].name, ordinal);
    if (isThis)
      return openDevice(*runtime, first + ordinal, out);
  }
  if (parseOrdinal(name, "amd", ordinal))
    return fail(AIK_ENODEV,
                "device '%.60s' needs a driver that this build of "
                "the runtime does not have",
                name);
  return fail(AIK_ENODEV,
              "'%.60s' is not a device; there are cpu, null and nvidia:N",
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
    status = device->recover(resetTimeoutNs);
  if (status == 0)
    device->startEpoch();
  return status;
}

int32_t aik_device_wait(aik_runtime *runtime, aik_handle handle,
                        int64_t timeoutNs) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Device> device(runtime->handles, handle);
  if (!device)
    return -AIK_ENOENT;
  runtime->trace.count(Counter::Waits);
  runtime->trace.event(AIK_TRACE_WAIT, handle, uint64_t(timeoutNs));
  return device->wait(timeoutNs, WaitFor::Everything);
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
