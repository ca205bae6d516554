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
// Rows that only the last op reads are then made where its result will be, so
// that lines of the result come into the cache while the rows are computed:
//   ... outs(%p, %sum); linalg.generic ins(%p, %sum) outs(%y)        ==>
//   ... outs(%y, %sum); linalg.generic ins(%y, %sum) outs(%y)
// Results that are stored past the caches need no lines of them.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "AIKernel/Transforms/Passes.h"
#include "Memory/LargeResults.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
using aikernel::isChosen;
using aikernel::rootOf;

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

linalg::GenericOp fuse(Pair &pair, IRRewriter &rewriter) {
  linalg::GenericOp producer = pair.producer, reduction = pair.reduction;
  SmallVector<AffineMap> maps = producer.getIndexingMapsArray();
  maps.push_back(
      reduction.getMatchingIndexingMap(reduction.getDpsInitOperand(0)));
  rewriter.setInsertionPoint(reduction);
  auto fused = linalg::GenericOp::create(
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
  return fused;
}

bool isScratch(Value buffer) {
  return !isa<MemRefType>(buffer.getType()) ||
         rootOf(buffer).getDefiningOp<memref::AllocOp>();
}

/// The one op that reads the rows of `fused` besides it, if it turns them into
/// a result of the same type, element by element, from nothing else but
/// scratch.
linalg::GenericOp findOnlyReader(linalg::GenericOp fused) {
  Value rows = fused.getDpsInitOperand(0)->get();
  linalg::GenericOp reader;
  for (OpOperand &use : rows.getUses()) {
    if (use.getOwner() == fused)
      continue;
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user || reader || user->getBlock() != fused->getBlock() ||
        !user.isDpsInput(&use) ||
        !user.getMatchingIndexingMap(&use).isIdentity())
      return nullptr;
    reader = user;
  }
  if (!reader || !fused->isBeforeInBlock(reader) ||
      reader.getNumDpsInits() != 1 ||
      !llvm::all_of(reader.getDpsInputs(), isScratch))
    return nullptr;
  Value result = reader.getDpsInitOperand(0)->get();
  auto type = cast<MemRefType>(rows.getType());
  auto resultType = cast<MemRefType>(result.getType());
  if (!isElementwiseInto(reader, result, type.getRank()) ||
      resultType.getElementType() != type.getElementType() ||
      resultType.getShape() != type.getShape())
    return nullptr;
  return reader;
}

/// May this be the memory of something else as well?
bool mayBeDonated(Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  if (!argument)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return !function ||
         function.getArgAttr(argument.getArgNumber(), aikernel::kDonorAttrName);
}

/// Is all memory that is touched from `fused` to `reader`, but for what the
/// latter writes, elsewhere than `result`?
bool staysApart(linalg::GenericOp fused, linalg::GenericOp reader,
                Value result) {
  Value base = rootOf(result);
  auto isElsewhere = [&](Value operand) {
    return !isa<MemRefType>(operand.getType()) ||
           (rootOf(operand) != base && !isChosen(rootOf(operand)));
  };
  if (isChosen(base) || mayBeDonated(base) ||
      !llvm::all_of(fused->getOperands(), isElsewhere) ||
      !llvm::all_of(reader.getDpsInputs(), isElsewhere))
    return false;
  auto isHarmless = [&](Operation *op) {
    if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
      return true;
    return isa<linalg::LinalgOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return isScratch(operand) && isElsewhere(operand);
           });
  };
  for (Operation *op = fused->getNextNode(); op != reader;
       op = op->getNextNode())
    if (!isHarmless(op))
      return false;
  return true;
}

/// Makes `result` known before `op`.
bool moveBefore(Value result, Operation *op) {
  Operation *view = result.getDefiningOp();
  if (!view || view->getBlock() != op->getBlock() || view->isBeforeInBlock(op))
    return true;
  for (Value operand : view->getOperands())
    if (Operation *def = operand.getDefiningOp();
        def && def->getBlock() == op->getBlock() && !def->isBeforeInBlock(op))
      return false;
  view->moveBefore(op);
  return true;
}

/// Will the result of `reader` be stored past the caches, from rows that stay
/// in them? Copies of a result to itself are left from bufferization.
bool goesPastCaches(linalg::GenericOp reader, MemRefType rows) {
  constexpr int64_t mostBytesOfRows = 256 << 10;
  auto tile =
      reader.getDpsInitOperand(0)->get().getDefiningOp<memref::SubViewOp>();
  auto isNoOther = [&](Operation *user) {
    auto copy = dyn_cast<memref::CopyOp>(user);
    return user == reader || (copy && copy.getSource() == copy.getTarget());
  };
  return tile && llvm::all_of(tile->getUsers(), isNoOther) &&
         aikernel::isTileOfLargeResult(tile) && rows.hasStaticShape() &&
         rows.getNumElements() * rows.getElementTypeBitWidth() / 8 <=
             mostBytesOfRows;
}

void makeRowsInResult(linalg::GenericOp fused) {
  Value rows = fused.getDpsInitOperand(0)->get();
  auto scratch = rows.getDefiningOp<memref::AllocOp>();
  linalg::GenericOp reader =
      scratch ? findOnlyReader(fused) : linalg::GenericOp();
  if (!reader)
    return;
  Value result = reader.getDpsInitOperand(0)->get();
  if (goesPastCaches(reader, scratch.getType()) ||
      !staysApart(fused, reader, result) || !moveBefore(result, fused))
    return;
  rows.replaceAllUsesWith(result);
  scratch.erase();
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
      if (!pair || !separateResult(*pair, rewriter))
        continue;
      linalg::GenericOp fused = fuse(*pair, rewriter);
      if (aikernel::keepsWrittenLines(fused))
        makeRowsInResult(fused);
    }
  }
};

} // namespace
