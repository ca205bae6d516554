//===- ProductLoops.h - Products as plain loops ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a product computes, for hosts that check it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_PRODUCTLOOPS_H
#define AIKERNEL_LIB_TARGET_GPU_PRODUCTLOOPS_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// Replaces a product on memrefs by three loops.
void expandProduct(tile::ProductOp op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_PRODUCTLOOPS_H
