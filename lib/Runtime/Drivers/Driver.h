//===- Driver.h - What a device has to be able to do ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver is one row of driverTable and one class derived from Device. What
// goes in: images, calls and packets; what comes out: their effect on the
// device. Queues, signals, memory and handles are shared by all drivers. Every
// driver runs the conformance suite in unittests/Runtime/Conformance.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_DRIVER_H
#define AIKERNEL_RUNTIME_DRIVERS_DRIVER_H

#include "Core/Runtime.h"

namespace aik {

struct Device : Object {
  static constexpr ObjectKind kind = ObjectKind::Device;

  Device(Runtime &runtime, uint32_t index);

  /// Fills kind, memory, threads, name and arch.
  virtual void describe(aik_device_info &out);
  /// True when functions and packets have an effect.
  virtual bool executes() const;
  /// The loop behind aik_env.parallel_for.
  virtual int32_t parallelFor(int64_t count, aik_parallel_body body,
                              void *captures);
  /// Executes a well-formed KERNEL, COPY, FILL or TIMESTAMP packet.
  virtual int32_t execute(const aik_packet &packet);
  void destroy() override;

  /// Keeps the first fault until the next reset.
  void noteFault(const FaultRecord &record);
  /// False: there is none.
  bool readFault(aik_fault &out);
  void startEpoch();

  Runtime &runtime;
  const uint32_t index;
  std::atomic<uint32_t> epoch{0};
  /// What compiled code gets; its context is this device.
  aik_env env;

private:
  Mutex faultMutex;
  bool hasFault = false;
  FaultRecord fault;
};

struct DriverRow {
  const char *name;
  /// 0, or why the device cannot be had, as an error with its sentence.
  int32_t (*probe)(Runtime &runtime);
  int32_t (*open)(Runtime &runtime, uint32_t index, Device **out);
};

/// The drivers of this build; a device's index is its row.
const DriverRow *driverTable(uint32_t &count);

/// Opens the device of a row and gives it a handle.
int32_t openDevice(Runtime &runtime, uint32_t index, aik_handle *out);

// The rows' functions, one pair per driver folder.
int32_t probeHost(Runtime &runtime);
int32_t openHost(Runtime &runtime, uint32_t index, Device **out);
int32_t probeNull(Runtime &runtime);
int32_t openNull(Runtime &runtime, uint32_t index, Device **out);

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_DRIVER_H
