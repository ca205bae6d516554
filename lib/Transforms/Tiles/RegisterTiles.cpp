//===- RegisterTiles.cpp - Code of one register tile ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a row of the instruction table and two panels, of which the right one may
// have to be filled. Out: one loop whose iteration arguments are the sums, each
// a native vector: a two-dimensional vector would be spilled
// (docs/Rationale.md). Where NEON has matrix instructions QuadRounds.h has that
// loop.
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"
#include "QuadRounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace aikernel;

/// Sums that must be under way to keep the multipliers busy: their latency
/// times how many start per cycle, on the machines of today. (What comes from
/// memory in streams does not keep them busy.)
static constexpr unsigned kSumsUnderWay = 12;

/// Multiplications of one round of the whole tile's loop: with fewer, fetching
/// instructions across its end costs several percent. Half as many where loads
/// lie among them: LLVM spreads the loads of longer rounds less evenly.
static constexpr unsigned kMultipliesOfRound = 96;

/// How far ahead of its use the left panel, which streams from L2, is fetched.
static constexpr unsigned kPrefetchSteps = 32;
static constexpr unsigned kLineBytes = 64;

/// The same of the right panel of wide vectors, where L1 is small.
static constexpr unsigned kRightBytesAhead = 768;

/// Rows of a matrix ahead that is read where it is: about as long as L3 takes
/// to answer.
static constexpr unsigned kUnpackedRowsAhead = 16;

/// Rounds between the last request for a row of the result and its use: about
/// as long as L3 takes to answer.
static constexpr unsigned kRoundsToAnswer = 24;

/// Vector registers where a lane can be an operand.
static constexpr unsigned kRegisters = 32;

RegisterTileEmitter::RegisterTileEmitter(LoopBuilder &builder,
                                         const MatrixInstruction &instruction)
    : b(builder), op(instruction) {
  MLIRContext *context = builder.getContext();
  element = elementType(op.operand, context);
  Type sum = elementType(op.accumulator, context);
  sumType = VectorType::get({(int64_t)op.lanes()}, sum);
  rowType = sumType;
  asksForColumns =
      op.isOfAVX512() && mayHaveSmallL1(b.getInsertionBlock()->getParentOp());
}

unsigned RegisterTileEmitter::vectorsOfRow() const {
  return op.columns() / op.lanes();
}

SmallVector<unsigned> RegisterTileEmitter::rowCounts() const {
  SmallVector<unsigned> counts;
  unsigned first = op.accumulators == Accumulators::Quads ? 2 : 1;
  for (unsigned rows = first; rows < op.rows; rows *= 4)
    counts.push_back(rows);
  counts.push_back(op.rows);
  return counts;
}

unsigned RegisterTileEmitter::vectorsFor(unsigned rows) const {
  return (op.accumulators == Accumulators::Quads ? rows / 2 : rows) *
         op.vectors;
}

unsigned RegisterTileEmitter::leftBytesOfStep() const {
  Type left = elementType(op.leftOperand(), b.getContext());
  return op.rows * op.depth * left.getIntOrFloatBitWidth() / 8;
}

unsigned RegisterTileEmitter::rightBytesOfStep() const {
  return op.columns() * op.rightDepth() * element.getIntOrFloatBitWidth() / 8;
}

unsigned RegisterTileEmitter::elementsOfLine() const {
  return kLineBytes * 8 / element.getIntOrFloatBitWidth();
}

unsigned RegisterTileEmitter::columnLinesOfRound() const {
  return llvm::divideCeil(stepsOfRound() * rightBytesOfStep(), kLineBytes);
}

unsigned RegisterTileEmitter::stepsOfRound() const {
  unsigned most = kMultipliesOfRound / (canLoadAhead() ? 2 : 1);
  return std::min(llvm::bit_floor(most / vectorsFor(op.rows)), op.mostSteps);
}

Value RegisterTileEmitter::load(Value panel, Value k, unsigned offset,
                                unsigned count) {
  Value column = b.index(offset);
  return vector::LoadOp::create(b, VectorType::get({(int64_t)count}, element),
                                panel, ValueRange{k, column});
}

