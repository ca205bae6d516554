//===- VectorNest.h - Emits the loops of one linalg op --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to aik-vectorize: Vectorize.cpp has the loops and their bodies,
// VectorPrefetches.cpp what they ask memory for ahead of time.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_VECTORS_VECTORNEST_H
#define AIKERNEL_LIB_TRANSFORMS_VECTORS_VECTORNEST_H

#include "Memory/LargeResults.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace aikernel::vectornest {

/// A reduction result that is carried in registers along the vector loop.
struct CarriedReduction {
  unsigned resultIndex;
  mlir::Operation *combiner;
  mlir::vector::CombiningKind kind;
};

/// A part of a buffer that a later tile needs, and the operand whose indices it
/// has.
struct TileToPrefetch {
  mlir::memref::SubViewOp tile;
  mlir::OpOperand *indexedLike;
};

/// Emits the loop nest of one linalg.generic.
class NestEmitter {
public:
  NestEmitter(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
              unsigned vectorBits)
      : builder(builder), op(op), loc(op.getLoc()), vectorBits(vectorBits) {}

  void emit();

private:
  bool chooseVectorDim();
  bool isUsableAlong(unsigned dim);
  bool matchReductionsAlong(unsigned dim);
  llvm::SmallVector<unsigned> loopOrder();
  unsigned lanesPerVector() const;
  unsigned registersPerStep() const;

  bool takesStepsTogether(unsigned dim);
  void emitOuterLoops(llvm::ArrayRef<unsigned> dims);
  void emitLoop(unsigned dim, mlir::Value begin, mlir::Value end, unsigned step,
                llvm::ArrayRef<unsigned> inner);
  void emitInnermost();
  mlir::Value endOfStrip(mlir::Value begin, mlir::Value end, unsigned width);
  void emitStrip(mlir::Value begin, mlir::Value end, unsigned width,
                 llvm::SmallVectorImpl<mlir::Value> &carried);
  void emitStripPastCaches(mlir::Value begin, mlir::Value end, unsigned width);
  llvm::SmallVector<mlir::Value> emitBody(unsigned width,
                                          llvm::ArrayRef<mlir::Value> carried);
  void emitStep(unsigned width, mlir::IRMapping &values);
  bool isPairable();
  llvm::SmallVector<mlir::Value> emitPairs(unsigned width,
                                           llvm::ArrayRef<mlir::Value> carried);

  mlir::Value loadOperand(mlir::OpOperand &operand, unsigned width);
  bool goesPastCaches();
  mlir::Value hasAlignedResult();
  mlir::Value hasManyThreads();
  void storeResult(unsigned resultIndex, mlir::Value value, unsigned width);
  void findTilesToPrefetch();
  void prefetchTileAhead(const TileToPrefetch &wanted, unsigned width);
  void findStreams();
  void prefetchStreamAhead(mlir::OpOperand &stream, unsigned width);
  void prefetchLines(mlir::Value buffer, llvm::ArrayRef<mlir::Value> indices,
                     unsigned width, unsigned locality, bool isWrite = false);
  void emitPrefetches(unsigned width);
  llvm::SmallVector<mlir::Value> indicesOf(mlir::OpOperand &operand);
  void cloneAt(mlir::Operation &source, unsigned width,
               mlir::IRMapping &values);
  bool dependsOnVectorDim(mlir::OpOperand &operand) {
    return vectorDim &&
           op.getMatchingIndexingMap(&operand).isFunctionOfDim(*vectorDim);
  }
  bool isCarried(unsigned resultIndex) const {
    return llvm::any_of(carriedReductions, [&](const CarriedReduction &r) {
      return r.resultIndex == resultIndex;
    });
  }

  mlir::OpBuilder &builder;
  mlir::linalg::GenericOp op;
  mlir::Location loc;
  unsigned vectorBits;
  std::optional<unsigned> vectorDim;
  bool worksOnPairs = false;
  /// How many steps of the innermost sum are taken between reading and writing
  /// results, and which loop that is.
  unsigned stepsTogether = 1;
  unsigned steppedDim = 0;
  /// While the strip is emitted whose results do not enter the caches, or the
  /// one that asks for them before they are overwritten.
  bool storesPastCaches = false, asksForResult = false;
  llvm::SmallVector<CarriedReduction> carriedReductions;
  llvm::SmallVector<TileToPrefetch> tilesToPrefetch;
  llvm::SmallVector<mlir::OpOperand *> streams;
  llvm::SmallVector<mlir::Value> extents;
  llvm::SmallVector<mlir::Value> ivs;
};

} // namespace aikernel::vectornest

#endif // AIKERNEL_LIB_TRANSFORMS_VECTORS_VECTORNEST_H
