//===- TileScores.cpp - Scores of attention in registers ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops on fragments of scores and on numbers per row. Out: arithmetic on the
// elements that a thread holds, and exchanges among the four lanes that share a
// row. Element i of a thread's fragment is in its row number (i / 2) mod 2 and
// in column 8 (i / 4) + 2 (lane mod 4) + i mod 2.
//
// Numbers of threads are read anew where they are needed: held through the main
// loop they would take registers that it has not got.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// A maximum that grew by less is kept: weights stay below two to this power.
static constexpr float kKeptGrowth = 8.0f;

static constexpr int64_t rowOfElement(int64_t i) { return i / 2 % 2; }

Value TileEmitter::f32(float value) {
  return LLVM::ConstantOp::create(b, b.getF32Type(), b.getF32FloatAttr(value));
}

/// 2^x; the smallest results are 0.
Value TileEmitter::power(Value x) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"),
             ValueRange{x})
      .getResults();
}

Value TileEmitter::reciprocal(Value x) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm.rcp.approx.ftz.f"),
             ValueRange{x})
      .getResults();
}

Value TileEmitter::fromNeighbour(Value x, int64_t distance) {
  return NVVM::ShflOp::create(b, x.getType(), i32(-1), x, i32(distance),
                              i32(31), NVVM::ShflKind::bfly, UnitAttr());
}

Value TileEmitter::readThread() {
  return assembly(b.getI32Type(), "mov.u32 $0, %tid.x;", "=r", {});
}

/// The first of a thread's two rows in its warpgroup's fragment.
Value TileEmitter::rowOf(Value thread) {
  Value ofWarp = shiftLeft(bitAnd(shiftRight(thread, 5), 3), 4);
  return add(ofWarp, shiftRight(bitAnd(thread, 31), 2));
}

void TileEmitter::emitFillRows(FillRowsOp op) {
  Value value = f32(op.getValue().convertToFloat());
  values.map(op.getRows(), structOf({value, value}));
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// c tanh(t / c) = c - 2c / (1 + exp(2 t / c))
void TileEmitter::emitCap(CapOp op) {
  float cap = op.getCap().convertToFloat();
  float scale = op.getScale().convertToFloat();
  Value exponent = f32(2 * scale / cap * llvm::numbers::log2ef);
  Value most = f32(cap), twice = f32(-2 * cap), one = f32(1);
  SmallVector<Value> capped;
  for (Value score : elementsOf(values.lookup(op.getScores()))) {
    Value grown = power(LLVM::FMulOp::create(b, score, exponent));
    Value part = reciprocal(LLVM::FAddOp::create(b, grown, one));
    capped.push_back(LLVM::FMAOp::create(b, part, twice, most));
  }
  values.map(op.getCapped(), structOf(capped));
}

/// Columns are compared as the constants that they are, with limits that are
/// moved to where this thread's first column is.
void TileEmitter::emitMask(MaskOp op) {
  Value here = readThread();
  Value column = add(values.lookupOrDefault(op.getColumn()),
                     shiftLeft(bitAnd(here, 3), 1));
  Value last = sub(sub(values.lookupOrDefault(op.getLength()), i32(1)), column);
  Value lasts[2] = {last, last}, before[2];
  if (op.getDiagonal()) {
    Value row = add(values.lookupOrDefault(op.getRow()), rowOf(here));
    Value seen =
        sub(add(row, values.lookupOrDefault(op.getDiagonal())), column);
    for (int64_t half : {0, 1}) {
      Value diagonal = add(seen, 8 * half);
      lasts[half] = LLVM::SMinOp::create(b, last, diagonal);
      if (op.getWindow())
        before[half] = sub(diagonal, i32(*op.getWindow()));
    }
  }
  Value hidden = f32(-INFINITY);
  SmallVector<Value> masked;
  for (auto [i, score] :
       llvm::enumerate(elementsOf(values.lookup(op.getScores())))) {
    Value place = i32(8 * (i / 4) + i % 2);
    int64_t half = rowOfElement(i);
    Value isHidden =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sgt, place, lasts[half]);
    if (before[half])
      isHidden =
          LLVM::OrOp::create(b, isHidden,
                             LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sle,
                                                  place, before[half]));
    masked.push_back(select(isHidden, hidden, score));
  }
  values.map(op.getMasked(), structOf(masked));
}

