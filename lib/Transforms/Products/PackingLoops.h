//===- PackingLoops.h - Loops that pack an operand ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an aikernel.pack_panels on memrefs. Out: a loop over pieces of its
// source, each of which calls the function that packs it. In an entry the loop
// is parallel, and pieces are small enough for many threads; inside a worker's
// own tile it is not.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PACKINGLOOPS_H
#define AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PACKINGLOOPS_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "Tiles/SharedFunctions.h"

namespace aikernel {

struct ColumnShares;

/// Emits the loop where the builder is, and erases the op. `vectorBits` is the
/// width to copy with. With `shares` their columns are packed one share after
/// the other.
void emitPackingLoops(LoopBuilder &b, SharedFunctions &functions,
                      PackPanelsOp op, unsigned vectorBits,
                      const ColumnShares *shares = nullptr);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_PRODUCTS_PACKINGLOOPS_H
