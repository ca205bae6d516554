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
//   the block counts itself as arrived
//   the last block of the head adds up its parts, many at a time, so that
//     their loads are under way together
//
// The only part of a head stays in shared memory.
//
// The counters of arrived blocks are memory of the run, which a kernel before
// this one has set to zero.
//
//===----------------------------------------------------------------------===//

#include "../GPU/AttentionScores.h"
#include "../GPU/SharedMemory.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "DecodeEmitter.h"

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
              const DecodeThread &where, int64_t threads, gpu::GPUFuncOp kernel)
      : b(b), op(op), tiles(tiles), where(where), threads(threads),
        warps(threads / kWarpSize), rows(op.getRows()), kernel(kernel) {}

  Value emit(WarpSums found) {
    Location loc = op.getLoc();
    int64_t allRows = tiles.sets() * DecodeTiles::kSetRows;
    Type f32 = b.getF32Type();
    warpMaximums = addSharedMemory(kernel, {warps, allRows}, f32, loc);
    warpSums = addSharedMemory(kernel, {warps, allRows}, f32, loc);
    shareRows(found);
    scaleValues(found);
    if (sharesFeatures())
      shareValues(found);
    else
      addWarps(found);
    int64_t parts = cast<MemRefType>(op.getParts()[0].getType()).getDimSize(1);
    if (parts == 1)
      return finishAlone(found);
    if (!ShapedType::isDynamic(parts))
      return finishTogether(found);
    Value isOnly = b.equals(countParts(), 1);
    auto choice = scf::IfOp::create(b, b.getI1Type(), isOnly,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, finishAlone(found));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, finishTogether(found));
    return choice.getResult(0);
  }

