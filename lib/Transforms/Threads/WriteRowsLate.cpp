//===- WriteRowsLate.cpp - A row is written while another is computed -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the loop over a range of a parallel loop's iterations, each of which
// computes a row on the stack (the powers of a softmax) and then writes it,
// scaled, past the caches. Out: the row before is written beside the row that
// is computed, so that memory does not wait for arithmetic:
//
//   for %i { A ; %s = for %j { compute %row[%j] } ; B(%s) ;
//            for %j { write %row[%j] } }
//   ==>  for %i iter_args(%turn = 0) {
//          A
//          %s = if %begin < %i {
//            for %j { write %rows[1 - %turn, %j] ; compute %rows[%turn, %j] }
//          } else { for %j { compute %rows[%turn, %j] } }
//          B(%s)
//          yield 1 - %turn }
//        if %begin < %end { for %j { write the last row } }
//
// What is read of the stack to write is there twice, in turns.
//
//===----------------------------------------------------------------------===//

#include "WriteRowsLate.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "Memory/LargeResults.h"
#include "RowLoops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Of the stack, for both turns, of which aik-promote-scratch has counted one:
/// rows of 64 KiB, and what is kept beside them. Longer ones leave L2 before
/// they are written.
constexpr int64_t kMostBytes = 144 << 10;
constexpr int64_t kAlignment = 64;

class RowsLate {
public:
  explicit RowsLate(scf::ForOp rows)
      : rows(rows), b(rows.getLoc(), rows.getContext()) {}

  bool run() {
    if (getConstantIntValue(rows.getStep()) != 1 || !hasOnlyKnownOps() ||
        !findWriting() || !findComputing() || !findBuffers() ||
        !placeOf(late, rows))
      return false;
    takeTurns();
    place = *placeOf(late, rows);
    writeBeside();
    writeLast();
    for (Operation *op : llvm::reverse(late))
      op->erase();
    return true;
  }

private:
  //===--------------------------------------------------------------------===//
  // What there is
  //===--------------------------------------------------------------------===//

