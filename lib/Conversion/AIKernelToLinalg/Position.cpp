//===- Position.cpp - rope to linalg --------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: rope. Out: a generic op that makes cosines and sines [B, S, dim / 2] from
// positions, once for all heads, and one that rotates. Turns are 64-bit
// fractions that wrap around as angles do: the top two bits of turn + 1/8 name
// the quadrant, the rest is an angle within [-pi/4, pi/4].
//
//===----------------------------------------------------------------------===//

#include "Common.h"
#include "RopeFrequencies.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

struct SineCosine {
  Value sine, cosine;
};

Value polynomial(ImplicitLocOpBuilder &b, Value x,
                 ArrayRef<double> coefficients) {
  Value sum = floatConstant(b, x.getType(), coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = arith::AddFOp::create(b, arith::MulFOp::create(b, sum, x),
                                floatConstant(b, x.getType(), coefficient));
  return sum;
}

/// Sine and cosine of an angle within [-pi/4, pi/4].
SineCosine buildReduced(ImplicitLocOpBuilder &b, Value r) {
  if (r.getType().isF64())
    return {math::SinOp::create(b, r), math::CosOp::create(b, r)};
  Value square = arith::MulFOp::create(b, r, r);
  Value odd = polynomial(
      b, square, {-0.166666672, 0.0083333794, -0.00019853079, 2.8328061e-06});
  Value cube = arith::MulFOp::create(b, r, square);
  Value sine = arith::AddFOp::create(b, arith::MulFOp::create(b, cube, odd), r);
  Value cosine = polynomial(
      b, square,
      {1.0, -0.5, 0.0416666679, -0.001388898, 2.48220076e-05, -2.8878452e-07});
  return {sine, cosine};
}

/// Sine and cosine of a turn in units of 2^-64.
SineCosine buildOfTurn(ImplicitLocOpBuilder &b, Value turn, Type compute,
                       double factor) {
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  Value rounded = arith::AddIOp::create(b, turn, integer(int64_t(1) << 61));
  Value quadrant = arith::ShRUIOp::create(b, rounded, integer(62));
  Value start = arith::ShLIOp::create(b, quadrant, integer(62));
  Value rest = arith::SubIOp::create(b, turn, start);
  Value angle = arith::MulFOp::create(
      b, arith::SIToFPOp::create(b, compute, rest),
      floatConstant(b, compute, 6.283185307179586 * 0x1p-64));
  SineCosine reduced = buildReduced(b, angle);

  // Quadrants turn (sine, cosine) into (cosine, -sine) one after another.
  auto hasBit = [&](Value value, int64_t bit) -> Value {
    Value masked = arith::AndIOp::create(b, value, integer(bit));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                 integer(0));
  };
  auto negateIf = [&](Value condition, Value value) -> Value {
    Value negated = arith::NegFOp::create(b, value);
    return arith::SelectOp::create(b, condition, negated, value);
  };
  Value isOdd = hasBit(quadrant, 1);
  Value sine = arith::SelectOp::create(b, isOdd, reduced.cosine, reduced.sine);
  Value cosine =
      arith::SelectOp::create(b, isOdd, reduced.sine, reduced.cosine);
  sine = negateIf(hasBit(quadrant, 2), sine);
  Value next = arith::AddIOp::create(b, quadrant, integer(1));
  cosine = negateIf(hasBit(next, 2), cosine);
  if (factor != 1.0) {
    Value scale = floatConstant(b, compute, factor);
    sine = arith::MulFOp::create(b, sine, scale);
    cosine = arith::MulFOp::create(b, cosine, scale);
  }
  return {sine, cosine};
}

