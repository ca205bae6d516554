//===- Passes.h - The way of the reference copy ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_CONVERSION_AIKERNELTOREFERENCE_PASSES_H
#define AIKERNEL_CONVERSION_AIKERNELTOREFERENCE_PASSES_H

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace aikernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "AIKernel/Conversion/AIKernelToReference/Passes.h.inc"

} // namespace aikernel

#endif // AIKERNEL_CONVERSION_AIKERNELTOREFERENCE_PASSES_H
