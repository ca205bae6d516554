//===- RowsInPlace.h - Left operands that need not be packed --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a packed product. Out: whether the rows of its left operand can be read
// where they are, and these rows. For tile registers a row is a line of the
// cache, so packing changes nothing but its place; and where single elements go
// into all lanes it does not matter how they lie.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_ROWSINPLACE_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_ROWSINPLACE_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "PackedSource.h"
#include "Tiles/MatrixInstructions.h"

namespace aikernel {

/// Of what is multiplied in tile registers: the columns of a tile, which is a
/// panel of rows. Nothing if it is not worth it, or if panels and steps are not
/// whole, or tiles not of equal size.
std::optional<int64_t>
columnsBesideRowsInPlace(const MatrixInstruction &instruction, int64_t rows,
                         int64_t columns, int64_t depth, int64_t elementBits);

/// The same if `packing` is what packs the left operand of the product. On
/// tensors as on memrefs.
std::optional<int64_t> columnsBesideRowsInPlace(PackedProductOp product,
                                                PackPanelsOp packing);

/// On memrefs, of a product with such tiles: may its loops go by rows first,
/// packed or not?
bool goesByRows(PackedProductOp product);

/// The rows of a product on memrefs.
class RowsInPlace {
public:
  /// Only if all that reads what is packed are products that can read the rows
  /// in place, and nothing writes to these until the products are done.
  static std::optional<RowsInPlace> match(PackedProductOp product);

  /// What packs them if they have to be.
  PackPanelsOp getPacking() const { return panels.getPacking(); }

  /// Is it worth it only if they begin at lines of the cache?
  bool haveToBeAligned() const { return haveToAlign; }

  /// All rows, not only those of the product.
  mlir::Value getSource() const { return panels.getMatrix(); }

  /// Those that the product reads, as a matrix.
  mlir::Value view(LoopBuilder &b, PackedProductOp product) const;

private:
  explicit RowsInPlace(const PackedSource &panels) : panels(panels) {}

  /// As if there were no other products.
  static std::optional<RowsInPlace> matchAlone(PackedProductOp product);

  PackedSource panels;
  bool haveToAlign = false;
};

/// Do all rows begin at lines of the cache? Known when the code runs.
mlir::Value areAligned(LoopBuilder &b, mlir::Value rows);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_ROWSINPLACE_H
