//===- AttentionPasses.h - Passes on online_attention ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors and registration of the passes in AttentionPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_ATTENTIONPASSES_H
#define AIKERNEL_TRANSFORMS_ATTENTIONPASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
#include "AIKernel/Transforms/AttentionPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "AIKernel/Transforms/AttentionPasses.h.inc"

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_ATTENTIONPASSES_H
