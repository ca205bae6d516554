//===- LaneProduct.cpp - What a block does of a quantized product ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an aikernel.lane_product on memrefs. Out, for one thread:
//
//   ask for its units of x, then for its units of the first rows of W
//   quantize x, which stays in registers
//   for each four rows of its team
//     add the products of what has come; ask for rows further on
//     sum over the warp by shuffles, and put that into shared memory
//   barrier; add up what the warps of a team have
//
// Every lane has the same units of all rows, so nothing but W moves in the
// loop, and no thread waits for another.
//
//===----------------------------------------------------------------------===//

#include "LaneProduct.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "LaneCode.h"
#include "SharedMemory.h"
#include "ThreadReduction.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;

/// Units of x that a lane can hold.
static constexpr int64_t kMostUnits = 8;
/// Registers for rows of W that are on their way, and how many rows ahead these
/// are at most.
static constexpr int64_t kWordsAhead = 48;
static constexpr int64_t kMostAhead = 3;
/// Sums that wait in shared memory for the end of a round.
static constexpr int64_t kWaitingSums = 2048;

LaneTeams::LaneTeams(int64_t units, int64_t threads) {
  int64_t slices = llvm::divideCeil(units, kWarpSize);
  int64_t most = threads / kWarpSize;
  slots = llvm::divideCeil(slices, most);
  warps = llvm::divideCeil(slices, slots);
  teams = most / warps;
}

bool aikernel::fitsLanes(int64_t units, int64_t rows) {
  return LaneTeams(units, kThreadsPerBlock).slots * rows <= kMostUnits;
}

namespace {

class LaneProductEmitter {
public:
  using Values = LoopBuilder::Values;

  LaneProductEmitter(LoopBuilder &b, gpu::GPUFuncOp kernel, LaneProductOp op,
                     Value thread)
      : b(b), kernel(kernel), op(op), code(b, op, /*isDevice=*/true),
        threads(kernel.getKnownBlockSize()->front()), rows(op.getRows()),
        units(op.getUnits()), shape(units, threads), thread(thread) {
    int64_t words = code.layout.getUnitWords() * shape.slots;
    int64_t free = kWordsAhead - (shape.slots * rows - 1) * 9;
    ahead = std::clamp<int64_t>(free / words, 1, kMostAhead);
    round = std::max<int64_t>(1, kWaitingSums /
                                     (shape.warps * rows * QuantLanes::kRows));
  }

  void emit() {
    lane = arith::RemUIOp::create(b, thread, b.index(kWarpSize));
    Value warp = arith::DivUIOp::create(b, thread, b.index(kWarpSize));
    slice = arith::RemUIOp::create(b, warp, b.index(shape.warps));
    team = arith::DivUIOp::create(b, warp, b.index(shape.warps));
    for (int64_t slot = 0; slot != shape.slots; ++slot)
      placeUnit(slot);
    placeRows();
    groups = memref::DimOp::create(b, op.getCodes(), 0);
    waiting = addSharedMemory(
        kernel, {rows, round * (int64_t)QuantLanes::kRows, shape.warps},
        b.getF32Type(), b.getLoc());
    // Activations are asked for first: what is asked for later comes later.
    Values numbers = code.loadNumbers(b.index(0), unitOf[0]);
    Values loaded = loadAhead(b.index(0), 0, ahead);
    for (int64_t row = 0; row != rows; ++row)
      for (auto [slot, unit] : llvm::enumerate(unitOf)) {
        if (row != 0 || slot != 0)
          numbers = code.loadNumbers(b.index(row), unit);
        x.push_back(code.quantize(numbers, largestOfBlock(numbers)));
        sumsOfX.push_back(code.hasZeros() ? sumOfBlock(x.back()) : Value());
      }
    b.loop(b.index(0), groups, round, loaded,
           [&](Value base, ValueRange carried) {
             return emitRound(base, carried);
           });
  }

private:
  /// The unit of a slot. Lanes without one take the last, and add nothing.
  void placeUnit(int64_t slot) {
    Value first = b.times(b.plus(slice, slot * shape.warps), kWarpSize);
    Value unit = b.plus(first, lane);
    Value inside;
    if ((slot + 1) * shape.warps * kWarpSize > units) {
      inside = b.compare(arith::CmpIPredicate::ult, unit, units);
      unit = arith::MinUIOp::create(b, unit, b.index(units - 1));
    }
    isInside.push_back(inside);
    unitOf.push_back(unit);
  }

