//===- AIKernelInterfaces.h - Interfaces of the compute ops ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generated interfaces, and the functions that implement the common ones
// for every op from its shape contract.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_AIKERNELINTERFACES_H
#define AIKERNEL_DIALECT_AIKERNEL_AIKERNELINTERFACES_H

#include "AIKernel/Dialect/AIKernel/ShapeContract.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace aikernel {

/// Receives one requirement: a condition that is true when it holds, the error
/// number to return otherwise, and the sentence that says what is wrong.
using RequireFn = llvm::function_ref<void(mlir::Value ok, int code,
                                          const llvm::Twine &message)>;

} // namespace aikernel

#include "AIKernel/Dialect/AIKernel/AIKernelInterfaces.h.inc"

namespace aikernel {

/// What follows from an op's shape contract. The op classes forward to these;
/// see the interfaces of the same names for their meaning.
namespace contract {

/// Ranks, and sizes that disagree where both are known.
mlir::LogicalResult verify(ShapeContractOpInterface op);

/// The value of a named size at the insertion point.
mlir::OpFoldResult buildSize(mlir::OpBuilder &builder, mlir::Location loc,
                             const ShapeContract &contract, unsigned size);

/// size / unit * per at the insertion point.
mlir::OpFoldResult buildScaled(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::OpFoldResult size, int64_t unit,
                               int64_t per);

/// Requirements on sizes that are not known before run time.
void buildSizeChecks(mlir::OpBuilder &builder, ShapeContractOpInterface op,
                     RequireFn require);

mlir::LogicalResult
reifyResultShapes(mlir::OpBuilder &builder, ShapeContractOpInterface op,
                  mlir::ReifiedRankedShapedTypeDims &shapes);

llvm::SmallVector<mlir::utils::IteratorType>
getLoopIteratorTypes(ShapeContractOpInterface op);

llvm::SmallVector<mlir::Range> getIterationDomain(mlir::OpBuilder &builder,
                                                  ShapeContractOpInterface op);

mlir::FailureOr<mlir::TilingResult>
getTiledImplementation(mlir::OpBuilder &builder, ShapeContractOpInterface op,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes);

mlir::LogicalResult
getResultTilePosition(mlir::OpBuilder &builder, ShapeContractOpInterface op,
                      unsigned resultNumber,
                      llvm::ArrayRef<mlir::OpFoldResult> offsets,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      llvm::SmallVector<mlir::OpFoldResult> &resultOffsets,
                      llvm::SmallVector<mlir::OpFoldResult> &resultSizes);

mlir::LogicalResult getIterationDomainTileFromResultTile(
    mlir::OpBuilder &builder, ShapeContractOpInterface op,
    unsigned resultNumber, llvm::ArrayRef<mlir::OpFoldResult> offsets,
    llvm::ArrayRef<mlir::OpFoldResult> sizes,
    llvm::SmallVectorImpl<mlir::OpFoldResult> &loopOffsets,
    llvm::SmallVectorImpl<mlir::OpFoldResult> &loopSizes);

mlir::FailureOr<mlir::TilingResult>
generateResultTileValue(mlir::OpBuilder &builder, ShapeContractOpInterface op,
                        unsigned resultNumber,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// False when the tile is known to cut a dimension that cannot be cut.
bool isResultTileWhole(ShapeContractOpInterface op, unsigned resultNumber,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace contract
} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_AIKERNELINTERFACES_H
