//===- PackedSource.h - What an operand was before it was packed ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the panels that a product reads, on memrefs. Out: the matrix that they
// were packed of, if nothing else is in their memory, who reads them, and
// whether the matrix could be read instead.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PACKEDSOURCE_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PACKEDSOURCE_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace aikernel {

class PackedSource {
public:
  /// Nothing if they were not packed by one op, or if not only products read
  /// them.
  static std::optional<PackedSource> of(mlir::Value panels);

  PackPanelsOp getPacking() const { return packing; }
  /// The matrix, also when its packing is gone.
  mlir::Value getMatrix() const { return matrix; }
  llvm::ArrayRef<PackedProductOp> getReaders() const { return readers; }

  /// Is the matrix as it was when it was packed until the product is done?
  bool staysUntilDone(PackedProductOp product) const;

  /// Where in the matrix the panels begin, of which each has so many of its
  /// rows or columns.
  mlir::OpFoldResult startOfPanels(LoopBuilder &b, int64_t width) const;

private:
  PackPanelsOp packing;
  mlir::Value matrix;
  llvm::SmallVector<PackedProductOp> readers;
  /// What of all panels these are, the innermost first.
  llvm::SmallVector<mlir::memref::SubViewOp> parts;
};

/// Does the memory stay as it is from `begin` on until `end`, in the same
/// block, is done?
bool staysUnchanged(mlir::Value root, mlir::Operation *begin,
                    mlir::Operation *end);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PACKEDSOURCE_H
