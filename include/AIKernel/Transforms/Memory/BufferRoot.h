//===- BufferRoot.h - The buffer behind a view ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a memref. Out: the one that it is a view of, through all views.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_MEMORY_BUFFERROOT_H
#define AIKERNEL_TRANSFORMS_MEMORY_BUFFERROOT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace aikernel {

inline mlir::Value rootOf(mlir::Value memref) {
  while (auto view = memref.getDefiningOp<mlir::ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Which buffer a root is depends on the run: it may be any.
inline bool isChosen(mlir::Value root) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(root))
    return !mlir::isa<mlir::FunctionOpInterface>(
        argument.getOwner()->getParentOp());
  return root.getDefiningOp<mlir::RegionBranchOpInterface>() ||
         root.getDefiningOp<mlir::arith::SelectOp>();
}

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_MEMORY_BUFFERROOT_H
