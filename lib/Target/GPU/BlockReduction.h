//===- BlockReduction.h - Many threads for one sum ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a structured op that reduces, with one combining op per result. Out: code
// in which a warp, or the whole block, shares each element of the results.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_BLOCKREDUCTION_H
#define AIKERNEL_LIB_TARGET_GPU_BLOCKREDUCTION_H

#include "StructuredBody.h"
#include "ThreadReduction.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace aikernel {

class BlockReduction {
public:
  /// Nothing when the op's reduction cannot be divided.
  static std::optional<BlockReduction> match(StructuredBody &body);

  /// `group` threads share an element: kWarpSize, or all of the block.
  void emit(LoopBuilder &b, mlir::gpu::GPUFuncOp kernel, mlir::Value thread,
            int64_t threads, int64_t group);

private:
  BlockReduction(StructuredBody &body, ThreadReduction reduction)
      : body(body), reduction(std::move(reduction)) {}

  StructuredBody &body;
  ThreadReduction reduction;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_BLOCKREDUCTION_H
