//===- ColumnsInPlace.h - Columns that their first rows pack --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a packed product. Out: whether its tiles can read the columns of the
// right operand where they are, and these columns. The first rows of a tile
// are multiplied by what lies in the matrix and put it into a panel for the
// others, so that packing costs no time of its own and the panel stays near.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_COLUMNSINPLACE_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_COLUMNSINPLACE_H

#include "PackedSource.h"
#include "Tiles/MatrixInstructions.h"

namespace aikernel {

/// Is this worth it for so many rows in all?
bool packsColumnsInTile(const MatrixInstruction &instruction, int64_t rows);

/// The most numbers of a block of the sum beside which all rows stay in L2.
int64_t sumBesideColumns(int64_t rows, int64_t elementBits);

/// Rows of a tile, if `packing` is what packs the right operand of the product
/// and this is worth it. On tensors as on memrefs.
std::optional<int64_t> rowsBesideColumns(PackedProductOp product,
                                         PackPanelsOp packing);

/// The columns of a product on memrefs.
class ColumnsInPlace {
public:
  /// Only if all that reads what is packed are products that can read the
  /// columns in place, and nothing writes to these until the products are done.
  static std::optional<ColumnsInPlace> match(PackedProductOp product);

  /// What packs them otherwise.
  PackPanelsOp getPacking() const { return panels.getPacking(); }

  /// Those that the product reads, as a matrix [sum, columns].
  mlir::Value view(LoopBuilder &b, PackedProductOp product) const;

private:
  explicit ColumnsInPlace(const PackedSource &panels) : panels(panels) {}

  /// As if there were no other products.
  static std::optional<ColumnsInPlace> matchAlone(PackedProductOp product);

  PackedSource panels;
};

/// Of a product on memrefs, memref<steps x width>: room for a panel of its
/// right operand.
mlir::MemRefType panelOfColumns(PackedProductOp product);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_COLUMNSINPLACE_H
