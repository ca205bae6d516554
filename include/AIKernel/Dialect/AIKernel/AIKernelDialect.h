//===- AIKernelDialect.h - The dialect, its attributes, types and interfaces
//===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an embedder needs to load the dialect and to read its attributes.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_AIKERNELDIALECT_H
#define AIKERNEL_DIALECT_AIKERNEL_AIKERNELDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h.inc"
#include "AIKernel/Dialect/AIKernel/AIKernelEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "AIKernel/Dialect/AIKernel/AIKernelAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "AIKernel/Dialect/AIKernel/AIKernelTypes.h.inc"

namespace aikernel {

/// Names of the attributes on function arguments.
inline constexpr llvm::StringLiteral kWeightAttr = "aikernel.weight";
inline constexpr llvm::StringLiteral kDonateAttr = "aikernel.donate";
inline constexpr llvm::StringLiteral kNameAttr = "aikernel.name";
inline constexpr llvm::StringLiteral kMinAttr = "aikernel.min";
inline constexpr llvm::StringLiteral kMaxAttr = "aikernel.max";
inline constexpr llvm::StringLiteral kMultipleOfAttr = "aikernel.multiple_of";

/// On a function that the compiler made for the entry ABI, or turned into one.
inline constexpr llvm::StringLiteral kEntryAttr = "aikernel.entry";

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_AIKERNELDIALECT_H
