//===- PromoteScratch.cpp - Buffers of a tile leave the heap --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: bufferized functions whose parallel loops allocate buffers for a tile.
// Out: no allocation inside a parallel loop.
//
// A buffer with a known upper bound goes to the worker's stack:
//   memref.alloc(%n) (n <= 64)  ==>  memref.view (memref.alloca : 256 bytes)
// The buffers of one parallel loop may take `stack-bytes` of it together, small
// ones first; those of products in tile registers more. What does not fit, or
// has no bound, becomes one allocation outside the loop with a part for each
// iteration; PlanMemory then finds it a place in the workspace. Buffers whose
// size changes from one iteration of a sequential loop to the next become one
// buffer of the largest size.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Passes.h"
#include "Tiles/MatrixInstructions.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

#define DEBUG_TYPE "aik-promote-scratch"

namespace aikernel {
#define GEN_PASS_DEF_PROMOTESCRATCHPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

constexpr int64_t kAlignment = 64;
/// What a loop of packed products may take of the stack, of which a worker has
/// AIK_STACK_BYTES: the sums of a tile, which would be cold if each iteration
/// had others. What else is computed in such a loop needs no buffers of its
/// own.
constexpr int64_t kStackBytesOfProducts = 768 << 10;

scf::ForallOp outermostLoop(Operation *op) {
  scf::ForallOp outermost;
  for (auto loop = op->getParentOfType<scf::ForallOp>(); loop;
       loop = loop->getParentOfType<scf::ForallOp>())
    outermost = loop;
  return outermost;
}

int64_t elementBytes(MemRefType type) {
  if (type.getElementType().isIndex())
    return 8;
  return std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

/// An upper bound on the bytes of a buffer, if there is a constant one.
std::optional<int64_t> boundInBytes(memref::AllocOp alloc) {
  int64_t bytes = elementBytes(alloc.getType());
  unsigned nextDynamic = 0;
  for (int64_t size : alloc.getType().getShape()) {
    if (ShapedType::isDynamic(size)) {
      FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB, alloc.getDynamicSizes()[nextDynamic++],
          /*stopCondition=*/nullptr, /*closedUB=*/true);
      if (failed(bound))
        return std::nullopt;
      size = *bound;
    }
    if (llvm::MulOverflow(bytes, std::max<int64_t>(size, 0), bytes))
      return std::nullopt;
  }
  return bytes;
}

Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

void moveToStack(OpBuilder &builder, memref::AllocOp alloc, int64_t bytes) {
  scf::ForallOp loop = outermostLoop(alloc);
  Location loc = alloc.getLoc();
  builder.setInsertionPointToStart(loop.getBody());
  Value stack = memref::AllocaOp::create(
      builder, loc,
      MemRefType::get({std::max<int64_t>(bytes, 1)}, builder.getI8Type()),
      builder.getI64IntegerAttr(kAlignment));
  builder.setInsertionPoint(alloc);
  Value view = memref::ViewOp::create(builder, loc, alloc.getType(), stack,
                                      constantIndex(builder, loc, 0),
                                      alloc.getDynamicSizes());
  alloc.replaceAllUsesWith(view);
  alloc.erase();
}

LogicalResult moveOutOfLoop(OpBuilder &builder, memref::AllocOp alloc) {
  scf::ForallOp loop = outermostLoop(alloc);
  Location loc = alloc.getLoc();
  builder.setInsertionPoint(loop);
  Value bytes = constantIndex(builder, loc, elementBytes(alloc.getType()));
  auto multiply = [&](Value factor) {
    bytes = arith::MulIOp::create(builder, loc, bytes, factor);
  };
  unsigned nextDynamic = 0;
  for (int64_t size : alloc.getType().getShape()) {
    if (!ShapedType::isDynamic(size)) {
      multiply(constantIndex(builder, loc, size));
      continue;
    }
    // A bound in terms of values from outside the loop.
    FailureOr<OpFoldResult> bound = affine::reifyIndexValueBound(
        builder, loc, presburger::BoundType::UB,
        alloc.getDynamicSizes()[nextDynamic++],
        [&](Value value, std::optional<int64_t>, ValueBoundsConstraintSet &) {
          return !loop->isAncestor(value.getParentRegion()->getParentOp());
        },
        /*closedUB=*/true);
    if (failed(bound))
      return alloc.emitError(
          "AIK-E0007: a buffer inside a parallel loop has no bound");
    multiply(getValueOrCreateConstantIndexOp(builder, loc, *bound));
  }
  Value rounded = arith::AddIOp::create(
      builder, loc, bytes, constantIndex(builder, loc, kAlignment - 1));
  Value part = arith::AndIOp::create(builder, loc, rounded,
                                     constantIndex(builder, loc, -kAlignment));
  Value iterations = constantIndex(builder, loc, 1);
  SmallVector<Value> lowers, steps, trips;
  for (auto [lower, upper, step] :
       llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                 loop.getMixedStep())) {
    lowers.push_back(getValueOrCreateConstantIndexOp(builder, loc, lower));
    steps.push_back(getValueOrCreateConstantIndexOp(builder, loc, step));
    Value hi = getValueOrCreateConstantIndexOp(builder, loc, upper);
    Value span = arith::SubIOp::create(builder, loc, hi, lowers.back());
    trips.push_back(
        arith::CeilDivSIOp::create(builder, loc, span, steps.back()));
    iterations = arith::MulIOp::create(builder, loc, iterations, trips.back());
  }
  Value total = arith::MulIOp::create(builder, loc, part, iterations);
  Value outside = memref::AllocOp::create(
      builder, loc,
      MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()), total);

  builder.setInsertionPoint(alloc);
  Value iteration = constantIndex(builder, loc, 0);
  for (auto [iv, lower, step, count] :
       llvm::zip(loop.getInductionVars(), lowers, steps, trips)) {
    Value from = arith::SubIOp::create(builder, loc, iv, lower);
    Value trip = arith::DivUIOp::create(builder, loc, from, step);
    iteration = arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, iteration, count),
        trip);
  }
  Value offset = arith::MulIOp::create(builder, loc, iteration, part);
  Value view = memref::ViewOp::create(builder, loc, alloc.getType(), outside,
                                      offset, alloc.getDynamicSizes());
  alloc.replaceAllUsesWith(view);
  alloc.erase();
  return success();
}