  Value shuffle(Value value, int64_t distance) {
    return gpu::ShuffleOp::create(b, value, (int32_t)distance,
                                  (int32_t)kWarpSize, gpu::ShuffleMode::XOR)
        .getShuffleResult();
  }

  Value largestOfBlock(ValueRange numbers) {
    Value largest = code.largestOf(numbers);
    for (int64_t distance = unitsOfBlock() / 2; distance > 0; distance /= 2)
      largest =
          arith::MaximumFOp::create(b, largest, shuffle(largest, distance));
    return largest;
  }

  Value sumOfBlock(const LaneCode::Activations &unit) {
    Value sum = code.sumOf(unit);
    for (int64_t distance = unitsOfBlock() / 2; distance > 0; distance /= 2)
      sum = arith::AddIOp::create(b, sum, shuffle(sum, distance));
    return sum;
  }

  /// All slots of one group; beyond the last group of the round, of that.
  Values load(Value group, Value last) {
    group = arith::MinSIOp::create(b, group, last);
    Values loaded;
    for (Value unit : unitOf) {
      llvm::append_range(loaded, code.loadUnit(group, unit));
      llvm::append_range(loaded, code.loadBlock(group, unit, rowsOfLane));
    }
    return loaded;
  }

  Value endOf(Value base) { return b.smaller(b.plus(base, round), groups); }

  /// The groups from number `from` to `to` that a team has in a round.
  Values loadAhead(Value base, int64_t from, int64_t to) {
    Value first = b.plus(base, team);
    Value last = b.minus(endOf(base), b.index(1));
    Values loaded;
    for (int64_t i = from; i != to; ++i)
      llvm::append_range(loaded, load(b.plus(first, i * shape.teams), last));
    return loaded;
  }

