//===- ReadRowsAhead.cpp - A row is read while another is written ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the loop over a range of a parallel loop's iterations, each of which
// begins with a loop that only reads (a sum, a maximum) and ends with one that
// writes. Out: the row to come is read beside the row that is written, so that
// memory is asked for both all the time, as by a copy:
//
//   for %i { %s = for %j { read %x[%i, %j] } ; A(%s) ; for %j { write } }
//   ==>  %first = for %j { read %x[%begin, %j] }
//        for %i iter_args(%s = %first) {
//          A(%s)
//          if %i + 1 < %end { for %j { read %x[%i + 1, %j] ; write } }
//          else             { for %j { write } } }
//
// Iterations of a parallel loop may run at once, so that none writes what
// another reads; only buffers on the stack are the thread's and not theirs.
//
//===----------------------------------------------------------------------===//

#include "ReadRowsAhead.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/BufferRoot.h"
#include "LargeResults.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Rounds of a loop below which it is not worth it.
constexpr int64_t kFewestRounds = 4;
/// How far ahead a row is asked for. On x86-64 the loop that writes has asked
/// for rows further ahead, which does better there.
constexpr int64_t kBytesAhead = 768;

bool isOnStack(Value buffer) {
  return isa_and_nonnull<memref::AllocaOp>(rootOf(buffer).getDefiningOp());
}

/// A loop from 0 over the whole rounds that `length` has.
struct WholeRounds {
  scf::ForOp loop;
  OpFoldResult length;
  int64_t step;

  static std::optional<WholeRounds> of(scf::ForOp loop) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (getConstantIntValue(loop.getLowerBound()) != 0 || !step || *step <= 0)
      return std::nullopt;
    Value end = loop.getUpperBound();
    if (std::optional<int64_t> known = getConstantIntValue(end)) {
      if (*known % *step != 0)
        return std::nullopt;
      Builder builder(loop.getContext());
      return WholeRounds{loop, builder.getIndexAttr(*known), *step};
    }
    auto whole = end.getDefiningOp<arith::SubIOp>();
    auto rest = whole ? whole.getRhs().getDefiningOp<arith::RemUIOp>()
                      : arith::RemUIOp();
    if (!rest || rest.getLhs() != whole.getLhs() ||
        getConstantIntValue(rest.getRhs()) != *step)
      return std::nullopt;
    return WholeRounds{loop, whole.getLhs(), *step};
  }

  /// Has it all rounds of `coarser`, each in several of its own, and maybe
  /// some more?
  bool covers(const WholeRounds &coarser) const {
    if (coarser.step % step != 0)
      return false;
    std::optional<int64_t> mine = getConstantIntValue(length),
                           others = getConstantIntValue(coarser.length);
    return mine && others ? *others <= *mine : length == coarser.length;
  }
  bool hasMoreThan(const WholeRounds &coarser) const {
    return length != coarser.length ||
           (!getConstantIntValue(length) && step != coarser.step);
  }
};

class RowsAhead {
public:
  explicit RowsAhead(scf::ForOp rows)
      : rows(rows), builder(rows.getContext()), loc(rows.getLoc()) {
    TargetAttr target = getTarget(rows);
    asksShortlyAhead = target && target.getArch() == "aarch64";
  }

  void run() {
    if (!findReading() || !findWriting())
      return;
    carryReading();
    for (WholeRounds &loop : writing)
      readBeside(loop);
    yieldWhatWasRead();
    reading.loop.erase();
  }

private:
  //===--------------------------------------------------------------------===//
  // What there is
  //===--------------------------------------------------------------------===//

