//===- GridWriter.h - Kernels and their grids -----------------*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op of host code, and the reads that its kernel has to do before it.
// Out: the kernel and, in the op's place, its launch by as many blocks as it
// pays for.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_GRIDWRITER_H
#define AIKERNEL_LIB_TARGET_GPU_GRIDWRITER_H

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "KernelWriter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace aikernel {

class GridWriter : public KernelWriter {
public:
  using KernelWriter::KernelWriter;

  /// One block for each iteration.
  mlir::gpu::LaunchFuncOp formGrid(mlir::scf::ForallOp loop,
                                   llvm::ArrayRef<Operation *> reads);
  /// One op over as many threads as it has elements, if the host knows them.
  mlir::gpu::LaunchFuncOp formSpread(mlir::linalg::LinalgOp op,
                                     llvm::ArrayRef<Operation *> reads,
                                     bool hostKnowsSizes);
  /// One block, but for checks of many elements.
  mlir::gpu::LaunchFuncOp formBlock(Operation *op,
                                    llvm::ArrayRef<Operation *> reads);
  /// Blocks that take tiles in turn.
  mlir::gpu::LaunchFuncOp formProduct(tile::ProductOp op);
  /// Blocks that claim tiles.
  mlir::gpu::LaunchFuncOp formAttention(tile::AttentionOp op);

private:
  mlir::gpu::LaunchFuncOp finish(Kernel &kernel, Value blocks, Operation *op,
                                 llvm::ArrayRef<Operation *> reads);
  Value unlessEmpty(tile::AttentionOp op, Value keys, Value blocks);
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_GRIDWRITER_H
