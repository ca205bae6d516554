//===- LinearOps.cpp - matmul and linear ----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape contracts, verification, canonical forms, reference calls and costs.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "OpSupport.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace aikernel;

/// What `value` was before its last two dimensions were swapped, or null.
static Value getUntransposed(Value value) {
  auto transpose = value.getDefiningOp<linalg::TransposeOp>();
  if (!transpose)
    return {};
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  int64_t rank = permutation.size();
  if (rank < 2)
    return {};
  for (int64_t dim = 0; dim != rank; ++dim) {
    int64_t expected = dim == rank - 2   ? rank - 1
                       : dim == rank - 1 ? rank - 2
                                         : dim;
    if (permutation[dim] != expected)
      return {};
  }
  return transpose.getInput();
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

ShapeContract MatmulOp::getShapeContract() {
  ShapeContract contract;
  int64_t rankA = cast<RankedTensorType>(getA().getType()).getRank();
  int64_t rankB = cast<RankedTensorType>(getB().getType()).getRank();
  int64_t batchA = rankA - 2, batchB = rankB - 2;
  int64_t batches = std::max(batchA, batchB);
  for (int64_t i = 0; i != batches; ++i)
    contract.addSize("batch", true);
  unsigned m = contract.addSize("M", true);
  unsigned n = contract.addSize("N", true);
  unsigned k = contract.addSize("K", false);

  auto batchRoles = [&](int64_t count) {
    SmallVector<DimRole> roles;
    for (int64_t i = batches - count; i != batches; ++i)
      roles.push_back({static_cast<unsigned>(i), /*broadcast=*/true});
    return roles;
  };
  SmallVector<DimRole> a = batchRoles(batchA), b = batchRoles(batchB);
  a.append({{getTransposeA() ? k : m}, {getTransposeA() ? m : k}});
  b.append({{getTransposeB() ? n : k}, {getTransposeB() ? k : n}});
  SmallVector<DimRole> result = consecutiveRoles(0, batches + 2);
  contract.addOperand("a", getA(), a);
  contract.addOperand("b", getB(), b);
  contract.addResult("result", getResult(), result);
  return contract;
}

LogicalResult MatmulOp::verify() {
  if (failed(verifyRank(*this, "a", getA(), 2, AIK_MAX_RANK)) ||
      failed(verifyRank(*this, "b", getB(), 2, AIK_MAX_RANK)))
    return failure();
  ShapeContract contract = getShapeContract();
  if (failed(verifyElementType(*this, contract.operands[0],
                               ElementSet::Product)) ||
      failed(verifyElementType(*this, contract.operands[1],
                               ElementSet::Product)) ||
      failed(verifyElementType(*this, contract.results[0], ElementSet::Float)))
    return failure();
  return contract::verify(*this);
}

void MatmulOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> MatmulOp::getReferenceParams() {
  return {double(getTransposeA()), double(getTransposeB())};
}

SmallVector<Value> MatmulOp::getReferenceOperands() { return {getA(), getB()}; }

/// One multiplication and one addition for each element and step of the sum.
Value MatmulOp::buildFlops(OpBuilder &builder) {
  ShapeContract contract = getShapeContract();
  SmallVector<OpFoldResult> factors = {builder.getIndexAttr(2)};
  for (unsigned size = 0, e = contract.sizes.size(); size != e; ++size)
    factors.push_back(contract::buildSize(builder, getLoc(), contract, size));
  return buildProduct(builder, getLoc(), factors);
}

namespace {
/// matmul(transpose a, b) -> matmul(a, b) with the flag turned.
struct FoldTransposeIntoMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value a = getUntransposed(op.getA()), b = getUntransposed(op.getB());
    if (!a && !b)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    rewriter.modifyOpInPlace(op, [&] {
      if (a) {
        op.getAMutable().assign(a);
        op.setTransposeA(!op.getTransposeA());
      }
      if (b) {
        op.getBMutable().assign(b);
        op.setTransposeB(!op.getTransposeB());
      }
    });
    return success();
  }
};
} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FoldTransposeIntoMatmul>(context);
}

//===----------------------------------------------------------------------===//
// LinearOp
//===----------------------------------------------------------------------===//

