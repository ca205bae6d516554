//===- AIKernelToLinalg.h - Lowers aikernel ops to linalg -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass, and one function per op family that adds its patterns. A pattern
// looks only at its own op.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_CONVERSION_AIKERNELTOLINALG_AIKERNELTOLINALG_H
#define AIKERNEL_CONVERSION_AIKERNELTOLINALG_AIKERNELTOLINALG_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace aikernel {

void populateLinearToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateActivationToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateNormToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateAttentionToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populatePositionToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateCacheToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateQuantToLinalgPatterns(mlir::RewritePatternSet &patterns);
void populateQuantProductToLinalgPatterns(mlir::RewritePatternSet &patterns);

#define GEN_PASS_DECL
#include "AIKernel/Conversion/AIKernelToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "AIKernel/Conversion/AIKernelToLinalg/Passes.h.inc"

} // namespace aikernel

#endif // AIKERNEL_CONVERSION_AIKERNELTOLINALG_AIKERNELTOLINALG_H
