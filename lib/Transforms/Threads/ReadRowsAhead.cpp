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
#include "Memory/LargeResults.h"
#include "RowLoops.h"
#include "Tiles/MatrixInstructions.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Rounds of a loop below which it is not worth it.
constexpr int64_t kFewestRounds = 4;
/// How far ahead a row is asked for, into L1. Elsewhere on x86-64 the loop that
/// writes asks for rows further ahead, which does better where L1 is larger.
constexpr int64_t kBytesAheadOfNeon = 768;
constexpr int64_t kBytesAheadInSmallL1 = 512;

bool mayBeOnStack(Value buffer) {
  Value root = rootOf(buffer);
  return isChosen(root) || root.getDefiningOp<memref::AllocaOp>();
}

class RowsAhead {
public:
  explicit RowsAhead(scf::ForOp rows)
      : rows(rows), b(rows.getLoc(), rows.getContext()) {
    TargetAttr target = getTarget(rows);
    if (target && target.getArch() == "aarch64")
      bytesAhead = kBytesAheadOfNeon;
    else if (mayHaveSmallL1(rows))
      bytesAhead = kBytesAheadInSmallL1;
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
    std::optional<SetVector<Operation *>> found = placeOf({reading.loop}, rows);
    if (found)
      place = *found;
    return found.has_value();
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
    auto keeps = [&](Operation &op) {
      auto request = dyn_cast<memref::PrefetchOp>(op);
      return !request || !bytesAhead || !isRead(request.getMemref());
    };
    auto after = [&](Operation &op, IRMapping &values) {
      if (auto load = dyn_cast<vector::LoadOp>(op); load && bytesAhead)
        askAhead(load, values);
    };
    scf::ForOp both =
        emitBeside(b, written, IRMapping(), reading, values, {keeps, after});
    scf::YieldOp::create(b, both.getResults());
    written.loop->moveBefore(ofLastRow, ofLastRow->begin());
    merged.push_back(choice);
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
      line.back() = b.plus(line.back(), (at + bytesAhead) / bytes);
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
  int64_t bytesAhead = 0; // if it asks shortly ahead
  WholeRounds reading;
  SetVector<Operation *> place;
  SmallVector<WholeRounds> writing;
  SmallVector<scf::IfOp> merged; // each with the reading of the next row
};

} // namespace

void aikernel::readRowsAhead(scf::ForOp rows) { RowsAhead(rows).run(); }