/// Neighbours of the right operand, from its panel or on their way there.
Value RegisterTileEmitter::loadColumns(Value panel, Value k, unsigned offset,
                                       unsigned count) {
  if (!unpacked)
    return load(panel, k, offset, count);
  SmallVector<Value> at{k, b.index(offset)};
  auto from = VectorType::get({(int64_t)count}, getElementTypeOrSelf(unpacked));
  Value loaded =
      b.extended(vector::LoadOp::create(b, from, unpacked, at), element);
  vector::StoreOp::create(b, loaded, panel, at);
  return loaded;
}

/// What a step takes of some rows, as many as there are lanes at most, each as
/// one element.
Value RegisterTileEmitter::loadRows(Value left, Value k, unsigned row,
                                    unsigned rows) {
  Value loaded = load(left, k, row * op.depth, rows * op.depth);
  if (op.depth == 1)
    return loaded;
  Type packed = b.getIntegerType(element.getIntOrFloatBitWidth() * op.depth);
  return vector::BitCastOp::create(b, VectorType::get({(int64_t)rows}, packed),
                                   loaded);
}

/// The elements of one row, in every lane of a vector. `group` carries what
/// was loaded for several rows at once.
Value RegisterTileEmitter::leftOfRow(Value left, Value k, unsigned row,
                                     unsigned rows, Value &group) {
  unsigned lanes = op.lanes();
  if (op.left == LeftOperand::Lane) {
    if (row % lanes == 0)
      group = loadRows(left, k, row, std::min(lanes, rows - row));
    return laneInAll(group, row % lanes);
  }
  // A scalar from the start: as a vector of one element it went elsewhere
  // first.
  if (op.depth == 1)
    return inAll(memref::LoadOp::create(b, left, ValueRange{k, b.index(row)}));
  return laneInAll(loadRows(left, k, row, 1), 0);
}

Value RegisterTileEmitter::laneInAll(Value group, unsigned lane) {
  return inAll(vector::ExtractOp::create(b, group, lane));
}

Value RegisterTileEmitter::inAll(Value scalar) {
  int64_t lanes = op.lanes();
  Value splat = vector::BroadcastOp::create(
      b, VectorType::get({lanes}, scalar.getType()), scalar);
  if (op.depth == 1)
    return splat;
  return vector::BitCastOp::create(
      b, VectorType::get({lanes * op.depth}, element), splat);
}

/// Two rows of the left operand, once for each square of a vector of sums.
Value RegisterTileEmitter::inEveryQuad(Value pair) {
  unsigned quads = op.lanes() / 4;
  if (quads == 1)
    return pair;
  // As integers: LLVM takes such shuffles of bf16 through the stack.
  Value halves =
      vector::BitCastOp::create(b, VectorType::get({2}, b.getI64Type()), pair);
  SmallVector<int64_t> lanes;
  for (unsigned quad = 0; quad < quads; ++quad)
    llvm::append_range(lanes, ArrayRef<int64_t>{0, 1});
  int64_t count = cast<VectorType>(pair.getType()).getNumElements();
  return vector::BitCastOp::create(
      b, VectorType::get({count * quads}, element),
      vector::ShuffleOp::create(b, halves, halves, lanes));
}

