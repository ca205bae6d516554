//===- AIKernelOps.h - Every op of the dialect ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generated op classes and the interfaces they implement.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_AIKERNELOPS_H
#define AIKERNEL_DIALECT_AIKERNEL_AIKERNELOPS_H

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Dialect/AIKernel/AIKernelInterfaces.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace aikernel {

/// The op rearranges its first operand into its destination, by its attributes
/// alone.
template <typename ConcreteOp>
class PacksSource : public mlir::OpTrait::TraitBase<ConcreteOp, PacksSource> {};

} // namespace aikernel

#define GET_OP_CLASSES
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h.inc"

#endif // AIKERNEL_DIALECT_AIKERNEL_AIKERNELOPS_H
