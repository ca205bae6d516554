//===- FragmentProgram.h - Tile programs with 4-bit weights ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: products with packed weights. Out: their tile programs; and before that,
// such products from kernels that read dequantized weights.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_FRAGMENTPROGRAM_H
#define AIKERNEL_LIB_TARGET_NVIDIA_FRAGMENTPROGRAM_H

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace aikernel {

/// Products on tensors: calls of kernels that multiply what another kernel has
/// dequantized become calls of kernels that read the weights themselves.
void formFragmentProducts(mlir::ModuleOp module);

/// The program takes the place of a product on memrefs.
void buildFragmentProgram(tile::ProductOp op);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_FRAGMENTPROGRAM_H
