//===- CarryInPlace.cpp - Loops carry tensors in one place ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions on tensors, just before bufferization.
// Out: the same, with every tensor that a loop carries written into the memory
// that it came in:
//
//   scf.for iter_args(%a) { %y = ... ; scf.yield %y }
//   ==>  scf.yield (bufferization.materialize_in_destination %y in %a)
//
// Memory is planned once per function, so a loop may not carry a buffer that
// one of its iterations made: the next iteration would read and write the same
// memory. For a value that was updated in place all along the copy is one of a
// buffer onto itself, which Vectorize drops.
//
// A tensor that an inner loop carries as well is written by that loop alone, if
// nobody else needs it:
//
//   scf.for iter_args(%a) { %q = scf.for iter_args(%b = %a) ; scf.yield %q }
//
// If somebody does, the inner loop starts from a copy.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Passes.h"
#include "DestinationChain.h"
#include "LoopSizes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "aik-carry-in-place"

namespace aikernel {
#define GEN_PASS_DEF_CARRYINPLACEPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// A copy in memory of its own. Its sizes are asked of tensors from before any
/// loop, where PlanMemory needs them.
Value copyOf(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return bufferization::AllocTensorOp::create(
        builder, loc, type, /*dynamicSizes=*/ValueRange{}, /*copy=*/tensor);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(earliestSize(builder, loc, tensor, dim));
  Value memory =
      bufferization::AllocTensorOp::create(builder, loc, type, sizes);
  return bufferization::MaterializeInDestinationOp::create(builder, loc, type,
                                                           tensor, memory)
      .getResult();
}

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Is `passed` what inner loops, one after the other and each the only user of
/// what it starts with, make of `carried` in its place?
bool isHandedThrough(Value passed, Value carried) {
  while (passed != carried) {
    auto result = dyn_cast<OpResult>(passed);
    auto inner = result ? dyn_cast<scf::ForOp>(result.getOwner()) : nullptr;
    if (!inner)
      return false;
    OpOperand *start = inner.getTiedLoopInit(result);
    passed = start->get();
    if (!llvm::all_of(passed.getUses(), [&](OpOperand &use) {
          return &use == start || isa<tensor::DimOp>(use.getOwner());
        }))
      return false;
  }
  return true;
}

/// Upstream's analysis gives up where the memory that an inner scf.for or
/// scf.while starts in is written after it.
void copyInnerStarts(OpBuilder &builder, Block *body, Value carried) {
  OpBuilder::InsertionGuard guard(builder);
  body->walk([&](LoopLikeOpInterface inner) {
    if (isa<scf::ForallOp>(inner))
      return;
    builder.setInsertionPoint(inner);
    for (OpOperand &start : inner.getInitsMutable())
      if (isTensor(start.get()) &&
          startOfDestinationChain(start.get()) == carried)
        start.set(copyOf(builder, inner.getLoc(), start.get()));
  });
}

/// Writes each tensor that `yield` passes on into the one that it follows.
/// `carried` are the values of this iteration, null where nothing is written.
void writeInPlace(OpBuilder &builder, Location loc, Operation *yield,
                  ArrayRef<Value> carried) {
  builder.setInsertionPoint(yield);
  SmallVector<unsigned> written;
  for (OpOperand &operand : yield->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (!carried[index] || operand.get() == carried[index] ||
        isHandedThrough(operand.get(), carried[index]))
      continue;
    written.push_back(index);
    copyInnerStarts(builder, yield->getBlock(), carried[index]);
    // Another carried value must be read before it is written.
    if (!isFreshOrIn(operand.get(), carried[index]))
      operand.set(copyOf(builder, loc, operand.get()));
  }
  for (unsigned index : written) {
    auto write = bufferization::MaterializeInDestinationOp::create(
        builder, loc, carried[index].getType(), yield->getOperand(index),
        carried[index]);
    yield->setOperand(index, write.getResult());
  }
}

/// Is `tensor`, or a view of it, used inside `loop`?
bool isUsedInside(Operation *loop, Value tensor) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
    if (loop->isProperAncestor(user))
      return !isa<tensor::DimOp>(user);
    return isa<tensor::ExtractSliceOp, tensor::CastOp, tensor::ExpandShapeOp,
               tensor::CollapseShapeOp>(user) &&
           isUsedInside(loop, user->getResult(0));
  });
}

/// A loop that also looks at what it starts with may not overwrite it.
void keepStarts(Operation *loop) {
  OpBuilder builder(loop);
  for (OpOperand &start : loop->getOpOperands())
    if (isTensor(start.get()) && isUsedInside(loop, start.get()))
      start.set(copyOf(builder, loop->getLoc(), start.get()));
}

void carryInPlace(scf::ForOp loop) {
  SmallVector<Value> carried;
  for (Value argument : loop.getRegionIterArgs())
    carried.push_back(isTensor(argument) ? argument : Value());
  OpBuilder builder(loop);
  writeInPlace(builder, loop.getLoc(), loop.getBody()->getTerminator(),
               carried);
}

/// Rebuilds an scf.while so that tensors come first and each is handed over at
/// the place where it came in:
///
///   scf.while (%a = %x, %i = %c0) { ... ; scf.condition(%c) %i, %y }
///   ==>  scf.while (%a = %x, %s = %slot, %i = %c0) {
///          ... ; %w = materialize %y in %s ; scf.condition(%c) %a, %w, %i }
///
/// What the condition computes gets a slot of its own; what it only passes on
/// needs none.
class WhileInPlace {
public:
  WhileInPlace(scf::WhileOp loop, IRRewriter &rewriter)
      : loop(loop), rewriter(rewriter), loc(loop.getLoc()),
        condition(loop.getConditionOp()), yield(loop.getYieldOp()) {}

