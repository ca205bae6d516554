//===- RowLoops.cpp - Loops along rows, of which two become one -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two loops along rows. Out: one that does both, the rounds of the finer
// one before those of the coarser one:
//
//   for %j = 0 to 144 step 16 { A } ; for %j = 0 to 128 step 32 { B }
//   ==>  for %j = 0 to 128 step 32 { A(%j) ; A(%j + 16) ; B(%j) }
//        for %j = 128 to 144 step 16 { A }
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace aikernel;

/// Rounds of the finer loop in one of the coarser: its body is written out as
/// often.
static constexpr int64_t kMostParts = 4;

std::optional<WholeRounds> WholeRounds::of(scf::ForOp loop, scf::ForOp rows) {
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
  auto rest =
      whole ? whole.getRhs().getDefiningOp<arith::RemUIOp>() : arith::RemUIOp();
  if (!rest || rest.getLhs() != whole.getLhs() ||
      getConstantIntValue(rest.getRhs()) != *step ||
      !rows.isDefinedOutsideOfLoop(whole.getLhs()))
    return std::nullopt;
  return WholeRounds{loop, whole.getLhs(), *step};
}

bool WholeRounds::covers(const WholeRounds &coarser) const {
  if (coarser.step % step != 0 || coarser.step / step > kMostParts)
    return false;
  std::optional<int64_t> mine = getConstantIntValue(length),
                         others = getConstantIntValue(coarser.length);
  return mine && others ? *others <= *mine : length == coarser.length;
}

bool WholeRounds::hasMoreThan(const WholeRounds &coarser) const {
  return length != coarser.length ||
         (!getConstantIntValue(length) && step != coarser.step);
}

scf::ForOp aikernel::emitBeside(LoopBuilder &b, const WholeRounds &finer,
                                const IRMapping &ofFiner,
                                const WholeRounds &coarser,
                                const IRMapping &ofCoarser,
                                BesideOptions options) {
  scf::ForOp first = finer.loop, second = coarser.loop;
  Value end = ofCoarser.lookupOrDefault(second.getUpperBound());
  auto both = scf::ForOp::create(
      b, b.index(0), end, b.index(coarser.step),
      llvm::map_to_vector(second.getInitArgs(), [&](Value value) {
        return ofCoarser.lookupOrDefault(value);
      }));
  if (finer.hasMoreThan(coarser)) {
    IRMapping values = ofFiner;
    cast<scf::ForOp>(b.clone(*first.getOperation(), values)).setLowerBound(end);
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(both.getBody());
  for (int64_t part = 0; part < coarser.step; part += finer.step) {
    IRMapping values = ofFiner;
    values.map(first.getInductionVar(), b.plus(both.getInductionVar(), part));
    for (Operation &op : first.getBody()->without_terminator())
      if (!options.keeps || options.keeps(op))
        b.clone(op, values);
  }
  IRMapping values = ofCoarser;
  values.map(second.getInductionVar(), both.getInductionVar());
  values.map(second.getRegionIterArgs(), both.getRegionIterArgs());
  for (Operation &op : second.getBody()->without_terminator()) {
    b.clone(op, values);
    if (options.after)
      options.after(op, values);
  }
  Operation *yield = second.getBody()->getTerminator();
  if (yield->getNumOperands() != 0) // else it is there
    scf::YieldOp::create(
        b, llvm::map_to_vector(yield->getOperands(), [&](Value value) {
          return values.lookupOrDefault(value);
        }));
  return both;
}

std::optional<SetVector<Operation *>>
aikernel::placeOf(ArrayRef<Operation *> ops, scf::ForOp rows) {
  SetVector<Value> used;
  for (Operation *op : ops) {
    used.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
  }
  SetVector<Operation *> place;
  BackwardSliceOptions before;
  before.filter = [&](Operation *other) {
    return other->getBlock() == rows.getBody() &&
           other->isBeforeInBlock(ops.front());
  };
  before.inclusive = true;
  for (Value value : used)
    if (failed(getBackwardSlice(value, &place, before)))
      return std::nullopt;
  bool hasNoEffects = llvm::all_of(place, [](Operation *other) {
    return other->getNumRegions() == 0 && isMemoryEffectFree(other);
  });
  if (!hasNoEffects)
    return std::nullopt;
  return place;
}