void TileEmitter::emitSoftmax(SoftmaxOp op) {
  SmallVector<Value> scores = elementsOf(values.lookup(op.getScores()));
  SmallVector<Value> old = elementsOf(values.lookup(op.getMaximum()));
  SmallVector<Value> sums = elementsOf(values.lookup(op.getSum()));
  Value scale = f32(op.getScale().convertToFloat() * llvm::numbers::log2ef);
  auto larger = [&](Value x, Value y) -> Value {
    return LLVM::MaxNumOp::create(b, x, y);
  };
  // Two chains for each row.
  Value chains[2][2];
  for (auto [i, score] : llvm::enumerate(scores)) {
    Value &chain = chains[rowOfElement(i)][i / 4 % 2];
    chain = chain ? larger(chain, score) : score;
  }
  Value most[2], subtracted[2], factors[2], grown[2];
  for (int64_t row : {0, 1})
    most[row] = larger(larger(chains[row][0], chains[row][1]), old[row]);
  for (int64_t distance : {1, 2})
    for (Value &row : most)
      row = larger(row, fromNeighbour(row, distance));
  Value changed;
  if (op.getKeepMaximum()) {
    for (int64_t row : {0, 1}) {
      Value by = LLVM::FMulOp::create(
          b, LLVM::FSubOp::create(b, most[row], old[row]), scale);
      grown[row] = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt, by,
                                        f32(kKeptGrowth));
      most[row] = select(grown[row], most[row], old[row]);
    }
  } else {
    changed = LLVM::ConstantOp::create(b, b.getI1Type(), b.getBoolAttr(true));
  }
  for (int64_t row : {0, 1}) {
    subtracted[row] = most[row];
    // Of what has seen nothing, nothing is subtracted.
    if (op.getMasked()) {
      Value isNone = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::oeq,
                                          most[row], f32(-INFINITY));
      subtracted[row] = select(isNone, f32(0), most[row]);
    }
    Value shrunk = LLVM::FSubOp::create(b, old[row], subtracted[row]);
    factors[row] = power(LLVM::FMulOp::create(b, shrunk, scale));
    subtracted[row] = LLVM::FNegOp::create(
        b, LLVM::FMulOp::create(b, subtracted[row], scale));
  }
  SmallVector<Value> weights;
  Value parts[2][2];
  for (auto [i, score] : llvm::enumerate(scores)) {
    int64_t row = rowOfElement(i);
    Value weight = power(LLVM::FMAOp::create(b, score, scale, subtracted[row]));
    weights.push_back(weight);
    Value &part = parts[row][i % 2];
    part = part ? Value(LLVM::FAddOp::create(b, part, weight)) : weight;
  }
  for (int64_t row : {0, 1})
    sums[row] = LLVM::FMAOp::create(
        b, sums[row], factors[row],
        LLVM::FAddOp::create(b, parts[row][0], parts[row][1]));
  if (op.getKeepMaximum())
    changed = NVVM::VoteSyncOp::create(
        b, b.getI1Type(), i32(-1), LLVM::OrOp::create(b, grown[0], grown[1]),
        NVVM::VoteSyncKind::any);
  values.map(op.getWeights(), structOf(weights));
  values.map(op.getNewMaximum(), structOf(most));
  values.map(op.getNewSum(), structOf(sums));
  values.map(op.getFactors(), structOf(factors));
  values.map(op.getChanged(), changed);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void TileEmitter::emitScaleRows(ScaleRowsOp op) {
  Value frag = values.lookup(op.getFrag());
  SmallVector<Value> factors = elementsOf(values.lookup(op.getFactors()));
  auto branch = scf::IfOp::create(b, TypeRange{frag.getType()},
                                  values.lookup(op.getChanged()),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> scaled;
  for (auto [i, element] : llvm::enumerate(elementsOf(frag)))
    scaled.push_back(
        LLVM::FMulOp::create(b, element, factors[rowOfElement(i)]));
  scf::YieldOp::create(b, structOf(scaled));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, frag);
  values.map(op.getResult(), branch.getResult(0));
}

/// Two elements in each word.
Value TileEmitter::roundTo(Type element, ArrayRef<Value> elements) {
  SmallVector<Value> words;
  auto pair = VectorType::get(2, b.getF32Type());
  for (size_t i = 0; i < elements.size(); i += 2) {
    Value both = vector::FromElementsOp::create(
        b, pair, ValueRange{elements[i], elements[i + 1]});
    words.push_back(
        LLVM::BitcastOp::create(b, b.getI32Type(), roundPair(both, element)));
  }
  return structOf(words);
}

void TileEmitter::emitRound(RoundOp op) {
  values.map(op.getResult(), roundTo(op.getResult().getType().getElementType(),
                                     elementsOf(values.lookup(op.getFrag()))));
}

void TileEmitter::emitAddUp(AddUpOp op) {
  SmallVector<Value> sums = elementsOf(values.lookup(op.getParts()));
  for (int64_t distance : {1, 2})
    for (Value &sum : sums)
      sum = LLVM::FAddOp::create(b, sum, fromNeighbour(sum, distance));
  values.map(op.getSums(), structOf(sums));
}

void TileEmitter::emitDivideRows(DivideRowsOp op) {
  SmallVector<Value> factors;
  for (Value sum : elementsOf(values.lookup(op.getBy()))) {
    Value isNone =
        LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::oeq, sum, f32(0));
    factors.push_back(select(isNone, f32(0), reciprocal(sum)));
  }
  SmallVector<Value> elements = elementsOf(values.lookup(op.getFrag()));
  for (auto [i, element] : llvm::enumerate(elements))
    element = LLVM::FMulOp::create(b, element, factors[rowOfElement(i)]);
  values.map(op.getResult(),
             roundTo(op.getResult().getType().getElementType(), elements));
}

/// The first of the four lanes of a row stores.
void TileEmitter::emitStoreRows(StoreRowsOp op) {
  Value here = readThread();
  Value rows = values.lookupOrDefault(op.getRows());
  Value row = add(values.lookupOrDefault(op.getRow()), rowOf(here));
  auto wide = [&](Value value) -> Value {
    return LLVM::ZExtOp::create(b, b.getI64Type(), value);
  };
  Value first = LLVM::MulOp::create(
      b, wide(values.lookupOrDefault(op.getFirst())), wide(rows));
  Value pointer = globalPointer(values.lookupOrDefault(op.getTo()));
  SmallVector<Value> elements = elementsOf(values.lookup(op.getValues()));
  for (int64_t half : {0, 1}) {
    Value at = add(row, 8 * half);
    Value isMine = LLVM::AndOp::create(b, equals(bitAnd(here, 3), i32(0)),
                                       lessThan(at, rows));
    onlyIf(isMine, [&] {
      Value scaled = LLVM::FMulOp::create(b, elements[half],
                                          f32(op.getScale().convertToFloat()));
      Value place = LLVM::GEPOp::create(
          b, pointer.getType(), b.getF32Type(), pointer,
          ArrayRef<LLVM::GEPArg>{Value(add(first, wide(at)))});
      LLVM::StoreOp::create(b, scaled, place, 4);
    });
  }
}