  LogicalResult run() {
    if (llvm::none_of(loop.getInits(), isTensor) &&
        llvm::none_of(condition.getArgs(), isTensor))
      return success();
    rewriter.setInsertionPoint(loop);
    if (failed(placeTensors()))
      return failure();
    rebuild();
    return success();
  }

private:
  /// Decides what the new loop carries and where each result of the old one
  /// lies in it.
  LogicalResult placeTensors() {
    for (auto [number, init] : llvm::enumerate(loop.getInits()))
      if (isTensor(init)) {
        placeOfInit[number] = inits.size();
        inits.push_back(init);
      }
    for (auto [number, handed] : llvm::enumerate(condition.getArgs())) {
      auto argument = dyn_cast<BlockArgument>(handed);
      if (!isTensor(handed))
        continue;
      if (argument && argument.getOwner() == loop.getBeforeBody()) {
        placeOfResult[number] = placeOfInit[argument.getArgNumber()];
        continue;
      }
      placeOfResult[number] = inits.size();
      slots.push_back(number);
      Value slot = makeSlot(handed);
      if (!slot)
        return failure();
      inits.push_back(slot);
    }
    tensors = inits.size();
    for (auto [number, init] : llvm::enumerate(loop.getInits()))
      if (!isTensor(init)) {
        placeOfInit[number] = inits.size();
        inits.push_back(init);
      }
    unsigned next = tensors;
    for (auto [number, handed] : llvm::enumerate(condition.getArgs()))
      if (!isTensor(handed))
        placeOfResult[number] = next++;
    return success();
  }

  /// Memory for what the condition hands over.
  Value makeSlot(Value handed) {
    auto type = cast<RankedTensorType>(handed.getType());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      sizes.push_back(sizeOutside(rewriter, loop, handed, dim));
      if (!sizes.back()) {
        loop.emitError("AIK-E0007: the size of a tensor that the condition of "
                       "this loop hands over is known only inside the loop");
        return {};
      }
    }
    return bufferization::AllocTensorOp::create(rewriter, loc, type, sizes);
  }

  void rebuild() {
    SmallVector<Type> types =
        llvm::map_to_vector(ArrayRef(inits).take_front(tensors),
                            [](Value v) { return v.getType(); });
    for (Value value : condition.getArgs())
      if (!isTensor(value))
        types.push_back(value.getType());
    auto fresh = scf::WhileOp::create(rewriter, loc, types, inits);
    Block *before = rewriter.createBlock(
        &fresh.getBefore(), {}, ValueRange(inits).getTypes(),
        SmallVector<Location>(inits.size(), loc));
    Block *after = rewriter.createBlock(
        &fresh.getAfter(), {}, types, SmallVector<Location>(types.size(), loc));
    SmallVector<Value> beforeArguments, afterArguments, results;
    for (unsigned i = 0; i < loop.getInits().size(); ++i)
      beforeArguments.push_back(before->getArgument(placeOfInit[i]));
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      afterArguments.push_back(after->getArgument(placeOfResult[i]));
      results.push_back(fresh.getResult(placeOfResult[i]));
    }
    rewriter.mergeBlocks(loop.getBeforeBody(), before, beforeArguments);
    rewriter.mergeBlocks(loop.getAfterBody(), after, afterArguments);
    rewriteCondition(before);
    rewriteYield(after);
    rewriter.replaceOp(loop, results);
  }

  void rewriteCondition(Block *before) {
    rewriter.setInsertionPoint(condition);
    SmallVector<Value> handed(before->getArguments().take_front(tensors));
    for (unsigned number : slots) {
      Value &slot = handed[placeOfResult[number]];
      slot =
          bufferization::MaterializeInDestinationOp::create(
              rewriter, loc, slot.getType(), condition.getArgs()[number], slot)
              .getResult();
    }
    for (Value value : condition.getArgs())
      if (!isTensor(value))
        handed.push_back(value);
    scf::ConditionOp::create(rewriter, loc, condition.getCondition(), handed);
    rewriter.eraseOp(condition);
  }

  void rewriteYield(Block *after) {
    SmallVector<Value> passed(after->getArguments().take_front(tensors));
    SmallVector<Value> carried(passed);
    passed.resize(inits.size());
    carried.resize(inits.size());
    for (auto [number, value] : llvm::enumerate(yield.getResults()))
      passed[placeOfInit[number]] = value;
    rewriter.setInsertionPoint(yield);
    auto fresh = scf::YieldOp::create(rewriter, loc, passed);
    rewriter.eraseOp(yield);
    writeInPlace(rewriter, loc, fresh, carried);
  }

  scf::WhileOp loop;
  IRRewriter &rewriter;
  Location loc;
  scf::ConditionOp condition;
  scf::YieldOp yield;
  SmallVector<Value> inits; // tensors, slots, then scalars
  unsigned tensors = 0;     // of these, tensors and slots
  SmallVector<unsigned> slots;
  DenseMap<unsigned, unsigned> placeOfInit, placeOfResult;
};

struct CarryInPlacePass
    : aikernel::impl::CarryInPlacePassBase<CarryInPlacePass> {
  using CarryInPlacePassBase::CarryInPlacePassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<scf::ForOp, scf::WhileOp>(op))
        keepStarts(op);
    });
    SmallVector<scf::WhileOp> loops;
    getOperation()->walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carryInPlace(loop);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::WhileOp loop : loops)
      if (failed(WhileInPlace(loop, rewriter).run()))
        return signalPassFailure();
  }
};

} // namespace
