//===- StructuredBody.h - One element of a structured op ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a structured op on buffers. Out: the scalar code of one point of its
// loops, or of one element of its results with all its reductions.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_STRUCTUREDBODY_H
#define AIKERNEL_LIB_TARGET_GPU_STRUCTUREDBODY_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace aikernel {

class StructuredBody {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// Computes the sizes of the op's loops in front of it.
  StructuredBody(mlir::linalg::LinalgOp op, LoopBuilder &b);

  mlir::linalg::LinalgOp getOp() const { return op; }
  bool isReduction() const { return !reductionDims.empty(); }
  /// How many points the parallel loops have, and the reductions.
  Value parallelCount(LoopBuilder &b) { return product(b, parallelDims); }
  Value reductionCount(LoopBuilder &b) { return product(b, reductionDims); }
  std::optional<int64_t> staticParallelCount() const;

  /// Puts the point number `linear` of the parallel loops (of the reductions)
  /// into `ivs`.
  void setParallel(LoopBuilder &b, Value linear, Values &ivs) {
    delinearize(b, linear, parallelDims, ivs);
  }
  void setReduction(LoopBuilder &b, Value linear, Values &ivs) {
    delinearize(b, linear, reductionDims, ivs);
  }
  Values makeIvs() const { return Values(extents.size()); }

  /// The current elements of the results at a point.
  Values loadResults(LoopBuilder &b, const Values &ivs);
  void storeResults(LoopBuilder &b, const Values &ivs, mlir::ValueRange values);
  /// What the op yields at a point, given the results so far.
  Values compute(LoopBuilder &b, const Values &ivs, mlir::ValueRange results);

  /// The whole of element number `linear`, reductions one after the other.
  void emitElement(LoopBuilder &b, Value linear);

private:
  Value product(LoopBuilder &b, llvm::ArrayRef<unsigned> dims);
  void delinearize(LoopBuilder &b, Value linear, llvm::ArrayRef<unsigned> dims,
                   Values &ivs);
  Values indicesOf(LoopBuilder &b, mlir::OpOperand &operand, const Values &ivs);

  mlir::linalg::LinalgOp op;
  llvm::SmallVector<mlir::OpFoldResult> extents;
  llvm::SmallVector<unsigned> parallelDims, reductionDims;
};

/// The body of a product on `width` elements, whose operands are in `values`:
/// one rounding for a product and its sum.
mlir::Value emitMultiplyAdd(LoopBuilder &b, mlir::linalg::LinalgOp op,
                            mlir::IRMapping &values, int64_t width);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_STRUCTUREDBODY_H