struct LowerRope : OpRewritePattern<RopeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RopeOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t dim = op.getRotatedDim();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    Value x = op.getX();
    if (dim == 0) {
      rewriter.replaceOp(op, castTo(b, x, resultType));
      return success();
    }
    Sizes sizes = refineSizes(b, sizesOf(b, x), resultType);
    bool isPartial = resultType.getDimSize(3) != dim;
    Sizes offsets(4, b.getIndexAttr(0)), strides(4, b.getIndexAttr(1));
    Sizes rotatedSizes = sizes;
    rotatedSizes[3] = b.getIndexAttr(dim);
    Value source = x;
    if (isPartial)
      source =
          tensor::ExtractSliceOp::create(b, x, offsets, rotatedSizes, strides);
    Value rotated = rotate(b, op, source, rotatedSizes);
    if (isPartial)
      rotated = tensor::InsertSliceOp::create(b, rotated, x, offsets,
                                              rotatedSizes, strides);
    rewriter.replaceOp(op, castTo(b, rotated, resultType));
    return success();
  }

  /// Rotates the pairs of x, all of whose features take part.
  static Value rotate(ImplicitLocOpBuilder &b, RopeOp op, Value x,
                      const Sizes &sizes) {
    int64_t half = op.getRotatedDim() / 2;
    bool isHalf = op.getStyle() == RopeStyle::Half;
    Type element = elementOf(x);
    Type compute = computeType(element);
    SineCosine tables =
        buildTables(b, op, sizes[0], sizes[op.getSequenceDim()], compute);

    // Pairs get a dimension of their own, of size 2: the fourth or the fifth.
    OpFoldResult two = b.getIndexAttr(2), pairs = b.getIndexAttr(half);
    Sizes pairSizes(sizes.begin(), sizes.begin() + 3);
    pairSizes.append(isHalf ? Sizes{two, pairs} : Sizes{pairs, two});
    SmallVector<ReassociationIndices> groups{{0}, {1}, {2}, {3, 4}};
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamicSizes;
    dispatchIndexOpFoldResults(pairSizes, dynamicSizes, shape);
    Value paired = tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(shape, element), x, groups, pairSizes);

    unsigned partDim = isHalf ? 3 : 4, pairDim = isHalf ? 4 : 3;
    auto partMap = [&](int64_t part) {
      SmallVector<AffineExpr> exprs;
      for (unsigned dim = 0; dim < 5; ++dim)
        exprs.push_back(dim == partDim ? b.getAffineConstantExpr(part)
                                       : b.getAffineDimExpr(dim));
      return AffineMap::get(5, 0, exprs, b.getContext());
    };
    AffineMap tableMap =
        mapTo(b, 5, {0, unsigned(op.getSequenceDim()), pairDim});
    AffineMap maps[] = {partMap(0), partMap(1), tableMap, tableMap};
    Value rotated = createElementwise(
        b, {paired, paired, tables.cosine, tables.sine}, maps, pairSizes,
        element,
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> SmallVector<Value> {
          Value first = convertFloat(b, v[0], compute);
          Value second = convertFloat(b, v[1], compute);
          auto product = [&](Value x, Value y) -> Value {
            return arith::MulFOp::create(b, x, y);
          };
          Value newFirst = arith::SubFOp::create(b, product(first, v[2]),
                                                 product(second, v[3]));
          Value newSecond = arith::AddFOp::create(b, product(second, v[2]),
                                                  product(first, v[3]));
          Value part = linalg::IndexOp::create(b, partDim);
          Value isFirst =
              arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part,
                                    arith::ConstantIndexOp::create(b, 0));
          Value result =
              arith::SelectOp::create(b, isFirst, newFirst, newSecond);
          return {convertFloat(b, result, element)};
        });
    return tensor::CollapseShapeOp::create(b, rotated, groups);
  }

  /// Sines and cosines [B, S, dim / 2].
  static SineCosine buildTables(ImplicitLocOpBuilder &b, RopeOp op,
                                OpFoldResult batch, OpFoldResult sequence,
                                Type compute) {
    SmallVector<uint64_t> turns = computeTurnsPerPosition(op);
    SmallVector<int64_t> signedTurns(turns.begin(), turns.end());
    auto tableType =
        RankedTensorType::get({int64_t(turns.size())}, b.getI64Type());
    Value table = arith::ConstantOp::create(
        b, DenseElementsAttr::get(tableType, ArrayRef(signedTurns)));
    double factor = attentionFactor(op);

    Sizes sizes{batch, sequence, b.getIndexAttr(turns.size())};
    Value outputs[] = {emptyTensor(b, sizes, compute),
                       emptyTensor(b, sizes, compute)};
    AffineMap identity = identityMap(b, 3);
    AffineMap maps[] = {mapTo(b, 3, {0, 1}), mapTo(b, 3, {2}), identity,
                        identity};
    SmallVector<utils::IteratorType> iterators(3,
                                               utils::IteratorType::parallel);
    auto tables = createGeneric(
        b, {op.getPos(), table}, outputs, maps, iterators,
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> SmallVector<Value> {
          Value position = arith::ExtSIOp::create(b, b.getI64Type(), v[0]);
          Value turn = arith::MulIOp::create(b, position, v[1]);
          SineCosine values = buildOfTurn(b, turn, compute, factor);
          return {values.sine, values.cosine};
        });
    return {tables.getResult(0), tables.getResult(1)};
  }
};

} // namespace

void aikernel::populatePositionToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerRope>(patterns.getContext());
}
