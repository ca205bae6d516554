//===- Contractions.h - Which linalg ops are matrix products --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is a linalg.generic that adds the product of its two (widened)
// inputs to its output, over batch, row, column and summed loops.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_KERNELS_CONTRACTIONS_H
#define AIKERNEL_TRANSFORMS_KERNELS_CONTRACTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace aikernel {

/// Which loop of the generic plays which part.
struct ContractionLoops {
  unsigned m, n, k;
  llvm::SmallVector<unsigned> others;
};

/// The loops of a product with at least one row, column and summed loop.
std::optional<ContractionLoops> matchContraction(mlir::linalg::GenericOp op);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_KERNELS_CONTRACTIONS_H
