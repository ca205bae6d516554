//===- LargeResults.h - Results that no cache keeps -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to passes on loops over rows: which results are written past the
// caches. What is too large to be found in one later need not be fetched before
// it is overwritten.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_MEMORY_LARGERESULTS_H
#define AIKERNEL_LIB_TRANSFORMS_MEMORY_LARGERESULTS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace aikernel {

/// What memory delivers at once.
inline constexpr unsigned kLineBytes = 64;

/// Is this a tile of a large result of the program, used by nothing else, whose
/// rows begin and end with lines if the result does? Other threads see stores
/// past the caches only after a fence, which aik-outline-parallel adds: the
/// tile must be in a parallel loop.
bool isTileOfLargeResult(mlir::memref::SubViewOp tile);
/// Does anything in `op` store past the caches?
bool storesPastCaches(mlir::Operation *op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_MEMORY_LARGERESULTS_H
