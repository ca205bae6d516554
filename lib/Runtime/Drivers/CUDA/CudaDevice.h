//===- CudaDevice.h - An NVIDIA GPU as a device ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device's primary context and one stream, which is its queue. A fault of
// the GPU is sticky: everything gives the same record until recover(), which
// destroys the context and makes it, the stream and the modules anew.
//
// By subject: what it is and its context are in CudaDevice.cpp, faults and
// recovery in CudaFaults.cpp, waiting in CudaWait.cpp, runs and recordings in
// CudaRuns.cpp, memory and packets in CudaMemory.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDADEVICE_H
#define AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDADEVICE_H

#include "Drivers/CUDA/CudaLibrary.h"
#include "Drivers/Driver.h"

namespace aik {

struct CudaModule;
struct CudaGraph;

/// Memory of the device that is kept and grows.
struct CudaBlock {
  cu::Pointer address = 0;
  uint64_t bytes = 0;
};

struct CudaDevice final : Device {
  CudaDevice(Runtime &runtime, uint32_t index, CudaLibrary &cuda,
             uint32_t ordinal)
      : Device(runtime, index), cuda(cuda), ordinal(ordinal) {}

  /// Asks what the device is; needs no context.
  int32_t identify();

  void describe(aik_device_info &out) override;
  int32_t start() override;
  bool executes() const override;
  int32_t execute(const aik_packet &packet) override;
  bool nameKernel(uint64_t kernelObject, char *out, size_t outBytes) override;
  int32_t wait(int64_t timeoutNs, WaitFor what) override;
  int32_t recover(int64_t timeoutNs) override;
  void destroy() override;

  bool isRemote() const override;
  bool takes(uint32_t imageKind) const override;
  bool fits(const aik_meta_image &image) const override;
  int32_t loadKernels(const aik_meta_image &image, const uint8_t *bytes,
                      const char *target, const KernelTable &table,
                      RemoteModule **out, bool &refused) override;
  int32_t allocate(uint64_t bytes, uint64_t &address,
                   uint32_t &madeIn) override;
  void release(uint64_t address, uint32_t madeIn) override;
  uint32_t memoryEpoch() const override;
  int32_t copy(uint64_t to, uint64_t from, uint64_t bytes) override;
  int32_t mapHost(void *address, uint64_t bytes, uint64_t &mapped,
                  uint32_t &madeIn) override;
  void unmapHost(void *address, uint32_t madeIn) override;
  int32_t beginRun(RemoteModule &module, const RunMode &mode) override;
  void orderNextLaunch() override { runHasLaunched = false; }
  void endRun() override;
  int32_t waitForStream(void *stream) override;
  int32_t beginGraph() override;
  int32_t endGraph(RemoteGraph **out) override;

  // For modules and graphs, with the mutex held.

  /// Makes the context this thread's; `before` is what has to be given back, or
  /// null. Nothing else may be called when this fails.
  int32_t enter(cu::Context &before);
  /// The same where a fault is no news; false: nothing in the context can be
  /// used or released any more.
  bool attach(cu::Context &before);
  void giveBack(cu::Context before) {
    if (before)
      cuda.call.CtxSetCurrent(before);
  }
  /// After this nothing in the context works any more.
  static bool isSticky(cu::Result code);
  /// 0 for success; else the error, which a fault of the GPU makes sticky.
  /// `what` begins the sentence: "<what>: CUDA_ERROR_...".
  int32_t check(cu::Result code, const char *what, const char *name = "");
  /// The block has at least `bytes`, which nothing on the stream uses any more
  /// when it had to grow.
  int32_t grow(CudaBlock &block, uint64_t bytes);
  void discard(CudaBlock &block);
  /// Waits for all that was launched, so that what it uses can be released.
  /// `wasOnStreams`: what is to be released was used on streams of callers.
  void finishEverything(bool wasOnStreams);
  /// The names of launches are about to be gone, with who has launched them.
  void forgetLaunches() { finished = launched; }
  void keepName(const char *kernel) {
    launches[launched++ % historyLength] = kernel;
  }
  uint64_t launchCount() const { return launched; }
  void noteCallersWork(cu::Stream callers) {
    bool isAnother = hasCallersWork && callers != callersStream;
    isOnManyStreams = isAnother || (hasCallersWork && isOnManyStreams);
    hasCallersWork = hasUnsettledWork = true;
    callersStream = callers;
    ++callersLaunches;
  }
  /// Does what the run launches go into a graph, ours or the caller's?
  int32_t isTargetCaptured(bool &isCaptured);
  /// Waits, within a run, for what it has launched; nobody else runs
  /// meanwhile.
  int32_t finishRun(int64_t timeoutNs);
  /// A stream to capture on.
  cu::Result needCaptureStream();
  /// Ends a recording that comes to nothing.
  void dropRecording();

