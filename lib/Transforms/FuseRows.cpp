//===- FuseRows.cpp - What makes a row also reduces it --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: linalg on buffers, inside the tile loops. Out: an elementwise op and the
// reduction of its result along the last dimension are one op with two results,
// so that no loop reads the row only to sum it up.
//
//   linalg.generic (exp) ins(%x, %max) outs(%p)
//   linalg.fill ins(%zero) outs(%sum)
//   linalg.generic (add, reduction) ins(%p) outs(%sum)       ==>
//   linalg.fill ins(%zero) outs(%sum)
//   linalg.generic (exp, add) ins(%x, %max) outs(%p, %sum)
//
// On tensors upstream's tiling would have to fuse through a second result. Here
// buffers may have been shared: where %sum is %max, the sum gets its own.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "aik-fuse-rows"

namespace aikernel {
#define GEN_PASS_DEF_FUSEROWSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

/// Reads one buffer and reduces its last dimension.
bool isRowReduction(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1)
    return false;
  unsigned last = op.getNumLoops() - 1;
  auto iterators = op.getIteratorTypesArray();
  AffineMap rows = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return linalg::isReductionIterator(iterators[last]) && rows.isIdentity() &&
         result == rows.dropResult(last);
}

/// Writes all of `buffer`, element by element.
bool isElementwiseInto(linalg::GenericOp op, Value buffer, unsigned loops) {
  return op.hasPureBufferSemantics() && op.getNumLoops() == loops &&
         op.getNumParallelLoops() == loops && op.getNumDpsInits() == 1 &&
         op.getDpsInitOperand(0)->get() == buffer &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         op.getRegionOutputArgs()[0].use_empty();
}

/// A reduction, what made its rows, and what initialises its result between
/// the two, if it is there.
struct Pair {
  linalg::GenericOp producer, reduction;
  linalg::FillOp fill;

  Value rows() { return reduction.getDpsInputOperand(0)->get(); }
  Value result() { return reduction.getDpsInitOperand(0)->get(); }
};

std::optional<Pair> findPair(linalg::GenericOp reduction) {
  Pair pair{nullptr, reduction, nullptr};
  for (Operation *op = reduction->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (!isElementwiseInto(generic, pair.rows(), reduction.getNumLoops()))
        return std::nullopt;
      pair.producer = generic;
      return pair;
    }
    auto fill = dyn_cast<linalg::FillOp>(op);
    if (fill && !pair.fill && fill.getOutputs()[0] == pair.result())
      pair.fill = fill;
    else if (!isMemoryEffectFree(op) && !isa<memref::AllocOp>(op))
      return std::nullopt;
  }
  return std::nullopt;
}

/// The producer moves behind the fill: it may not read what that overwrites.
bool separateResult(Pair &pair, IRRewriter &rewriter) {
  Value shared = pair.result();
  if (!llvm::is_contained(pair.producer->getOperands(), shared))
    return true;
  auto alloc = shared.getDefiningOp<memref::AllocOp>();
  Block *block = pair.reduction->getBlock();
  if (!pair.fill || !alloc || alloc->getBlock() != block)
    return false;
  // Another name of the buffer could be read as well.
  for (Operation *user : shared.getUsers())
    if (!isa<linalg::LinalgOp>(user) || user->getBlock() != block)
      return false;
  rewriter.setInsertionPoint(pair.fill);
  Value own = rewriter.clone(*alloc)->getResult(0);
  rewriter.replaceUsesWithIf(shared, own, [&](OpOperand &use) {
    return !use.getOwner()->isBeforeInBlock(pair.fill);
  });
  return true;
}

void fuse(Pair &pair, IRRewriter &rewriter) {
  linalg::GenericOp producer = pair.producer, reduction = pair.reduction;
  SmallVector<AffineMap> maps = producer.getIndexingMapsArray();
  maps.push_back(
      reduction.getMatchingIndexingMap(reduction.getDpsInitOperand(0)));
  rewriter.setInsertionPoint(reduction);
  linalg::GenericOp::create(
      rewriter, reduction.getLoc(), producer.getInputs(),
      ValueRange{pair.rows(), pair.result()}, maps,
      reduction.getIteratorTypesArray(),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping values;
        values.map(producer.getBody()->getArguments(), args.drop_back());
        auto append = [&](Block *body) {
          for (Operation &op : body->without_terminator())
            b.clone(op, values);
          return values.lookupOrDefault(body->getTerminator()->getOperand(0));
        };
        Value element = append(producer.getBody());
        values.map(reduction.getBody()->getArgument(0), element);
        values.map(reduction.getBody()->getArgument(1), args.back());
        Value result = append(reduction.getBody());
        linalg::YieldOp::create(b, loc, ValueRange{element, result});
      });
  rewriter.eraseOp(reduction);
  rewriter.eraseOp(producer);
}

struct FuseRowsPass : aikernel::impl::FuseRowsPassBase<FuseRowsPass> {
  using FuseRowsPassBase::FuseRowsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> reductions;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (isRowReduction(op))
        reductions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp reduction : reductions) {
      std::optional<Pair> pair = findPair(reduction);
      if (pair && separateResult(*pair, rewriter))
        fuse(*pair, rewriter);
    }
  }
};

} // namespace
