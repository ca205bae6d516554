//===- ResolveSizes.cpp - Sizes in terms of arguments ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: tensor.dim of intermediate tensors. Out: the same sizes, asked of the
// operands that they come from, down to arguments where possible:
//
//   tensor.dim (aikernel.matmul %a, %b), 0  ==>  tensor.dim %a, 0
//
// Upstream resolves ops that reify their shapes. This adds elementwise ops and
// loops: what a loop carries keeps the size that it started with, which
// CheckArguments made sure of. And a slice of all of a tensor is the tensor.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Passes.h"
#include "LoopSizes.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "aik-resolve-sizes"

namespace aikernel {
#define GEN_PASS_DEF_RESOLVESIZESPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// The sizes of an elementwise op are those of its operands; arith and math
/// do not say so themselves.
struct DimOfElementwise : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp dim,
                                PatternRewriter &rewriter) const override {
    Operation *op = dim.getSource().getDefiningOp();
    Value operand = op ? elementwiseOperand(op) : Value();
    if (!operand)
      return failure();
    rewriter.replaceOpWithNewOp<tensor::DimOp>(dim, operand, dim.getIndex());
    return success();
  }
};

/// Inside and after a loop: the size before it.
struct DimOfCarried : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp dim,
                                PatternRewriter &rewriter) const override {
    Value start = startOfCarried(dim.getSource());
    if (!start)
      return failure();
    rewriter.replaceOpWithNewOp<tensor::DimOp>(dim, start, dim.getIndex());
    return success();
  }
};

/// What scf.while hands over may be computed in its condition. Its size is
/// known where it comes from a tensor from outside.
struct DimOfCondition : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp dim,
                                PatternRewriter &rewriter) const override {
    scf::WhileOp loop;
    Value handed = handedOver(dim.getSource(), loop);
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!handed || !index)
      return failure();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(loop);
    Value size = sizeOutside(rewriter, loop, handed, *index);
    if (!size)
      return failure();
    rewriter.replaceOp(dim, size);
    return success();
  }
};

/// Branches that agree on a size.
struct DimOfChoice : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp dim,
                                PatternRewriter &rewriter) const override {
    auto result = dyn_cast<OpResult>(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!result || !index || !isa<scf::IfOp>(result.getOwner()))
      return failure();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(result.getOwner());
    Value size = sizeOfChoice(rewriter, result, *index);
    if (!size)
      return failure();
    rewriter.replaceOp(dim, size);
    return success();
  }
};

/// Does the slice take all of `tensor`?
bool isWhole(OffsetSizeAndStrideOpInterface slice, Value tensor) {
  while (Value start = startOfCarried(tensor))
    tensor = start;
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    if (!isConstantIntValue(offset, 0) || !isConstantIntValue(stride, 1))
      return false;
    FailureOr<bool> all = ValueBoundsConstraintSet::areEqual(
        size, {tensor, static_cast<int64_t>(dim)});
    if (failed(all) || !*all)
      return false;
  }
  return true;
}

/// All of a tensor is the tensor, not a part of it that would have to be
/// copied back.
struct WholeExtract : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    if (slice.getType() != slice.getSourceType() ||
        !isWhole(slice, slice.getSource()))
      return failure();
    rewriter.replaceOp(slice, slice.getSource());
    return success();
  }
};

struct WholeInsert : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp slice,
                                PatternRewriter &rewriter) const override {
    if (slice.getType() != slice.getSourceType() ||
        !isWhole(slice, slice.getDest()))
      return failure();
    rewriter.replaceOp(slice, slice.getSource());
    return success();
  }
};

struct ResolveSizesPass
    : aikernel::impl::ResolveSizesPassBase<ResolveSizesPass> {
  using ResolveSizesPassBase::ResolveSizesPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<DimOfElementwise, DimOfCarried, DimOfCondition, DimOfChoice,
                 WholeExtract, WholeInsert>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
