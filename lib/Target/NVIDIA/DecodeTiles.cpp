//===- DecodeTiles.cpp - What a lane holds of keys, values and sums -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: positions of keys. Out: loads, products and sums of one lane.
//
//===----------------------------------------------------------------------===//

#include "DecodeTiles.h"
#include "../GPU/AttentionScores.h"
#include "WarpMatrices.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace aikernel;

/// Registers of a thread that the steps, the queries and the sums may take.
/// With several queries there are two ways to add values, which costs more.
static constexpr int64_t kRegistersToSpare = 224;
static constexpr int64_t kRegistersOfQueries = 190;
/// Selects the low, or the high, halves of two words.
static constexpr int64_t kLowHalves = 0x5410, kHighHalves = 0x7632;

DecodeTiles::DecodeTiles(LoopBuilder &b, AttentionPartOp op, Value lane)
    : b(b), op(op), element(op.getQ().getType().getElementType()),
      rowSets((op.getRows() + kSetRows - 1) / kSetRows),
      keyVector(std::gcd<int64_t>(8, op.getDepth() / 4)),
      valueVector(std::gcd<int64_t>(8, op.getFeatures() / 8)) {
  quad = arith::DivUIOp::create(b, lane, b.index(4));
  place = arith::RemUIOp::create(b, lane, b.index(4));
}

bool DecodeTiles::hasRoomToPrefetch() const {
  int64_t step = op.getDepth() / 4 + op.getFeatures() / 4;
  int64_t queries = op.getDepth() / 8 * rowSets;
  return 2 * step + queries + sumCount() <=
         (op.getQueries() == 1 ? kRegistersToSpare : kRegistersOfQueries);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value DecodeTiles::word(int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

Value DecodeTiles::loadVector(Value memref, ValueRange at, int64_t elements) {
  int64_t alignment = op.getAligned() ? 2 * elements : 2;
  Value loaded = vector::LoadOp::create(
      b, VectorType::get({elements}, element), memref, at,
      /*nontemporal=*/false, llvm::MaybeAlign(alignment));
  auto words = VectorType::get({elements / 2}, b.getI32Type());
  return vector::BitCastOp::create(b, words, loaded);
}

DecodeTiles::Values DecodeTiles::wordsOf(Value vector) {
  Values words;
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t i = 0; i < count; ++i)
    words.push_back(vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{i}));
  return words;
}

/// A lane of place p has the features from p vectors on, as it has of keys.
DecodeTiles::Values DecodeTiles::loadQueries() {
  Values words;
  Value rows = b.index(op.getRows());
  for (int64_t set = 0; set < rowSets; ++set) {
    Value row = rowOfScores(set);
    Value isRow =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row, rows);
    row = b.smaller(row, b.index(op.getRows() - 1));
    Value head = headOfRow(b, op, row), query = queryOfRow(b, op, row);
    for (int64_t i = 0; i < keyVectors(); ++i) {
      Value feature = b.plus(b.times(place, keyVector), 4 * keyVector * i);
      Value loaded = loadVector(op.getQ(), placeOf(b, op, head, query, feature),
                                keyVector);
      for (Value pair : wordsOf(loaded))
        words.push_back(arith::SelectOp::create(b, isRow, pair, word(0)));
    }
  }
  return words;
}

Value DecodeTiles::loadOfKey(Value memref, Value key, Value last, Value feature,
                             int64_t elements) {
  return loadVector(memref,
                    placeOf(b, op, b.index(0), b.smaller(key, last), feature),
                    elements);
}

DecodeTiles::Values DecodeTiles::loadKeys(Value key, Value last, int64_t half) {
  Values keys;
  for (int64_t i = 0; i < keyVectors(); ++i)
    keys.push_back(loadOfKey(
        op.getK(), b.plus(key, b.plus(quad, 8 * half)), last,
        b.plus(b.times(place, keyVector), 4 * keyVector * i), keyVector));
  return keys;
}

DecodeTiles::Values DecodeTiles::loadValues(Value key, Value last) {
  Values values;
  for (int64_t number = 0; number < 4; ++number)
    for (int64_t i = 0; i < valueVectors(); ++i)
      values.push_back(
          loadOfKey(op.getV(), b.plus(key, keyOfScore(number)), last,
                    b.plus(b.times(quad, valueVector), 8 * valueVector * i),
                    valueVector));
  return values;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

DecodeTiles::Values DecodeTiles::multiply(ArrayRef<Value> left,
                                          ArrayRef<Value> right,
                                          ArrayRef<Value> sums) {
  return multiplyWarpMatrices(b, element, left, right, sums);
}

DecodeTiles::Values DecodeTiles::multiplyKeys(ValueRange queries,
                                              ValueRange keys) {
  int64_t words = op.getDepth() / 8;
  auto queryWord = [&](int64_t set, int64_t at) {
    return set < rowSets ? queries[set * words + at] : word(0);
  };
  Values pairs;
  for (Value loaded : keys)
    llvm::append_range(pairs, wordsOf(loaded));
  Values sums(4, constantF32(b, 0));
  for (int64_t i = 0; i < words; i += 2)
    sums = multiply({queryWord(0, i), queryWord(1, i), queryWord(0, i + 1),
                     queryWord(1, i + 1)},
                    {pairs[i], pairs[i + 1]}, sums);
  sums.truncate(2 * rowSets);
  return sums;
}

Value DecodeTiles::placeOfFeature(Value feature) {
  Value size = b.index(valueVector);
  Value vector = b.createOrFold<arith::DivUIOp>(feature, size);
  Value inVector = b.createOrFold<arith::RemUIOp>(feature, size);
  Value start = b.plus(b.times(vector, 8), quad);
  return b.plus(b.times(start, valueVector), inVector);
}

DecodeTiles::Values DecodeTiles::multiplyValues(ValueRange values,
                                                ValueRange powers,
                                                ValueRange sums,
                                                ValueRange seen) {
  SmallVector<Values> words(4); // of each of the four keys
  for (int64_t key = 0; key < 4; ++key)
    for (int64_t i = 0; i < valueVectors(); ++i)
      for (Value pair : wordsOf(values[key * valueVectors() + i]))
        words[key].push_back(
            seen.empty() ? pair
                         : arith::SelectOp::create(b, seen[key], pair, word(0))
                               .getResult());
  // Word t of each key has the two features of tile t.
  auto pairOf = [&](int64_t keys, int64_t tile, int64_t which) -> Value {
    return NVVM::PermuteOp::create(
        b, b.getI32Type(), words[2 * keys][tile], words[2 * keys + 1][tile],
        word(which ? kHighHalves : kLowHalves), NVVM::PermuteMode::DEFAULT);
  };
  Values results;
  for (int64_t tile = 0; tile < featureCount() / 2; ++tile) {
    Value left[] = {pairOf(0, tile, 0), pairOf(0, tile, 1), pairOf(1, tile, 0),
                    pairOf(1, tile, 1)};
    for (int64_t set = 0; set < rowSets; ++set)
      llvm::append_range(
          results,
          multiply(left, {powers[2 * set], powers[2 * set + 1]},
                   Values(sums.slice(numberOfSum(2 * tile, set, 0), 4))));
  }
  return results;
}
