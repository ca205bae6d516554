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
// only where they begin at a multiple of 16.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_VECTORACCESS_H
#define AIKERNEL_LIB_TARGET_GPU_VECTORACCESS_H

#include "AIKernel/Transforms/LoopBuilder.h"

namespace aikernel {

/// Elements of a type in the widest vector.
int64_t widestVectorOf(mlir::Type element);

/// How many elements every row of a buffer begins at a multiple of, up to
/// `most`. Buffers that come from outside begin at multiples of 16 bytes.
int64_t alignmentOf(mlir::Value memref, int64_t most);

/// `width` elements from `where` on; a number where `width` is 1.
mlir::Value loadVector(LoopBuilder &b, mlir::Value memref,
                       mlir::ValueRange where, int64_t width);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_VECTORACCESS_H
