//===- Linear.cpp - matmul and linear to linalg ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: matmul, linear. Out: a fill, a contraction with parallel loops for batch,
// rows and columns and one reduction, and an elementwise epilogue that adds the
// bias, applies the activation and rounds. Transposes and broadcast batches are
// indexing maps; the leading dimensions of linear are collapsed into rows.
//
//===----------------------------------------------------------------------===//

#include "Common.h"

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

Value tolinalg::createContraction(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                                  ArrayRef<AffineMap> maps,
                                  ArrayRef<OpFoldResult> sizes, Type compute) {
  Value sum = filledTensor(b, sizes, floatConstant(b, compute, 0.0));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  auto contraction = createGeneric(
      b, {lhs, rhs}, sum, maps, iterators,
      [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> SmallVector<Value> {
        Value x = convertFloat(b, arguments[0], compute);
        Value y = convertFloat(b, arguments[1], compute);
        return {arith::AddFOp::create(b, arguments[2],
                                      arith::MulFOp::create(b, x, y))};
      });
  return contraction.getResult(0);
}

Value tolinalg::createEpilogue(ImplicitLocOpBuilder &b, Value sum, Value bias,
                               Activation activation, Type element) {
  Type compute = elementOf(sum);
  if (!bias && activation == Activation::None && compute == element)
    return sum;
  unsigned rank = typeOf(sum).getRank();
  SmallVector<Value> inputs{sum};
  SmallVector<AffineMap> maps{identityMap(b, rank)};
  if (bias) {
    inputs.push_back(bias);
    maps.push_back(mapTo(b, rank, {rank - 1}));
  }
  return createElementwise(
      b, inputs, maps, sizesOf(b, sum), element,
      [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> SmallVector<Value> {
        Value y = arguments[0];
        if (bias)
          y = arith::AddFOp::create(b, y,
                                    convertFloat(b, arguments[1], compute));
        y = buildActivation(b, activation, y,
                            accuracyFor(element, /*ofSum=*/true));
        return {convertFloat(b, y, element)};
      });
}

namespace {

/// Does a batch dimension of `operand` only show at run time whether it is
/// broadcast against `other`? Dimensions are aligned from the right.
bool mayBroadcastAtRunTime(Value operand, Value other) {
  ArrayRef<int64_t> shape = typeOf(operand).getShape().drop_back(2);
  ArrayRef<int64_t> against = typeOf(other).getShape().drop_back(2);
  while (!shape.empty() && !against.empty()) {
    if (ShapedType::isDynamic(shape.back()) && against.back() != 1)
      return true;
    shape = shape.drop_back();
    against = against.drop_back();
  }
  return false;
}

/// `operand`, with every batch dimension that is 1 at run time repeated to the
/// size that it has in `other`, and its sizes then. Copies only when there is
/// such a dimension.
std::pair<Value, Sizes> broadcastBatch(ImplicitLocOpBuilder &b, Value operand,
                                       Value other) {
  Sizes own = sizesOf(b, operand), theirs = sizesOf(b, other), wanted = own;
  if (!mayBroadcastAtRunTime(operand, other))
    return {operand, own};
  unsigned batches = own.size() - 2;
  Value same = arith::ConstantIntOp::create(b, 1, 1);
  for (unsigned i = 1; i <= std::min(own.size(), theirs.size()) - 2; ++i) {
    unsigned dim = batches - i;
    if (getConstantIntValue(own[dim]))
      continue;
    Value size = getValueOrCreateConstantIndexOp(b, b.getLoc(), own[dim]);
    Value target = getValueOrCreateConstantIndexOp(
        b, b.getLoc(), theirs[theirs.size() - 2 - i]);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, size, one);
    Value repeated = arith::SelectOp::create(b, isOne, target, size);
    Value equal =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, repeated, size);
    same = arith::AndIOp::create(b, same, equal);
    wanted[dim] = repeated;
  }
  RankedTensorType type = typeOf(operand);
  auto choice = scf::IfOp::create(b, type, same, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, operand);
  b.setInsertionPointToStart(choice.elseBlock());
  Value empty = tensor::EmptyOp::create(b, wanted, type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      b, empty.getType(), ValueRange{}, empty, identity, loops,
      [&](OpBuilder &nested, Location loc, ValueRange) {
        ImplicitLocOpBuilder inner(loc, nested);
        SmallVector<Value> indices;
        Value one = arith::ConstantIndexOp::create(inner, 1);
        for (auto [dim, size] : llvm::enumerate(own)) {
          Value index = linalg::IndexOp::create(inner, dim);
          if (dim < batches) {
            Value last = arith::SubIOp::create(
                inner, getValueOrCreateConstantIndexOp(inner, loc, size), one);
            index = arith::MinSIOp::create(inner, index, last);
          }
          indices.push_back(index);
        }
        Value element = tensor::ExtractOp::create(inner, operand, indices);
        linalg::YieldOp::create(inner, element);
      });
  scf::YieldOp::create(b, castTo(b, copy.getResult(0), type));
  // A slice of everything: unlike a choice, its sizes are known from outside.
  b.setInsertionPointAfter(choice);
  Sizes from(wanted.size(), b.getIndexAttr(0));
  Sizes steps(wanted.size(), b.getIndexAttr(1));
  Value whole = tensor::ExtractSliceOp::create(b, choice.getResult(0), from,
                                               wanted, steps);
  return {whole, wanted};
}

struct LowerMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    unsigned rank = resultType.getRank();
    unsigned batchRank = rank - 2;
    AffineExpr m = b.getAffineDimExpr(batchRank);
    AffineExpr n = b.getAffineDimExpr(batchRank + 1);
    AffineExpr k = b.getAffineDimExpr(batchRank + 2);

    auto [lhs, lhsSizes] = broadcastBatch(b, op.getA(), op.getB());
    auto [rhs, rhsSizes] = broadcastBatch(b, op.getB(), op.getA());
    Sizes sizes(rank);
    SmallVector<AffineExpr> lhsExprs =
        batchExprs(b, lhs, lhsSizes, batchRank, sizes);
    SmallVector<AffineExpr> rhsExprs =
        batchExprs(b, rhs, rhsSizes, batchRank, sizes);
    bool transposeA = op.getTransposeA(), transposeB = op.getTransposeB();
    if (transposeA)
      lhsExprs.append({k, m});
    else
      lhsExprs.append({m, k});
    if (transposeB)
      rhsExprs.append({n, k});
    else
      rhsExprs.append({k, n});
    sizes[batchRank] = lhsSizes[lhsSizes.size() - (transposeA ? 1 : 2)];
    sizes[batchRank + 1] = rhsSizes[rhsSizes.size() - (transposeB ? 2 : 1)];
    sizes = refineSizes(b, sizes, resultType);

    MLIRContext *context = b.getContext();
    AffineMap maps[] = {AffineMap::get(rank + 1, 0, lhsExprs, context),
                        AffineMap::get(rank + 1, 0, rhsExprs, context),
                        b.getMultiDimIdentityMap(rank + 1).dropResult(rank)};
    Type element = resultType.getElementType();
    Type compute =
        computeType({elementOf(op.getA()), elementOf(op.getB()), element});
    Value sum = createContraction(b, lhs, rhs, maps, sizes, compute);
    if (op.getFast())
      sum.getDefiningOp()->setAttr(kFastAttrName, b.getUnitAttr());
    Value result = createEpilogue(b, sum, Value(), Activation::None, element);
    rewriter.replaceOp(op, castTo(b, result, resultType));
    return success();
  }

  /// The loops that index the batch dimensions of `operand`, aligned from the
  /// right; 0 where it is broadcast. Fills in the sizes that it decides.
  static SmallVector<AffineExpr> batchExprs(ImplicitLocOpBuilder &b,
                                            Value operand,
                                            const Sizes &operandSizes,
                                            unsigned batchRank, Sizes &sizes) {
    SmallVector<AffineExpr> exprs;
    ArrayRef<int64_t> shape = typeOf(operand).getShape().drop_back(2);
    for (auto [index, size] : llvm::enumerate(shape)) {
      unsigned loop = batchRank - shape.size() + index;
      bool isUnit = size == 1;
      exprs.push_back(isUnit ? b.getAffineConstantExpr(0)
                             : b.getAffineDimExpr(loop));
      if (!isUnit || sizes[loop].isNull())
        sizes[loop] = operandSizes[index];
    }
    return exprs;
  }
};

