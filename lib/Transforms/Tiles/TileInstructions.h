//===- TileInstructions.h - What is done with tile registers --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: addresses and distances in bytes. Out: zeros, loads and stores of tile
// registers, of 16 rows of 64 bytes or of less; and the step of a product of
// whole ones, by a row of the instruction table.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_TILEINSTRUCTIONS_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_TILEINSTRUCTIONS_H

#include "TileRegisters.h"

namespace aikernel {

inline constexpr int64_t kTileRows = 16, kTileRowBytes = 64;
/// Of a square of sums.
inline constexpr int64_t kTilesOfSide = 2;

struct TileShape {
  int64_t rows = kTileRows, rowBytes = kTileRowBytes;
};

/// Where the elements of a memref begin, in bytes.
mlir::Value startOf(LoopBuilder &b, mlir::Value memref);

/// A register of its own each time: there is no move between them.
mlir::Value zeroTile(LoopBuilder &b);
mlir::Value loadTile(LoopBuilder &b, mlir::Value address, mlir::Value rowBytes,
                     TileReuse reuse, TileShape shape = {});
void storeTile(LoopBuilder &b, mlir::Value tile, mlir::Value address,
               mlir::Value rowBytes);
/// sums + left * right, of signed bytes: `depth` in each of 16 rows on the
/// left, and for 16 columns on the right, four of each in a row.
mlir::Value multiplyBytes(LoopBuilder &b, mlir::Value sums, mlir::Value left,
                          mlir::Value right, int64_t depth);

/// Which operand's tiles are used once and come from L2.
enum class PassingSide { Left, Right };

/// One step of a square or of half of it: `sums` and the products of `count`
/// tiles that go by, of the `passing` side, with each of those that stay; of
/// operands in parts, of each two parts that are multiplied. Beside the sums
/// only what goes by and one tile that stays are in registers, loaded just
/// before they are needed: every tile register that holds numbers leaves fewer
/// for renaming, of which a core whose sibling is busy has too few
/// (docs/Rationale.md, "Fewer tile registers").
/// `between` is emitted after each multiplication.
LoopBuilder::Values multiplyTiles(
    LoopBuilder &b, const MatrixInstruction &instruction, PassingSide passing,
    unsigned count,
    llvm::function_ref<mlir::Value(unsigned part, unsigned number)> loadPassing,
    llvm::function_ref<mlir::Value(unsigned part, unsigned number)> loadStaying,
    mlir::ValueRange sums, llvm::function_ref<void(int64_t)> between = {});
int64_t multiplicationsOfHalf(const MatrixInstruction &instruction);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_TILEINSTRUCTIONS_H
