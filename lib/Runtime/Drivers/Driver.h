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
// A device is remote when it has memory of its own: its images come with a
// launcher (Entry.h), its tensors and buffers are its memory, and what is
// launched there is done when wait() says so.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_DRIVER_H
#define AIKERNEL_RUNTIME_DRIVERS_DRIVER_H

#include "Core/Runtime.h"

namespace aik {

struct KernelTable;

/// The memory that a run on a remote device may need beside its tensors.
enum class Scratch : uint32_t { Workspace, Weights, Count };

struct RemoteModule;

/// What a launcher gets: `launch` is given `env` and finds the module.
struct LauncherEnv {
  aik_env env;
  RemoteModule *module;
};

/// The kernels of one image on a remote device, and the memory that its runs
/// use.
struct RemoteModule {
  LauncherEnv launcher;
  /// Counts what keeps the module that has this from being unloaded.
  std::atomic<uint32_t> *users = nullptr;

  /// Kernel number `index` of the table that it was made with.
  virtual void describeKernel(uint32_t index, aik_kernel_info &out);
  virtual bool ownsKernel(uint64_t kernelObject) const;
  /// Memory for the run that has begun, aligned for compiled code; kept, and
  /// given again to the next run. Two blocks can be had at the same time.
  virtual int32_t scratch(Scratch which, uint64_t bytes, void *&memory);
  virtual void destroy();
};

/// Where a run's launches go and who waits for them.
struct RunMode {
  bool isAsync = false;
  /// On `stream`, the caller's, instead of the device's queue.
  bool isOnStream = false;
  void *stream = nullptr;
};

/// Which failed checks a wait tells of.
enum class WaitFor {
  OwnRuns,   // those that concern what the calling thread launched
  Everything // and those that nobody was told of
};

/// Runs that were recorded and can be repeated.
struct RemoteGraph {
  virtual int32_t launch(const RunMode &mode);
  virtual void destroy();
};

struct Device : Object {
  static constexpr ObjectKind kind = ObjectKind::Device;

  Device(Runtime &runtime, uint32_t index);

  /// Fills kind, memory, threads, name and arch.
  virtual void describe(aik_device_info &out);
  /// Called once, before anything but describe and fits.
  virtual int32_t start();
  /// True when functions and packets have an effect.
  virtual bool executes() const;
  /// The loop behind aik_env.parallel_for.
  virtual int32_t parallelFor(int64_t count, aik_parallel_body body,
                              void *captures);
  /// Executes a well-formed KERNEL, COPY, FILL or TIMESTAMP packet.
  virtual int32_t execute(const aik_packet &packet);
  /// The name of a packet's kernel, or false.
  virtual bool nameKernel(uint64_t kernelObject, char *out, size_t outBytes);
  /// Waits for everything that was launched. -ETIMEDOUT; a fault's error, or
  /// that of a failed check which `what` names. Everything: what was put on
  /// streams of callers before is done, too, since its callers have waited.
  virtual int32_t wait(int64_t timeoutNs, WaitFor what);
  /// Makes the device usable again after a fault. -ETIMEDOUT where it is at
  /// work all the time, which leaves everything as it is.
  virtual int32_t recover(int64_t timeoutNs);
  void destroy() override;

  // Remote devices only.
  virtual bool isRemote() const;
  /// Images of this kind are for such devices.
  virtual bool takes(uint32_t imageKind) const;
  /// It can run this device image.
  virtual bool fits(const aik_meta_image &image) const;
  /// -ENOEXEC with `refused` set: the device's own loader did not take it.
  virtual int32_t loadKernels(const aik_meta_image &image, const uint8_t *bytes,
                              const char *target, const KernelTable &table,
                              RemoteModule **out, bool &refused);
  /// `madeIn`: memoryEpoch() when it was allocated.
  virtual int32_t allocate(uint64_t bytes, uint64_t &address, uint32_t &madeIn);
  virtual void release(uint64_t address, uint32_t madeIn);
  /// Changes when a reset loses all memory of the device.
  virtual uint32_t memoryEpoch() const;
  /// One side is the device's; done on return.
  virtual int32_t copy(uint64_t to, uint64_t from, uint64_t bytes);
  /// Lets the device use host memory.
  virtual int32_t mapHost(void *address, uint64_t bytes, uint64_t &mapped,
                          uint32_t &madeIn);
  virtual void unmapHost(void *address, uint32_t madeIn);
  /// Between these two, launches and scratch belong to the calling thread.
  virtual int32_t beginRun(RemoteModule &module, const RunMode &mode);
  virtual void endRun();
  /// The next launch of the run waits for all before it.
  virtual void orderNextLaunch();
  /// Waits for what is on a caller's stream; wait() says how it went.
  virtual int32_t waitForStream(void *stream);
  virtual int32_t beginGraph();
  virtual int32_t endGraph(RemoteGraph **out);

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
  /// The device's name, or for several that of the driver: `name:0`.
  const char *name;
  bool isNumbered;
  /// How many there are, or why there is none, as an error with its sentence.
  int32_t (*count)(Runtime &runtime);
  int32_t (*open)(Runtime &runtime, uint32_t index, uint32_t ordinal,
                  Device **out);
};

/// The drivers of this build. Devices are numbered through all rows.
const DriverRow *driverTable(uint32_t &count);

/// How many devices there are; a driver that cannot be had has none.
int32_t countDevices(Runtime &runtime);

/// The device with this number, not yet started; without a handle.
int32_t makeDevice(Runtime &runtime, uint32_t index, Device **out);

/// Opens a device and gives it a handle.
int32_t openDevice(Runtime &runtime, uint32_t index, aik_handle *out);

// The rows' functions, one pair per driver folder.
int32_t countHost(Runtime &runtime);
int32_t openHost(Runtime &runtime, uint32_t index, uint32_t ordinal,
                 Device **out);
int32_t countNull(Runtime &runtime);
int32_t openNull(Runtime &runtime, uint32_t index, uint32_t ordinal,
                 Device **out);
int32_t countCuda(Runtime &runtime);
int32_t openCuda(Runtime &runtime, uint32_t index, uint32_t ordinal,
                 Device **out);
/// At the end of the runtime, after all devices.
void closeCuda(Runtime &runtime);

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_DRIVER_H
