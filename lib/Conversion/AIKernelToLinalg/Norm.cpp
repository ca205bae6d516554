//===- Norm.cpp - Normalizations to linalg --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: rms_norm, layer_norm, l2_norm, softmax. Out: reductions over the
// normalized axis (sums and maxima in the compute type), small generic ops over
// rows, and one elementwise generic op that rounds. Every op has one result, so
// that tiling the last one pulls the others in.
//
//===----------------------------------------------------------------------===//

#include "Common.h"

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

/// Lowers ops that reduce `axis` of x.
class RowLowering {
public:
  RowLowering(Operation *op, OpBuilder &builder, Value x, int64_t axis)
      : b(op->getLoc(), builder), x(x), axis(axis), rank(typeOf(x).getRank()),
        compute(computeType(elementOf(x))),
        sizes(refineSizes(b, sizesOf(b, x),
                          cast<RankedTensorType>(op->getResult(0).getType()))),
        rowSizes(withoutDim(sizes, axis)) {}

  using CombineFn =
      llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  /// Reduces `tensor` (and per-row values `rows`) along the axis. `combine`
  /// sees the element, the row values and the sum so far.
  Value reduce(Value tensor, ValueRange rows, Value initial,
               CombineFn combine) {
    SmallVector<Value> inputs{tensor};
    llvm::append_range(inputs, rows);
    SmallVector<AffineMap> maps(inputs.size() + 1, rowMap());
    maps[0] = identityMap(b, rank);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    iterators[axis] = utils::IteratorType::reduction;
    Value init = filledTensor(b, rowSizes, initial);
    return createGeneric(b, inputs, init, maps, iterators,
                         [&](ImplicitLocOpBuilder &b,
                             ValueRange arguments) -> SmallVector<Value> {
                           SmallVector<Value> values(arguments);
                           values[0] = convertFloat(b, values[0], compute);
                           return {combine(b, values)};
                         })
        .getResult(0);
  }

  /// One value per row from another.
  Value mapRows(Value rows, CombineFn function) {
    return createElementwise(b, rows, identityMap(b, rank - 1), rowSizes,
                             compute,
                             [&](ImplicitLocOpBuilder &b,
                                 ValueRange arguments) -> SmallVector<Value> {
                               return {function(b, arguments)};
                             });
  }

  /// A full tensor from full ones, row values and per-feature vectors.
  Value combine(ValueRange full, ValueRange rows, ValueRange features,
                Type element, CombineFn function) {
    SmallVector<Value> inputs(full);
    llvm::append_range(inputs, rows);
    llvm::append_range(inputs, features);
    SmallVector<AffineMap> maps(full.size(), identityMap(b, rank));
    maps.append(rows.size(), rowMap());
    maps.append(features.size(), mapTo(b, rank, {static_cast<unsigned>(axis)}));
    return createElementwise(
        b, inputs, maps, sizes, element,
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          SmallVector<Value> values;
          for (Value argument : arguments.drop_back())
            values.push_back(convertFloat(b, argument, compute));
          return {convertFloat(b, function(b, values), element)};
        });
  }

  Value zero() { return floatConstant(b, compute, 0.0); }
  Value axisLength() { return sizeAsFloat(b, sizes[axis], compute); }

  ImplicitLocOpBuilder b;
  Value x;
  int64_t axis;
  unsigned rank;
  Type compute;
  Sizes sizes;
  Sizes rowSizes;

private:
  AffineMap rowMap() { return mapWithout(b, rank, axis); }
};

Value addSquare(ImplicitLocOpBuilder &b, Value sum, Value x) {
  auto fuse = arith::FastMathFlags::contract;
  return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, x, x, fuse),
                               fuse);
}

/// 1 / sqrt(sum / length + eps) per row.
Value inverseRoot(RowLowering &rows, Value sums, Value length, double eps) {
  return rows.mapRows(sums, [&](ImplicitLocOpBuilder &b, ValueRange values) {
    Value mean = arith::DivFOp::create(b, values[0], length);
    Value shifted =
        arith::AddFOp::create(b, mean, floatConstant(b, rows.compute, eps));
    return math::RsqrtOp::create(b, shifted);
  });
}

struct LowerRmsNorm : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RmsNormOp op,
                                PatternRewriter &rewriter) const override {
    RowLowering rows(op, rewriter, op.getX(), typeOf(op.getX()).getRank() - 1);
    Value length = rows.axisLength();
    Value squares = rows.reduce(rows.x, {}, rows.zero(),
                                [](ImplicitLocOpBuilder &b, ValueRange v) {
                                  return addSquare(b, v[1], v[0]);
                                });
    Value scale =
        inverseRoot(rows, squares, length, op.getEps().convertToDouble());
    Value result =
        rows.combine(rows.x, scale, op.getGamma(), elementOf(rows.x),
                     [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                       Value scaled = arith::MulFOp::create(b, v[0], v[1]);
                       return arith::MulFOp::create(b, scaled, v[2]);
                     });
    rewriter.replaceOp(op, castTo(rows.b, result, op.getResult().getType()));
    return success();
  }
};

