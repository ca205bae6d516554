//===- CooperativeProduct.h - A product by all threads of a block ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel that is one aik_tile.product whose schedule has no warps that
// only load. Out, for one thread:
//
//   for the tiles of this block:
//     sums of the wave's blocks of 16x16       the vendor's: emitSums
//     for 16 rows of the wave at a time:
//       sums to shared memory                  the vendor's: stage
//       16 bytes of the result at a time: sums and extras through the region
//
// Waves stand in a grid on the tile and have their part of it in registers,
// in blocks of 16 rows and 16 columns. What a lane holds of a block only its
// vendor knows; all that follows the sums is the same for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_COOPERATIVEPRODUCT_H
#define AIKERNEL_LIB_TARGET_GPU_COOPERATIVEPRODUCT_H

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace aikernel {

/// Does each thread copy and multiply?
bool isCooperative(tile::ScheduleAttr schedule);

class CooperativeProduct {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// A lane holds its share of a block of sums in `perBlock` values.
  CooperativeProduct(mlir::gpu::GPUFuncOp kernel, tile::ProductOp op,
                     int64_t waveSize, int64_t perBlock);
  virtual ~CooperativeProduct() = default;

  /// Puts the code in the product's place.
  mlir::LogicalResult run();

protected:
  /// Rows and columns of a block of sums.
  static constexpr int64_t kBlock = 16;
  /// Elements that are copied at once: 16 bytes.
  static constexpr int64_t kChunk = 8;

  /// A matrix, and the tiles of it: `rows` x depth. With `rowMajor` lines in
  /// memory go along the rows, else along the depth.
  struct Operand {
    Value memref, base; // the buffer; its address
    Value size;         // rows of the matrix
    int64_t rows, stride, depth;
    int64_t waveRows; // of the tile, that a wave multiplies
    Value waveRow;    // the first of them
    bool rowMajor, isLeft;
    bool isRagged;  // does a tile go beyond the matrix?
    int64_t offset; // of the tile in its stage of shared memory, bytes
  };

  /// Where a thread finds a chunk of the tile of a step.
  struct Source {
    Value pointer;  // for the first step
    Value isInside; // is its row one of the matrix? Null: yes
    Value k;        // of its first element, for the first step
    int64_t bytes;  // to the next step
  };
  /// The chunk at a row and a depth of the tile whose first row is `first`.
  Source sourceOf(const Operand &operand, Value first, Value row, Value k);
  /// For a step: its address, one that may be read in any case, and whether it
  /// is in the matrix.
  std::pair<Value, Value> chunkOf(const Operand &operand, const Source &source,
                                  Value step);

  /// Shared memory of that many bytes.
  virtual Value declareShared(int64_t bytes) = 0;
  /// Sums of the wave's part of the tile at a row and a column: its blocks,
  /// row by row, with what a lane holds of each.
  virtual Values emitSums(Value row, Value column) = 0;
  /// A block of sums into shared memory, at a number of floats; its rows are
  /// `pitch` floats apart.
  virtual void stage(mlir::ValueRange sums, Value at, int64_t pitch) = 0;

  int64_t blocksDown() const { return left.waveRows / kBlock; }
  int64_t blocksAcross() const { return right.waveRows / kBlock; }
  int64_t stageBytes() const;
  Value zeros(int64_t count);

  Value andAlso(Value a, Value c);
  Value lessThan(Value a, Value c);
  Value divided(Value a, int64_t by);
  Value remainder(Value a, int64_t by);
  Value bitXor(Value a, Value c);
  Value select(Value condition, Value a, Value c);
  /// A pointer that many bytes later.
  Value after(Value pointer, Value bytes);
  Value sharedAt(Value bytes) { return after(shared, bytes); }

  mlir::gpu::GPUFuncOp kernel;
  tile::ProductOp op;
  tile::ScheduleAttr schedule;
  LoopBuilder b;
  const int64_t waveSize, perBlock;
  int64_t threads, steps;
  mlir::Type element;
  Operand left, right;
  Value shared, thread, lane, depth;

private:
  mlir::LogicalResult check();
  Operand describe(Value memref, bool rowMajor, bool isLeft);
  void emitTile(Value row, Value column);
  void emitStrip(Value row, Value column, mlir::ValueRange sums,
                 int64_t blockRow);
  Value loadExtra(Value memref, mlir::AffineMap map, Value row, Value column,
                  int64_t width);

  int64_t wavesDown, wavesAcross;
  Value wave, zero;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_COOPERATIVEPRODUCT_H