private:
  void when(Value condition, function_ref<void()> body) {
    auto choice = scf::IfOp::create(b, condition);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    body();
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

  void shareValues(const WarpSums &found) {
    values = addSharedMemory(kernel, {warps, tiles.sumCount(), kWarpSize},
                             b.getF32Type(), op.getLoc());
    for (auto [number, value] : llvm::enumerate(found.values))
      b.store(value, values, {where.warp, b.index(number), where.lane});
    barrier();
  }

  void addWarps(WarpSums &found) {
    int64_t count = found.values.size();
    Value room = values = addSharedMemory(kernel, {warps / 2, count, kWarpSize},
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

  /// Accumulators, maximums and sums, this head's number in them, and which
  /// part is whose.
  struct Parts {
    Value accs, maximums, sums, head, own, used;
  };

  Value countParts() {
    return b.createOrFold<memref::DimOp>(op.getParts()[0], 1);
  }

  Value finishAlone(const WarpSums &found) {
    auto shared = [&](ArrayRef<int64_t> sizes) {
      SmallVector<int64_t> all{1, 1};
      llvm::append_range(all, sizes);
      return addSharedMemory(kernel, all, b.getF32Type(), op.getLoc());
    };
    Value zero = b.index(0), accs;
    if (sharesFeatures()) {
      accs = shared({rows, op.getFeatures()});
    } else {
      accs = takeValuesFor({1, 1, rows, op.getFeatures()});
      barrier(); // warp 0 has read them
    }
    Parts parts{accs, shared({rows}), shared({rows}), zero, zero, b.index(1)};
    storePart(found, parts);
    barrier();
    addParts(parts);
    return arith::ConstantOp::create(b, b.getBoolAttr(true));
  }

  /// Another view of the memory in which values were added up.
  Value takeValuesFor(ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> strides(sizes.size(), 1);
    for (int64_t dim = sizes.size() - 1; dim > 0; --dim)
      strides[dim - 1] = strides[dim] * sizes[dim];
    auto type = cast<MemRefType>(values.getType());
    return memref::ReinterpretCastOp::create(
        b,
        MemRefType::get(sizes, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace()),
        values, /*offset=*/int64_t(0), sizes, strides);
  }

  Value finishTogether(const WarpSums &found) {
    Parts parts{op.getParts()[0], op.getParts()[1], op.getParts()[2],
                op.getNumber(),   op.getPart(),     op.getUsed()};
    storePart(found, parts);
    barrier();
    Value isLast = arrive();
    when(isLast, [&] { addParts(parts); });
    return isLast;
  }

  /// Some features of a row, from all warps.
  void storeSharedRow(const Parts &parts, int64_t row) {
    Value number = tiles.rowOfSums(0, row);
    when(isBelow(number, rows), [&] {
      int64_t count = featuresOfWarp();
      Value first = b.times(where.warp, count);
      Values elements;
      for (int64_t i = 0; i < count; ++i) {
        // Each feature has two sums, one for each row.
        Value at = b.plus(b.times(b.plus(first, i), 2), row);
        Value sum;
        for (int64_t warp = 0; warp < warps; ++warp) {
          Value own = b.load(values, {b.index(warp), at, where.lane});
          sum = sum ? add(sum, own) : own;
        }
        elements.push_back(sum);
      }
      storeFeatures(elements, parts, number, tiles.placeOfFeature(first));
    });
  }

  void storePart(const WarpSums &found, const Parts &parts) {
    if (sharesFeatures())
      for (int64_t row = 0; row < 2; ++row)
        storeSharedRow(parts, row);
    else
      storeWarp(found, parts);
    storeNumbers(parts);
  }

  void storeWarp(const WarpSums &found, const Parts &parts) {
    when(b.equals(where.warp, 0), [&] {
      for (int64_t set = 0; set < tiles.sets(); ++set)
        for (int64_t row = 0; row < 2; ++row) {
          Value number = tiles.rowOfSums(set, row);
          when(isBelow(number, rows),
               [&] { storeRow(found, parts, set, row, number); });
        }
    });
  }

  void storeNumbers(const Parts &parts) {
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
      Values at{parts.head, parts.own, where.thread};
      b.store(highest, parts.maximums, at);
      b.store(sum, parts.sums, at);
    });
  }
  Value math(Value sum, Value x, Value y) { return add(sum, mul(x, y)); }

  void storeRow(const WarpSums &found, const Parts &parts, int64_t set,
                int64_t row, Value number) {
    int64_t together = tiles.adjacentFeatures();
    for (int64_t first = 0; first < tiles.featureCount(); first += together) {
      Values elements;
      for (int64_t i = 0; i < together; ++i)
        elements.push_back(
            found.values[tiles.numberOfSum(first + i, set, row)]);
      storeFeatures(elements, parts, number, tiles.placeOfFeature(first));
    }
  }

  void storeFeatures(ArrayRef<Value> elements, const Parts &parts, Value row,
                     Value feature) {
    int64_t count = elements.size();
    Value vector = vector::FromElementsOp::create(
        b, VectorType::get({count}, b.getF32Type()), elements);
    Values at{parts.head, parts.own, row, feature};
    vector::StoreOp::create(b, vector, parts.accs, at, /*nontemporal=*/false,
                            llvm::MaybeAlign(4 * count));
  }

  /// Is this block the last one of its head?
  Value arrive() {
    Value seen = addSharedMemory(kernel, {1}, b.getI32Type(), op.getLoc());
    Value last = arith::IndexCastOp::create(b, b.getI32Type(),
                                            b.minus(countParts(), b.index(1)));
    when(b.equals(where.thread, 0), [&] {
      fence();
      Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
      Value before = LLVM::AtomicRMWOp::create(
          b, LLVM::AtomicBinOp::add, counter(), one,
          LLVM::AtomicOrdering::monotonic, "device"); // between two fences
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

  Value counter() {
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(b, op.getParts()[3]);
    address = b.plus(address, b.times(op.getNumber(), 4));
    address = arith::IndexCastOp::create(b, b.getI64Type(), address);
    return LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
  }

  /// The parts and what the outputs held before, into the outputs. A thread
  /// has some features of a row.
  void addParts(const Parts &parts) {
    int64_t perRow = op.getFeatures() / kVector;
    Type f32 = b.getF32Type();
    auto type = VectorType::get({kVector}, f32);
    Value rowMaximums = addSharedMemory(kernel, {rows}, f32, op.getLoc());
    Value rowSums = addSharedMemory(kernel, {rows}, f32, op.getLoc());
    b.loop(where.thread, b.index(rows * perRow), threads, [&](Value number) {
      Value row = arith::DivUIOp::create(b, number, b.index(perRow));
      Value feature =
          b.times(arith::RemUIOp::create(b, number, b.index(perRow)), kVector);
      Values at{b.index(0), headOfRow(b, op, row), queryOfRow(b, op, row)};
      Values withFeature = at;
      withFeature.push_back(feature);
      Values start{b.load(op.getMax(), at), b.load(op.getSum(), at),
                   vector::LoadOp::create(b, type, op.getAcc(), withFeature)};
      Values all =
          b.loop(b.index(0), parts.used, kPartsAtOnce, start,
                 [&](Value part, ValueRange soFar) {
                   return addSomeParts(parts, part, row, feature, soFar);
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
      Values at{b.index(0), headOfRow(b, op, row), queryOfRow(b, op, row)};
      b.store(b.load(rowMaximums, row), op.getMax(), at);
      b.store(b.load(rowSums, row), op.getSum(), at);
    });
  }

  Values addSomeParts(const Parts &parts, Value first, Value row, Value feature,
                      ValueRange soFar) {
    auto type = cast<VectorType>(soFar[2].getType());
    Value last = b.minus(parts.used, b.index(1));
    Values maximums, sums, values;
    int64_t count = isConstantIntValue(parts.used, 1) ? 1 : kPartsAtOnce;
    for (int64_t i = 0; i < count; ++i) {
      Value part = b.plus(first, i);
      Value isPart =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ule, part, last);
      Values at{parts.head, b.smaller(part, last), row};
      Value maximum = b.load(parts.maximums, at);
      maximums.push_back(
          arith::SelectOp::create(b, isPart, maximum, minusInfinity(b)));
      // Zeros in place of what is no part: nothing times infinity is NaN.
      auto ofPart = [&](Value value) -> Value {
        Value zero =
            arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
        return arith::SelectOp::create(b, isPart, value, zero);
      };
      sums.push_back(ofPart(b.load(parts.sums, at)));
      at.push_back(feature);
      values.push_back(ofPart(vector::LoadOp::create(
          b, type, parts.accs, at,
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
    for (int64_t i = 0; i < count; ++i) {
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
  gpu::GPUFuncOp kernel;
  /// Of each warp and row.
  Value warpMaximums, warpSums;
  Value values; // of warps, their sums and lanes
};

} // namespace

void aikernel::emitDecodeCombination(LoopBuilder &b, AttentionPartOp op,
                                     DecodeTiles &tiles,
                                     const DecodeThread &where, int64_t threads,
                                     const WarpSums &found,
                                     gpu::GPUFuncOp kernel) {
  Value isLast = Combination(b, op, tiles, where, threads, kernel).emit(found);
  op.replaceAllUsesWith(isLast);
  op.erase();
}
