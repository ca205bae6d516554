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

#ifndef AIKERNEL_LIB_TARGET_GPU_BUFFERROOT_H
#define AIKERNEL_LIB_TARGET_GPU_BUFFERROOT_H

#include "mlir/Interfaces/ViewLikeInterface.h"

namespace aikernel {

inline mlir::Value rootOf(mlir::Value memref) {
  while (auto view = memref.getDefiningOp<mlir::ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_BUFFERROOT_H