RegisterTileEmitter::Sums RegisterTileEmitter::step(Value left, Value right,
                                                    Value k, unsigned rows,
                                                    ValueRange sums) {
  Sums next(sums.begin(), sums.end());
  if (op.accumulators == Accumulators::Quads) {
    unsigned pairs = rows / 2, width = 2 * op.depth,
             columnWidth = width * op.lanes() / 4;
    SmallVector<Value> lefts;
    for (unsigned pair = 0; pair < pairs; ++pair)
      lefts.push_back(inEveryQuad(load(left, k, pair * width, width)));
    for (unsigned v = 0; v < op.vectors; ++v) {
      Value column = load(right, k, v * columnWidth, columnWidth);
      for (unsigned pair = 0; pair < pairs; ++pair) {
        Value &sum = next[pair * op.vectors + v];
        sum = op.multiplyAdd(b, b.getLoc(), sum, lefts[pair], column);
      }
    }
    return next;
  }
  unsigned width = op.lanes() * op.depth;
  unsigned atOnce = op.multiplyAddUpper ? 2 : 1;
  SmallVector<Value> columns;
  for (unsigned v = 0; v < op.vectors; v += atOnce)
    columns.append(atOnce, loadColumns(right, k, v * width, atOnce * width));
  Value group;
  for (unsigned row = 0; row < rows; ++row) {
    Value factor = leftOfRow(left, k, row, rows, group);
    for (unsigned v = 0; v < op.vectors; ++v) {
      Value &sum = next[row * op.vectors + v];
      bool isUpper = atOnce == 2 && v % 2 == 1;
      auto add = isUpper ? op.multiplyAddUpper : op.multiplyAdd;
      sum = add(b, b.getLoc(), sum, factor, columns[v]);
    }
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Operands that are loaded a step ahead
//===----------------------------------------------------------------------===//

unsigned RegisterTileEmitter::leftVectors() const {
  return (op.rows + op.lanes() - 1) / op.lanes();
}

/// Are operands whole registers, and enough of these for the left operand of
/// two steps?
bool RegisterTileEmitter::canLoadAhead() const {
  unsigned bits = op.lanes() * op.depth * element.getIntOrFloatBitWidth();
  return op.left == LeftOperand::Lane && !op.multiplyAddUpper &&
         bits == op.vectorBits &&
         vectorsFor(op.rows) + 2 * leftVectors() + op.vectors <= kRegisters;
}

/// One step of the whole tile, column by column. `carried` are the sums, the
/// left operand and the right one but for its last vector, and so is what is
/// returned: of the next step, if there is one. A load comes every few
/// multiplications: many of these in a row, and loads side by side, cost a
/// cycle each time.
RegisterTileEmitter::Sums RegisterTileEmitter::stepAhead(Value left,
                                                         Value right, Value k,
                                                         ValueRange carried,
                                                         bool isLast) {
  unsigned lanes = op.lanes(), width = lanes * op.depth;
  unsigned lefts = leftVectors(), vectors = op.vectors, rows = op.rows;
  Sums sums(carried.take_front(rows * vectors));
  Sums nowLeft(carried.slice(rows * vectors, lefts));
  Sums nowRight(carried.take_back(vectors - 1));
  Sums nextLeft, nextRight;
  Value next = b.plus(k, 1);
  auto loadOne = [&](unsigned number) {
    if (number == 0) {
      nowRight.push_back(load(right, k, (vectors - 1) * width, width));
    } else if (nextLeft.size() < lefts &&
               (number % 2 == 1 || nextRight.size() + 1 == vectors)) {
      unsigned row = nextLeft.size() * lanes;
      nextLeft.push_back(
          loadRows(left, next, row, std::min(lanes, rows - row)));
    } else {
      nextRight.push_back(load(right, next, nextRight.size() * width, width));
    }
  };
  unsigned loads = isLast ? 1 : lefts + vectors, loaded = 0;
  for (unsigned v = 0, done = 0; v < vectors; ++v)
    for (unsigned row = 0; row < rows; ++row, ++done) {
      while (loaded * rows * vectors <= done * loads && loaded < loads)
        loadOne(loaded++);
      Value &sum = sums[row * vectors + v];
      sum = op.multiplyAdd(b, b.getLoc(), sum,
                           laneInAll(nowLeft[row / lanes], row % lanes),
                           nowRight[v]);
    }
  sums.append(nextLeft);
  sums.append(nextRight);
  return sums;
}

/// Whole rounds and the step after them, if there are as many, and how many
/// steps these are. Where the operands of that step were loaded anew, LLVM
/// would make one load of the first one and of those in the loop, at its top.
RegisterTileEmitter::Sums
RegisterTileEmitter::multiplyAhead(Value left, Value right, Value steps,
                                   ValueRange sums, Value &done) {
  unsigned round = stepsOfRound();
  Value one = b.index(1);
  Value end = b.roundDown(b.minus(b.larger(steps, one), one), round);
  SmallVector<Type> types(sums.getTypes());
  types.push_back(b.getIndexType());
  auto choice =
      scf::IfOp::create(b, types, b.compare(arith::CmpIPredicate::sgt, end, 0),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  Sums none(sums);
  none.push_back(b.index(0));
  scf::YieldOp::create(b, none);
  b.setInsertionPointToStart(choice.thenBlock());
  unsigned lanes = op.lanes(), width = lanes * op.depth;
  Value zero = b.index(0);
  Sums first(sums);
  for (unsigned row = 0; row < op.rows; row += lanes)
    first.push_back(loadRows(left, zero, row, std::min(lanes, op.rows - row)));
  for (unsigned v = 0; v + 1 < op.vectors; ++v)
    first.push_back(load(right, zero, v * width, width));
  Sums all = b.loop(zero, end, round, first, [&](Value k, ValueRange carried) {
    Sums next(carried);
    for (unsigned i = 0; i < round; ++i) {
      prefetch(left, b.plus(k, i), i);
      next = stepAhead(left, right, b.plus(k, i), next, /*isLast=*/false);
    }
    return next;
  });
  all = stepAhead(left, right, end, all, /*isLast=*/true);
  all.push_back(b.plus(end, one));
  scf::YieldOp::create(b, all);
  done = choice.getResults().back();
  return Sums(choice.getResults().drop_back());
}

/// Is it a matrix of rows that lie apart, and no panel of steps?
static bool liesInRows(Value panel) {
  return cast<MemRefType>(panel.getType()).getStridesAndOffset().first[0] == 1;
}

/// Each line once. Past the end of a panel lies the next one. Rows in place,
/// which are long, the machine follows by itself.
void RegisterTileEmitter::prefetch(Value panel, Value k, unsigned stepOfRound) {
  if (liesInRows(panel) ||
      stepOfRound % std::max(1u, kLineBytes / leftBytesOfStep()) != 0)
    return;
  Value ahead = b.plus(k, kPrefetchSteps);
  memref::PrefetchOp::create(b, panel, ValueRange{ahead, b.index(0)},
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

/// What is read of the right operand so many bytes after step `k`. Past the end
/// of a panel lies the next one.
void RegisterTileEmitter::prefetchColumns(Value panel, Value k,
                                          int64_t bytesAhead,
                                          unsigned locality) {
  int64_t elementsOfStep = cast<MemRefType>(panel.getType()).getDimSize(1);
  int64_t bytesOfStep = elementsOfStep * element.getIntOrFloatBitWidth() / 8;
  Value ahead = b.plus(k, bytesAhead / bytesOfStep);
  for (int64_t first = 0; first < elementsOfStep; first += elementsOfLine())
    memref::PrefetchOp::create(b, panel, ValueRange{ahead, b.index(first)},
                               /*isWrite=*/false, locality,
                               /*isDataCache=*/true);
}

/// Rows that lie far apart the machine does not follow. Into L2: where they are
/// a power of two apart, so many of them do not stay in L1.
void RegisterTileEmitter::prefetchUnpacked(Value k) {
  unsigned bits = getElementTypeOrSelf(unpacked).getIntOrFloatBitWidth();
  Value ahead = b.plus(k, kUnpackedRowsAhead);
  for (unsigned column = 0; column < op.columns();
       column += kLineBytes * 8 / bits)
    memref::PrefetchOp::create(b, unpacked, ValueRange{ahead, b.index(column)},
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
}

void RegisterTileEmitter::writeStarts(Value right, Value steps, Value starts) {
  int64_t width = op.lanes() * op.depth;
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
  auto bytes = VectorType::get({width}, element);
  Value tooMuch = arith::ConstantOp::create(
      b, DenseElementsAttr::get(bytes, APInt::getSignMask(8)));
  auto addStep = [&](Value k, ValueRange carried) {
    Sums next;
    for (unsigned v = 0; v < op.vectors; ++v)
      next.push_back(op.multiplyAdd(b, b.getLoc(), carried[v], tooMuch,
                                    load(right, k, v * width, width)));
    return next;
  };
  // One sum of each vector would wait for itself in each step.
  unsigned copies = std::max(1u, kSumsUnderWay / op.vectors);
  Value done = b.roundDown(steps, copies);
  Sums none(op.vectors * copies, zeros);
  Sums all =
      b.loop(b.index(0), done, copies, none, [&](Value k, ValueRange carried) {
        Sums next;
        for (unsigned i = 0; i < copies; ++i)
          next.append(
              addStep(b.plus(k, i), carried.slice(i * op.vectors, op.vectors)));
        return next;
      });
  Sums sums = b.loop(done, steps, 1, inOne(all, op.vectors), addStep);
  for (auto [v, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(b, arith::SubIOp::create(b, zeros, sum), starts,
                            ValueRange{b.index(v * op.lanes())});
}

/// `count` sums of which there are several of each, one after the other.
RegisterTileEmitter::Sums RegisterTileEmitter::inOne(ValueRange several,
                                                     unsigned count) {
  Sums totals(several.take_front(count));
  for (unsigned i = count; i < several.size(); ++i) {
    Value &total = totals[i % count];
    total = isa<FloatType>(sumType.getElementType())
                ? Value(arith::AddFOp::create(b, total, several[i]))
                : b.plus(total, several[i]);
  }
  return totals;
}

/// Whole rounds of the whole tile, up to step `end`. Rounds that ask for the
/// result, one vector each, have a loop of their own between those before and
/// after them: where a core is shared, every instruction counts.
RegisterTileEmitter::Sums
RegisterTileEmitter::multiplyRounds(Value left, Value right, Value end,
                                    ValueRange sums, const Requests *requests) {
  int64_t round = stepsOfRound();
  auto roundsIn = [&](Value steps) {
    return arith::DivUIOp::create(b, steps, b.index(round));
  };
  auto emitRound = [&](Value k, ValueRange carried) {
    Sums next(carried);
    if (requests && requests->inRound)
      requests->inRound(roundsIn(k), roundsIn(end));
    for (unsigned i = 0; i < round; ++i) {
      Value at = b.plus(k, i);
      prefetch(left, at, i);
      if (asksForColumns)
        prefetchColumns(right, at, kRightBytesAhead, /*locality=*/3);
      next = step(left, right, at, op.rows, next);
    }
    return next;
  };
  Value zero = b.index(0);
  if (!requests || !requests->ofRow)
    return b.loop(zero, end, round, sums, emitRound);
  int64_t asking = op.rows * vectorsOfRow() * round;
  int64_t waiting = kRoundsToAnswer * round;
  Value from = b.larger(b.minus(end, b.index(asking + waiting)), zero);
  Value to = b.smaller(b.plus(from, asking), end);
  Sums next = b.loop(zero, from, round, sums, emitRound);
  next = b.loop(from, to, round, next, [&](Value k, ValueRange carried) {
    Value number = roundsIn(b.minus(k, from));
    requests->ofRow(arith::RemUIOp::create(b, number, b.index(op.rows)),
                    arith::DivUIOp::create(b, number, b.index(op.rows)));
    return emitRound(k, carried);
  });
  return b.loop(to, end, round, next, emitRound);
}

/// Several steps at once, with sums of their own if it takes these to keep the
/// multipliers busy: one of each stream, or steps behind each other where there
/// is one stream. `done` tells how many steps there are.
RegisterTileEmitter::Sums
RegisterTileEmitter::multiplySeveralSteps(Value left, Value right, Value steps,
                                          unsigned rows, ValueRange sums,
                                          bool isStreamed, Value &done) {
  unsigned streams = isStreamed ? op.weightStreams().count : 1;
  unsigned count = sums.size();
  unsigned copies = std::max(1u, kSumsUnderWay / count);
  unsigned stepsOfStream = streams > 1 ? 1 : copies;
  unsigned stepsAtOnce = streams * stepsOfStream;
  copies = std::min(copies, stepsAtOnce);
  if (stepsAtOnce == 1)
    return Sums(sums);
  done = b.roundDown(steps, stepsAtOnce);
  Value length = arith::DivUIOp::create(b, done, b.index(streams));
  Sums first(sums);
  first.append(count * (copies - 1),
               arith::ConstantOp::create(b, b.getZeroAttr(sumType)));
  auto emitSteps = [&](Value k, ValueRange carried) {
    Sums next(carried);
    for (unsigned i = 0; i < stepsAtOnce; ++i) {
      Value at = b.plus(k, i % stepsOfStream);
      if (streams > 1)
        at = b.plus(at, b.times(length, i));
      if (isStreamed)
        prefetchColumns(right, at, op.weightStreams().bytesAhead,
                        op.weightStreams().locality);
      auto own = MutableArrayRef(next).slice(i % copies * count, count);
      llvm::copy(step(left, right, at, rows, ValueRange(own)), own.begin());
    }
    return next;
  };
  Sums all = b.loop(b.index(0), length, stepsOfStream, first, emitSteps);
  return inOne(all, count);
}

SmallVector<Value> RegisterTileEmitter::multiply(
    Value left, Value right, Value steps, unsigned rows, Value starts,
    const Requests *requests, bool isStreamed, Value source) {
  llvm::SaveAndRestore packs(unpacked, source);
  unsigned count = vectorsFor(rows);
  Value zero = b.index(0);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
  Sums sums(count, zeros);
  for (unsigned i = 0; starts && i < count; ++i)
    sums[i] = vector::LoadOp::create(
        b, sumType, starts, ValueRange{b.index(i % op.vectors * op.lanes())});
  Value done = zero;
  // What is packed is waited for, not the end of a round.
  unsigned round = unpacked ? 1 : stepsOfRound();
  // Those of unsigned operands have just read the panel for their starts.
  isStreamed &= !op.leftIsUnsigned;
  // One stream is asked for by tiles that take several steps of it at once.
  if (op.weightStreams().count == 1)
    isStreamed &= 2 * count <= kSumsUnderWay;
  if (rows < op.rows || isStreamed) {
    sums =
        multiplySeveralSteps(left, right, steps, rows, sums, isStreamed, done);
    round = 1;
  }
  QuadRounds quads(b, op, left, right);
  if (round > 1 && !starts && quads.canMultiply()) {
    assert(!requests && "only loops of wide vectors make them");
    sums = quads.multiply(steps, done);
  } else if (round > 1 && canLoadAhead()) {
    sums = multiplyAhead(left, right, steps, sums, done);
  } else if (round > 1) {
    done = b.roundDown(steps, round);
    sums = multiplyRounds(left, right, done, sums, requests);
  }
  sums = b.loop(done, steps, 1, sums, [&](Value k, ValueRange carried) {
    if (unpacked)
      prefetchUnpacked(k);
    return step(left, right, k, rows, carried);
  });
  return op.accumulators == Accumulators::Quads ? rowsOfQuads(sums, rows)
                                                : sums;
}

/// [a00 a01 a10 a11], [b00 b01 b10 b11]: two rows [a00 a01 b00 b01] and
/// [a10 a11 b10 b11]; wider vectors hold several such squares side by side.
RegisterTileEmitter::Sums RegisterTileEmitter::rowsOfQuads(ValueRange quads,
                                                           unsigned rows) {
  unsigned perRow = op.vectors / 2;
  Sums result(rows * perRow);
  for (unsigned pair = 0; pair < rows / 2; ++pair)
    for (unsigned v = 0; v < perRow; ++v) {
      Value first = quads[pair * op.vectors + 2 * v];
      Value second = quads[pair * op.vectors + 2 * v + 1];
      // The second row first: NEON makes the other in place of `first`.
      for (unsigned row : {1, 0}) {
        SmallVector<int64_t> lanes;
        for (int64_t quad = 0; quad < 2 * int64_t(op.lanes()); quad += 4)
          for (int64_t column : {0, 1})
            lanes.push_back(quad + row * 2 + column);
        result[(2 * pair + row) * perRow + v] =
            vector::ShuffleOp::create(b, first, second, lanes);
      }
    }
  return result;
}
