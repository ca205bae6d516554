//===- AttentionBlocks.h - Online attention, block by block ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the emitters of attention of one head: what is the same whatever
// its products are made of. Queries go in chunks, keys in blocks; in between
// lie strips of queries, whose scores stay in L1:
//
//   for each chunk of queries                     (Q packed, sums in L2)
//     for each block of keys that one of them sees     (K and V packed, in L2)
//       for each strip of queries                      (scores in L1)
//         scores[key, query] = K Q^T              multiplyKeys
//         soft cap, mask; -inf for hidden keys    where there are any
//         maximum, powers, sums                   a lane for each query
//         sums = sums * shrinkage + P V           multiplyValues
//
// With the keys as rows of the scores no step of the softmax crosses lanes.
// Where products and powers do not need the same parts of a core, both products
// go beside the powers: P V of the strip before, then K Q^T of the next.
//
// The loops and the scores are in AttentionBlocks.cpp, the softmax is in
// AttentionSoftmax.cpp, and values that not every query sees are in
// AttentionVisibleValues.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONBLOCKS_H
#define AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONBLOCKS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "AttentionTiles.h"
#include "Math/ExpandMathEmitter.h"

namespace aikernel {

class AttentionBlocks {
public:
  virtual ~AttentionBlocks() = default;
  void emit();

protected:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  struct Sizes {
    int64_t strip;      // queries
    int64_t blockKeys;  // most keys whose scores for a strip stay near
    int64_t unit;       // keys that panels and steps are whole in
    int64_t stepKeys;   // keys of one step of P V
    int64_t powerDepth; // keys whose powers lie side by side
    int64_t valueWidth; // features of a panel of V
  };
  AttentionBlocks(mlir::func::FuncOp function, const AttentionForm &form,
                  const Sizes &sizes);

  /// Makes packedQ, packedK and sums, and says how many steps of Q's panels
  /// belong together.
  virtual int64_t allocateOperands() = 0;
  /// Between acc and sums, for the queries of the chunk.
  virtual void readSums() = 0;
  virtual void writeSums() = 0;
  /// Keys of the block; from a multiple of sizes.unit on.
  struct KeyRange {
    Value from, past;
  };
  /// The scores of a strip, of the keys of the range or some more; multiplied
  /// by `scales` unless scalesLate says that this is still to do.
  virtual void multiplyKeys(Value number, const KeyRange &range) = 0;
  /// Of the block. Makes what multiplyKeys reads of packedK, unless that reads
  /// the keys where they lie.
  virtual void packKeys();
  /// The sums of a strip, shrunk before or here, and what the powers of a range
  /// of keys add to them.
  virtual void multiplyValues(Value number, const KeyRange &range) = 0;

  /// For those that look ahead, which work on vectors while tiles are
  /// multiplied: `work` on every sizes.powerDepth keys from `workFrom` on. It
  /// reads scores, some of which new ones then take the place of.
  using WorkOnKey = llvm::function_ref<Values(Value key, ValueRange carried)>;
  /// The scores of sizes.unit keys from `key` on beside work on half as many.
  virtual Values multiplyKeysBeside(Value number, Value key, Value workFrom,
                                    ValueRange carried, WorkOnKey work) {
    llvm_unreachable("looksAhead is set where this is defined");
  }
  /// multiplyValues beside work on keysBesideValues(range) keys.
  virtual Values multiplyValuesBeside(Value number, const KeyRange &range,
                                      Value workFrom, ValueRange carried,
                                      WorkOnKey work) {
    llvm_unreachable("looksAhead is set where this is defined");
  }
  virtual Value keysBesideValues(const KeyRange &range) {
    llvm_unreachable("looksAhead is set where this is defined");
  }
  /// By `shrinkage`, before multiplyValues.
  virtual void shrinkSums() {
    llvm_unreachable("looksAhead is set where this is defined");
  }
  /// Where sums are, of a query of the chunk.
  virtual Values sumAt(Value query, Value feature) = 0;

  //===--------------------------------------------------------------------===//
  // Short names
  //===--------------------------------------------------------------------===//

  Value load(mlir::VectorType type, Value memref, ValueRange where);
  Value load(Value memref, ValueRange where) { return b.load(memref, where); }
  Value broadcast(Value scalar);
  Value constant(double value) { return math.constant(value); }
  Value quotient(Value x, int64_t y);
  Value remainder(Value x, int64_t y);
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y);
  void onlyIf(Value condition, llvm::function_ref<void()> body) {
    b.choose(condition, body, [] {});
  }
  Value view(Value memref, ValueRange at,
             llvm::ArrayRef<mlir::OpFoldResult> sizes);
  Value powerRow(Value number, Value key, int64_t part = 0);
  /// A panel of a packed operand, from a step of it on.
  Value panelOf(Value packed, Value panel, Value step);
  /// Changes every score of the strip, a vector at a time.
  void forEachScore(
      llvm::function_ref<Value(Value score, Value key, Value column)> change);

