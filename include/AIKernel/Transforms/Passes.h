//===- Passes.h - Target-independent passes -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations generated from Passes.td, MathPasses.td and AttentionPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_PASSES_H
#define AIKERNEL_TRANSFORMS_PASSES_H

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Transforms/AttentionPasses.h"
#include "AIKernel/Transforms/MathPasses.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace aikernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "AIKernel/Transforms/Passes.h.inc"

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_PASSES_H
