//===- SeparateDestinations.h - One op per use ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op with several uses. Out: a copy of it for each of them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_MEMORY_SEPARATEDESTINATIONS_H
#define AIKERNEL_LIB_TRANSFORMS_MEMORY_SEPARATEDESTINATIONS_H

#include "mlir/IR/Operation.h"

namespace aikernel {

/// Gives each use of `op`, which has one result, a copy of its own.
void separateUses(mlir::Operation *op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_MEMORY_SEPARATEDESTINATIONS_H