struct LowerLayerNorm : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    RowLowering rows(op, rewriter, op.getX(), typeOf(op.getX()).getRank() - 1);
    Value length = rows.axisLength();
    Value sum = rows.reduce(rows.x, {}, rows.zero(),
                            [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                              return arith::AddFOp::create(b, v[1], v[0]);
                            });
    Value mean =
        rows.mapRows(sum, [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
          return arith::DivFOp::create(b, v[0], length);
        });
    Value squares = rows.reduce(
        rows.x, mean, rows.zero(), [](ImplicitLocOpBuilder &b, ValueRange v) {
          return addSquare(b, v[2], arith::SubFOp::create(b, v[0], v[1]));
        });
    Value scale =
        inverseRoot(rows, squares, length, op.getEps().convertToDouble());
    Value result = rows.combine(
        rows.x, {mean, scale}, {op.getGamma(), op.getBeta()}, elementOf(rows.x),
        [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
          Value centred = arith::SubFOp::create(b, v[0], v[1]);
          Value scaled = arith::MulFOp::create(b, centred, v[2]);
          auto fuse = arith::FastMathFlags::contract;
          Value weighted = arith::MulFOp::create(b, scaled, v[3], fuse);
          return arith::AddFOp::create(b, weighted, v[4], fuse);
        });
    rewriter.replaceOp(op, castTo(rows.b, result, op.getResult().getType()));
    return success();
  }
};

struct LowerL2Norm : OpRewritePattern<L2NormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(L2NormOp op,
                                PatternRewriter &rewriter) const override {
    RowLowering rows(op, rewriter, op.getX(), typeOf(op.getX()).getRank() - 1);
    Value squares = rows.reduce(rows.x, {}, rows.zero(),
                                [](ImplicitLocOpBuilder &b, ValueRange v) {
                                  return addSquare(b, v[1], v[0]);
                                });
    double eps = op.getEps().convertToDouble();
    Value length = rows.mapRows(
        squares, [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
          Value root = math::SqrtOp::create(b, v[0]);
          // Keeps a NaN, unlike maxnumf.
          return arith::MaximumFOp::create(b, root,
                                           floatConstant(b, rows.compute, eps));
        });
    // Not a product with 1 / length, which is infinite for a subnormal eps and
    // would make zeros NaN.
    Value result =
        rows.combine(rows.x, length, {}, elementOf(rows.x),
                     [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                       return arith::DivFOp::create(b, v[0], v[1]);
                     });
    rewriter.replaceOp(op, castTo(rows.b, result, op.getResult().getType()));
    return success();
  }
};

struct LowerSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    RowLowering rows(op, rewriter, op.getX(), op.getNormalizedAxis());
    Value lowest = negativeInfinity(rows.b, rows.compute);
    Value maximum = rows.reduce(
        rows.x, {}, lowest, [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
          // Zeros of either sign are as far from the others, and a NaN makes
          // the sum of the powers NaN.
          auto larger = arith::MaximumFOp::create(b, v[1], v[0],
                                                  arith::FastMathFlags::nsz);
          larger->setAttr(kMayDropNaNAttrName, b.getUnitAttr());
          return larger;
        });
    // A row of -inf only: subtract 0 instead, so that every power is 0.
    Value shift = rows.mapRows(
        maximum, [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
          Type type = v[0].getType();
          Value isLowest = arith::CmpFOp::create(
              b, arith::CmpFPredicate::OEQ, v[0], negativeInfinity(b, type));
          return arith::SelectOp::create(b, isLowest,
                                         floatConstant(b, type, 0.0), v[0]);
        });
    bool isNarrow = getElementTypeOrSelf(op.getResult().getType())
                        .getIntOrFloatBitWidth() == 16;
    Value powers =
        rows.combine(rows.x, shift, {}, rows.compute,
                     [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                       auto power = math::ExpOp::create(
                           b, arith::SubFOp::create(b, v[0], v[1]));
                       if (isNarrow)
                         power->setAttr(kNarrowAttrName, b.getUnitAttr());
                       power->setAttr(kAtMostZeroAttrName, b.getUnitAttr());
                       return power;
                     });
    Value sum = rows.reduce(powers, {}, rows.zero(),
                            [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                              return arith::AddFOp::create(b, v[1], v[0]);
                            });
    Value scale =
        rows.mapRows(sum, [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
          Type type = v[0].getType();
          Value zero = floatConstant(b, type, 0.0);
          Value isZero =
              arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, v[0], zero);
          Value inverse =
              arith::DivFOp::create(b, floatConstant(b, type, 1.0), v[0]);
          return arith::SelectOp::create(b, isZero, zero, inverse);
        });
    Value result =
        rows.combine(powers, scale, {}, elementOf(rows.x),
                     [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                       return arith::MulFOp::create(b, v[0], v[1]);
                     });
    rewriter.replaceOp(op, castTo(rows.b, result, op.getResult().getType()));
    return success();
  }
};

} // namespace

void aikernel::populateNormToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerRmsNorm, LowerLayerNorm, LowerL2Norm, LowerSoftmax>(
      patterns.getContext());
}