ShapeContract LinearOp::getShapeContract() {
  ShapeContract contract;
  int64_t rank = cast<RankedTensorType>(getX().getType()).getRank();
  for (int64_t dim = 0; dim != rank - 1; ++dim)
    contract.addSize("d" + std::to_string(dim), true);
  unsigned n = contract.addSize("N", true);
  unsigned k = contract.addSize("K", false);
  SmallVector<DimRole> x = consecutiveRoles(0, rank - 1);
  x.push_back({k});
  contract.addOperand("x", getX(), x);
  if (getTransposeB())
    contract.addOperand("w", getW(), {{n}, {k}});
  else
    contract.addOperand("w", getW(), {{k}, {n}});
  if (getBias())
    contract.addOperand("bias", getBias(), {{n}});
  contract.addResult("result", getResult(), consecutiveRoles(0, rank));
  return contract;
}

LogicalResult LinearOp::verify() {
  if (failed(verifyRank(*this, "x", getX(), 1, AIK_MAX_RANK)))
    return failure();
  ShapeContract contract = getShapeContract();
  if (failed(verifyElementType(*this, contract.operands[0],
                               ElementSet::Product)) ||
      failed(verifyElementType(*this, contract.operands[1],
                               ElementSet::Product)) ||
      (getBias() && failed(verifyElementType(*this, contract.operands[2],
                                             ElementSet::Float))) ||
      failed(verifyElementType(*this, contract.results[0], ElementSet::Float)))
    return failure();
  return contract::verify(*this);
}

void LinearOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> LinearOp::getReferenceParams() {
  return {double(static_cast<uint32_t>(getActivation())),
          double(getTransposeB())};
}

SmallVector<Value> LinearOp::getReferenceOperands() {
  return {getX(), getW(), getBias()};
}

/// The product, one addition per element for the bias and one operation per
/// element for the activation.
Value LinearOp::buildFlops(OpBuilder &builder) {
  Location loc = getLoc();
  ShapeContract contract = getShapeContract();
  SmallVector<OpFoldResult> elements, product = {builder.getIndexAttr(2)};
  for (auto [index, size] : llvm::enumerate(contract.sizes)) {
    product.push_back(contract::buildSize(builder, loc, contract, index));
    if (size.parallel)
      elements.push_back(product.back());
  }
  int64_t perElement =
      (getBias() ? 1 : 0) + (getActivation() != Activation::None ? 1 : 0);
  Value flops = buildProduct(builder, loc, product);
  if (perElement == 0)
    return flops;
  elements.push_back(builder.getIndexAttr(perElement));
  return builder.createOrFold<arith::AddIOp>(
      loc, flops, buildProduct(builder, loc, elements));
}

namespace {
/// linear(x, transpose w) -> linear(x, w) with the flag turned.
struct FoldTransposeIntoLinear : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    Value w = getUntransposed(op.getW());
    if (!w)
      return rewriter.notifyMatchFailure(op, "the weight is no transpose");
    rewriter.modifyOpInPlace(op, [&] {
      op.getWMutable().assign(w);
      op.setTransposeB(!op.getTransposeB());
    });
    return success();
  }
};

/// A bias of zeros adds nothing.
struct DropZeroBias : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    if (!isConstantZero(op.getBias()))
      return rewriter.notifyMatchFailure(op, "no bias of zeros");
    rewriter.modifyOpInPlace(op, [&] { op.getBiasMutable().clear(); });
    return success();
  }
};

/// relu(linear(x)) -> linear(x) {relu}: rounding keeps order and zero, so relu
/// before or after it gives the same bits. No other activation has that.
struct FoldReluIntoLinear : OpRewritePattern<ReluOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReluOp op,
                                PatternRewriter &rewriter) const override {
    auto linear = op.getX().getDefiningOp<LinearOp>();
    if (!linear || !linear->hasOneUse() ||
        linear.getActivation() != Activation::None)
      return rewriter.notifyMatchFailure(op, "no plain linear of its own");
    rewriter.modifyOpInPlace(linear,
                             [&] { linear.setActivation(Activation::Relu); });
    rewriter.replaceOp(op, linear);
    return success();
  }
};
} // namespace

void LinearOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropZeroBias, FoldReluIntoLinear, FoldTransposeIntoLinear>(
      context);
}
