//===- PanelRequests.h - Panels asked for before they are read ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the packed operands of a product in tile registers, and where its loops
// are. Out: for each tile, its share of what is asked for into L2 meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PANELREQUESTS_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PANELREQUESTS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "Tiles/TileRegisters.h"

namespace aikernel {

/// Asks for what the tiles after these read: the panel of columns that follows,
/// and the rows of the next block, from its first panel on. After the last
/// block come the next columns of the result, mostly those of the next tile,
/// with the first block of the same rows.
class PanelRequests {
public:
  PanelRequests(LoopBuilder &builder, const MatrixInstruction &instruction,
                mlir::Value left, mlir::Value right, mlir::Value result)
      : b(builder), op(instruction), left(left), right(right), result(result) {}

  /// Before the tiles of a block and of the panel of columns at `n`.
  void startPanel(mlir::Value block, mlir::Value blocks, mlir::Value n);

  /// The share of the tile at row `m`.
  llvm::SmallVector<TileRegisters::Request> ofTile(mlir::Value m,
                                                   mlir::Value steps);

private:
  LoopBuilder &b;
  const MatrixInstruction &op;
  mlir::Value left, right, result;
  /// What is asked for, and how many lines of it in a round.
  mlir::Value nextRight, nextLeft, rightLines, leftLines;
  mlir::Value tilesBefore; // of the block, done before those of this panel
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PANELREQUESTS_H
