//===- VectorAccess.h - Several elements of a buffer at once ----*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a buffer in the memory of the device. Out: how many elements a thread may
// load at once, and that load. A GPU reads 16 bytes per thread at most, and
// only where they begin at a multiple of 16 (BufferAlignment.h).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_VECTORACCESS_H
#define AIKERNEL_LIB_TARGET_GPU_VECTORACCESS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "BufferAlignment.h"

namespace aikernel {

/// What a thread reads at once, at most.
inline constexpr int64_t kVectorBits = 128;

/// Elements of a type in the widest vector.
int64_t widestVectorOf(mlir::Type element);

/// `width` elements from `where` on; a number where `width` is 1.
mlir::Value loadVector(LoopBuilder &b, mlir::Value memref,
                       mlir::ValueRange where, int64_t width);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_VECTORACCESS_H
