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
/// On a structured op, or on a loop of a check: all threads of the grid share
/// it, not those of a block.
inline constexpr llvm::StringLiteral kSpreadAttrName = "aikernel.spread";
/// On a kernel: it says what one thread does already.
inline constexpr llvm::StringLiteral kPerThreadAttrName = "aikernel.per_thread";

// What a gpu.func may say about its launches; the tables of Entry.h tell it to
// the runtime. Blocks of a cluster are its known_cluster_size.

/// Bytes of dynamic shared memory, up to what the device has.
inline constexpr llvm::StringLiteral kSharedBytesAttrName =
    "aikernel.shared_bytes";
/// Waits by itself for the kernel before it (AIK_KERNEL_OVERLAPS).
inline constexpr llvm::StringLiteral kOverlapsAttrName = "aikernel.overlaps";
/// On the op of such a kernel that waits: nothing that another kernel of the
/// function writes is read before it.
inline constexpr llvm::StringLiteral kAwaitsAttrName = "aikernel.awaits";
/// Its blocks take work until there is none (AIK_KERNEL_RESIDENT).
inline constexpr llvm::StringLiteral kResidentAttrName = "aikernel.resident";
/// Parameters that become tensor maps, an array of
///   {argument = 0, box = array<i32: 64, 128>, swizzle = 128, promotion = 256}
/// with the box innermost first. The argument is a memref for the launch and
/// for the twin; the kernel only casts it to !llvm.ptr, the map's address.
inline constexpr llvm::StringLiteral kTensorMapsAttrName =
    "aikernel.tensor_maps";
/// Scheduled by hand, as tile programs and parts of attention are: there is a
/// warning, or an error (AIK-E0016), when the assembler has to spill its
/// registers, or to put waits between its matrix instructions.
inline constexpr llvm::StringLiteral kHotAttrName = "aikernel.hot";
/// Written by LowerLaunches: arguments, as the LLVM dialect counts them, that
/// are maps by value.
inline constexpr llvm::StringLiteral kMapArgumentsAttrName =
    "aikernel.map_arguments";

/// What every block has, unless a schedule says otherwise.
inline constexpr int64_t kThreadsPerBlock = 256;
/// Iterations of an op that a block does alone: more blocks would take as long,
/// and another launch for the op after it.
inline constexpr int64_t kBlockIterations = 1 << 15;
/// Buffers up to this size have memory of their own: kernels that are so short
/// could be merged, but for the memory that they share.
inline constexpr int64_t kApartBytes = 1 << 16;
/// Lanes that exchange values without shared memory.
inline constexpr int64_t kWarpSize = 32;
/// Heads whose keys may be shared among blocks: no more than fill some waves.
inline constexpr int64_t kMostSplitHeads = 1024;
/// Shared memory that its buffers may take: what every GPU gives without being
/// asked, less room for exchanges between warps.
inline constexpr int64_t kSharedBytes = 44 * 1024;
/// The same together with factors of products, beside which there are few
/// exchanges.
inline constexpr int64_t kSharedBytesWithFactors = 47 * 1024;

} // namespace aikernel

#endif // AIKERNEL_TARGET_GPU_LAUNCHES_H
