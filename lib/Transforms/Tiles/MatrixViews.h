//===- MatrixViews.h - Operands as matrices of general type ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views whose types say only what a kernel's code depends on, so that one
// function serves operands of all sizes.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_MATRIXVIEWS_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_MATRIXVIEWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace aikernel {

/// The matrix along two dimensions of a memref, from position `at` on. Its type
/// has dynamic sizes and tells which of the two is contiguous, if one is; along
/// a dimension -1 it is the same everywhere.
mlir::Value viewAsMatrix(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value memref,
                         llvm::ArrayRef<mlir::OpFoldResult> at,
                         std::array<int64_t, 2> dims,
                         std::array<mlir::OpFoldResult, 2> sizes);

/// Of a packed operand [..., blocks, panels, steps, width, depth], the panel at
/// position `at`: memref<steps x (width * depth)>.
mlir::Value viewPanel(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value packed,
                      llvm::ArrayRef<mlir::OpFoldResult> at);

/// All of its blocks and panels: memref<blocks x panels x steps x (width *
/// depth)>.
mlir::Value viewPanels(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value packed,
                       llvm::ArrayRef<mlir::OpFoldResult> at);

/// memref<steps x width>: one of the panels that viewPanels gives.
mlir::Value panelAt(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value panels, mlir::Value block, mlir::Value panel);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_MATRIXVIEWS_H
