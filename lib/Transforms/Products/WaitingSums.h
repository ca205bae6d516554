//===- WaitingSums.h - Sums that wait for their epilogue ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: loops over tiles of a product in tile registers, and its epilogue. Out:
// the epilogue reads the sums of a tile while the next one is multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_WAITINGSUMS_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_WAITINGSUMS_H

#include "TileEpilogue.h"
#include "Tiles/TileRegisters.h"

namespace aikernel {

/// A buffer of two tiles, which take turns.
class WaitingSums {
public:
  /// With `asksAhead` what a tile will be written to is asked for while the one
  /// before it is finished; that of the first in a row of tiles is not.
  WaitingSums(LoopBuilder &builder, const MatrixInstruction &instruction,
              TileEpilogue &epilogue, bool asksAhead);

  /// A tile of the result, and its number in a row of tiles that come one after
  /// the other.
  struct Tile {
    mlir::Value number, row, column;
  };

  /// A tile, by `multiply`, which is told where its sums go and what to do
  /// beside, and a few rows in each round of the tile `before`, unless this is
  /// the first.
  void multiply(const Tile &tile, const Tile &before, mlir::Value rounds,
                llvm::function_ref<void(const TileRegisters::Place &,
                                        llvm::function_ref<void(mlir::Value)>)>
                    multiply);

  /// The last tile of a row, after which there is none.
  void finish(const Tile &tile);

private:
  mlir::Value firstRow(mlir::Value number);
  void finishRows(const Tile &tile, mlir::Value begin, mlir::Value end);
  void askForRows(const Tile &tile, mlir::Value begin, mlir::Value end);

  LoopBuilder &b;
  const MatrixInstruction &op;
  TileEpilogue &epilogue;
  bool asksAhead;
  mlir::Value buffer;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_WAITINGSUMS_H
