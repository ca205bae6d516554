//===- WarpMatrices.h - Matrix instructions of single warps ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: words that a lane holds of two matrices. Out: what it holds of their
// product.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_WARPMATRICES_H
#define AIKERNEL_LIB_TARGET_NVIDIA_WARPMATRICES_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace aikernel {

/// sums + left * right by mma.sync.m16n8k16, of bf16 or f16. With g and t the
/// quotient and the remainder of the lane by 4, a lane holds in i32 words
///   left:  (g, 2t) (g + 8, 2t) (g, 2t + 8) (g + 8, 2t + 8), and the next in k
///   right: (k = 2t, g) (k = 2t + 8, g), and the next in k
/// and four sums, of rows g and g + 8 and columns 2t and 2t + 1.
LoopBuilder::Values multiplyWarpMatrices(LoopBuilder &b, mlir::Type element,
                                         llvm::ArrayRef<mlir::Value> left,
                                         llvm::ArrayRef<mlir::Value> right,
                                         llvm::ArrayRef<mlir::Value> sums);

/// The start of the block's shared memory, whose size is given at launch.
mlir::Value getDynamicShared(mlir::ImplicitLocOpBuilder &b,
                             mlir::gpu::GPUFuncOp kernel);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_WARPMATRICES_H