  /// A check would leave the loop before the row is written.
  bool hasOnlyKnownOps() {
    return !rows.getBody()
                ->walk([](Operation *op) {
                  bool isKnown = isMemoryEffectFree(op) ||
                                 isa<scf::ForOp, scf::IfOp, vector::LoadOp,
                                     vector::StoreOp, vector::MaskedLoadOp,
                                     vector::MaskedStoreOp, memref::LoadOp,
                                     memref::StoreOp, memref::PrefetchOp>(op);
                  return isKnown ? WalkResult::advance()
                                 : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// What comes last: a choice between loops of which one writes past the
  /// caches, and what these leave of the row.
  bool findWriting() {
    for (auto choice : rows.getBody()->getOps<scf::IfOp>())
      writing = choice;
    if (!writing || writing.getNumResults() != 0 || !writing.elseBlock() ||
        !storesPastCaches(writing))
      return false;
    Operation *end = rows.getBody()->getTerminator();
    for (Operation *op = writing; op != end; op = op->getNextNode())
      late.push_back(op);
    return true;
  }

  /// The last loop before it of which either arm has all rounds.
  bool findComputing() {
    for (Operation *op = writing->getPrevNode(); op; op = op->getPrevNode()) {
      auto loop = dyn_cast<scf::ForOp>(op);
      std::optional<WholeRounds> rounds =
          loop ? WholeRounds::of(loop, rows) : std::nullopt;
      if (!rounds || loop.getNumResults() == 0)
        continue;
      computing = *rounds;
      for (Block *arm : {writing.thenBlock(), writing.elseBlock()})
        if (!findRounds(*arm))
          return false;
      return true;
    }
    return false;
  }

  bool findRounds(Block &arm) {
    for (auto loop : arm.getOps<scf::ForOp>()) {
      std::optional<WholeRounds> rounds = WholeRounds::of(loop, rows);
      if (rounds && loop.getNumResults() == 0 && rounds->covers(computing)) {
        writes.push_back(*rounds);
        return true;
      }
    }
    return false;
  }

  /// Buffers of the stack that are read to write, among them the row.
  bool findBuffers() {
    bool areKnown = true;
    auto addBuffersOf = [&](Operation *op) {
      for (Value operand : op->getOperands()) {
        if (!isa<MemRefType>(operand.getType()))
          continue;
        Value root = rootOf(operand);
        areKnown &= !isChosen(root);
        if (auto buffer = root.getDefiningOp<memref::AllocaOp>()) {
          areKnown &= isa<vector::LoadOp, memref::LoadOp>(op) &&
                      areViewedInBody(buffer);
          buffers.insert(buffer);
        }
      }
    };
    for (Operation *op : late)
      op->walk(addBuffersOf);
    if (!areKnown)
      return false;
    int64_t bytes = 0;
    for (memref::AllocaOp buffer : buffers)
      bytes += 2 * bytesOf(buffer);
    auto stores = computing.loop.getBody()->getOps<vector::StoreOp>();
    return bytes <= kMostBytes &&
           llvm::any_of(stores, [&](vector::StoreOp store) {
             auto to =
                 rootOf(store.getBase()).getDefiningOp<memref::AllocaOp>();
             return to && buffers.contains(to);
           });
  }

  /// Bytes, of which the body has views from their beginning on.
  bool areViewedInBody(memref::AllocaOp buffer) {
    MemRefType type = buffer.getType();
    return type.getRank() == 1 && type.hasStaticShape() &&
           type.getLayout().isIdentity() &&
           type.getElementType().isInteger(8) &&
           llvm::all_of(buffer->getUsers(), [&](Operation *user) {
             auto view = dyn_cast<memref::ViewOp>(user);
             return view && view->getBlock() == rows.getBody() &&
                    view.getSizes().empty() &&
                    getConstantIntValue(view.getByteShift()) == 0;
           });
  }

  static int64_t bytesOf(memref::AllocaOp buffer) {
    return llvm::alignTo(buffer.getType().getNumElements(), kAlignment);
  }

  //===--------------------------------------------------------------------===//
  // What becomes of it
  //===--------------------------------------------------------------------===//

  void takeTurns() {
    b.setInsertionPoint(rows);
    auto taking =
        scf::ForOp::create(b, rows.getLowerBound(), rows.getUpperBound(),
                           rows.getStep(), ValueRange{b.index(0)});
    taking.getRegion().takeBody(rows.getRegion());
    rows.erase();
    rows = taking;
    turn = rows.getBody()->addArgument(b.getIndexType(), b.getLoc());
    Operation *yield = rows.getBody()->getTerminator();
    b.setInsertionPoint(yield);
    yield->setOperands(b.minus(b.index(1), turn));
    for (memref::AllocaOp buffer : buffers)
      haveTwice(buffer);
  }

  void haveTwice(memref::AllocaOp buffer) {
    int64_t bytes = bytesOf(buffer);
    b.setInsertionPoint(buffer);
    auto twice = memref::AllocaOp::create(
        b, MemRefType::get({2 * bytes}, buffer.getType().getElementType()),
        b.getI64IntegerAttr(kAlignment));
    for (Operation *user : llvm::make_early_inc_range(buffer->getUsers())) {
      auto view = cast<memref::ViewOp>(user);
      b.setInsertionPoint(view);
      auto inTurn = memref::ViewOp::create(b, view.getType(), twice,
                                           b.times(turn, bytes), ValueRange());
      view.replaceAllUsesWith(inTurn.getResult());
      view.erase();
    }
    buffer.erase();
  }

  IRMapping clonePlaceOf(Value row, Value itsTurn) {
    IRMapping values;
    values.map(rows.getInductionVar(), row);
    values.map(turn, itsTurn);
    for (Operation *op : place)
      b.clone(*op, values);
    return values;
  }

  void writeBeside() {
    b.setInsertionPoint(computing.loop);
    Value row = rows.getInductionVar();
    Value hasBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                            rows.getLowerBound(), row);
    TypeRange types = computing.loop.getResultTypes();
    LoopBuilder::Values results = b.choose(
        hasBefore, types,
        [&] {
          IRMapping before =
              clonePlaceOf(b.plus(row, -1), b.minus(b.index(1), turn));
          LoopBuilder::Values sums = b.choose(
              before.lookupOrDefault(writing.getCondition()), types,
              [&] { return writeArm(*writing.thenBlock(), writes[0], before); },
              [&] {
                return writeArm(*writing.elseBlock(), writes[1], before);
              });
          for (Operation *op : ArrayRef(late).drop_front())
            b.clone(*op, before);
          return sums;
        },
        [&] {
          Operation *alone = b.clone(*computing.loop.getOperation());
          return LoopBuilder::Values(alone->getResults());
        });
    computing.loop.replaceAllUsesWith(results);
    computing.loop.erase();
  }

  LoopBuilder::Values writeArm(Block &arm, const WholeRounds &writes,
                               const IRMapping &before) {
    IRMapping values = before;
    LoopBuilder::Values results;
    for (Operation &op : arm.without_terminator()) {
      if (&op != writes.loop) {
        b.clone(op, values);
        continue;
      }
      auto keeps = [&](Operation &written) { return !asksForSame(written); };
      scf::ForOp both = emitBeside(b, writes, values, computing, IRMapping(),
                                   {keeps, /*after=*/nullptr});
      results.assign(both.result_begin(), both.result_end());
    }
    return results;
  }

  /// What the computing loop asks for, for a row that comes later.
  bool asksForSame(Operation &op) {
    auto request = dyn_cast<memref::PrefetchOp>(op);
    auto others = computing.loop.getBody()->getOps<memref::PrefetchOp>();
    return request && llvm::any_of(others, [&](memref::PrefetchOp other) {
             return rootOf(other.getMemref()) == rootOf(request.getMemref());
           });
  }

  void writeLast() {
    b.setInsertionPointAfter(rows);
    Value isAny =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                              rows.getLowerBound(), rows.getUpperBound());
    b.choose(
        isAny,
        [&] {
          IRMapping last = clonePlaceOf(b.plus(rows.getUpperBound(), -1),
                                        b.minus(b.index(1), rows.getResult(0)));
          for (Operation *op : late)
            b.clone(*op, last);
        },
        [] {});
  }

  scf::ForOp rows;
  LoopBuilder b;
  scf::IfOp writing;
  SmallVector<Operation *> late; // writing and all behind it
  WholeRounds computing;
  SmallVector<WholeRounds> writes; // of either arm
  llvm::SmallSetVector<memref::AllocaOp, 4> buffers;
  Value turn;
  SetVector<Operation *> place; // of what is late
};

} // namespace

bool aikernel::writeRowsLate(scf::ForOp rows) { return RowsLate(rows).run(); }
