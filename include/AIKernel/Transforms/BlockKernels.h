//===- BlockKernels.h - Code of one panel of blocks -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of the two functions that aik-lower-block-products calls, derived from
// the layout of a format (QuantPanels.h).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_BLOCKKERNELS_H
#define AIKERNEL_TRANSFORMS_BLOCKKERNELS_H

#include "AIKernel/Dialect/AIKernel/QuantPanels.h"
#include "AIKernel/Transforms/ByteProducts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aikernel {

/// Fills an empty function of (source: memref<rows x bytes>, dest:
/// memref<panels x blocks x bytes>, panel: index) that packs one panel.
void emitBlockPacking(mlir::func::FuncOp function, const QuantPanel &layout);

/// Fills an empty function of (w: memref<panels x blocks x bytes>, x, scales,
/// sums, [scaled sums,] out, panel: index) that computes the rows of one panel.
void emitBlockGemv(mlir::func::FuncOp function, const QuantPanel &layout,
                   const ByteProducts &products);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_BLOCKKERNELS_H
