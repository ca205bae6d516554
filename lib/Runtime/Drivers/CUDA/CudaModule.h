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
  /// Ends a run on a caller's stream: what comes later may use the scratch
  /// memory after it.
  void passOnScratch();
  /// Puts a copy of the status behind what was launched.
  cu::Result fetchStatus();
  /// After that: 0, or the error of the check that failed, once.
  int32_t takeFailedCheck();

  CudaDevice &device;
  CudaModule *next = nullptr;
  CudaKernel *kernels = nullptr;
  uint32_t kernelCount;
  /// Launched since the status was fetched last.
  bool statusIsStale = false;

private:
  static int32_t launchFromCode(const aik_env *env, uint32_t kernel,
                                int64_t blocks, void *parameters);
  int32_t loadImage(bool &refused);
  int32_t resolve();
  int32_t resolveKernel(CudaKernel &kernel);
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
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAMODULE_H
