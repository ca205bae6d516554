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
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// A maximum that grew by less is kept: weights stay below two to this power.
static constexpr float kKeptGrowth = 8.0f;
/// Scores that share a reciprocal, and the largest power of two that one of
/// them has in their product.
static constexpr size_t kSharers = 4;
static constexpr float kLargestPower = 30.0f;
/// tanh(x) / x in powers of the square of x, up to this share of the cap: the
/// error is less than 7e-7 of the result.
static constexpr float kSmallShare = 0.5f;
static constexpr double kSmallTanh[] = {0.99999945578, -0.33326317966,
                                        0.13190296736, -0.04440222678};

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

Value TileEmitter::product(ArrayRef<Value> factors) {
  if (factors.size() == 1)
    return factors.front();
  size_t half = factors.size() / 2;
  return LLVM::FMulOp::create(b, product(factors.take_front(half)),
                              product(factors.drop_front(half)));
}

/// The reciprocal of each, from that of the product of all.
void TileEmitter::divide(Value inverse, ArrayRef<Value> numbers,
                         SmallVectorImpl<Value> &found) {
  if (numbers.size() == 1)
    return found.push_back(inverse);
  ArrayRef<Value> left = numbers.take_front(numbers.size() / 2),
                  right = numbers.drop_front(numbers.size() / 2);
  divide(LLVM::FMulOp::create(b, inverse, product(right)), left, found);
  divide(LLVM::FMulOp::create(b, inverse, product(left)), right, found);
}

/// c tanh(t / c) = c - 2c / (1 + exp(2 t / c)). Few units have reciprocals and
/// powers: four scores of a row share a reciprocal, with powers that are small
/// enough for their product, and large enough for the cap.
SmallVector<Value> TileEmitter::capByPowers(ArrayRef<Value> scores, float cap,
                                            float scale) {
  Value exponent = f32(2 * scale / cap * llvm::numbers::log2ef);
  Value largest = f32(kLargestPower), one = f32(1);
  Value most = f32(cap), twice = f32(-2 * cap);
  SmallVector<Value> below, capped(scores.size());
  for (Value score : scores) {
    // NaN stays.
    Value steps = LLVM::MinimumOp::create(
        b, LLVM::FMulOp::create(b, score, exponent), largest);
    below.push_back(LLVM::FAddOp::create(b, power(steps), one));
  }
  for (int64_t row : {0, 1}) {
    SmallVector<size_t> places;
    for (size_t i = 0; i < scores.size(); ++i)
      if (rowOfElement(i) == row)
        places.push_back(i);
    for (ArrayRef<size_t> left = places; !left.empty();) {
      ArrayRef<size_t> group = left.take_front(kSharers);
      left = left.drop_front(group.size());
      SmallVector<Value> numbers, parts;
      for (size_t i : group)
        numbers.push_back(below[i]);
      divide(reciprocal(product(numbers)), numbers, parts);
      for (auto [i, part] : llvm::zip(group, parts))
        capped[i] = LLVM::FMAOp::create(b, part, twice, most);
    }
  }
  return capped;
}

/// What powers of the square of a score are multiplied by.
static SmallVector<float> smallFactors(double cap, double scale) {
  SmallVector<float> factors;
  double power = scale, square = scale / cap * (scale / cap);
  for (double factor : kSmallTanh) {
    factors.push_back(factor * power);
    power *= square;
  }
  return factors;
}

/// The same for scores that are small beside the cap: t times a polynomial in
/// t squared.
SmallVector<Value> TileEmitter::capSmall(ArrayRef<Value> scores, float cap,
                                         float scale) {
  SmallVector<Value> factors, capped;
  for (float factor : smallFactors(cap, scale))
    factors.push_back(f32(factor));
  for (Value score : scores) {
    Value squared = LLVM::FMulOp::create(b, score, score);
    Value sum = factors.back();
    for (Value factor : llvm::reverse(ArrayRef(factors).drop_back()))
      sum = LLVM::FMAOp::create(b, sum, squared, factor);
    capped.push_back(LLVM::FMulOp::create(b, score, sum));
  }
  return capped;
}

Value TileEmitter::largestOf(ArrayRef<Value> numbers) {
  if (numbers.size() == 1)
    return LLVM::FAbsOp::create(b, numbers.front());
  size_t half = numbers.size() / 2;
  return LLVM::MaxNumOp::create(b, largestOf(numbers.take_front(half)),
                                largestOf(numbers.drop_front(half)));
}

