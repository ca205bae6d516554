//===- SplitKeys.cpp - Blocks share the keys of a head --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.online_attention on memrefs that is left whole, of one key head,
// in a parallel loop over batches and heads or alone. Out: a parallel loop that
// goes over parts of the keys too; what came after the attention is done by the
// block that ends the head.
//
//   scf.forall (%b, %h) { before; online_attention; after }
//   ==>
//   scf.forall (%b, %h, %part) in (.., .., %parts) {
//     before
//     %done = attention_part
//     scf.if %done { after }
//   }
//
// How many parts there are follows from the sizes of tensors, which the host
// knows. How many of them have keys follows from those that queries see, which
// only the device may know. The others arrive too: all blocks have written what
// is done `before` when the last one goes on.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "Processor.h"
#include "VectorAccess.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#define DEBUG_TYPE "aik-split-keys"

namespace aikernel {
#define GEN_PASS_DEF_SPLITKEYSPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// What starting a block and adding up its part costs, in keys.
constexpr int64_t kKeysOfOverhead = 192;
/// Parts are multiples of what all warps of a block read in one step.
constexpr int64_t kKeysOfStep = 16 * kThreadsPerBlock / kWarpSize;
/// Full waves of blocks that are tried.
constexpr int64_t kMostWaves = 4;
/// What an unknown number of keys is taken to be.
constexpr int64_t kUnknownKeys = 8192;

class KeySplitter {
public:
  KeySplitter(OnlineAttentionOp op) : op(op), b(op.getLoc(), op) {
    loop = dyn_cast<scf::ForallOp>(op->getParentOp());
  }

  void run() {
    if (loop)
      b.setInsertionPoint(loop);
    findTrips();
    Value parts = chooseParts();
    int64_t rows = rowsOf();
    int64_t features = typeOf(op.getV()).getDimSize(3);
    Value accs = partBuffer(parts, {rows, features});
    Value maximums = partBuffer(parts, {rows});
    Value sums = partBuffer(parts, {rows});
    SmallVector<Value> buffers{accs, maximums, sums};
    if (!isConstantIntValue(parts, 1))
      buffers.push_back(countArrivals());
    addLoopOverParts(parts);
    attend(parts, buffers);
    op.erase();
  }

private:
  static MemRefType typeOf(Value memref) {
    return cast<MemRefType>(memref.getType());
  }
  int64_t rowsOf() {
    MemRefType type = typeOf(op.getQ());
    return type.getDimSize(1) * type.getDimSize(2);
  }
  Value asValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value times(Value x, Value y) { return b.createOrFold<arith::MulIOp>(x, y); }
  Value ceilDiv(Value x, Value y) {
    Value up = b.createOrFold<arith::AddIOp>(
        x, b.createOrFold<arith::SubIOp>(y, b.index(1)));
    return b.createOrFold<arith::DivUIOp>(up, y);
  }

  /// How many iterations the loop has, along each dimension and in all.
  void findTrips() {
    heads = b.index(1);
    if (!loop)
      return;
    for (auto [lower, upper, step] :
         llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                   loop.getMixedStep())) {
      lowers.push_back(asValue(lower));
      steps.push_back(asValue(step));
      Value span = b.createOrFold<arith::SubIOp>(asValue(upper), lowers.back());
      trips.push_back(ceilDiv(span, steps.back()));
      heads = times(heads, trips.back());
    }
  }

  /// Keys of the cache, in terms of what is known outside the loop.
  Value countKeys() {
    int64_t dim = op.getSequenceDim();
    MemRefType type = typeOf(op.getK());
    if (!type.isDynamicDim(dim))
      return b.index(type.getDimSize(dim));
    Value root = rootOf(op.getK());
    bool isWhole = typeOf(root).getRank() == 4 && isa<BlockArgument>(root);
    return isWhole ? b.createOrFold<memref::DimOp>(root, dim)
                   : b.index(kUnknownKeys);
  }

