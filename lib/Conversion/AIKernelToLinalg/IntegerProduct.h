//===- IntegerProduct.h - Quantized weights times integers ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: packed weights and activations that are integers already. Out: their
// product in linalg, exact within each block.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_INTEGERPRODUCT_H
#define AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_INTEGERPRODUCT_H

#include "Common.h"
#include "QuantReader.h"

namespace aikernel::tolinalg {

struct IntegerActivations {
  mlir::Value integers;  // i8 [rows..., blocks, block]
  mlir::Value scale;     // f32 [rows..., blocks]
  mlir::Value scaledSum; // f32 [rows..., blocks], or null
};

llvm::SmallVector<mlir::utils::IteratorType> loopsOf(unsigned parallel,
                                                     unsigned reductions);

/// Loops [0, first) and then `others`.
mlir::AffineMap mapToRowsAnd(mlir::ImplicitLocOpBuilder &b, unsigned loops,
                             unsigned first, llvm::ArrayRef<unsigned> others);

/// [rows..., N] of the type `compute`; `sizes` are these.
mlir::Value createIntegerProduct(mlir::ImplicitLocOpBuilder &b,
                                 QuantReader &reader,
                                 const IntegerActivations &x,
                                 llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                 mlir::Type compute);

} // namespace aikernel::tolinalg

#endif // AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_INTEGERPRODUCT_H
