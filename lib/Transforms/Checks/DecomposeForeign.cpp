//===- DecomposeForeign.cpp - Other dialects' ops in simpler terms --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program. Out: the same without the ops of other dialects that later
// phases do not know:
//
//   linalg.softmax            linalg.generic
//   tensor.concat             tensor.insert_slice
//   a large constant of one   linalg.fill: it must not become a gigabyte of
//     number                    data in the image
//   memref.alloca             memref.alloc: PlanMemory gives it a place, and
//                               stacks stay small
//   memref.dealloc            nothing: the workspace lives as long as the call
//   slices that leave out     slices of all dimensions, and reshapes, where it
//     dimensions                could be forgotten which ones
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Checks/CheckedSizes.h"
#include "AIKernel/Transforms/Passes.h"
#include "RuntimeChecks.h"
#include "SliceDimensions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "aik-decompose-foreign"

namespace aikernel {
#define GEN_PASS_DEF_DECOMPOSEFOREIGNPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

/// Smaller ones are cheap as data.
constexpr int64_t kLargeConstant = 1 << 16;

/// Each dimension that stays, with those left out behind it; the first one also
/// with those before it.
SmallVector<ReassociationIndices>
groupsOf(const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices before;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    if (dropped.test(dim)) {
      (groups.empty() ? before : groups.back()).push_back(dim);
      continue;
    }
    groups.emplace_back(std::move(before));
    groups.back().push_back(dim);
    before.clear();
  }
  return groups;
}

struct ExtractAllDimensions : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    if (!aikernel::isAmbiguous(op, dropped))
      return failure();
    Value whole = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), op.getSource(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getType(), whole, groupsOf(dropped));
    return success();
  }
};

/// In a parallel loop insertions stand apart, and nothing else beside them.
template <typename InsertOp>
struct InsertAllDimensions : OpRewritePattern<InsertOp> {
  using OpRewritePattern<InsertOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(InsertOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    if (!aikernel::isAmbiguous(op, dropped))
      return failure();
    if (isa<InParallelOpInterface>(op->getParentOp()))
      rewriter.setInsertionPoint(op->getParentOp());
    auto type = RankedTensorType::get(op.getStaticSizes(),
                                      op.getSourceType().getElementType());
    Value whole = tensor::ExpandShapeOp::create(
        rewriter, op.getLoc(), type, op.getSource(), groupsOf(dropped),
        op.getMixedSizes());
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<InsertOp>(
        op, whole, op.getDest(), op.getMixedOffsets(), op.getMixedSizes(),
        op.getMixedStrides());
    return success();
  }
};

struct DecomposeSoftmax : OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    if (op->getNumResults() == 0)
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, *results);
    return success();
  }
};

struct FillConstant : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!splat || !type ||
        aikernel::knownBytes(type).value_or(0) <= kLargeConstant)
      return failure();
    Value number = arith::ConstantOp::create(rewriter, op.getLoc(),
                                             splat.getSplatValue<TypedAttr>());
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, number, empty);
    return success();
  }
};

struct AllocInsteadOfAlloca : OpRewritePattern<memref::AllocaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::AllocaOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<memref::AllocOp>(
        op, op.getType(), op.getDynamicSizes(), op.getSymbolOperands(),
        IntegerAttr());
    return success();
  }
};

struct DropDealloc : OpRewritePattern<memref::DeallocOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::DeallocOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// Pieces are put side by side: their other sizes must agree. Behind the
/// pieces' slices this would not show where the first one is the largest.
void checkConcat(tensor::ConcatOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value first = op.getInputs().front();
  for (auto [number, input] : llvm::enumerate(op.getInputs()))
    for (int64_t dim = 0; dim < op.getRank(); ++dim) {
      if (number == 0 || dim == static_cast<int64_t>(op.getDim()))
        continue;
      Value same = builder.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq,
          aikernel::sizeOf(builder, loc, input, dim),
          aikernel::sizeOf(builder, loc, first, dim));
      aikernel::CheckOp::create(builder, loc, same, AIK_EINVAL,
                                ("tensor.concat: dimension " + Twine(dim) +
                                 " of operand " + Twine(number) +
                                 " differs from that of operand 0")
                                    .str());
    }
}

struct DecomposeForeignPass
    : aikernel::impl::DecomposeForeignPassBase<DecomposeForeignPass> {
  using DecomposeForeignPassBase::DecomposeForeignPassBase;

  void runOnOperation() override {
    getOperation()->walk([](tensor::ConcatOp op) { checkConcat(op); });
    RewritePatternSet patterns(&getContext());
    patterns
        .add<DecomposeSoftmax, FillConstant, AllocInsteadOfAlloca, DropDealloc,
             ExtractAllDimensions, InsertAllDimensions<tensor::InsertSliceOp>,
             InsertAllDimensions<tensor::ParallelInsertSliceOp>>(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    // Folding would make constants of what was just filled.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
