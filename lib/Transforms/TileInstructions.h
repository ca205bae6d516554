//===- TileInstructions.h - Zeros, loads and stores of tile registers -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: addresses and distances in bytes. Out: the intrinsics of whole tile
// registers, of 16 rows of 64 bytes. Products are of the instruction table.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILEINSTRUCTIONS_H
#define AIKERNEL_LIB_TRANSFORMS_TILEINSTRUCTIONS_H

#include "AIKernel/Transforms/TileRegisters.h"

namespace aikernel {

inline constexpr int64_t kTileRows = 16, kTileRowBytes = 64;

/// Where the elements of a memref begin, in bytes.
mlir::Value startOf(LoopBuilder &b, mlir::Value memref);

/// A register of its own each time: there is no move between them.
mlir::Value zeroTile(LoopBuilder &b);
mlir::Value loadTile(LoopBuilder &b, mlir::Value address, mlir::Value rowBytes,
                     TileReuse reuse);
void storeTile(LoopBuilder &b, mlir::Value tile, mlir::Value address,
               mlir::Value rowBytes);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILEINSTRUCTIONS_H
