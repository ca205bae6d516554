//===- DestinationChain.h - Whose memory a tensor updates -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tensor before bufferization. Out: the tensor whose memory it would be
// written into, by following the destinations of the ops that made it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_MEMORY_DESTINATIONCHAIN_H
#define AIKERNEL_LIB_TRANSFORMS_MEMORY_DESTINATIONCHAIN_H

#include "mlir/IR/Value.h"

namespace aikernel {

/// The tensor whose memory `tensor` is written into, one op earlier; none where
/// its op has no destination.
mlir::Value destinationOf(mlir::Value tensor);

/// Follows destinations back to where the chain starts: an argument, the memory
/// of one, an empty tensor, or a value whose memory is not known.
mlir::Value startOfDestinationChain(mlir::Value tensor);

/// May both be written into the same memory: do their chains start together,
/// on some path through branches?
bool mayShareMemory(mlir::Value a, mlir::Value b);

/// Is `earlier` on the way from `tensor` to the start of its chain, or itself?
bool isOnDestinationChain(mlir::Value earlier, mlir::Value tensor);

/// Does the chain start in the memory of `own`, or in new memory that nothing
/// else names? Then writing `tensor` there cannot overwrite what others read.
bool isFreshOrIn(mlir::Value tensor, mlir::Value own);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_MEMORY_DESTINATIONCHAIN_H