  mlir::func::FuncOp function;
  LoopBuilder b;
  const AttentionForm &form;
  const MatrixInstruction &op;
  const Sizes sizes;
  mlir::Type element;
  int64_t lanes, strip, blockKeys, chunk, valuePanels, parts;
  bool scalesLate = false;
  /// Beside the powers of a strip, values are multiplied by those of the one
  /// before, and the scores of the next are computed.
  bool looksAhead = false;
  /// Sums are only shrunk when a score is above what is subtracted.
  bool shrinksRarely = false;
  mlir::VectorType floats;
  expandmath::MathEmitter math;
  Value acc;
  Value packedQ, packedK, packedV, sums;
  Value scores;    // [key, query]
  Value powers;    // [key / powerDepth, query * powerDepth]
  Value shrinkage; // [query]: what the sums of the strip are multiplied by
  Value scales, firstQuery, count; // of the chunk
  Value stripNumber, stripStart;
  Value k, keys, firstKey, keyCount; // of all keys, and those of the block
  Value from, past; // the keys of the block that the strip sees
  /// Where operands are in parts: does the block have numbers that are too
  /// large for it, of the queries, the keys or the values?
  Value hasLargeNumbers;

private:
  void allocate();
  void pack(Value matrix, Value packed, Value firstRow, Value firstColumn,
            mlir::OpFoldResult rows, mlir::OpFoldResult columns,
            int64_t panelDim, int64_t stepMultiple = 1);
  void emitChunk(Value first);
  void moveState(bool isRead);
  void findBounds();
  Value extreme(Value perStrip, bool largest);
  void emitBlock();
  KeyRange visibleKeys(Value number);
  void lookAround(Value strips);
  void emitStrip();
  void finishStrip(Value number, const KeyRange &range);
  void finishIfSeen(Value number, const KeyRange &range);
  Value mustAvoidValues(Value number, const KeyRange &range);
  void scaleScores(Value isPartial);
  void capScores();
  void addMask();
  Value hidesSome(Value number, const KeyRange &range);
  void hideScores();
  Value powerOfDifference(Value x, Value y);
  Value powerOf(Value score, Value shift);
  int64_t vectorsAtOnce() const;
  Value larger(Value x, Value y);
  Values findScaledMaxima(ValueRange before,
                          llvm::function_ref<Value(int64_t)> columnOf);
  Values findMaxima(ValueRange before, Value factors,
                    llvm::function_ref<Value(int64_t)> columnOf);
  void emitSoftmax();
  Value keepShift(Value before, Value highest);
  std::pair<Values, Value> writePowersBeside(Values sums, WorkOnKey write);
  Values writePowers(ValueRange shift, ValueRange totals,
                     llvm::function_ref<Value(int64_t)> columnOf);
  Values writePowersTogether(ValueRange shift, ValueRange totals, Value column);
  void storePowers(llvm::ArrayRef<Value> ofKeys, Value key, Value column);
  void findLargeNumbers();
  void findValuesToAvoid();
  void multiplyVisibleValues(Value number, const KeyRange &range);
  Value isSeen(Value query, Value key);

  /// Powers are rounded to the operands' type, several keys side by side.
  bool isDeep() const { return sizes.powerDepth > 1; }
  bool hasBounds() const { return form.hasBegin || form.hasEnd; }
  Value q, v, maximum, sum, scale, keyOffset, mask, begin, end;
  Value packedMask, rowMaximum, rowSum;
  Value bounds[2], lowest[2], highest[2]; // of the first and the last keys
  Value queries, lateScales;
  Value nextNumber, lastNumber;
  KeyRange ahead, behind; // the keys that the next strip sees, and the last
  KeyRange aheadAlone;    // those whose scores are not computed beside powers
  Value lastBegin, firstEnd; // of all queries of the chunk
  Value hasValuesToAvoid;
  int64_t stepsOfQueries = 1;
};

/// The queries one by one, which is faster if there are few; nothing is packed.
/// Rows of q, k, v and acc are contiguous and of whole vectors.
void emitQueryByQuery(LoopBuilder &b, mlir::func::FuncOp function,
                      const AttentionForm &form, mlir::Value queries);

/// Emitters whose products are made of vectors, and of tile registers.
void emitAttentionInVectors(mlir::func::FuncOp function,
                            const AttentionForm &form);
void emitAttentionInTiles(mlir::func::FuncOp function,
                          const AttentionForm &form);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONBLOCKS_H