  /// Of the numbers of parts that fill whole waves of blocks the one that takes
  /// least time: waves, each as long as a part and what comes with it.
  Value chooseParts() {
    // With another number of blocks the last wave is less full, no more.
    int64_t atOnce = getProcessor(getTarget(op)).multiprocessors;
    Value keys = countKeys(), one = b.index(1);
    Value best = one, bestTime;
    for (int64_t waves = 1; waves <= kMostWaves; ++waves) {
      Value parts = b.createOrFold<arith::DivUIOp>(
          b.index(waves * atOnce), b.createOrFold<arith::MaxUIOp>(heads, one));
      parts = b.createOrFold<arith::MaxUIOp>(parts, one);
      parts = b.createOrFold<arith::MinUIOp>(
          parts, b.createOrFold<arith::MaxUIOp>(
                     ceilDiv(keys, b.index(kKeysOfStep)), one));
      Value taken = ceilDiv(times(heads, parts), b.index(atOnce));
      Value length = b.createOrFold<arith::AddIOp>(ceilDiv(keys, parts),
                                                   b.index(kKeysOfOverhead));
      Value time = times(taken, length);
      if (!bestTime) {
        best = parts, bestTime = time;
        continue;
      }
      Value isBetter = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                     time, bestTime);
      best = b.createOrFold<arith::SelectOp>(isBetter, parts, best);
      bestTime = b.createOrFold<arith::SelectOp>(isBetter, time, bestTime);
    }
    return best;
  }

  /// Memory for what each part of each head finds.
  Value partBuffer(Value parts, ArrayRef<int64_t> sizes) {
    SmallVector<OpFoldResult> all{getAsOpFoldResult(heads),
                                  getAsOpFoldResult(parts)};
    for (int64_t size : sizes)
      all.push_back(b.getIndexAttr(size));
    return memref::AllocOp::create(b, all, b.getF32Type(), Attribute());
  }

  /// Of each head, how many of its blocks have arrived: in memory of the run,
  /// since two runs may be under way at the same time. Where something is
  /// checked, a kernel ends early once a check has failed, of this run or of
  /// another one; so some blocks might have been counted that the next run must
  /// not know of.
  Value countArrivals() {
    Type type = b.getI64Type();
    Value counters = memref::AllocOp::create(
        b, SmallVector<OpFoldResult>{getAsOpFoldResult(heads)}, type,
        Attribute());
    bool isChecked = op->getParentOfType<ModuleOp>()
                         .walk([](CheckOp) { return WalkResult::interrupt(); })
                         .wasInterrupted();
    if (isChecked) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
      linalg::FillOp::create(b, b.getLoc(), zero, counters);
    }
    return counters;
  }

  void addLoopOverParts(Value parts) {
    SmallVector<OpFoldResult> from, to, by;
    if (loop) {
      from = loop.getMixedLowerBound();
      to = loop.getMixedUpperBound();
      by = loop.getMixedStep();
    }
    from.push_back(b.getIndexAttr(0));
    to.push_back(getAsOpFoldResult(parts));
    by.push_back(b.getIndexAttr(1));
    auto made = scf::ForallOp::create(b, from, to, by, ValueRange(),
                                      /*mapping=*/std::nullopt);
    Operation *end = made.getTerminator();
    if (loop) {
      for (auto [old, iv] :
           llvm::zip(loop.getInductionVars(), made.getInductionVars()))
        old.replaceAllUsesWith(iv);
      for (Operation &inner :
           llvm::make_early_inc_range(loop.getBody()->without_terminator()))
        inner.moveBefore(end);
      loop.erase();
    } else {
      op->moveBefore(end);
    }
    loop = made;
  }

  /// The number of this head among all of them.
  Value headNumber() {
    Value number = b.index(0);
    for (auto [iv, lower, step, count] :
         llvm::zip(loop.getInductionVars(), lowers, steps, trips)) {
      Value trip = arith::DivUIOp::create(b, b.minus(iv, lower), step);
      number = b.plus(b.times(number, count), trip);
    }
    return number;
  }

  /// The first key that some query sees, or past the last one; within the
  /// tensor.
  Value extremeKey(Value bounds, bool isEnd, Value keys) {
    Value extreme;
    for (int64_t query = 0, e = typeOf(bounds).getDimSize(1); query < e;
         ++query) {
      Value key = b.load(bounds, {b.index(0), b.index(query)});
      if (!extreme)
        extreme = key;
      else if (isEnd)
        extreme = arith::MaxSIOp::create(b, extreme, key);
      else
        extreme = arith::MinSIOp::create(b, extreme, key);
    }
    extreme = arith::IndexCastOp::create(b, b.getIndexType(), extreme);
    return b.smaller(b.larger(extreme, b.index(0)), keys);
  }

  void attend(Value parts, ArrayRef<Value> buffers) {
    SmallVector<Operation *> after;
    for (Operation *next = op->getNextNode(); next != loop.getTerminator();
         next = next->getNextNode())
      after.push_back(next);
    b.setInsertionPoint(op);
    Value keys = asValue(
        memref::getMixedSize(b, b.getLoc(), op.getK(), op.getSequenceDim()));
    Value lo =
        op.getBegin() ? extremeKey(op.getBegin(), false, keys) : b.index(0);
    Value hi = op.getEnd() ? extremeKey(op.getEnd(), true, keys) : keys;
    Value seen = b.larger(b.minus(hi, lo), b.index(0));
    Value perPart = b.times(
        b.ceilDiv(b.larger(ceilDiv(seen, parts), b.index(1)), kKeysOfStep),
        kKeysOfStep);
    Value used = b.larger(ceilDiv(seen, perPart), b.index(1));
    Value part = loop.getInductionVars().back();
    Value number = headNumber();
    Value first = b.plus(lo, b.times(part, perPart));
    Value past = b.smaller(b.plus(first, perPart), hi);
    Value isDone = AttentionPartOp::create(
        b, b.getI1Type(), op.getQ(), op.getK(), op.getV(), op.getMask(),
        op.getBegin(), op.getEnd(), op.getScale(), first, past, number, part,
        used, buffers, op.getOutputs(), op.getSoftcapAttr(),
        areRowsAligned() ? b.getUnitAttr() : UnitAttr(), op.getLayoutAttr());
    if (after.empty())
      return;
    auto rest = scf::IfOp::create(b, isDone);
    for (Operation *next : after)
      next->moveBefore(rest.thenBlock()->getTerminator());
  }

  bool areRowsAligned() {
    return llvm::all_of(
        ValueRange{op.getQ(), op.getK(), op.getV()}, [](Value memref) {
          int64_t wanted = widestVectorOf(typeOf(memref).getElementType());
          return alignmentOf(memref, wanted) == wanted;
        });
  }

  OnlineAttentionOp op;
  LoopBuilder b;
  scf::ForallOp loop;
  Value heads;
  SmallVector<Value> lowers, steps, trips;
};

struct SplitKeysPass : aikernel::impl::SplitKeysPassBase<SplitKeysPass> {
  using SplitKeysPassBase::SplitKeysPassBase;

  void runOnOperation() override {
    SmallVector<OnlineAttentionOp> whole;
    getOperation().walk([&](OnlineAttentionOp op) { whole.push_back(op); });
    for (OnlineAttentionOp op : whole)
      KeySplitter(op).run();
  }
};

} // namespace
