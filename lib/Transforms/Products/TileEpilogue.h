//===- TileEpilogue.h - What becomes of the sums of a register tile -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A short elementwise op behind a product (bias, scales, residual, conversion
// to the type of the result) is done tile by tile while the sums are in
// registers, not in a loop over all of them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_TILEEPILOGUE_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_TILEEPILOGUE_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace aikernel {

class TileEpilogue {
public:
  /// The op that alone reads what the product writes, if it can be done with
  /// the product. Constants that it uses move into it.
  static std::optional<TileEpilogue> match(PackedProductOp product);

  mlir::linalg::GenericOp getOp() const { return op; }

  /// Equal for ops that do the same to operands of the same types.
  mlir::Attribute getVariant();

  /// What the function of the tiles is given besides the product's own: each
  /// operand as a matrix of the product's rows and columns for one batch, with
  /// a stride of zero along what it does not depend on.
  llvm::SmallVector<mlir::Value>
  viewOperands(LoopBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> loops,
               std::array<mlir::OpFoldResult, 2> sizes);

  /// Inside that function: its arguments for these operands.
  void setOperands(mlir::ValueRange arguments) {
    matrices.assign(arguments.begin(), arguments.end());
  }

  /// The first matrix that it writes.
  mlir::Value getResult() { return matrices[op.getNumDpsInputs() - 1]; }

  /// What was read of operands that are the same in all rows, by operand and
  /// column.
  using ReadColumns =
      llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value>;
  ReadColumns readColumns(LoopBuilder &b, mlir::ValueRange columns,
                          int64_t width);

  /// Does it to `sums`, a scalar or a vector along the row.
  void emit(LoopBuilder &b, mlir::Value sums, mlir::Value row,
            mlir::Value column, const ReadColumns *known = nullptr);

private:
  TileEpilogue(mlir::linalg::GenericOp op, unsigned sums)
      : op(op), sums(sums) {}

  mlir::Value load(LoopBuilder &b, mlir::Value matrix, mlir::Value row,
                   mlir::Value column, int64_t width);
  llvm::SmallVector<mlir::BlockArgument> argumentsOf();

  mlir::linalg::GenericOp op;
  unsigned sums; // the operand that the product makes
  /// The operands but the sums, in order.
  llvm::SmallVector<mlir::Value> matrices;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_TILEEPILOGUE_H
