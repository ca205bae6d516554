//===- RegisterTiles.h - Code of one register tile ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the innermost loop of a matrix product from a row of the instruction
// table: all sums of the tile stay in registers while it walks two packed
// panels.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_REGISTERTILES_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_REGISTERTILES_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "MatrixInstructions.h"

namespace aikernel {

class RegisterTileEmitter {
public:
  /// Emit requests for what will be needed after the loop.
  struct Requests {
    /// For a vector of a row of the result, so that it comes just before its
    /// sums are done; may be missing.
    llvm::function_ref<void(mlir::Value row, mlir::Value vector)> ofRow;
    /// For a part of what comes next, in each round; may be missing.
    llvm::function_ref<void(mlir::Value round, mlir::Value rounds)> inRound;
  };

  RegisterTileEmitter(LoopBuilder &builder,
                      const MatrixInstruction &instruction);

  /// Row counts for which a narrower tile pays, smallest first; the last one
  /// is the whole tile.
  llvm::SmallVector<unsigned> rowCounts() const;

  /// The sums of the first `rows` rows of the tile over `steps` steps of the
  /// panels `left` and `right`, each memref<steps x (rows * depth)>: row by
  /// row, `vectorsOfRow()` vectors each. The sums of each row begin with
  /// `starts`, a memref of a row, or with zero if there is none. `requests`
  /// are made within the loop of the whole tile. What comes from memory for
  /// these rows alone `isStreamed`. If there is a `source`, memref<steps x
  /// width>, the right operand lies there and is put into its panel.
  llvm::SmallVector<mlir::Value> multiply(mlir::Value left, mlir::Value right,
                                          mlir::Value steps, unsigned rows,
                                          mlir::Value starts,
                                          const Requests *requests = nullptr,
                                          bool isStreamed = false,
                                          mlir::Value source = {});

  /// What sums of a left operand that was packed 128 too large begin with.
  void writeStarts(mlir::Value right, mlir::Value steps, mlir::Value starts);

  /// A row of results as vectors of neighbouring columns.
  mlir::VectorType rowVector() const { return rowType; }
  unsigned vectorsOfRow() const;

  /// Lines of the right operand that a round of the whole tile's loop reads,
  /// and elements of one.
  unsigned columnLinesOfRound() const;
  unsigned elementsOfLine() const;

private:
  using Sums = LoopBuilder::Values;

  Sums step(mlir::Value left, mlir::Value right, mlir::Value k, unsigned rows,
            mlir::ValueRange sums);
  mlir::Value load(mlir::Value panel, mlir::Value k, unsigned offset,
                   unsigned count);
  mlir::Value loadColumns(mlir::Value panel, mlir::Value k, unsigned offset,
                          unsigned count);
  void prefetch(mlir::Value panel, mlir::Value k, unsigned stepOfRound);
  void prefetchUnpacked(mlir::Value k);
  void prefetchColumns(mlir::Value panel, mlir::Value k, int64_t bytesAhead,
                       unsigned locality);
  mlir::Value leftOfRow(mlir::Value left, mlir::Value k, unsigned row,
                        unsigned rows, mlir::Value &group);
  mlir::Value loadRows(mlir::Value left, mlir::Value k, unsigned row,
                       unsigned rows);
  mlir::Value laneInAll(mlir::Value group, unsigned lane);
  mlir::Value inAll(mlir::Value scalar);
  mlir::Value inEveryQuad(mlir::Value pair);
  Sums rowsOfQuads(mlir::ValueRange quads, unsigned rows);
  Sums inOne(mlir::ValueRange several, unsigned count);
  unsigned vectorsFor(unsigned rows) const;
  unsigned leftBytesOfStep() const;
  unsigned rightBytesOfStep() const;
  /// Steps that one round of the whole tile's loop takes.
  unsigned stepsOfRound() const;
  unsigned leftVectors() const;
  bool canLoadAhead() const;
  Sums multiplyRounds(mlir::Value left, mlir::Value right, mlir::Value end,
                      mlir::ValueRange sums, const Requests *requests);
  Sums multiplySeveralSteps(mlir::Value left, mlir::Value right,
                            mlir::Value steps, unsigned rows,
                            mlir::ValueRange sums, bool isStreamed,
                            mlir::Value &done);
  Sums multiplyAhead(mlir::Value left, mlir::Value right, mlir::Value steps,
                     mlir::ValueRange sums, mlir::Value &done);
  Sums stepAhead(mlir::Value left, mlir::Value right, mlir::Value k,
                 mlir::ValueRange carried, bool isLast);

  LoopBuilder &b;
  const MatrixInstruction &op;
  mlir::Type element;
  mlir::VectorType sumType, rowType;
  bool asksForColumns;
  /// What the tile that is emitted packs.
  mlir::Value unpacked;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_REGISTERTILES_H
