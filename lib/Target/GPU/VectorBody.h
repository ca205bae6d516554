//===- VectorBody.h - Some elements of a structured op at once ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a structured op whose last loop goes along contiguous rows. Out: its body
// on vectors of neighbouring elements.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_VECTORBODY_H
#define AIKERNEL_LIB_TARGET_GPU_VECTORBODY_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace aikernel {

/// Types that vectors in registers are made of.
bool isHeldInRegisters(mlir::Type type);

/// A short loop of an elementwise op along which results go, but nothing that
/// is read: a thread goes along all of it.
std::optional<unsigned> repeatedLoop(mlir::linalg::LinalgOp op);

/// Do all ops of the body work on vectors as on scalars?
bool worksOnVectors(mlir::linalg::LinalgOp op);

/// A vector as it is, or of equal elements.
mlir::Value asVector(LoopBuilder &b, mlir::Value value, int64_t size);

/// 0, 1, 2, ... added to each element of `start`.
mlir::Value countFrom(LoopBuilder &b, mlir::Value start, int64_t size);

/// What a body yields for arguments that are vectors of `size` elements or
/// scalars. `indexOf` gives the value of a loop, a scalar or a vector.
LoopBuilder::Values
emitVectorBody(LoopBuilder &b, mlir::Block &body,
               llvm::ArrayRef<mlir::Value> operands, int64_t size,
               llvm::function_ref<mlir::Value(unsigned)> indexOf);
inline LoopBuilder::Values
emitVectorBody(LoopBuilder &b, mlir::linalg::LinalgOp op,
               llvm::ArrayRef<mlir::Value> operands, int64_t size,
               llvm::function_ref<mlir::Value(unsigned)> indexOf) {
  return emitVectorBody(b, *op.getBlock(), operands, size, indexOf);
}

/// An elementwise op, vector by vector: `first` and `step` say which of them
/// this thread takes. False, and nothing, when it cannot be done so. Where only
/// the device knows whether rows begin at multiples of a vector there are two
/// loops, and `elementLoop` emits the other one.
bool emitVectorLoop(LoopBuilder &b, mlir::linalg::LinalgOp op,
                    mlir::Value first, mlir::Value step,
                    llvm::function_ref<void()> elementLoop);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_VECTORBODY_H