  Values emitRound(Value base, ValueRange carried) {
    Value end = endOf(base), last = b.minus(end, b.index(1));
    Value first = b.plus(base, team);
    // Warps that are left over have nothing to do.
    if (shape.teams * shape.warps * kWarpSize != threads)
      first = arith::SelectOp::create(
          b, b.compare(arith::CmpIPredicate::ult, team, shape.teams), first,
          end);
    unsigned perGroup = carried.size() / ahead;
    b.loop(first, end, shape.teams * ahead, carried,
           [&](Value group, ValueRange loaded) {
             Values next;
             for (int64_t i = 0; i != ahead; ++i) {
               Value g = b.plus(group, i * shape.teams);
               SmallVector<Values> sums =
                   multiply(loaded.slice(i * perGroup, perGroup));
               llvm::append_range(next,
                                  load(b.plus(g, ahead * shape.teams), last));
               putAside(sums, base, g, i == 0 ? Value() : end);
             }
             return next;
           });
    gpu::BarrierOp::create(b);
    addUp(base, end);
    gpu::BarrierOp::create(b);
    Value following = b.plus(base, round);
    Value isMore =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, following, groups);
    auto choice = scf::IfOp::create(b, carried.getTypes(), isMore, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loadAhead(following, 0, ahead));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, carried);
    return Values(choice.getResults());
  }

  int64_t unitsOfBlock() const { return code.layout.getUnitsOfBlock(); }

  Value isUpper(int64_t distance) {
    return b.compare(arith::CmpIPredicate::ne,
                     arith::AndIOp::create(b, lane, b.index(distance)), 0);
  }

  Value add(Value x, Value y) {
    if (isa<FloatType>(x.getType()))
      return arith::AddFOp::create(b, x, y);
    return arith::AddIOp::create(b, x, y);
  }

  /// Adds up what lanes at distances from `from` down to `to` have of several
  /// values. Half of the lanes go on with half of the values, as long as there
  /// are two.
  Values sumOverLanes(Values values, int64_t from, int64_t to) {
    for (int64_t distance = from; distance >= to && distance > 0;
         distance /= 2) {
      if (values.size() == 1) {
        values[0] = add(values[0], shuffle(values[0], distance));
        continue;
      }
      Value upper = isUpper(distance);
      unsigned half = values.size() / 2;
      Values kept;
      for (unsigned i = 0; i != half; ++i) {
        Value mine =
            arith::SelectOp::create(b, upper, values[half + i], values[i]);
        Value other =
            arith::SelectOp::create(b, upper, values[i], values[half + i]);
        kept.push_back(add(mine, shuffle(other, distance)));
      }
      values = kept;
    }
    return values;
  }

  /// Of the four rows of a group a lane ends up with one, and with some of them
  /// already where the lanes of a block have added up their integers.
  void placeRows() {
    for (unsigned row = 0; row != QuantLanes::kRows; ++row)
      rowsOfLane.push_back(b.index(row));
    int64_t bits = 0;
    auto choose = [&](Values &rowsLeft, int64_t from, int64_t to) {
      for (int64_t distance = from;
           distance >= to && distance > 0 && rowsLeft.size() > 1;
           distance /= 2) {
        Value upper = isUpper(distance);
        unsigned half = rowsLeft.size() / 2;
        for (unsigned i = 0; i != half; ++i)
          rowsLeft[i] = arith::SelectOp::create(b, upper, rowsLeft[half + i],
                                                rowsLeft[i]);
        rowsLeft.truncate(half);
        bits |= distance;
      }
    };
    choose(rowsOfLane, unitsOfBlock() / 2, 1);
    Values last = rowsOfLane;
    choose(last, kWarpSize / 2, unitsOfBlock());
    rowOfLane = last.front();
    int64_t others = (kWarpSize - 1) & ~bits;
    isFirst = b.equals(arith::AndIOp::create(b, lane, b.index(others)), 0);
  }

  /// The lane's sums of its rows of a group with each row of x.
  SmallVector<Values> multiply(ValueRange loaded) {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
    unsigned perUnit = loaded.size() / shape.slots;
    unsigned ofBlock = code.getBlockValues(rowsOfLane.size());
    SmallVector<Values> all;
    for (int64_t row = 0; row != rows; ++row) {
      Values sums(rowsOfLane.size(), zero);
      for (int64_t slot = 0; slot != shape.slots; ++slot) {
        ValueRange mine = loaded.slice(slot * perUnit, perUnit);
        int64_t unit = row * shape.slots + slot;
        LaneCode::Sums block = code.multiply(mine.drop_back(ofBlock), x[unit]);
        block.products = sumOverLanes(block.products, unitsOfBlock() / 2, 1);
        block.minimums = sumOverLanes(block.minimums, unitsOfBlock() / 2, 1);
        Values more = code.addBlock(mine.take_back(ofBlock), rowsOfLane, block,
                                    x[unit], sumsOfX[unit], sums);
        for (auto [sum, added] : llvm::zip(sums, more))
          sum = isInside[slot]
                    ? arith::SelectOp::create(b, isInside[slot], added, sum)
                          .getResult()
                    : added;
      }
      all.push_back(sums);
    }
    return all;
  }

  void putAside(ArrayRef<Values> sums, Value base, Value group, Value end) {
    Values ofRows;
    for (const Values &ofRow : sums)
      ofRows.push_back(
          sumOverLanes(ofRow, kWarpSize / 2, unitsOfBlock()).front());
    Value stores = isFirst;
    if (end)
      stores = arith::AndIOp::create(
          b, stores,
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, group, end));
    auto choice = scf::IfOp::create(b, stores);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value place =
        b.plus(b.times(b.minus(group, base), QuantLanes::kRows), rowOfLane);
    for (auto [row, sum] : llvm::enumerate(ofRows))
      b.store(sum, waiting, {b.index(row), place, slice});
  }

  /// The results of a round, a thread for each.
  void addUp(Value base, Value end) {
    Value first = b.times(base, QuantLanes::kRows);
    auto type = cast<MemRefType>(op.getOut().getType());
    Value n = memref::DimOp::create(b, op.getOut(), type.getRank() - 1);
    Value past = b.smaller(b.times(end, QuantLanes::kRows), n);
    b.loop(thread, b.minus(past, first), threads, [&](Value place) {
      for (int64_t row = 0; row != rows; ++row) {
        Value sum = b.load(waiting, {b.index(row), place, b.index(0)});
        for (int64_t warp = 1; warp != shape.warps; ++warp)
          sum = arith::AddFOp::create(
              b, sum, b.load(waiting, {b.index(row), place, b.index(warp)}));
        Values where{b.plus(first, place)};
        if (type.getRank() == 2)
          where.insert(where.begin(), b.index(row));
        b.store(sum, op.getOut(), where);
      }
    });
  }

  LoopBuilder &b;
  gpu::GPUFuncOp kernel;
  LaneProductOp op;
  LaneCode code;
  int64_t threads, rows, units;
  LaneTeams shape;
  int64_t ahead; // groups whose weights are on their way
  int64_t round; // groups whose sums wait at once
  Value thread, lane, slice, team, groups, waiting;
  Values unitOf, isInside; // of each slot
  Values rowsOfLane;       // of a group, that a lane has integer sums of
  Value rowOfLane;         // that it has the sum over the warp of
  Value isFirst;           // of the lanes that have the same sum
  SmallVector<LaneCode::Activations> x;
  Values sumsOfX; // of the blocks of x, if there are zero points
};

} // namespace

