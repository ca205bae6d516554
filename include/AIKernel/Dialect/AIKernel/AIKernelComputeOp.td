//===- AIKernelComputeOp.td - Base classes of the compute ops -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The traits and the shape of the assembly that all compute ops share.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_COMPUTEOP_TD
#define AIKERNEL_COMPUTEOP_TD

include "AIKernel/Dialect/AIKernel/AIKernelAttrs.td"
include "AIKernel/Dialect/AIKernel/AIKernelInterfaces.td"
include "AIKernel/Dialect/AIKernel/AIKernelTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

// Functional, on ranked tensors, without side effects. What follows from the
// shape contract is the same for all of them and written here once.
class AIKernel_ComputeOp<string mnemonic, list<Trait> traits = []>
    : AIKernel_Op<mnemonic, !listconcat([
        Pure,
        DeclareOpInterfaceMethods<AIKernel_ShapeContractOpInterface>,
        DeclareOpInterfaceMethods<AIKernel_ReferenceOpInterface>,
        DeclareOpInterfaceMethods<AIKernel_RuntimeCheckOpInterface>,
        DeclareOpInterfaceMethods<AIKernel_CostOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<TilingInterface, [
          "getLoopIteratorTypes", "getIterationDomain",
          "getTiledImplementation", "getResultTilePosition",
          "generateResultTileValue", "getIterationDomainTileFromResultTile",
          "isOpFusableWithConsumerSlice"]>
      ], traits)> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return ::aikernel::contract::reifyResultShapes(builder, *this, shapes);
    }
    ::llvm::SmallVector<::mlir::utils::IteratorType>
    $cppClass::getLoopIteratorTypes() {
      return ::aikernel::contract::getLoopIteratorTypes(*this);
    }
    ::llvm::SmallVector<::mlir::Range>
    $cppClass::getIterationDomain(::mlir::OpBuilder &builder) {
      return ::aikernel::contract::getIterationDomain(builder, *this);
    }
    ::mlir::FailureOr<::mlir::TilingResult> $cppClass::getTiledImplementation(
        ::mlir::OpBuilder &builder,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return ::aikernel::contract::getTiledImplementation(builder, *this,
                                                          offsets, sizes);
    }
    ::llvm::LogicalResult $cppClass::getResultTilePosition(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultOffsets,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultSizes) {
      return ::aikernel::contract::getResultTilePosition(
          builder, *this, resultNumber, offsets, sizes, resultOffsets,
          resultSizes);
    }
    ::mlir::FailureOr<::mlir::TilingResult> $cppClass::generateResultTileValue(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return ::aikernel::contract::generateResultTileValue(
          builder, *this, resultNumber, offsets, sizes);
    }
    ::llvm::LogicalResult $cppClass::getIterationDomainTileFromResultTile(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &loopOffsets,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &loopSizes) {
      return ::aikernel::contract::getIterationDomainTileFromResultTile(
          builder, *this, resultNumber, offsets, sizes, loopOffsets, loopSizes);
    }
    bool $cppClass::isOpFusableWithConsumerSlice(
        unsigned resultNumber, ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return ::aikernel::contract::isResultTileWhole(*this, resultNumber,
                                                     offsets, sizes);
    }
  }];
}

#endif // AIKERNEL_COMPUTEOP_TD
