//===- KernelGroups.h - What kind of work an op is ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op of the phase `structured`. Out: the facts that grouping and
// scheduling decide by. FormKernels and SelectSchedule share them, so that
// both see the same work in the same op.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_KERNELS_KERNELGROUPS_H
#define AIKERNEL_TRANSFORMS_KERNELS_KERNELGROUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace aikernel {

/// On a function: it is a kernel. On an op of a kernel: it is the root, with
/// the loops that may be tiled.
inline constexpr llvm::StringLiteral kKernelAttrName = "aikernel.kernel";
inline constexpr llvm::StringLiteral kRootAttrName = "aikernel.root";

enum class OpKind {
  Elementwise,  // every loop is parallel
  RowReduction, // some loops reduce
  Contraction,  // a matrix product
  Attention,    // online attention
  Other         // not the business of a kernel
};

OpKind kindOf(mlir::Operation *op);

/// Cheap enough to be computed once per use: its body is short, has no math
/// function, and reads nothing at computed indices.
bool isCheap(mlir::Operation *op);

/// Does it add to what was there? Computed again it would add again.
bool readsInit(mlir::Operation *op);

/// Loops of the op's iteration space, in order.
llvm::SmallVector<mlir::utils::IteratorType>
iteratorTypesOf(mlir::Operation *op);
unsigned loopCountOf(mlir::Operation *op);
/// How far each loop goes, where that is known.
llvm::SmallVector<int64_t> extentsOf(mlir::Operation *op);
/// How often the loops of an op go round, if that is known.
std::optional<int64_t> stepsOf(mlir::Operation *op);
/// Nothing to do, or sums of nothing: upstream's tiling does not take loops of
/// no iterations, and such a kernel needs no tiles.
bool hasEmptyLoop(mlir::func::FuncOp kernel);

/// Do all callers of the kernel give a weight for this argument? Weights are
/// packed once, in f$prepare.
bool isWeight(mlir::Value operand);

/// How an operand, or a result, is indexed by those loops; null if unknown.
mlir::AffineMap indexingMapOf(mlir::OpOperand &operand);
mlir::AffineMap indexingMapOf(mlir::OpResult result);

/// For one op of a kernel: the root's loop that each of its own loops becomes,
/// or -1 where it is reduced or not part of the root's nest.
using LoopsOfRoot = llvm::SmallVector<int>;

/// The same for the producer of `use`, given its consumer's loops. Nothing
/// where a tile of the consumer does not need exactly one tile of the producer.
std::optional<LoopsOfRoot> mapThrough(mlir::OpOperand &use,
                                      const LoopsOfRoot &consumer);

/// The ops of a kernel that its root depends on, the root first.
void forEachOp(
    mlir::Operation *root,
    llvm::function_ref<void(mlir::Operation *, const LoopsOfRoot &)> body);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_KERNELS_KERNELGROUPS_H
