//===- DecodeTiles.h - What a lane holds of keys, values and sums ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp handles sixteen keys at a time by mma.sync.m16n8k16, which multiplies
// a 16x16 with a 16x8 matrix. Lane 4 quad + place holds, of
//
//   the left one    rows quad and quad + 8, columns 2 place, + 1, + 8, + 9
//   the right one   rows 2 place, + 1, + 8, + 9 of column quad
//   the result      rows quad and quad + 8, columns 2 place, + 1
//
//   S   = Q K^T     left: rows of queries, right: keys     (twice: 16 keys)
//   O^T = V^T P^T   left: features of V,   right: rows of queries
//
// So what a lane gets of S is what it has to have of P^T, and nothing is moved
// between lanes. The order of the features is free in both products: a lane
// loads vectors of them, and two that the matrix has apart may be neighbours in
// memory. The left operand V^T wants two keys in a register, which byte
// permutes bring together.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_DECODETILES_H
#define AIKERNEL_LIB_TARGET_NVIDIA_DECODETILES_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"

namespace aikernel {

class DecodeTiles {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// Keys of a step, and rows of a set: the results of one instruction have
  /// two sets of rows on their left side or one on their right.
  static constexpr int64_t kKeys = 16;
  static constexpr int64_t kSetRows = 8;

  DecodeTiles(LoopBuilder &b, AttentionPartOp op, Value lane);

  /// Sets of rows: 1 or 2.
  int64_t sets() const { return rowSets; }
  /// Sums that a lane has: of every set, for each 16 features of V, two
  /// features of two rows.
  int64_t sumCount() const { return op.getFeatures() / 16 * rowSets * 4; }
  /// Does a thread have room for the next step's keys and values?
  bool hasRoomToPrefetch() const;

  Value getQuad() const { return quad; }
  Value getPlace() const { return place; }
  /// The row of a set whose scores this lane has.
  Value rowOfScores(int64_t set) { return b.plus(quad, kSetRows * set); }
  /// The two rows of a set whose sums this lane has.
  Value rowOfSums(int64_t set, int64_t which) {
    return b.plus(b.times(place, 2), kSetRows * set + which);
  }
  /// The four keys whose scores this lane has, counted from the step's first.
  Value keyOfScore(int64_t number) {
    return b.plus(b.times(place, 2), number / 2 * 8 + number % 2);
  }
  /// Features of V whose sums a lane has, and where one of them is in a row.
  int64_t featureCount() const { return op.getFeatures() / 8; }
  Value placeOfFeature(int64_t feature) {
    return placeOfFeature(b.index(feature));
  }
  Value placeOfFeature(Value feature);
  /// So many of them that follow each other lie next to each other.
  int64_t adjacentFeatures() const { return std::min<int64_t>(4, valueVector); }
  /// A tile has two features, and of each two rows of a set.
  int64_t numberOfSum(int64_t feature, int64_t set, int64_t row) {
    return ((feature / 2 * rowSets + set) * 2 + feature % 2) * 2 + row;
  }

  /// Words of two elements each. Rows past the last one are zero.
  Values loadQueries();
  /// Half of the keys, or all values, of a step as vectors of words; keys past
  /// `last` are not touched: `last` is read in their place.
  Values loadKeys(Value key, Value last, int64_t half);
  Values loadValues(Value key, Value last);

  /// The products of all rows with half of the keys: of set s, two at 2 s.
  Values multiplyKeys(mlir::ValueRange queries, mlir::ValueRange keys);
  /// Sums and powers times values. Powers are words, two of each set. `seen`
  /// tells for each of the lane's four keys whether its values count; if it is
  /// empty all do.
  Values multiplyValues(mlir::ValueRange values, mlir::ValueRange powers,
                        mlir::ValueRange sums, mlir::ValueRange seen);

private:
  Value loadVector(Value memref, mlir::ValueRange at, int64_t elements);
  Value loadOfKey(Value memref, Value key, Value last, Value feature,
                  int64_t elements);
  Values wordsOf(Value vector);
  Value word(int64_t value);
  Values multiply(mlir::ArrayRef<Value> left, mlir::ArrayRef<Value> right,
                  mlir::ArrayRef<Value> sums);
  /// Vectors of a key that a lane loads, and of a value.
  int64_t keyVectors() const { return op.getDepth() / (4 * keyVector); }
  int64_t valueVectors() const { return op.getFeatures() / (8 * valueVector); }

  LoopBuilder &b;
  mutable AttentionPartOp op;
  mlir::Type element;
  Value quad, place;
  int64_t rowSets;
  /// Elements of the vectors in which a lane loads keys and values.
  int64_t keyVector, valueVector;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_DECODETILES_H
