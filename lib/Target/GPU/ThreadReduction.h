//===- ThreadReduction.h - Threads combine what each has ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a structured op whose results each have one combining op. Out: code that
// combines the values of a warp by shuffles, and of warps through shared
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_THREADREDUCTION_H
#define AIKERNEL_LIB_TARGET_GPU_THREADREDUCTION_H

#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace aikernel {

class ThreadReduction {
public:
  /// Nothing when the op's reduction cannot be divided among threads.
  static std::optional<ThreadReduction> match(mlir::linalg::LinalgOp op);

  /// What changes nothing, one for each result.
  LoopBuilder::Values neutral(LoopBuilder &b) const;
  mlir::Value combine(LoopBuilder &b, unsigned result, mlir::Value x,
                      mlir::Value y) const;
  /// The elements of a vector combined; what is no vector stays.
  mlir::Value acrossVector(LoopBuilder &b, unsigned result,
                           mlir::Value vector) const;
  /// All of `threads` threads (a warp, or the block) get what they have
  /// together. The values are those of the results, once or several times. With
  /// several warps there is a barrier inside; another must follow before the
  /// same code runs again.
  LoopBuilder::Values acrossThreads(LoopBuilder &b, mlir::gpu::GPUFuncOp kernel,
                                    LoopBuilder::Values values,
                                    mlir::Value thread, int64_t threads) const;

private:
  /// The values of a warp are those of all its lanes already.
  LoopBuilder::Values acrossWarps(LoopBuilder &b, mlir::gpu::GPUFuncOp kernel,
                                  LoopBuilder::Values values,
                                  mlir::Value thread, int64_t warps) const;

  llvm::SmallVector<mlir::Operation *> combiners;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_THREADREDUCTION_H
