//===- TileLoops.h - Loops over register tiles ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the body of a function that multiplies two packed operands, tile by
// tile (see aikernel.packed_product).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_TILELOOPS_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_TILELOOPS_H

#include "TileEpilogue.h"
#include "Tiles/MatrixInstructions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aikernel {

/// Where the tiles of a product find what they read.
struct TileTraffic {
  /// Tile registers ask for panels before they read them.
  bool asksAhead = false;
  /// Columns come from memory, and there may be fewer rows than a panel has, or
  /// one.
  bool fewRowsStream = false;
  /// How many panels of rows read each panel of columns that comes from memory
  /// and has to be asked for; 0 if these are many, or not known, and where
  /// nothing has to be asked for.
  int64_t panelsOfRows = 0;
  /// For columns that are not packed: memref<steps x width>, a panel.
  mlir::MemRefType ownPanel;
};

/// Fills an empty function C[m, n] += A B of (A and B: memref<blocks x panels x
/// steps x width>, the length of the sum: index, whether to overwrite C: i1,
/// C: memref<? x ?>, the operands of the epilogue). With an epilogue C is where
/// sums of several blocks are kept, and does not hold the last ones. Vectors
/// whose steps are single elements may have an A that is not packed, memref<? x
/// ?>, of whole panels, and a B, of which each panel is packed by its first
/// rows.
void emitTileLoops(mlir::func::FuncOp function,
                   const MatrixInstruction &instruction, TileTraffic traffic,
                   TileEpilogue *epilogue = nullptr);

/// The same for tile registers, panel of rows by panel of rows, with sizes that
/// are whole panels and whole steps, and a C whose rows are contiguous. A may
/// be one that is not packed, memref<? x ?>.
void emitTileLoopsByRows(mlir::func::FuncOp function,
                         const MatrixInstruction &instruction,
                         TileEpilogue *epilogue = nullptr);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_TILELOOPS_H
