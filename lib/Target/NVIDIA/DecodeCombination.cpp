//===- DecodeCombination.cpp - Sums of warps and of blocks ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what each warp has found of a part. Out, for one thread:
//
//   maximums and sums of all warps meet in shared memory
//   so do their values, and each warp adds up some features of all of them and
//     stores them; where that takes too much memory, values of warps 4-7 are
//     added to 0-3, of 2-3 to 0-1, of 1 to 0, and warp 0 stores them all
//   the only part of a head goes into the outputs, and that is all
//   the block counts itself as arrived
//   the last block of the head adds up its parts, many at a time, so that
//     their loads are under way together
//
// The counters of arrived blocks are memory of the run (ArrivalCounter.h).
//
//===----------------------------------------------------------------------===//

#include "../GPU/AttentionScores.h"
#include "../GPU/SharedMemory.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "DecodeEmitter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Parts that are read together.
constexpr int64_t kPartsAtOnce = 16;
/// Shared memory for the values of all warps.
constexpr int64_t kBytesOfValues = 32 * 1024;
/// Features of a thread's vector.
constexpr int64_t kVector = 4;

class Combination {
public:
  using Values = LoopBuilder::Values;

  Combination(LoopBuilder &b, AttentionPartOp op, DecodeTiles &tiles,
              const DecodeThread &where, int64_t threads,
              ArrivalCounter *counter, gpu::GPUFuncOp kernel)
      : b(b), op(op), tiles(tiles), where(where), threads(threads),
        warps(threads / kWarpSize), rows(op.getRows()), counter(counter),
        kernel(kernel) {}

  Value emit(WarpSums found) {
    Location loc = op.getLoc();
    int64_t allRows = tiles.sets() * DecodeTiles::kSetRows;
    Type f32 = b.getF32Type();
    warpMaximums = addSharedMemory(kernel, {warps, allRows}, f32, loc);
    warpSums = addSharedMemory(kernel, {warps, allRows}, f32, loc);
    int64_t parts = cast<MemRefType>(op.getParts()[0].getType()).getDimSize(1);
    Value isOnly = ShapedType::isDynamic(parts)
                       ? b.equals(countParts(), 1)
                       : arith::ConstantOp::create(b, b.getBoolAttr(parts == 1))
                             .getResult();
    if (!matchPattern(isOnly, m_Zero()))
      factors = addSharedMemory(kernel, {2, rows}, f32, loc);
    shareRows(found);
    finishRows(isOnly);
    scaleValues(found);
    if (sharesFeatures())
      shareValues(found);
    else
      addWarps(found);
    either(
        isOnly, [&] { storeValues(found, /*isOnly=*/true); },
        [&] { storeValues(found, /*isOnly=*/false); });
    return awaitOthers(isOnly);
  }

private:
  void when(Value condition, function_ref<void()> body) {
    auto choice = scf::IfOp::create(b, condition);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    body();
  }
  /// Of what is known when the kernel is built only one is written.
  void either(Value condition, function_ref<void()> yes,
              function_ref<void()> no) {
    if (matchPattern(condition, m_One()))
      return yes();
    if (matchPattern(condition, m_Zero()))
      return no();
    auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    yes();
    b.setInsertionPointToStart(choice.elseBlock());
    no();
  }
  Value isBelow(Value x, int64_t y) {
    return b.compare(arith::CmpIPredicate::ult, x, y);
  }
  void barrier() { gpu::BarrierOp::create(b); }
  Value larger(Value x, Value y) { return arith::MaxNumFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return vector::FMAOp::create(b, x, y, z);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }

  //===--------------------------------------------------------------------===//
  // Warps
  //===--------------------------------------------------------------------===//

  void shareRows(const WarpSums &found) {
    when(b.equals(tiles.getPlace(), 0), [&] {
      for (int64_t set = 0; set < tiles.sets(); ++set) {
        Values at{where.warp, tiles.rowOfScores(set)};
        b.store(found.maximums[set], warpMaximums, at);
        b.store(found.sums[set], warpSums, at);
      }
    });
    barrier();
  }

  Value highestOf(Value row) {
    Value highest;
    for (int64_t warp = 0; warp < warps; ++warp) {
      Value own = b.load(warpMaximums, {b.index(warp), row});
      highest = highest ? larger(highest, own) : own;
    }
    return highest;
  }

  /// In terms of the block's maximums.
  void scaleValues(WarpSums &found) {
    for (int64_t set = 0; set < tiles.sets(); ++set)
      for (int64_t row = 0; row < 2; ++row) {
        Value number = tiles.rowOfSums(set, row);
        Value factor = emitPower(b, b.load(warpMaximums, {where.warp, number}),
                                 highestOf(number));
        for (int64_t feature = 0; feature < tiles.featureCount(); ++feature) {
          Value &value = found.values[tiles.numberOfSum(feature, set, row)];
          value = mul(value, factor);
        }
      }
  }