  /// The first loop, if all it does is to read what was there before.
  bool findReading() {
    for (Operation &op : *rows.getBody()) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        std::optional<WholeRounds> rounds = WholeRounds::of(loop);
        if (!rounds || loop.getNumResults() == 0 || !onlyReads(loop))
          return false;
        std::optional<int64_t> length = getConstantIntValue(rounds->length);
        if (length && *length / rounds->step < kFewestRounds)
          return false;
        reading = *rounds;
        return findNeeds();
      }
      if (op.getNumRegions() != 0 || !writesOnlyStack(&op))
        return false;
    }
    return false;
  }

  static bool writesOnlyStack(Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return isOnStack(store.getMemRef());
    return isa<memref::LoadOp>(op) || isMemoryEffectFree(op);
  }

  /// (Numbers of 16 bits take so long to widen that memory keeps up.)
  static bool onlyReads(scf::ForOp loop) {
    return llvm::all_of(
        loop.getBody()->without_terminator(), [](Operation &op) {
          if (auto load = dyn_cast<vector::LoadOp>(op))
            return !isOnStack(load.getBase()) &&
                   load.getMemRefType().getElementTypeBitWidth() >= 32;
          return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
        });
  }

  /// What the reading loop takes from its iteration: the place of its row.
  bool findNeeds() {
    SetVector<Value> used(reading.loop->operand_begin(),
                          reading.loop->operand_end());
    getUsedValuesDefinedAbove(reading.loop.getRegion(), used);
    BackwardSliceOptions here;
    here.filter = [&](Operation *op) {
      return op->getBlock() == rows.getBody();
    };
    here.inclusive = true;
    for (Value value : used)
      if (failed(getBackwardSlice(value, &needs, here)))
        return false;
    return llvm::all_of(needs, [](Operation *op) {
      return op->getNumRegions() == 0 && isMemoryEffectFree(op);
    });
  }

  /// The last loop that writes whole rounds. Where results are written past
  /// the caches if they lie so that they can be, it is in both arms of that
  /// choice.
  bool findWriting() {
    for (Operation &op : llvm::reverse(rows.getBody()->without_terminator())) {
      if (&op == reading.loop)
        return false;
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (addWriting(loop))
          return true;
        continue;
      }
      auto choice = dyn_cast<scf::IfOp>(op);
      if (!choice || choice.getNumResults() != 0 || !choice.elseBlock())
        continue;
      for (Block *arm : {choice.thenBlock(), choice.elseBlock()})
        for (auto loop : arm->getOps<scf::ForOp>())
          if (addWriting(loop))
            break;
      return writing.size() == 2;
    }
    return false;
  }

  bool addWriting(scf::ForOp loop) {
    std::optional<WholeRounds> rounds = WholeRounds::of(loop);
    if (!rounds || loop.getNumResults() != 0 || !rounds->covers(reading) ||
        loop.getBody()->getOps<vector::StoreOp>().empty())
      return false;
    writing.push_back(*rounds);
    return true;
  }

  //===--------------------------------------------------------------------===//
  // What becomes of it
  //===--------------------------------------------------------------------===//

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value x, int64_t y) {
    return arith::AddIOp::create(builder, loc, x, index(y));
  }
  Value isBeforeEnd(Value row) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, row,
                                 rows.getUpperBound());
  }

  IRMapping cloneNeedsOf(Value row) {
    IRMapping values;
    values.map(rows.getInductionVar(), row);
    for (Operation *op : needs)
      builder.clone(*op, values);
    return values;
  }

  /// The first row is read ahead of all; each iteration gets what was read of
  /// its row, and will give what it has read of the next.
  void carryReading() {
    builder.setInsertionPoint(rows);
    Value isAny = isBeforeEnd(rows.getLowerBound());
    IRMapping values = cloneNeedsOf(rows.getLowerBound());
    auto first =
        cast<scf::ForOp>(builder.clone(*reading.loop.getOperation(), values));
    builder.setInsertionPoint(first);
    first.setUpperBound(arith::SelectOp::create(
        builder, loc, isAny, first.getUpperBound(), first.getLowerBound()));

    builder.setInsertionPoint(rows);
    auto carrying = scf::ForOp::create(builder, loc, rows.getLowerBound(),
                                       rows.getUpperBound(), rows.getStep(),
                                       first.getResults());
    carrying.getRegion().takeBody(rows.getRegion());
    for (Value read : reading.loop.getResults())
      read.replaceAllUsesWith(
          carrying.getBody()->addArgument(read.getType(), loc));
    rows.erase();
    rows = carrying;
  }

  /// Reads the next row in the rounds of a loop that writes, unless this row
  /// is the last.
  void readBeside(WholeRounds &written) {
    builder.setInsertionPoint(written.loop);
    Value next = arith::AddIOp::create(builder, loc, rows.getInductionVar(),
                                       rows.getStep());
    auto choice = scf::IfOp::create(builder, loc, reading.loop.getResultTypes(),
                                    isBeforeEnd(next), /*withElseRegion=*/true);
    Block *last = choice.elseBlock();
    builder.setInsertionPointToEnd(last);
    scf::YieldOp::create(builder, loc, reading.loop.getInitArgs());

    builder.setInsertionPointToStart(choice.thenBlock());
    IRMapping values = cloneNeedsOf(next);
    auto ofNext = [&](Value value) { return values.lookupOrDefault(value); };
    Value end = ofNext(reading.loop.getUpperBound());
    auto both = scf::ForOp::create(
        builder, loc, index(0), end, index(reading.step),
        llvm::map_to_vector(reading.loop.getInitArgs(), ofNext));
    if (written.hasMoreThan(reading))
      cast<scf::ForOp>(builder.clone(*written.loop.getOperation()))
          .setLowerBound(end);
    scf::YieldOp::create(builder, loc, both.getResults());
    written.loop->moveBefore(last, last->begin());

    builder.setInsertionPointToStart(both.getBody());
    for (int64_t part = 0; part < reading.step; part += written.step)
      cloneWriting(written, add(both.getInductionVar(), part));
    values.map(reading.loop.getInductionVar(), both.getInductionVar());
    values.map(reading.loop.getRegionIterArgs(), both.getRegionIterArgs());
    for (Operation &op : reading.loop.getBody()->without_terminator()) {
      builder.clone(op, values);
      if (auto load = dyn_cast<vector::LoadOp>(op); load && asksShortlyAhead)
        askAhead(load, values);
    }
    Operation *yield = reading.loop.getBody()->getTerminator();
    scf::YieldOp::create(builder, loc,
                         llvm::map_to_vector(yield->getOperands(), ofNext));
    read.push_back(choice);
  }

  void cloneWriting(WholeRounds &written, Value column) {
    IRMapping values;
    values.map(written.loop.getInductionVar(), column);
    for (Operation &op : written.loop.getBody()->without_terminator())
      if (!asksShortlyAhead || !isa<memref::PrefetchOp>(op))
        builder.clone(op, values);
  }

  /// May go beyond the row: then it is for the one after it, or for nothing.
  void askAhead(vector::LoadOp load, IRMapping &values) {
    auto ofNext = [&](Value value) { return values.lookupOrDefault(value); };
    int64_t bytes =
        llvm::divideCeil(load.getMemRefType().getElementTypeBitWidth(), 8);
    for (int64_t at = 0; at < reading.step * bytes; at += kLineBytes) {
      SmallVector<Value> line = llvm::map_to_vector(load.getIndices(), ofNext);
      line.back() = add(line.back(), (at + kBytesAhead) / bytes);
      memref::PrefetchOp::create(builder, loc, ofNext(load.getBase()), line,
                                 /*isWrite=*/false, /*localityHint=*/3,
                                 /*isDataCache=*/true);
    }
  }

  /// Gives it to the next iteration, from both arms of a choice if need be.
  void yieldWhatWasRead() {
    scf::IfOp last = read.front();
    if (read.size() == 2) {
      auto arms = cast<scf::IfOp>(last->getParentOp());
      builder.setInsertionPoint(arms);
      auto giving = scf::IfOp::create(builder, loc, last.getResultTypes(),
                                      arms.getCondition());
      giving.getThenRegion().takeBody(arms.getThenRegion());
      giving.getElseRegion().takeBody(arms.getElseRegion());
      for (scf::IfOp arm : read)
        arm->getBlock()->getTerminator()->setOperands(arm.getResults());
      arms.erase();
      last = giving;
    }
    rows.getBody()->getTerminator()->setOperands(last.getResults());
  }

  scf::ForOp rows;
  OpBuilder builder;
  Location loc;
  bool asksShortlyAhead;
  WholeRounds reading;
  SetVector<Operation *> needs;
  SmallVector<WholeRounds> writing;
  SmallVector<scf::IfOp> read; // by each of them
};

} // namespace

void aikernel::readRowsAhead(scf::ForOp rows) { RowsAhead(rows).run(); }
