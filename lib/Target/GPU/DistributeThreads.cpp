//===- DistributeThreads.cpp - The threads of a block share its work ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels in structured ops that stand for what a whole block does.
// Out: what one thread does. Control flow stays: it is the same for all threads
// of a block, as it depends on memory that they all see.
//
//   linalg.generic (parallel 8x64)
//   ==>  scf.for %n = %thread to 64 step 256 { 8 elements: load, compute, store
//   }
//
//   linalg.generic (sum of 8 rows)
//   ==>  a warp for each row: its lanes sum pieces and shuffle
//
// Products of matrices and a few vectors (ThinProduct.h), or of two matrices
// (SharedProduct.h), have loops of their own.
//
// A barrier stands between two ops where a thread could see or destroy what
// another one has written. Scratch buffers become shared memory.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/Tile/TileOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "BlockReduction.h"
#include "LaneProduct.h"
#include "RowEmitter.h"
#include "SharedMemory.h"
#include "SharedProduct.h"
#include "StructuredBody.h"
#include "ThinProduct.h"
#include "VectorBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#define DEBUG_TYPE "aik-distribute-threads"

namespace aikernel {
#define GEN_PASS_DEF_DISTRIBUTETHREADSPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// What threads have done since the last barrier.
class Accesses {
public:
  void read(Value memref) { reads.insert(rootOf(memref)); }
  void write(Value memref) { writes.insert(rootOf(memref)); }
  void clear() {
    reads.clear();
    writes.clear();
  }
  bool empty() const { return reads.empty() && writes.empty(); }
  bool conflictsWith(const Accesses &next) const {
    return meet(writes, next.reads) || meet(writes, next.writes) ||
           meet(reads, next.writes);
  }
  void add(const Accesses &more) {
    reads.insert(more.reads.begin(), more.reads.end());
    writes.insert(more.writes.begin(), more.writes.end());
  }

private:
  /// Two arguments may be the same memory: one may be donated to the other. So
  /// may be what control flow has chosen and anything else.
  static bool meet(const SetVector<Value> &a, const SetVector<Value> &b) {
    for (Value x : a)
      for (Value y : b)
        if (x == y || isChosen(x) || isChosen(y) ||
            (isArgument(x) && isArgument(y)))
          return true;
    return false;
  }
  static bool isArgument(Value root) {
    return isa<BlockArgument>(root) &&
           !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
               cast<MemRefType>(root.getType()));
  }
  SetVector<Value> reads, writes;
};

class BlockDistributor {
public:
  BlockDistributor(gpu::GPUFuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {
    chooseThreads();
    b.setInsertionPointToStart(&kernel.getBody().front());
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  }

  LogicalResult run() {
    shareScratch();
    makeRoomForFactors();
    return visit(kernel.getBody().front());
  }

private:
  /// Products of a matrix and few vectors want more than others.
  void chooseThreads() {
    threads = kernel.getKnownBlockSize()->front();
    kernel.walk([&](linalg::LinalgOp op) {
      if (std::optional<ThinLoops> thin = ThinLoops::match(op))
        threads = std::max(threads, ThinProduct::threadsFor(op, *thin));
    });
    kernel.setKnownBlockSize(SmallVector<int32_t>{int32_t(threads), 1, 1});
  }

  /// Scratch becomes shared memory, seen through a plain address: the compiler
  /// behind finds out again which one it is.
  void shareScratch() {
    SmallVector<memref::AllocaOp> scratch;
    kernel.walk([&](memref::AllocaOp op) { scratch.push_back(op); });
    for (memref::AllocaOp op : scratch) {
      Value shared =
          addSharedMemory(kernel, op.getType().getShape(),
                          op.getType().getElementType(), op.getLoc());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&kernel.getBody().front());
      Value plain = memref::MemorySpaceCastOp::create(b, op.getType(), shared);
      op.replaceAllUsesWith(plain);
      op.erase();
    }
  }

  /// One product after the other uses it. Where scratch has left too little,
  /// threads compute sums one by one.
  void makeRoomForFactors() {
    int64_t bytes = 0;
    kernel.walk([&](linalg::LinalgOp op) {
      if (SharedProduct::match(op, threads))
        bytes = std::max(bytes, ProductTile::of(op)->bytes());
    });
    if (bytes > 0 && sharedBytesOf(kernel) + bytes <= kSharedBytesWithFactors)
      room = addSharedMemory(kernel, {bytes}, b.getI8Type(), kernel.getLoc());
  }

