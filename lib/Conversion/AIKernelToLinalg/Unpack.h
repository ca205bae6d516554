//===- Unpack.h - A tensor of quantized numbers as floats -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `dequantize` and products with float activations have in common.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_UNPACK_H
#define AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_UNPACK_H

#include "QuantReader.h"

namespace aikernel::tolinalg {

/// The numbers of `reader`'s tensor, [..., K] as `sizes` says, computed in
/// `compute` and rounded to `element`.
mlir::Value createUnpacked(mlir::ImplicitLocOpBuilder &b, QuantReader &reader,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes,
                           mlir::Type compute, mlir::Type element);

} // namespace aikernel::tolinalg

#endif // AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_UNPACK_H
