//===- CudaModule.h - The kernels of one image on a GPU -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a cubin or PTX and the table of its launcher. What comes out:
// launches. It can be loaded again after the device was reset.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAMODULE_H
#define AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAMODULE_H

#include "Core/KernelTable.h"
#include "Drivers/CUDA/CudaChecks.h"
#include "Drivers/CUDA/CudaCommands.h"
#include "Drivers/CUDA/CudaDevice.h"
#include "Drivers/CUDA/CudaTensorMap.h"

namespace aik {

struct CudaKernel {
  cu::Function function;
  const aik_kernel *row;
  /// The first of its tensor maps, which follow each other.
  const aik_tensor_map *maps;
  uint32_t mapCount;
  /// That the device holds at the same time; where the kernel cares.
  uint32_t residentBlocks;
};

/// What a launch is ordered behind, where its kernel could overlap others.
enum class LaunchOrder {
  AfterEverything, // that is on the stream
  MayOverlap       // the launch before it, which is of the same run
};

struct CudaModule final : RemoteModule {
  CudaModule(CudaDevice &device, const aik_meta_image &image,
             const uint8_t *bytes, const char *imageTarget,
             const KernelTable &table);

  void describeKernel(uint32_t index, aik_kernel_info &out) override;
  bool ownsKernel(uint64_t kernelObject) const override;
  int32_t scratch(Scratch which, uint64_t bytes, void *&memory) override;
  void destroy() override;

  // With the device's mutex held.
  int32_t load(bool &refused);
  void unload();
  /// Forgets what a destroyed context held.
  void forget();
  int32_t launch(const CudaKernel &kernel, int64_t blocks, void *parameters,
                 cu::Stream stream, LaunchOrder order);
  /// The same without taking note: for a stream that is captured.
  int32_t enqueue(const CudaKernel &kernel, int64_t blocks, void *parameters,
                  cu::Stream stream, LaunchOrder order);
  /// A launch of the kernel is on the stream.
  void noteEnqueued(const CudaKernel &kernel, cu::Stream stream);
  /// Ends a run on a caller's stream: what comes later may use the scratch
  /// memory after it.
  void passOnScratch();
  /// Puts a copy of the status behind what was launched.
  cu::Result fetchStatus(WaitFor what);
  /// After that: a check that failed is kept for all who have to know.
  int32_t keepFailedCheck();
  /// 0, or the error of a failed check that concerns this thread, once.
  int32_t takeFailedCheck(WaitFor what);
  /// This thread has launched something with checks, and is to be told of one
  /// that fails.
  void expectChecks(bool isOnCallersStream) {
    statusIsStale = true;
    checks.expect(&threadState(), device.launchCount(), isOnCallersStream);
  }
  /// Failures are dropped with the work that they belong to.
  void dropFailures() { checks.forget(); }

  CudaDevice &device;
  CudaModule *next = nullptr;
  CudaKernel *kernels = nullptr;
  uint32_t kernelCount;
  /// Launched since the status was fetched last, or not known to be done then.
  bool statusIsStale = false;
  /// Something of it was ever launched on a stream of a caller's.
  bool wasOnCallersStream = false;
  CudaCommands commands;

private:
  static int32_t launchFromCode(const aik_env *env, uint32_t kernel,
                                int64_t blocks, void *parameters);
  static int64_t syscallFromCode(const aik_env *env, int64_t number, int64_t a0,
                                 int64_t a1, int64_t a2, int64_t a3, int64_t a4,
                                 int64_t a5);
  int64_t allocatePinned(int64_t bytes, int64_t alignment, int64_t flags,
                         aik_memory_info *out);
  int32_t openCommands(const char *name);
  int32_t loadImage(bool &refused);
  int32_t resolve();
  int32_t resolveKernel(CudaKernel &kernel);
  int32_t resolveMaps();
  cu::Result countResident(CudaKernel &kernel);
  int32_t takeScratch();
  cu::Result clearStatus();

  const aik_meta_image &image;
  const uint8_t *imageBytes;
  const char *imageTarget;
  const KernelTable &table;
  cu::Module module = nullptr;
  CudaTensorMaps maps;
  CudaBlock blocks[uint32_t(Scratch::Count)];
  /// Behind the last run on a caller's stream that used the blocks; made when
  /// there is one.
  cu::Event scratchIsFree = nullptr;
  bool scratchIsCallers = false;
  bool usesScratch = false;
  bool hasStatus = false;
  cu::Pointer status = 0;
  uint32_t *fetched = nullptr; // page-locked
  CudaChecks checks;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAMODULE_H
