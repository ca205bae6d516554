//===- PanelPacking.h - Code that packs one panel -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the body of a function that copies rows of a matrix into panels, in
// the order in which a register tile reads them (see aikernel.pack_panels).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PANELPACKING_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PANELPACKING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aikernel {

/// How a panel is laid out (see aikernel.pack_panels).
struct PanelForm {
  int64_t depth, stepMultiple;
  bool flipSign;
  int64_t parts;
  unsigned vectorBits; // the width to copy with
};

/// Fills an empty function of (matrix: memref<? x ?>, panels: memref<blocks x
/// panels x steps x (rows * depth)>): the rows of the matrix become as many
/// panels of the first block as they fill.
void emitPanelPacking(mlir::func::FuncOp function, const PanelForm &form);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PANELPACKING_H