  /// Features of a lane that each warp adds up.
  int64_t featuresOfWarp() { return tiles.featureCount() / warps; }
  bool sharesFeatures() {
    return tiles.sets() == 1 && tiles.featureCount() % warps == 0 &&
           featuresOfWarp() <= tiles.adjacentFeatures() &&
           warps * tiles.sumCount() * kWarpSize * 4 <= kBytesOfValues;
  }

  /// For each warp that adds them up: of the features that it takes from a
  /// lane, each with two sums, one for each row.
  VectorType sharedVector() {
    return VectorType::get({2 * featuresOfWarp()}, b.getF32Type());
  }
  llvm::MaybeAlign sharedAlignment() {
    return llvm::MaybeAlign(
        std::min<int64_t>(16, 4 * sharedVector().getNumElements()));
  }
  Value hasRows() { return isBelow(tiles.rowOfSums(0, 0), rows); }

  void shareValues(const WarpSums &found) {
    int64_t count = sharedVector().getNumElements();
    values = addSharedMemory(kernel, {warps, warps, kWarpSize, count},
                             b.getF32Type(), op.getLoc());
    when(hasRows(), [&] {
      for (int64_t to = 0; to < warps; ++to) {
        Value vector = vector::FromElementsOp::create(
            b, sharedVector(), ArrayRef(found.values).slice(to * count, count));
        vector::StoreOp::create(
            b, vector, values,
            ValueRange{where.warp, b.index(to), where.lane, b.index(0)},
            /*nontemporal=*/false, sharedAlignment());
      }
    });
    barrier();
  }

  void addWarps(WarpSums &found) {
    int64_t count = found.values.size();
    Value room = addSharedMemory(kernel, {warps / 2, count, kWarpSize},
                                 b.getF32Type(), op.getLoc());
    for (int64_t half = warps / 2; half > 0; half /= 2) {
      auto isUpper = arith::AndIOp::create(
          b, b.compare(arith::CmpIPredicate::uge, where.warp, half),
          isBelow(where.warp, 2 * half));
      when(isUpper, [&] {
        Value to = b.minus(where.warp, b.index(half));
        for (int64_t i = 0; i < count; ++i)
          b.store(found.values[i], room, {to, b.index(i), where.lane});
      });
      barrier();
      auto choice = scf::IfOp::create(b, ValueRange(found.values).getTypes(),
                                      isBelow(where.warp, half),
                                      /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(choice.elseBlock());
        scf::YieldOp::create(b, found.values);
        b.setInsertionPointToStart(choice.thenBlock());
        for (int64_t i = 0; i < count; ++i)
          found.values[i] =
              add(found.values[i],
                  b.load(room, {where.warp, b.index(i), where.lane}));
        scf::YieldOp::create(b, found.values);
      }
      found.values = Values(choice.getResults());
      if (half > 1)
        barrier();
    }
  }

  //===--------------------------------------------------------------------===//
  // Parts
  //===--------------------------------------------------------------------===//

  Value countParts() {
    return b.createOrFold<memref::DimOp>(op.getParts()[0], 1);
  }
  Values inPart(Value row) { return {op.getNumber(), op.getPart(), row}; }
  Values inOutput(Value row) {
    return {b.index(0), headOfRow(b, op, row), queryOfRow(b, op, row)};
  }