/// How many leading sizes are only known at run time.
int64_t countDynamic(ArrayRef<OpFoldResult> sizes) {
  return llvm::count_if(sizes.drop_back(), [](OpFoldResult size) {
    return !getConstantIntValue(size);
  });
}

struct LowerLinear : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    unsigned rank = resultType.getRank();
    Value x = op.getX();
    Sizes wSizes = sizesOf(b, op.getW());
    OpFoldResult columns = wSizes[op.getTransposeB() ? 0 : 1];
    Sizes resultSizes = sizesOf(b, x);
    resultSizes.back() = columns;
    resultSizes = refineSizes(b, resultSizes, resultType);

    // Rows of all leading dimensions become one dimension, unless more than
    // one size is unknown: taking them apart again would then need sizes that
    // memref.expand_shape cannot be lowered with.
    SmallVector<ReassociationIndices> groups;
    bool collapses = rank > 2 && countDynamic(resultSizes) <= 1;
    if (collapses) {
      groups = {llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)), {rank - 1}};
      x = tensor::CollapseShapeOp::create(b, x, groups);
    }
    Sizes sizes = sizesOf(b, x);
    sizes.back() = resultSizes.back();

    // Loops are rows (none for a vector), columns, reduction.
    unsigned rows = sizes.size() - 1, loops = rows + 2;
    unsigned n = rows, k = rows + 1;
    AffineMap identity = identityMap(b, loops);
    AffineMap maps[] = {identity.dropResult(n),
                        op.getTransposeB() ? mapTo(b, loops, {n, k})
                                           : mapTo(b, loops, {k, n}),
                        identity.dropResult(k)};
    Type element = resultType.getElementType();
    SmallVector<Type> elements{elementOf(x), elementOf(op.getW()), element};
    if (op.getBias())
      elements.push_back(elementOf(op.getBias()));
    Value sum =
        createContraction(b, x, op.getW(), maps, sizes, computeType(elements));
    if (op.getFast())
      sum.getDefiningOp()->setAttr(kFastAttrName, b.getUnitAttr());
    Value result =
        createEpilogue(b, sum, op.getBias(), op.getActivation(), element);
    if (collapses) {
      // The expanded type must agree with the sizes it is given.
      SmallVector<int64_t> shape;
      SmallVector<Value> dynamicSizes;
      dispatchIndexOpFoldResults(resultSizes, dynamicSizes, shape);
      auto expandedType = RankedTensorType::get(shape, element);
      result = tensor::ExpandShapeOp::create(b, expandedType, result, groups,
                                             resultSizes);
    }
    rewriter.replaceOp(op, castTo(b, result, resultType));
    return success();
  }
};

} // namespace

void aikernel::populateLinearToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMatmul, LowerLinear>(patterns.getContext());
}
