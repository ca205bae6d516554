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
// another reads. What an iteration keeps for itself is on the stack, where the
// iterations of a thread share it: that is not read ahead.
//
//===----------------------------------------------------------------------===//

#include "ReadRowsAhead.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "Memory/LargeResults.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Rounds of a loop below which it is not worth it.
constexpr int64_t kFewestRounds = 4;
/// Of writing, in one of reading: its body is written out as often.
constexpr int64_t kMostParts = 4;
/// How far ahead a row is asked for. On x86-64 the loop that writes has asked
/// for rows further ahead, which does better there.
constexpr int64_t kBytesAhead = 768;

bool mayBeOnStack(Value buffer) {
  Value root = rootOf(buffer);
  return isChosen(root) || root.getDefiningOp<memref::AllocaOp>();
}

/// A loop from 0 over the whole rounds that the length of all rows has.
struct WholeRounds {
  scf::ForOp loop;
  OpFoldResult length;
  int64_t step;

  static std::optional<WholeRounds> of(scf::ForOp loop, scf::ForOp rows) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!loop.getInductionVar().getType().isIndex() ||
        getConstantIntValue(loop.getLowerBound()) != 0 || !step || *step <= 0)
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
        getConstantIntValue(rest.getRhs()) != *step ||
        !rows.isDefinedOutsideOfLoop(whole.getLhs()))
      return std::nullopt;
    return WholeRounds{loop, whole.getLhs(), *step};
  }

  /// Has it all rounds of `coarser`, each in several of its own, and maybe
  /// some more?
  bool covers(const WholeRounds &coarser) const {
    if (coarser.step % step != 0 || coarser.step / step > kMostParts)
      return false;
    std::optional<int64_t> mine = getConstantIntValue(length),
                           others = getConstantIntValue(coarser.length);
    return mine && others ? *others <= *mine : length == coarser.length;
  }
  /// May there be some more?
  bool hasMoreThan(const WholeRounds &coarser) const {
    return length != coarser.length ||
           (!getConstantIntValue(length) && step != coarser.step);
  }
};

