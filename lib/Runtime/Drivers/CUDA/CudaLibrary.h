//===- CudaLibrary.h - The CUDA driver, loaded at run time ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: libcuda.so.1, if this machine has one. What comes out: its
// functions and devices, or a sentence that says what is missing. One per
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDALIBRARY_H
#define AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDALIBRARY_H

#include "Core/Runtime.h"
#include "Drivers/CUDA/CudaApi.h"

namespace aik {

struct CudaLibrary {
  static constexpr uint32_t maxDevices = 64;

  void *library = nullptr;
  cu::Functions call = {};
  uint32_t deviceCount = 0;
  /// Can launches that overlap be recorded?
  bool overlapsInGraphs = false;
  /// Counts how often a device's context was destroyed, which all that hold
  /// things in it have to notice.
  std::atomic<uint32_t> contextEpochs[maxDevices] = {};

  /// "CUDA_ERROR_OUT_OF_MEMORY", or "?".
  const char *nameOf(cu::Result code) const;
};

/// The runtime's library, loaded if that has not been done.
int32_t loadCuda(Runtime &runtime, CudaLibrary **out);

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDALIBRARY_H