  static constexpr uint32_t historyLength = 8;

  Mutex mutex;
  CudaLibrary &cuda;
  const uint32_t ordinal;
  cu::Stream stream = nullptr;
  /// Where launches go: `stream`, `captureStream` while recording, or a
  /// caller's during a run.
  cu::Stream target = nullptr;
  bool isOnCallersStream = false;
  /// The run has launched something: what comes next may overlap that.
  bool runHasLaunched = false;
  /// Something was launched on callers' streams, so that waiting for `stream`
  /// does not tell whether everything is done.
  bool hasCallersWork = false;
  /// The same since aik_device_wait was called last, before which callers wait
  /// for their streams.
  bool hasUnsettledWork = false;
  uint32_t multiprocessors = 1;
  cu::Stream captureStream = nullptr;
  /// The thread whose run has the mutex.
  std::atomic<const void *> runner{nullptr};
  CudaModule *modules = nullptr;
  CudaGraph *recording = nullptr;

private:
  bool isStale() const;
  bool isReplaced() const;
  cu::Result makeCurrent(cu::Context &before);
  int32_t acquire(cu::Context &before);
  void letGo();
  int32_t rebuild();
  int32_t fetchStatuses(WaitFor what);
  int32_t finishStream(int64_t timeoutNs, bool withChecks,
                       WaitFor what = WaitFor::OwnRuns);
  cu::Result waitFor(cu::Event event, int64_t timeoutNs);
  int32_t takeEvent(cu::Event &event);
  void keepEvent(cu::Event event);
  int32_t failSticky(cu::Result code);
  const char *launchName(uint64_t number) const {
    return launches[number % historyLength];
  }
  CudaModule *ownerOf(uint64_t kernelObject) const;
  int32_t launchPacket(const aik_kernel_packet &packet);
  int32_t fillMemory(const aik_fill_packet &packet);
  int32_t failedCheck(WaitFor what);

  static constexpr uint32_t keptEvents = 8;

  cu::Device device = 0;
  cu::Context context = nullptr;
  unsigned long long contextId = 0; // 0: not known
  /// While there is a run: the context to give back, and the module if it is on
  /// a caller's stream.
  cu::Context callersContext = nullptr;
  CudaModule *running = nullptr;
  /// The last stream of a caller's that was launched on, never used by itself:
  /// it may be gone. How often that was done, and whether on others, too, since
  /// nothing was there.
  cu::Stream callersStream = nullptr;
  uint64_t callersLaunches = 0;
  bool isOnManyStreams = false;
  cu::Event events[keptEvents] = {};
  uint32_t eventCount = 0;
  /// Threads that wait for an event without the mutex.
  uint32_t waiters = 0;

  uint32_t capability = 0;
  uint64_t memoryBytes = 0;

  /// The value of cuda.contextEpochs that everything here was made in.
  std::atomic<uint32_t> contextEpoch{0};
  bool isFaulted = false;
  FaultRecord faultRecord;

  /// The names of the last launches; those after `finished` may be running.
  const char *launches[historyLength] = {};
  uint64_t launched = 0;
  uint64_t finished = 0;
};

/// The device's context is the thread's while this lives. After it the thread
/// has the one that it had, or the device's where it had none. The device's
/// mutex is held.
class CudaScope {
public:
  explicit CudaScope(CudaDevice &device) : device(device) {}
  ~CudaScope() { device.giveBack(before); }
  CudaScope(const CudaScope &) = delete;
  CudaScope &operator=(const CudaScope &) = delete;

  int32_t enter() { return device.enter(before); }
  bool attach() { return device.attach(before); }

private:
  CudaDevice &device;
  cu::Context before = nullptr;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDADEVICE_H
