//===- CudaGraph.h - Recorded runs ----------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the launches of runs while the stream is captured. What comes
// out: one launch that repeats them. The memory that the runs were given and
// the modules that they came from stay with the graph.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAGRAPH_H
#define AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAGRAPH_H

#include "Drivers/CUDA/CudaModule.h"

namespace aik {

struct CudaGraph final : RemoteGraph {
  explicit CudaGraph(CudaDevice &device)
      : device(device), madeIn(device.memoryEpoch()) {}

  int32_t launch(const RunMode &mode) override;
  void destroy() override;

  // While recording, with the device's mutex held.
  int32_t add(CudaModule &module);
  bool uses(const CudaModule &module) const;
  int32_t scratch(Scratch which, uint64_t bytes, cu::Pointer &address);
  void keepName(const char *kernel) {
    names[recorded++ % CudaDevice::historyLength] = kernel;
  }
  int32_t finish(cu::Stream captured);
  /// Releases everything; the mutex is held.
  void drop();

private:
  /// One module or one block.
  struct Part {
    Part *next;
    CudaModule *module;
    CudaBlock block;
  };
  int32_t addPart(CudaModule *module, CudaBlock block);

  CudaDevice &device;
  uint32_t madeIn;
  cu::GraphExec exec = nullptr;
  Part *parts = nullptr;
  CudaBlock current[uint32_t(Scratch::Count)];
  /// The last kernels in it, for the sentence about a fault.
  const char *names[CudaDevice::historyLength] = {};
  uint64_t recorded = 0;
  bool wasOnCallersStream = false;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAGRAPH_H
