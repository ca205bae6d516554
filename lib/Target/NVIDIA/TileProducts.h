//===- TileProducts.h - Products that tile programs compute ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a product of matrices. Out: whether a tile program can compute it, as far
// as the product itself decides.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_TILEPRODUCTS_H
#define AIKERNEL_LIB_TARGET_NVIDIA_TILEPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace aikernel {

bool isTileProduct(mlir::linalg::GenericOp product);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_TILEPRODUCTS_H
