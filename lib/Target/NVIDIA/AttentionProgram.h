//===- AttentionProgram.h - The tile program of attention -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aik_tile.attention on memrefs, in a kernel. Out: its program in its
// place.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONPROGRAM_H
#define AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONPROGRAM_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel {

void buildAttentionProgram(tile::AttentionOp op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONPROGRAM_H
