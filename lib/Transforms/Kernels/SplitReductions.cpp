//===- SplitReductions.cpp - Long sums of few results in two steps --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: linalg.generic on tensors. Out: those that sum so much into so few
// results that threads would have nothing to share, as sums of parts, and a sum
// of these:
//
//   %s = linalg.generic {reduction, reduction} ins(%x : 2048x4096) outs(%t)
//   ==>  %p = linalg.generic {parallel, reduction} ins(%x) outs(%zeros : 2048)
//        %s = linalg.generic {reduction} ins(%p) outs(%t)
//
// One long dimension is first made two. The parts depend on shapes alone, so
// that results do not change with the number of threads. Upstream's
// linalg::splitReduction knows sums of one loop only.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

#define DEBUG_TYPE "aik-split-reductions"

namespace aikernel {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// More results than these are enough for threads to share.
constexpr int64_t kMostResults = 16;
/// So many numbers for each of them pay for a second kernel; softmax of fewer,
/// as over a vocabulary, is better off in one.
constexpr int64_t kLongSum = 1 << 18;
/// So many parts are wanted, and so many numbers in each.
constexpr int64_t kFewestParts = 16;
constexpr int64_t kMostParts = 1024;
constexpr int64_t kShortestPart = 64;

/// The op that adds to the only result, if another order gives the same.
Operation *matchCombiner(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() == 0)
    return nullptr;
  SmallVector<Operation *, 4> combiners;
  BlockArgument sum = op.getRegionOutputArgs()[0];
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 || !sum.hasOneUse() ||
      !sum.getType().isIntOrFloat() || // `index` has no least number
      !arith::getNeutralElement(combiners[0]))
    return nullptr;
  return combiners[0];
}

bool isLongSum(linalg::LinalgOp op) {
  auto isKnown = [](Value operand) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type && type.hasStaticShape();
  };
  if (kindOf(op) != OpKind::RowReduction ||
      !llvm::all_of(op->getOperands(), isKnown))
    return false;
  int64_t results = 1, summed = 1;
  for (auto [extent, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (extent == 0)
      return false;
    int64_t &product = linalg::isReductionIterator(iterator) ? summed : results;
    if (extent > std::numeric_limits<int64_t>::max() / product)
      return false;
    product *= extent;
  }
  return results <= kMostResults && summed >= kLongSum;
}

/// The outermost loop of several that has enough steps for parts.
std::optional<unsigned> loopOfParts(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop : ArrayRef(loops).drop_back())
    if (extents[loop] >= kFewestParts)
      return loop;
  return std::nullopt;
}

/// How many parts the loop falls into, if it does.
std::optional<int64_t> partsOf(int64_t extent) {
  for (int64_t parts = std::min(kMostParts, extent / kShortestPart);
       parts >= kFewestParts; --parts)
    if (extent % parts == 0)
      return parts;
  return std::nullopt;
}

/// The last summed loop as two, if it is a whole number of parts and each
/// operand has it as a dimension or not at all.
std::optional<linalg::GenericOp> cutLoop(IRRewriter &b, linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  unsigned loop = loops.back();
  int64_t extent = op.getStaticLoopRanges()[loop];
  std::optional<int64_t> parts = partsOf(extent);
  Block &body = op.getRegion().front();
  AffineExpr whole = b.getAffineDimExpr(loop);
  auto canBeCut = [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      return expr == whole || !expr.isFunctionOfDim(loop);
    });
  };
  if (!parts || !body.getOps<linalg::IndexOp>().empty() ||
      !llvm::all_of(op.getIndexingMapsArray(), canBeCut))
    return std::nullopt;
  // Loops behind it move by one.
  SmallVector<AffineExpr> moved;
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    moved.push_back(b.getAffineDimExpr(i > loop ? i + 1 : i));
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> exprs;
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> shape;
    auto type = cast<RankedTensorType>(operand.get().getType());
    bool isCut = false;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      ReassociationIndices group{static_cast<int64_t>(shape.size())};
      exprs.push_back(expr.replaceDims(moved));
      if (expr == whole) {
        isCut = true;
        group.push_back(shape.size() + 1);
        exprs.push_back(b.getAffineDimExpr(loop + 1));
        shape.append({*parts, extent / *parts});
      } else {
        shape.push_back(type.getDimSize(dim));
      }
      groups.push_back(group);
    }
    maps.push_back(
        AffineMap::get(op.getNumLoops() + 1, 0, exprs, b.getContext()));
    operands.push_back(operand.get());
    if (isCut)
      operands.back() = tensor::ExpandShapeOp::create(
          b, op.getLoc(), type.clone(shape), operand.get(), groups);
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin() + loop, utils::IteratorType::reduction);
  auto cut = linalg::GenericOp::create(b, op.getLoc(), op.getResultTypes(),
                                       ArrayRef(operands).drop_back(),
                                       operands.back(), maps, iterators);
  b.cloneRegionBefore(op.getRegion(), cut.getRegion(), cut.getRegion().end());
  b.replaceOp(op, cut);
  return cut;
}

void split(IRRewriter &b, linalg::GenericOp op, unsigned loop) {
  Location loc = op.getLoc();
  Operation *combiner = matchCombiner(op);
  OpOperand &init = *op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init.get().getType());
  SmallVector<int64_t> shape{op.getStaticLoopRanges()[loop]};
  llvm::append_range(shape, type.getShape());
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  Value neutral =
      arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiner));
  Value start = linalg::FillOp::create(b, loc, neutral, empty).getResult(0);

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap ofResult = maps.back();
  maps.back() = ofResult.insertResult(b.getAffineDimExpr(loop), 0);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators[loop] = utils::IteratorType::parallel;
  auto parts = linalg::GenericOp::create(
      b, loc, start.getType(), op.getDpsInputs(), start, maps, iterators);
  b.cloneRegionBefore(op.getRegion(), parts.getRegion(),
                      parts.getRegion().end());

  unsigned rank = type.getRank();
  iterators.assign(rank + 1, utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  AffineMap ofParts = b.getMultiDimIdentityMap(rank + 1);
  auto add = [&](OpBuilder &inner, Location at, ValueRange args) {
    IRMapping values;
    for (Value operand : combiner->getOperands())
      values.map(operand,
                 operand == op.getRegionOutputArgs()[0] ? args[1] : args[0]);
    linalg::YieldOp::create(inner, at,
                            inner.clone(*combiner, values)->getResults());
  };
  b.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, parts.getResult(0), init.get(),
      ArrayRef{ofParts, ofParts.dropResult(0)}, iterators, add);
}

struct SplitReductionsPass
    : aikernel::impl::SplitReductionsPassBase<SplitReductionsPass> {
  using SplitReductionsPassBase::SplitReductionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> sums;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isLongSum(op))
        sums.push_back(op);
    });
    for (linalg::LinalgOp sum : sums) {
      rewriter.setInsertionPoint(sum);
      auto op = dyn_cast<linalg::GenericOp>(sum.getOperation());
      if (!op) {
        FailureOr<linalg::GenericOp> made =
            linalg::generalizeNamedOp(rewriter, sum);
        if (failed(made))
          continue;
        op = *made;
      }
      if (!matchCombiner(op))
        continue;
      rewriter.setInsertionPoint(op);
      std::optional<unsigned> loop = loopOfParts(op);
      if (!loop)
        if (std::optional<linalg::GenericOp> cut = cutLoop(rewriter, op)) {
          op = *cut;
          loop = loopOfParts(op);
        }
      rewriter.setInsertionPoint(op);
      if (loop)
        split(rewriter, op, *loop);
    }
  }
};

} // namespace
