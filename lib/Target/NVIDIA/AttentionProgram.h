//===- AttentionProgram.h - The tile program of attention -------*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aik_tile.attention on memrefs. Out: a program of two roles: one thread
// claims tiles of queries and loads them (AttentionLoads.cpp), warpgroups
// multiply (AttentionProducts.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONPROGRAM_H
#define AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONPROGRAM_H

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aikernel {

/// Writes the program in the place of the op.
class AttentionProgram {
public:
  explicit AttentionProgram(tile::AttentionOp op);

  void build();

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = mlir::SmallVector<Value>;

  /// What one role tells the other about a tile: its first query, the number of
  /// the head among those of all batches, the last block of keys, how many
  /// blocks are masked and how many there are, and how many keys.
  enum Word { Row, Head, Last, Masked, Count, Length, kWords };

  /// What goes from block to block.
  struct State {
    Value maximum, sum, weights, sums;
  };

  /// What is left of a tile when its last scores are there: the values of its
  /// last block are still to be multiplied.
  struct Tail {
    State state;
    Value row, head, block, length;
  };

  //===--------------------------------------------------------------------===//
  // AttentionProgram.cpp
  //===--------------------------------------------------------------------===//

  Value i32(int64_t value);
  Value plus(Value x, Value y);
  Value minus(Value x, Value y);
  Value times(Value x, int64_t y);
  Value over(Value x, Value y);
  Value rest(Value x, Value y);
  Value smaller(Value x, Value y);
  Value larger(Value x, Value y);
  Value ceilDiv(Value x, int64_t by);
  Value isLess(Value x, Value y);
  Value size(unsigned number);

  int64_t staticLength(Value memref);
  void findTypes();
  Value map(Value memref, int64_t rows);
  Values placeOf(Value head);
  bool overlapsTiles();
  void forTiles(mlir::Region &region, unsigned numbers, ValueRange inits,
                llvm::function_ref<Values(ValueRange, ValueRange)> body);
  void forParts(Value masked, Value count,
                llvm::function_ref<void(Value, Value)> body);

  //===--------------------------------------------------------------------===//
  // AttentionLoads.cpp
  //===--------------------------------------------------------------------===//

  void buildClaims(Value tiles, Value heads);
  Values buildLoads(Value tile, Value heads, ValueRange before);
  std::pair<Value, Value> findTile(Value tile, Value heads);
  Value lengthOf(Value batch);
  void load(Value ring, Value map, Value depth, Value row, ValueRange place);

  //===--------------------------------------------------------------------===//
  // AttentionProducts.cpp
  //===--------------------------------------------------------------------===//

  void buildTiles(Value group, Value out, Value boxes);
  Tail buildTile(Value group, ValueRange words, const Tail *before, Value out,
                 Value boxes);
  State buildFirst(Value by, Value none, Value row, ValueRange words,
                   const Tail *before);
  State buildStep(const State &state, Value by, Value none, Value row,
                  Value block, ValueRange words, bool masked);
  void buildEnd(const Tail &tail, Value out, Value boxes);
  void storeTile(const Tail &tail, Value sums, Value out, Value boxes);
  Values carry(const Tail &tail);
  Tail tailOf(ValueRange carried);

  bool mayPass(bool masked);
  Value sees(Value row, Value block, ValueRange words, bool masked);
  State choose(Value condition, llvm::function_ref<State()> first,
               llvm::function_ref<State()> second);

  Value acquireKeys();
  Value acquireValues(Value block, Value length);
  Value keysOf(Value stage);
  Value valuesOf(Value stage);
  Value startScores(Value by, Value keys, Value none);
  Value startSums(const State &state, Value values);
  tile::SoftmaxOp attend(Value scores, const State &state, Value row,
                         Value block, ValueRange words, bool masked);
  Value hide(Value scores, Value row, Value block, ValueRange words);
  Value addMask(Value scores, Value row, Value block, ValueRange words,
                float scale);
  Value fillRows(float value);

  tile::AttentionOp op;
  tile::AttentionScheduleAttr schedule;
  mlir::ImplicitLocOpBuilder b;
  mlir::Type element;
  int64_t features;
  /// Does some block have keys that some query does not see?
  bool hasMasks;
  tile::SharedType queryTile, queryPart, keyTile, valueTile;
  tile::FragType scoresType, scoresPending, weightsType, sumsType, sumsPending,
      outType;
  Value zero, one, queries, keys, tileRows;
  Value queryMap, keyMap, valueMap;
  Value queryRing, keyRing, valueRing, mailbox;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_ATTENTIONPROGRAM_H
