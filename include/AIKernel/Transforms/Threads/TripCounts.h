//===- TripCounts.h - How often parallel loops run ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an scf.forall. Out: how many iterations each of its loops has, and all of
// them together, computed where the builder stands.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_THREADS_TRIPCOUNTS_H
#define AIKERNEL_TRANSFORMS_THREADS_TRIPCOUNTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace aikernel {

struct TripCounts {
  llvm::SmallVector<mlir::Value> lowers, steps, trips; // of each loop
  mlir::Value all;
};

TripCounts countTrips(mlir::OpBuilder &builder, mlir::scf::ForallOp loop);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_THREADS_TRIPCOUNTS_H