/// Buffers of a sequential loop: one, of the largest size, before the loop.
void moveBeforeLoop(OpBuilder &builder, memref::AllocOp alloc, int64_t bytes) {
  Operation *outermost = alloc;
  for (Operation *parent = alloc->getParentOp();
       !isa<FunctionOpInterface>(parent); parent = parent->getParentOp())
    outermost = parent;
  Location loc = alloc.getLoc();
  builder.setInsertionPoint(outermost);
  Value memory = memref::AllocOp::create(
      builder, loc, MemRefType::get({bytes}, builder.getI8Type()));
  builder.setInsertionPoint(alloc);
  Value view = memref::ViewOp::create(builder, loc, alloc.getType(), memory,
                                      constantIndex(builder, loc, 0),
                                      alloc.getDynamicSizes());
  alloc.replaceAllUsesWith(view);
  alloc.erase();
}

bool changesInsideLoop(memref::AllocOp alloc) {
  return alloc->getParentOfType<scf::ForOp>() &&
         llvm::any_of(alloc.getDynamicSizes(), [](Value size) {
           return !isa<FunctionOpInterface>(
               size.getParentRegion()->getParentOp());
         });
}

/// Products in tile registers and what is computed element by element, and
/// nothing whose code has buffers of its own on the stack.
bool isOfTileRegisters(Operation *loop) {
  bool hasProduct = false;
  WalkResult others = loop->walk([&](Operation *op) {
    if (auto product = dyn_cast<PackedProductOp>(op)) {
      hasProduct |= isInTileRegisters(product.getInstruction());
      return WalkResult::advance();
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool isOther = isa<OnlineAttentionOp, BlockGemvOp, BlockMatmulOp>(op) ||
                   (linalgOp && linalgOp.getNumReductionLoops() > 0);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return hasProduct && !others.wasInterrupted();
}

int64_t roundedUp(int64_t bytes) {
  return llvm::alignTo(std::max<int64_t>(bytes, 1), kAlignment);
}

struct ScratchBuffer {
  memref::AllocOp alloc;
  std::optional<int64_t> bytes; // an upper bound
};

struct PromoteScratchPass
    : aikernel::impl::PromoteScratchPassBase<PromoteScratchPass> {
  using PromoteScratchPassBase::PromoteScratchPassBase;

  void runOnOperation() override {
    SmallVector<memref::AllocOp> allocs;
    getOperation()->walk([&](memref::AllocOp alloc) {
      if (outermostLoop(alloc) || changesInsideLoop(alloc))
        allocs.push_back(alloc);
    });
    OpBuilder builder(&getContext());
    llvm::MapVector<Operation *, SmallVector<ScratchBuffer>> buffersOfLoops;
    for (memref::AllocOp alloc : allocs) {
      std::optional<int64_t> bytes = boundInBytes(alloc);
      if (Operation *loop = outermostLoop(alloc))
        buffersOfLoops[loop].push_back({alloc, bytes});
      else if (bytes) // without a bound PlanMemory says what is wrong
        moveBeforeLoop(builder, alloc, *bytes);
    }
    for (auto &[loop, buffers] : buffersOfLoops)
      if (failed(place(builder, loop, buffers)))
        return signalPassFailure();
  }

private:
  /// Small buffers first: they are the many, and those that are used most.
  LogicalResult place(OpBuilder &builder, Operation *loop,
                      MutableArrayRef<ScratchBuffer> buffers) {
    llvm::stable_sort(buffers, [](const auto &a, const auto &b) {
      return a.bytes.value_or(INT64_MAX) < b.bytes.value_or(INT64_MAX);
    });
    int64_t left = isOfTileRegisters(loop)
                       ? std::max<int64_t>(stackBytes, kStackBytesOfProducts)
                       : stackBytes;
    for (auto [alloc, bytes] : buffers) {
      // Compared before it is rounded, which could overflow.
      if (bytes && *bytes <= left && roundedUp(*bytes) <= left) {
        left -= roundedUp(*bytes);
        moveToStack(builder, alloc, *bytes);
      } else if (failed(moveOutOfLoop(builder, alloc))) {
        return failure();
      }
    }
    return success();
  }
};

} // namespace
