//===- WorkspaceBytes.h - Where in the workspace a memref is --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two memrefs with the same root, after memory is planned. Out: whether
// they may have bytes in common. All buffers of a function are views of its
// workspace; those whose sizes are known have their bytes to themselves, or to
// themselves for a while.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_GPU_WORKSPACEBYTES_H
#define AIKERNEL_TARGET_GPU_WORKSPACEBYTES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace aikernel {

/// Bytes of the workspace that a memref is in, where they are known.
struct WorkspaceBytes {
  int64_t begin, end;

  /// Those of the view of the workspace that it is a part of.
  static std::optional<WorkspaceBytes> of(mlir::Value memref) {
    mlir::memref::ViewOp part;
    while (auto view = memref.getDefiningOp<mlir::ViewLikeOpInterface>()) {
      if (auto bytes = mlir::dyn_cast<mlir::memref::ViewOp>(*view))
        part = bytes;
      memref = view.getViewSource();
    }
    if (!part || part.getSource() != memref)
      return std::nullopt;
    std::optional<int64_t> begin =
        mlir::getConstantIntValue(part.getByteShift());
    mlir::MemRefType type = part.getType();
    if (!begin || !type.hasStaticShape())
      return std::nullopt;
    mlir::Type element = type.getElementType();
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    int64_t size = type.getNumElements() * llvm::divideCeil(bits, 8);
    return WorkspaceBytes{*begin, *begin + size};
  }

  static bool mayMeet(std::optional<WorkspaceBytes> a,
                      std::optional<WorkspaceBytes> b) {
    return !a || !b || (a->begin < b->end && b->begin < a->end);
  }
};

} // namespace aikernel

#endif // AIKERNEL_TARGET_GPU_WORKSPACEBYTES_H