  /// Is this the block that ends the head, with all of it in the outputs?
  Value awaitOthers(Value isOnly) {
    Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
    if (matchPattern(isOnly, m_One()))
      return yes;
    auto others = [&] {
      barrier();
      Value isLast = arrive();
      when(isLast, [&] {
        addParts();
        when(b.equals(where.thread, 0), [&] { counter->reset(); });
      });
      return isLast;
    };
    if (matchPattern(isOnly, m_Zero()))
      return others();
    auto choice = scf::IfOp::create(b, b.getI1Type(), isOnly,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, yes);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, others());
    return choice.getResult(0);
  }

  /// Some features of two rows, from all warps.
  void storeShared(bool isOnly) {
    when(hasRows(), [&] {
      Value sum;
      for (int64_t warp = 0; warp < warps; ++warp) {
        Value own = vector::LoadOp::create(
            b, sharedVector(), values,
            ValueRange{b.index(warp), where.warp, where.lane, b.index(0)},
            /*nontemporal=*/false, sharedAlignment());
        sum = sum ? add(sum, own) : own;
      }
      int64_t count = featuresOfWarp();
      Value feature = tiles.placeOfFeature(b.times(where.warp, count));
      for (int64_t row = 0; row < 2; ++row) {
        Values elements;
        for (int64_t i = 0; i < count; ++i)
          elements.push_back(vector::ExtractOp::create(
              b, sum, ArrayRef<int64_t>{2 * i + row}));
        Value number = tiles.rowOfSums(0, row);
        when(isBelow(number, rows),
             [&] { storeFeatures(elements, number, feature, isOnly); });
      }
    });
  }

  void storeValues(const WarpSums &found, bool isOnly) {
    if (sharesFeatures())
      storeShared(isOnly);
    else
      storeWarp(found, isOnly);
  }

  void storeWarp(const WarpSums &found, bool isOnly) {
    when(b.equals(where.warp, 0), [&] {
      for (int64_t set = 0; set < tiles.sets(); ++set)
        for (int64_t row = 0; row < 2; ++row) {
          Value number = tiles.rowOfSums(set, row);
          when(isBelow(number, rows),
               [&] { storeRow(found, set, row, number, isOnly); });
        }
    });
  }

  /// Maximums and sums of rows, of all warps.
  void finishRows(Value isOnly) {
    when(isBelow(where.thread, rows), [&] {
      Value highest = highestOf(where.thread), sum = constantF32(b, 0);
      for (int64_t warp = 0; warp < warps; ++warp) {
        Values at{b.index(warp), where.thread};
        Value factor = emitPower(b, b.load(warpMaximums, at), highest);
        sum = math(sum, b.load(warpSums, at), factor);
      }
      // Without a key there is no maximum.
      Value isEmpty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum,
                                            constantF32(b, 0));
      highest = arith::SelectOp::create(b, isEmpty, minusInfinity(b), highest);
      either(
          isOnly, [&] { addToOutput(where.thread, highest, sum); },
          [&] {
            b.store(highest, op.getParts()[1], inPart(where.thread));
            b.store(sum, op.getParts()[2], inPart(where.thread));
          });
    });
  }
  Value math(Value sum, Value x, Value y) { return add(sum, mul(x, y)); }

  /// The factors tell what that does to values.
  void addToOutput(Value row, Value highest, Value sum) {
    Values at = inOutput(row);
    Value before = b.load(op.getMax(), at);
    Value all = larger(before, highest), shift = shiftOf(b, all);
    Value ofBefore = emitPower(b, before, shift);
    Value ofPart = emitPower(b, highest, shift);
    b.store(all, op.getMax(), at);
    b.store(math(mul(b.load(op.getSum(), at), ofBefore), sum, ofPart),
            op.getSum(), at);
    b.store(ofBefore, factors, {b.index(0), row});
    b.store(ofPart, factors, {b.index(1), row});
  }

  void storeRow(const WarpSums &found, int64_t set, int64_t row, Value number,
                bool isOnly) {
    int64_t together = tiles.adjacentFeatures();
    for (int64_t first = 0; first < tiles.featureCount(); first += together) {
      Values elements;
      for (int64_t i = 0; i < together; ++i)
        elements.push_back(
            found.values[tiles.numberOfSum(first + i, set, row)]);
      storeFeatures(elements, number, tiles.placeOfFeature(first), isOnly);
    }
  }

  /// Into the part, or added to what the output holds.
  void storeFeatures(ArrayRef<Value> elements, Value row, Value feature,
                     bool isOnly) {
    int64_t count = elements.size();
    auto type = VectorType::get({count}, b.getF32Type());
    Value vector = vector::FromElementsOp::create(b, type, elements);
    Values at = isOnly ? inOutput(row) : inPart(row);
    at.push_back(feature);
    if (!isOnly) {
      vector::StoreOp::create(b, vector, op.getParts()[0], at,
                              /*nontemporal=*/false,
                              llvm::MaybeAlign(4 * count));
      return;
    }
    auto factor = [&](int64_t which) {
      return vector::BroadcastOp::create(
          b, type, b.load(factors, {b.index(which), row}));
    };
    Value before = vector::LoadOp::create(b, type, op.getAcc(), at);
    vector::StoreOp::create(b, fma(vector, factor(1), mul(before, factor(0))),
                            op.getAcc(), at);
  }

  /// Is this block the last one of its head?
  Value arrive() {
    Value seen = addSharedMemory(kernel, {1}, b.getI32Type(), op.getLoc());
    Value last = arith::IndexCastOp::create(b, b.getI32Type(),
                                            b.minus(countParts(), b.index(1)));
    when(b.equals(where.thread, 0), [&] {
      fence();
      Value before = counter->count(); // between two fences
      fence();
      b.store(before, seen, b.index(0));
    });
    barrier();
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                 b.load(seen, b.index(0)), last);
  }

  void fence() {
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acq_rel, "device");
  }

  /// The parts and what the outputs held before, into the outputs. A thread
  /// has some features of a row.
  void addParts() {
    int64_t perRow = op.getFeatures() / kVector;
    Type f32 = b.getF32Type();
    auto type = VectorType::get({kVector}, f32);
    Value rowMaximums = addSharedMemory(kernel, {rows}, f32, op.getLoc());
    Value rowSums = addSharedMemory(kernel, {rows}, f32, op.getLoc());
    b.loop(where.thread, b.index(rows * perRow), threads, [&](Value number) {
      Value row = arith::DivUIOp::create(b, number, b.index(perRow));
      Value feature =
          b.times(arith::RemUIOp::create(b, number, b.index(perRow)), kVector);
      Values at = inOutput(row), withFeature = at;
      withFeature.push_back(feature);
      Values start{b.load(op.getMax(), at), b.load(op.getSum(), at),
                   vector::LoadOp::create(b, type, op.getAcc(), withFeature)};
      Values all = b.loop(b.index(0), op.getUsed(), kPartsAtOnce, start,
                          [&](Value part, ValueRange soFar) {
                            return addSomeParts(part, row, feature, soFar);
                          });
      vector::StoreOp::create(b, all[2], op.getAcc(), withFeature);
      when(b.equals(feature, 0), [&] {
        b.store(all[0], rowMaximums, row);
        b.store(all[1], rowSums, row);
      });
    });
    barrier(); // all have read what the outputs held
    when(isBelow(where.thread, rows), [&] {
      Value row = where.thread;
      Values at = inOutput(row);
      b.store(b.load(rowMaximums, row), op.getMax(), at);
      b.store(b.load(rowSums, row), op.getSum(), at);
    });
  }

  Values addSomeParts(Value first, Value row, Value feature, ValueRange soFar) {
    auto type = cast<VectorType>(soFar[2].getType());
    Value last = b.minus(op.getUsed(), b.index(1));
    Values maximums, sums, values;
    for (int64_t i = 0; i < kPartsAtOnce; ++i) {
      Value part = b.plus(first, i);
      Value isPart =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ule, part, last);
      Values at{op.getNumber(), b.smaller(part, last), row};
      Value maximum = b.load(op.getParts()[1], at);
      maximums.push_back(
          arith::SelectOp::create(b, isPart, maximum, minusInfinity(b)));
      // Zeros in place of what is no part: nothing times infinity is NaN.
      auto ofPart = [&](Value value) -> Value {
        Value zero =
            arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
        return arith::SelectOp::create(b, isPart, value, zero);
      };
      sums.push_back(ofPart(b.load(op.getParts()[2], at)));
      at.push_back(feature);
      values.push_back(ofPart(vector::LoadOp::create(
          b, type, op.getParts()[0], at,
          /*nontemporal=*/false, llvm::MaybeAlign(4 * kVector))));
    }
    Value highest = soFar[0];
    for (Value maximum : maximums)
      highest = larger(highest, maximum);
    Value shift = shiftOf(b, highest);
    auto broadcast = [&](Value factor) {
      return vector::BroadcastOp::create(b, type, factor);
    };
    Value factor = emitPower(b, soFar[0], shift);
    Value sum = mul(soFar[1], factor);
    Value value = mul(soFar[2], broadcast(factor));
    for (int64_t i = 0; i < kPartsAtOnce; ++i) {
      Value factor = emitPower(b, maximums[i], shift);
      sum = math(sum, sums[i], factor);
      value = fma(values[i], broadcast(factor), value);
    }
    return {highest, sum, value};
  }

  LoopBuilder &b;
  AttentionPartOp op;
  DecodeTiles &tiles;
  const DecodeThread &where;
  int64_t threads, warps, rows;
  ArrivalCounter *counter; // where a head may have several parts
  gpu::GPUFuncOp kernel;
  /// Of each warp and row.
  Value warpMaximums, warpSums;
  Value values;  // of warps, for warps, of their lanes
  Value factors; // of what outputs held and of the only part, and of each row
};

} // namespace

void aikernel::emitDecodeCombination(LoopBuilder &b, AttentionPartOp op,
                                     DecodeTiles &tiles,
                                     const DecodeThread &where, int64_t threads,
                                     const WarpSums &found,
                                     ArrivalCounter *counter,
                                     gpu::GPUFuncOp kernel) {
  Value isLast =
      Combination(b, op, tiles, where, threads, counter, kernel).emit(found);
  op.replaceAllUsesWith(isLast);
  op.erase();
}
