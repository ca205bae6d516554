//===- FragmentProgram.h - Tile programs with 4-bit weights ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: products with packed weights. Out: their tile programs.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_FRAGMENTPROGRAM_H
#define AIKERNEL_LIB_TARGET_NVIDIA_FRAGMENTPROGRAM_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

/// The program takes the place of a product on memrefs.
void buildFragmentProgram(tile::ProductOp op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_FRAGMENTPROGRAM_H