  void barrier() {
    gpu::BarrierOp::create(b);
    pending.clear();
  }

  void before(const Accesses &next) {
    if (pending.conflictsWith(next))
      barrier();
    pending.add(next);
  }

  LogicalResult visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      b.setInsertionPoint(&op);
      b.setLoc(op.getLoc());
      if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
        distribute(structured);
        continue;
      }
      if (auto product = dyn_cast<LaneProductOp>(op)) {
        before(accessesOf(product));
        emitLaneProduct(b, kernel, product, thread);
        op.erase();
        continue;
      }
      if (auto store = dyn_cast<memref::StoreOp>(op)) {
        Accesses next;
        next.write(store.getMemRef());
        before(next);
        oneThread([&] { b.clone(op); });
        op.erase();
        continue;
      }
      if (auto call = dyn_cast<ReferenceCallOp>(op)) {
        Accesses next;
        for (Value input : call.getInputs())
          next.read(input);
        for (Value output : call.getOutputs())
          next.write(output);
        before(next);
        oneThread([&] { b.clone(op); });
        op.erase();
        continue;
      }
      if (auto part = dyn_cast<AttentionPartOp>(op)) {
        // All threads take part in it, with barriers of its own inside.
        Accesses next;
        for (Value operand : part->getOperands())
          if (isa<MemRefType>(operand.getType()))
            next.read(operand);
        for (Value output : part.getOutputs())
          next.write(output);
        before(next);
        continue;
      }
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        Accesses next;
        next.read(load.getMemRef());
        before(next);
        continue;
      }
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && shareCheck(loop))
        continue;
      if (op.getNumRegions() != 0 && !isa<memref::AllocaScopeOp>(op)) {
        if (!pending.empty())
          barrier();
        for (Region &region : op.getRegions())
          for (Block &inner : region) {
            if (failed(visit(inner)))
              return failure();
            if (pending.empty())
              continue;
            b.setInsertionPoint(inner.getTerminator());
            barrier();
          }
        continue;
      }
      if (!isMemoryEffectFree(&op) &&
          !isa<CheckOp, gpu::ReturnOp, gpu::BarrierOp, gpu::LaunchFuncOp>(op))
        return op.emitError("AIK-E0007: '")
               << op.getName()
               << "' cannot be divided among the threads of a GPU";
    }
    return success();
  }

  static Accesses accessesOf(DestinationStyleOpInterface op) {
    Accesses accesses;
    for (OpOperand &operand : op->getOpOperands()) {
      if (op.isDpsInit(&operand))
        accesses.write(operand.get());
      else
        accesses.read(operand.get());
    }
    return accesses;
  }

  /// A loop that finds out whether something holds for all elements, only for
  /// checks: each thread looks at some of them and checks what it has seen.
  bool shareCheck(scf::ForOp loop) {
    if (loop.getNumResults() != 1 ||
        !loop.getResult(0).getType().isInteger(1) ||
        !llvm::all_of(loop->getUsers(), llvm::IsaPred<CheckOp>))
      return false;
    scf::ForOp innermost = loop;
    while (auto inner =
               innermost.getYieldedValues()[0].getDefiningOp<scf::ForOp>()) {
      if (inner.getNumResults() != 1 ||
          inner->getBlock() != innermost.getBody())
        return false;
      innermost = inner;
    }
    auto both = innermost.getYieldedValues()[0].getDefiningOp<arith::AndIOp>();
    if (!both ||
        !llvm::is_contained(both->getOperands(), innermost.getRegionIterArg(0)))
      return false;
    Accesses next;
    WalkResult reads = loop.walk([&](Operation *inner) {
      if (auto load = dyn_cast<memref::LoadOp>(inner))
        next.read(load.getMemRef());
      else if (!isa<scf::ForOp>(inner) && !isMemoryEffectFree(inner))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (reads.wasInterrupted())
      return false;
    before(next);
    b.setInsertionPoint(innermost);
    auto [first, count] = threadsOf(loop);
    Value step = innermost.getStep();
    innermost.setLowerBound(
        b.plus(innermost.getLowerBound(), b.times(first, step)));
    innermost.setStep(b.times(step, count));
    return true;
  }

  /// This thread's number among those that share an op, and how many they are.
  std::pair<Value, Value> threadsOf(Operation *op) {
    if (!op->hasAttr(kSpreadAttrName))
      return {thread, b.index(threads)};
    Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value blocks = gpu::GridDimOp::create(b, gpu::Dimension::x);
    return {b.plus(b.times(block, threads), thread), b.times(blocks, threads)};
  }

  void oneThread(function_ref<void()> body) {
    auto only = scf::IfOp::create(b, b.equals(thread, 0));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(only.thenBlock());
    body();
  }

  void distribute(linalg::LinalgOp op) {
    Accesses next;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      if (op.isDpsInit(&operand))
        next.write(operand.get());
      if (op.payloadUsesValueFromOperand(&operand))
        next.read(operand.get());
    }
    op->walk([&](memref::LoadOp load) { next.read(load.getMemRef()); });
    b.setInsertionPoint(op);
    bool spread = op->hasAttr(kSpreadAttrName);
    if (!spread)
      if (std::optional<ThinProduct> product = ThinProduct::match(op)) {
        distributeProduct(op,
                          [&] { product->emit(b, kernel, thread, threads); });
        return;
      }
    if (!spread && room)
      if (std::optional<SharedProduct> product =
              SharedProduct::match(op, threads)) {
        distributeProduct(op, [&] { product->emit(b, room, thread); });
        return;
      }
    before(next);
    StructuredBody body(op, b);
    if (!spread && distributeReduction(body)) {
      op->erase();
      return;
    }
    auto [first, step] = threadsOf(op);
    auto elementLoop = [&, first = first, step = step] {
      Value total = body.parallelCount(b);
      auto loop = scf::ForOp::create(b, first, total, step);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      body.emitElement(b, loop.getInductionVar());
    };
    if (!emitVectorLoop(b, op, first, step, elementLoop))
      elementLoop();
    op->erase();
  }

  /// It has a barrier of its own before what it does with its result.
  void distributeProduct(linalg::LinalgOp op, function_ref<void()> emit) {
    Accesses factors, result;
    for (Value input : op.getDpsInputs())
      factors.read(input);
    result.write(op.getDpsInits().front());
    before(factors);
    emit();
    op->erase();
    pending.clear();
    pending.add(factors);
    pending.add(result);
  }

  /// Few sums of many elements: several threads for each.
  bool distributeReduction(StructuredBody &body) {
    std::optional<int64_t> sums = body.staticParallelCount();
    if (!body.isReduction() || !sums || *sums >= threads)
      return false;
    std::optional<BlockReduction> reduction = BlockReduction::match(body);
    if (!reduction)
      return false;
    int64_t warps = threads / kWarpSize;
    bool whole = *sums * 2 <= warps;
    reduction->emit(b, kernel, thread, threads, whole ? threads : kWarpSize);
    // The exchange between warps has barriers of its own, but what comes next
    // reads what one lane has stored.
    return true;
  }

  gpu::GPUFuncOp kernel;
  LoopBuilder b;
  Value thread;
  int64_t threads;
  Value room; // for factors of products
  Accesses pending;
};

struct DistributeThreadsPass
    : aikernel::impl::DistributeThreadsPassBase<DistributeThreadsPass> {
  using DistributeThreadsPassBase::DistributeThreadsPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (kernel->hasAttr(kPerThreadAttrName) || emitRows(kernel))
        continue;
      // Tile programs say themselves who does what.
      if (!kernel.getOps<tile::ProductOp>().empty() ||
          !kernel.getOps<tile::AttentionOp>().empty())
        continue;
      if (failed(BlockDistributor(kernel).run()))
        return signalPassFailure();
    }
  }

private:
  /// Kernels of whole rows that fit into the registers of a block.
  static bool emitRows(gpu::GPUFuncOp kernel) {
    std::optional<RowProgram> rows =
        RowProgram::match(kernel.getBody().front());
    if (!rows)
      return false;
    std::optional<RowLayout> layout =
        rows->divide(kernel.getKnownBlockSize()->front());
    if (!layout)
      return false;
    RowEmitter(kernel, rows->getOps(), *layout).run();
    return true;
  }
};

} // namespace