/// Whether scores are small: hidden ones never are. Two warpgroups that share
/// all registers have so many scores that none is left for the choice; and
/// squares and factors must be numbers.
bool TileEmitter::isWorthAsking(CapOp op, float small) {
  return !op.getScores().getDefiningOp<MaskOp>() && role.getWarpgroups() > 2 &&
         std::isnormal(small * small) &&
         llvm::all_of(smallFactors(op.getCap().convertToFloat(),
                                   op.getScale().convertToFloat()),
                      [](float factor) { return std::isnormal(factor); });
}

void TileEmitter::emitCap(CapOp op) {
  float cap = op.getCap().convertToFloat();
  float scale = op.getScale().convertToFloat();
  Value whole = values.lookup(op.getScores());
  SmallVector<Value> scores = elementsOf(whole);
  float small = kSmallShare * cap / std::abs(scale);
  if (!isWorthAsking(op, small)) {
    values.map(op.getCapped(), structOf(capByPowers(scores, cap, scale)));
    return;
  }
  Value isSmall = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::olt,
                                       largestOf(scores), f32(small));
  Value areSmall = NVVM::VoteSyncOp::create(b, b.getI1Type(), i32(-1), isSmall,
                                            NVVM::VoteSyncKind::all);
  auto choice = scf::IfOp::create(b, whole.getType(), areSmall,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, structOf(capSmall(scores, cap, scale)));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, structOf(capByPowers(scores, cap, scale)));
  values.map(op.getCapped(), choice.getResult(0));
}

/// A number of the mask: the one that lies `place` after a pointer, or 0 where
/// there are only `count`. What is known takes no registers.
Value TileEmitter::numberAt(Value pointer, int64_t place, Value count,
                            Type element) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  std::string bits = ".b" + std::to_string(8 * bytes);
  std::string text = "{ .reg .pred p; setp.gt.s32 p, $2, " +
                     std::to_string(place) + "; mov" + bits +
                     " $0, 0; @p ld.global" + bits + " $0, [$1+" +
                     std::to_string(bytes * place) + "]; }";
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
  Value found = assembly(b.getIntegerType(8 * bytes), text,
                         bytes == 4 ? "=&r,l,r" : "=&h,l,r", {address, count});
  found = LLVM::BitcastOp::create(b, element, found);
  if (element.isF32())
    return found;
  return LLVM::FPExtOp::create(b, b.getF32Type(), found);
}

/// Each thread reads the elements that belong to its scores.
void TileEmitter::emitAddMask(AddMaskOp op) {
  Value here = readThread();
  Value rows = values.lookupOrDefault(op.getRows());
  Value columns = values.lookupOrDefault(op.getColumns());
  bool isOneColumn = matchPattern(op.getColumns(), m_One());
  Value column = isOneColumn ? i32(0)
                             : add(values.lookupOrDefault(op.getColumn()),
                                   shiftLeft(bitAnd(here, 3), 1));
  Value row = add(values.lookupOrDefault(op.getRow()), rowOf(here));
  auto wide = [&](Value value) -> Value {
    return LLVM::ZExtOp::create(b, b.getI64Type(), value);
  };
  Value mask = globalPointer(values.lookupOrDefault(op.getMask()));
  Type element = cast<MemRefType>(op.getMask().getType()).getElementType();
  Value before = mul(wide(values.lookupOrDefault(op.getPlane())), wide(rows));
  Value count = sub(columns, column);
  Value lines[2], only[2];
  for (int64_t half : {0, 1}) {
    Value at = LLVM::SMinOp::create(b, add(row, 8 * half), sub(rows, i32(1)));
    Value line = mul(add(before, wide(at)), wide(columns));
    lines[half] = LLVM::GEPOp::create(
        b, mask.getType(), element, mask,
        ArrayRef<LLVM::GEPArg>{Value(add(line, wide(column)))});
    if (isOneColumn)
      only[half] = numberAt(lines[half], 0, count, element);
  }
  Value scale = f32(op.getScale().convertToFloat());
  SmallVector<Value> sums;
  for (auto [i, score] :
       llvm::enumerate(elementsOf(values.lookup(op.getScores())))) {
    int64_t half = rowOfElement(i);
    Value number = isOneColumn ? only[half]
                               : numberAt(lines[half], 8 * (i / 4) + i % 2,
                                          count, element);
    sums.push_back(LLVM::FMAOp::create(b, score, scale, number));
  }
  values.map(op.getResult(), structOf(sums));
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
