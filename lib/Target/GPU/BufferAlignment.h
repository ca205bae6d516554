//===- BufferAlignment.h - Where the rows of a buffer begin ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a memref. Out: the vectors that its rows can be read by.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_BUFFERALIGNMENT_H
#define AIKERNEL_LIB_TARGET_GPU_BUFFERALIGNMENT_H

#include "mlir/IR/Value.h"

namespace aikernel {

/// How many elements every row of a buffer begins at a multiple of, up to
/// `most`. Buffers that come from outside begin at multiples of 16 bytes.
int64_t alignmentOf(mlir::Value memref, int64_t most);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_BUFFERALIGNMENT_H
