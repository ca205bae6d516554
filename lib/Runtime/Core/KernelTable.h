//===- KernelTable.h - The tables that a launcher exports -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a loaded launcher. What comes out: its kernels and checks
// (Entry.h), each row looked at before a driver uses it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_KERNELTABLE_H
#define AIKERNEL_RUNTIME_CORE_KERNELTABLE_H

#include "AIKernel-c/Entry.h"
#include "Core/HostImage.h"

namespace aik {

struct KernelTable {
  static constexpr uint32_t maxRows = 4096;
  static constexpr uint32_t maxThreads = 1024;
  static constexpr uint32_t maxCluster = 16;
  static constexpr uint32_t maxSharedBytes = 1 << 20;
  /// What fits into 4 KiB of parameters, with room for the device's own.
  static constexpr uint32_t maxParameters = 480;

  const aik_kernel *kernels = nullptr;
  const aik_device_check *checks = nullptr;
  const aik_tensor_map *maps = nullptr;
  uint32_t kernelCount = 0;
  uint32_t checkCount = 0;
  uint32_t mapCount = 0;

  /// The tables stay the launcher's. -ENOEXEC for one that cannot be.
  int32_t read(HostImage &launcher, const char *target);
  /// The kernel that a map belongs to, or null. `near`: where to look first;
  /// rows of the two tables mostly have the same order.
  const aik_kernel *kernelOf(const aik_tensor_map &map,
                             const aik_kernel *near) const;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_KERNELTABLE_H