void aikernel::emitLaneProduct(LoopBuilder &b, gpu::GPUFuncOp kernel,
                               LaneProductOp op, Value thread) {
  LaneProductEmitter(b, kernel, op, thread).emit();
}

void aikernel::emitLaneTwin(LoopBuilder &b, LaneProductOp op) {
  using Values = LoopBuilder::Values;
  LaneCode code(b, op, /*isDevice=*/false);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  Value none = arith::ConstantIntOp::create(b, 0, 32);
  constexpr unsigned four = QuantLanes::kRows;
  int64_t inBlock = code.layout.getUnitsOfBlock();
  bool hasMinimums = code.layout.format.subMinimums.has_value();
  auto type = cast<MemRefType>(op.getOut().getType());
  Value n = memref::DimOp::create(b, op.getOut(), type.getRank() - 1);
  Values rows;
  for (unsigned i = 0; i != four; ++i)
    rows.push_back(b.index(i));
  auto largestOf = [&](Value row, Value first) {
    return b.loop(first, b.plus(first, inBlock), 1, zero,
                  [&](Value unit, ValueRange before) {
                    Values numbers = code.loadNumbers(row, unit);
                    numbers.push_back(before[0]);
                    return Values{code.largestOf(numbers)};
                  })[0];
  };
  auto addBlocks = [&](Value row, Value group) {
    return b.loop(
        b.index(0), b.index(op.getUnits()), inBlock, Values(four, zero),
        [&](Value first, ValueRange sums) {
          Value largest = largestOf(row, first);
          auto quantize = [&](Value unit) {
            return code.quantize(code.loadNumbers(row, unit), largest);
          };
          // The sum of x, of products, and of minimums.
          Values sumsOfBlock =
              b.loop(first, b.plus(first, inBlock), 1,
                     Values(hasMinimums ? 2 * four + 1 : four + 1, none),
                     [&](Value unit, ValueRange before) {
                       LaneCode::Activations x = quantize(unit);
                       LaneCode::Sums more =
                           code.multiply(code.loadUnit(group, unit), x);
                       Values next{code.sumOf(x)};
                       llvm::append_range(next, more.products);
                       llvm::append_range(next, more.minimums);
                       for (auto [sum, added] : llvm::zip(next, before))
                         sum = arith::AddIOp::create(b, added, sum);
                       return next;
                     });
          LaneCode::Sums block;
          ValueRange parts = ValueRange(sumsOfBlock).drop_front();
          llvm::append_range(block.products, parts.take_front(four));
          llvm::append_range(block.minimums, parts.drop_front(four));
          return code.addBlock(code.loadBlock(group, first, rows), rows, block,
                               quantize(first), sumsOfBlock[0], sums);
        });
  };
  b.loop(b.index(op.getRows()), 1, [&](Value row) {
    b.loop(memref::DimOp::create(b, op.getCodes(), 0), 1, [&](Value group) {
      Values sums = addBlocks(row, group);
      for (auto [i, sum] : llvm::enumerate(sums)) {
        Value at = b.plus(b.times(group, four), i);
        auto inside = scf::IfOp::create(
            b, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, n));
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(inside.thenBlock());
        Values where{at};
        if (type.getRank() == 2)
          where.insert(where.begin(), row);
        b.store(sum, op.getOut(), where);
      }
    });
  });
}
