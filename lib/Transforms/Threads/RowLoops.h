//===- RowLoops.h - Loops along rows, of which two become one -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: loops along a row, within a loop over rows. Out: whether one can be done
// beside the other, and a loop that does both.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_THREADS_ROWLOOPS_H
#define AIKERNEL_LIB_TRANSFORMS_THREADS_ROWLOOPS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/IR/IRMapping.h"

namespace aikernel {

/// A loop from 0 over the whole rounds that the length of all rows has.
struct WholeRounds {
  mlir::scf::ForOp loop;
  mlir::OpFoldResult length;
  int64_t step;

  static std::optional<WholeRounds> of(mlir::scf::ForOp loop,
                                       mlir::scf::ForOp rows);

  /// Has it all rounds of `coarser`, each in several of its own, and maybe
  /// some more?
  bool covers(const WholeRounds &coarser) const;
  /// May there be some more?
  bool hasMoreThan(const WholeRounds &coarser) const;
};

/// What emitBeside does with the ops of a round.
struct BesideOptions {
  /// Which ops of the finer loop are done; all, if it is missing.
  llvm::function_ref<bool(mlir::Operation &)> keeps;
  /// Called behind each op of the coarser loop; may be missing.
  llvm::function_ref<void(mlir::Operation &, mlir::IRMapping &)> after;
};

/// Emits a loop over the rounds of `coarser`, in each of which the part of
/// `finer` that it covers is done first, and then what `finer` has more. Each
/// reads its own values in place of those above it. The results are those of
/// `coarser`.
mlir::scf::ForOp emitBeside(LoopBuilder &b, const WholeRounds &finer,
                            const mlir::IRMapping &ofFiner,
                            const WholeRounds &coarser,
                            const mlir::IRMapping &ofCoarser,
                            BesideOptions options);

/// What of the body of `rows` before `ops`, which are in it one behind the
/// other, tells these which row they are about: ops without effects, in their
/// order. Nothing if there are others.
std::optional<llvm::SetVector<mlir::Operation *>>
placeOf(llvm::ArrayRef<mlir::Operation *> ops, mlir::scf::ForOp rows);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_THREADS_ROWLOOPS_H
