//===- Launches.h - Names and sizes that GPU passes share -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FormLaunches writes what is named here, the passes after it read it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_GPU_LAUNCHES_H
#define AIKERNEL_TARGET_GPU_LAUNCHES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace aikernel {

/// The gpu.module of all kernels of a nested module.
inline constexpr llvm::StringLiteral kDeviceModuleName = "device";
/// A kernel's twin on the host is called as the kernel, with this after it.
inline constexpr llvm::StringLiteral kTwinSuffix = "$twin";
/// On a structured op: all threads of the grid share it, not those of a block.
inline constexpr llvm::StringLiteral kSpreadAttrName = "aikernel.spread";

/// What every block has, unless a schedule says otherwise.
inline constexpr int64_t kThreadsPerBlock = 256;
/// Lanes that exchange values without shared memory.
inline constexpr int64_t kWarpSize = 32;
/// Heads whose keys may be shared among blocks: no more than fill some waves.
inline constexpr int64_t kMostSplitHeads = 1024;
/// Shared memory that its buffers may take: what every GPU gives without being
/// asked, less room for exchanges between warps.
inline constexpr int64_t kSharedBytes = 44 * 1024;

} // namespace aikernel

#endif // AIKERNEL_TARGET_GPU_LAUNCHES_H