class RowsAhead {
public:
  explicit RowsAhead(scf::ForOp rows)
      : rows(rows), b(rows.getLoc(), rows.getContext()) {
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
        std::optional<WholeRounds> rounds = WholeRounds::of(loop, rows);
        if (!rounds || loop.getNumResults() == 0 || !onlyReads(loop))
          return false;
        std::optional<int64_t> length = getConstantIntValue(rounds->length);
        if (length && *length / rounds->step < kFewestRounds)
          return false;
        reading = *rounds;
        return findPlace();
      }
      if (op.getNumRegions() != 0 || !writesOnlyStack(&op))
        return false;
    }
    return false;
  }

  static bool writesOnlyStack(Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return rootOf(store.getMemRef()).getDefiningOp<memref::AllocaOp>();
    return isa<memref::LoadOp>(op) || isMemoryEffectFree(op);
  }

  /// Does it read wide numbers along memory, and nothing else? Those of 16 bits
  /// take so long to widen that memory keeps up.
  static bool onlyReads(scf::ForOp loop) {
    auto isAlongMemory = [&](vector::LoadOp load) {
      Type element = load.getMemRefType().getElementType();
      return !mayBeOnStack(load.getBase()) && element.isIntOrFloat() &&
             element.getIntOrFloatBitWidth() >= 32 &&
             !load.getIndices().empty() &&
             load.getIndices().back() == loop.getInductionVar();
    };
    return llvm::all_of(
        loop.getBody()->without_terminator(), [&](Operation &op) {
          if (auto load = dyn_cast<vector::LoadOp>(op))
            return isAlongMemory(load);
          return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
        });
  }

  /// What tells the reading loop the place of its row.
  bool findPlace() {
    SetVector<Value> used(reading.loop->operand_begin(),
                          reading.loop->operand_end());
    getUsedValuesDefinedAbove(reading.loop.getRegion(), used);
    BackwardSliceOptions here;
    here.filter = [&](Operation *op) {
      return op->getBlock() == rows.getBody();
    };
    here.inclusive = true;
    for (Value value : used)
      if (failed(getBackwardSlice(value, &place, here)))
        return false;
    return llvm::all_of(place, [](Operation *op) {
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
    std::optional<WholeRounds> rounds = WholeRounds::of(loop, rows);
    if (!rounds || loop.getNumResults() != 0 || !rounds->covers(reading) ||
        loop.getBody()->getOps<vector::StoreOp>().empty())
      return false;
    writing.push_back(*rounds);
    return true;
  }

  //===--------------------------------------------------------------------===//
  // What becomes of it
  //===--------------------------------------------------------------------===//

  Value isBeforeEnd(Value row) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, row,
                                 rows.getUpperBound());
  }

  IRMapping clonePlaceOf(Value row) {
    IRMapping values;
    values.map(rows.getInductionVar(), row);
    for (Operation *op : place)
      b.clone(*op, values);
    return values;
  }

  /// The first row is read ahead of all; each iteration gets what was read of
  /// its row, and will give what it has read of the next.
  void carryReading() {
    b.setInsertionPoint(rows);
    Value isAny = isBeforeEnd(rows.getLowerBound());
    IRMapping values = clonePlaceOf(rows.getLowerBound());
    auto first =
        cast<scf::ForOp>(b.clone(*reading.loop.getOperation(), values));
    b.setInsertionPoint(first);
    first.setUpperBound(arith::SelectOp::create(b, isAny, first.getUpperBound(),
                                                first.getLowerBound()));

    b.setInsertionPoint(rows);
    auto carrying =
        scf::ForOp::create(b, rows.getLowerBound(), rows.getUpperBound(),
                           rows.getStep(), first.getResults());
    carrying.getRegion().takeBody(rows.getRegion());
    for (Value result : reading.loop.getResults())
      result.replaceAllUsesWith(
          carrying.getBody()->addArgument(result.getType(), b.getLoc()));
    rows.erase();
    rows = carrying;
  }

  /// Reads the next row in the rounds of a loop that writes, unless this row
  /// is the last.
  void readBeside(WholeRounds &written) {
    b.setInsertionPoint(written.loop);
    Value next = b.plus(rows.getInductionVar(), rows.getStep());
    auto choice = scf::IfOp::create(b, reading.loop.getResultTypes(),
                                    isBeforeEnd(next), /*withElseRegion=*/true);
    Block *ofLastRow = choice.elseBlock();
    b.setInsertionPointToEnd(ofLastRow);
    scf::YieldOp::create(b, reading.loop.getInitArgs());

    b.setInsertionPointToStart(choice.thenBlock());
    IRMapping values = clonePlaceOf(next);
    auto ofNext = [&](Value value) { return values.lookupOrDefault(value); };
    Value end = ofNext(reading.loop.getUpperBound());
    auto both = scf::ForOp::create(
        b, b.index(0), end, b.index(reading.step),
        llvm::map_to_vector(reading.loop.getInitArgs(), ofNext));
    if (written.hasMoreThan(reading))
      cast<scf::ForOp>(b.clone(*written.loop.getOperation()))
          .setLowerBound(end);
    scf::YieldOp::create(b, both.getResults());
    written.loop->moveBefore(ofLastRow, ofLastRow->begin());

    b.setInsertionPointToStart(both.getBody());
    for (int64_t part = 0; part < reading.step; part += written.step)
      cloneWriting(written, b.plus(both.getInductionVar(), part));
    values.map(reading.loop.getInductionVar(), both.getInductionVar());
    values.map(reading.loop.getRegionIterArgs(), both.getRegionIterArgs());
    for (Operation &op : reading.loop.getBody()->without_terminator()) {
      b.clone(op, values);
      if (auto load = dyn_cast<vector::LoadOp>(op); load && asksShortlyAhead)
        askAhead(load, values);
    }
    Operation *yield = reading.loop.getBody()->getTerminator();
    scf::YieldOp::create(b, llvm::map_to_vector(yield->getOperands(), ofNext));
    merged.push_back(choice);
  }

  void cloneWriting(WholeRounds &written, Value column) {
    IRMapping values;
    values.map(written.loop.getInductionVar(), column);
    for (Operation &op : written.loop.getBody()->without_terminator())
      if (auto request = dyn_cast<memref::PrefetchOp>(op);
          !request || !asksShortlyAhead || !isRead(request.getMemref()))
        b.clone(op, values);
  }

  bool isRead(Value buffer) {
    auto loads = reading.loop.getBody()->getOps<vector::LoadOp>();
    return llvm::any_of(loads, [&](vector::LoadOp load) {
      return rootOf(load.getBase()) == rootOf(buffer);
    });
  }

  /// May go beyond the row: then it is for the one after it, or for nothing.
  void askAhead(vector::LoadOp load, IRMapping &values) {
    auto ofNext = [&](Value value) { return values.lookupOrDefault(value); };
    int64_t bytes =
        llvm::divideCeil(load.getMemRefType().getElementTypeBitWidth(), 8);
    for (int64_t at = 0; at < reading.step * bytes; at += kLineBytes) {
      SmallVector<Value> line = llvm::map_to_vector(load.getIndices(), ofNext);
      line.back() = b.plus(line.back(), (at + kBytesAhead) / bytes);
      memref::PrefetchOp::create(b, ofNext(load.getBase()), line,
                                 /*isWrite=*/false, /*localityHint=*/3,
                                 /*isDataCache=*/true);
    }
  }

  /// Gives it to the next iteration, from both arms of a choice if need be.
  void yieldWhatWasRead() {
    scf::IfOp giving = merged.front();
    if (merged.size() == 2) {
      auto arms = cast<scf::IfOp>(giving->getParentOp());
      b.setInsertionPoint(arms);
      giving =
          scf::IfOp::create(b, giving.getResultTypes(), arms.getCondition());
      giving.getThenRegion().takeBody(arms.getThenRegion());
      giving.getElseRegion().takeBody(arms.getElseRegion());
      for (scf::IfOp arm : merged)
        arm->getBlock()->getTerminator()->setOperands(arm.getResults());
      arms.erase();
    }
    rows.getBody()->getTerminator()->setOperands(giving.getResults());
  }

  scf::ForOp rows;
  LoopBuilder b;
  bool asksShortlyAhead;
  WholeRounds reading;
  SetVector<Operation *> place;
  SmallVector<WholeRounds> writing;
  SmallVector<scf::IfOp> merged; // each with the reading of the next row
};

} // namespace

void aikernel::readRowsAhead(scf::ForOp rows) { RowsAhead(rows).run(); }
