//===- BlockKernels.h - Code of one panel of blocks -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of the functions that aik-lower-block-products calls, derived from
// the layout of a format (QuantPanels.h).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKKERNELS_H
#define AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKKERNELS_H

#include "AIKernel/Dialect/AIKernel/QuantPanels.h"
#include "ByteProducts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aikernel {

/// Fills an empty function of (source: memref<rows x bytes>, dest:
/// memref<panels x blocks x bytes>, panel: index) that packs one panel.
void emitBlockPacking(mlir::func::FuncOp function, const QuantPanel &layout);

/// Fills an empty function of the operands of block_gemv (w_scales and w_zeros
/// as memref<1 x panels x blocks x 16>) and a panel: index, that computes the
/// rows of the panel.
void emitBlockGemv(mlir::func::FuncOp function, const QuantPanel &layout,
                   const ByteProducts &products);

/// For so few rows of x unpacked codes are used once and stay in registers.
inline constexpr int64_t kMostDirectRows = 4;

/// How block_matmul goes through x.
struct BlockTile {
  int64_t rows;     // of x, in registers at once
  int64_t depth;    // elements that one instruction takes of a row: 4, 8, or
                    // in tile registers more
  int64_t elements; // of a row of w that are unpacked at once
  bool isDirect;    // nothing is unpacked ahead: x has no other rows
  bool mayBeFew;    // rows of x, whose number is not known

  bool isInTiles() const { return depth > 8; }
};

/// `rows` is how many x has, or dynamic; `elements` how long they are.
BlockTile chooseBlockTile(const ByteProducts &products,
                          const QuantPanel &layout, int64_t rows,
                          int64_t elements);

/// Are the codes that go into tile registers multiplied with sub-scales?
/// Then those take several chunks at once, else one. The products must fit two
/// bytes, one of which has no sign (FoldedTiles.h).
inline bool foldsSubScales(const QuantPanel &layout) {
  const QuantFormat &format = layout.format;
  return format.subScales &&
         format.codes.getWidth() + format.subScales->getWidth() <= 14;
}

/// Can x be multiplied whose panels have so many rows, and steps of `depth`
/// elements? There are registers for the sums of no more rows.
bool takesSteps(const ByteProducts &products, const QuantPanel &layout,
                int64_t rows, int64_t depth);

/// Fills an empty function of the operands of block_matmul (packed ones as
/// memref<parts x panels x steps x (rows * depth)>) and a panel: index, that
/// computes the columns of the panel.
void emitBlockMatmul(mlir::func::FuncOp function, const QuantPanel &layout,
                     const ByteProducts &products, const BlockTile &tile);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKKERNELS_H
