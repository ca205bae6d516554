//===- Quant.cpp - quantize, dequantize and int8_matmul to linalg ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops on packed bytes. Out: dequantize is one elementwise op that reads
// bytes at computed places; int8_matmul is a fill, a sum of integer products
// and an elementwise op that scales and rounds; quantize is a call of the C
// function that is also its reference.
//
//===----------------------------------------------------------------------===//

#include "IntegerProduct.h"
#include "Unpack.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

struct LowerDequantize : OpRewritePattern<DequantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Sizes sizes = resultSizesOf(b, op, 0);
    QuantReader reader(b, op.getFormat(), op.getQ(), op.getScales(),
                       op.getZeros());
    Type element = type.getElementType();
    Value result =
        createUnpacked(b, reader, sizes, computeType(element), element);
    rewriter.replaceOp(op, castTo(b, result, type));
    return success();
  }
};

struct LowerQuantize : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> outputs;
    SmallVector<Type> types;
    for (unsigned i = 0, e = op->getNumResults(); i != e; ++i) {
      Value result = op->getResult(i);
      outputs.push_back(
          emptyTensor(b, resultSizesOf(b, op, i), elementOf(result)));
      types.push_back(outputs.back().getType());
    }
    auto call = ReferenceCallOp::create(
        b, types, b.getStringAttr(op.getReferenceName()), ValueRange{op.getX()},
        outputs, b.getDenseF64ArrayAttr(op.getReferenceParams()),
        DenseBoolArrayAttr());
    SmallVector<Value> results;
    for (auto [from, to] : llvm::zip(call.getResults(), op->getResultTypes()))
      results.push_back(castTo(b, from, to));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A vector with one element per iteration of `loop`, or one for all: where
/// that is known it becomes an input of the generic op, else the body picks.
class LoopVector {
public:
  LoopVector(ImplicitLocOpBuilder &b, Value vector, unsigned loop,
             unsigned loops, SmallVectorImpl<Value> &inputs,
             SmallVectorImpl<AffineMap> &maps)
      : vector(vector), loop(loop) {
    if (!vector)
      return;
    int64_t size = typeOf(vector).getDimSize(0);
    if (ShapedType::isDynamic(size)) {
      Value one = arith::ConstantIndexOp::create(b, 1);
      Value dim =
          getValueOrCreateConstantIndexOp(b, b.getLoc(), sizesOf(b, vector)[0]);
      last = arith::SubIOp::create(b, dim, one);
      return;
    }
    input = inputs.size();
    inputs.push_back(vector);
    AffineExpr at =
        size == 1 ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(loop);
    maps.push_back(AffineMap::get(loops, 0, at));
  }

  /// The element of this iteration, null if there is no vector.
  Value build(ImplicitLocOpBuilder &b, ValueRange arguments) const {
    if (!vector)
      return {};
    if (input)
      return arguments[*input];
    Value at = linalg::IndexOp::create(b, loop);
    at = arith::MinSIOp::create(b, at, last);
    return tensor::ExtractOp::create(b, vector, at);
  }

private:
  Value vector, last;
  unsigned loop;
  std::optional<unsigned> input;
};

/// A product of bytes, and what its zeros take from it: with sums that wrap,
///   sum (a - za) (b - zb) = sum a b - za sum b - zb sum a + K za zb
/// to the last bit, and the first sum is one that targets have instructions
/// for.
struct LowerInt8Matmul : OpRewritePattern<Int8MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(Int8MatmulOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Sizes sizes = resultSizesOf(b, op, 0);
    AffineMap mapOfB =
        op.getTransposeB() ? mapTo(b, 3, {1, 2}) : mapTo(b, 3, {2, 1});
    Value product =
        createSum(b, {op.getA(), op.getB()},
                  {mapTo(b, 3, {0, 2}), mapOfB, mapTo(b, 3, {0, 1})}, sizes);

    Type element = type.getElementType(), compute = computeType(element);
    SmallVector<Value> inputs = {product};
    SmallVector<AffineMap> maps = {identityMap(b, 2)};
    LoopVector scaleA(b, op.getScaleA(), 0, 2, inputs, maps);
    LoopVector scaleB(b, op.getScaleB(), 1, 2, inputs, maps);
    LoopVector zeroA(b, op.getZeroA(), 0, 2, inputs, maps);
    LoopVector zeroB(b, op.getZeroB(), 1, 2, inputs, maps);
    unsigned sumOfB = inputs.size(), sumOfA = sumOfB + !!op.getZeroA();
    if (op.getZeroA()) {
      inputs.push_back(createSumOfB(b, op, sizes[1]));
      maps.push_back(mapTo(b, 2, {1}));
    }
    if (op.getZeroB()) {
      inputs.push_back(createSumOfA(b, op, sizes[0]));
      maps.push_back(mapTo(b, 2, {0}));
    }
    Value length;
    if (op.getZeroA() && op.getZeroB())
      length = arith::IndexCastOp::create(
          b, b.getI32Type(),
          getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                          sizesOf(b, op.getA())[1]));
    Value result = createElementwise(
        b, inputs, maps, sizes, element,
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          Value za = widened(b, zeroA.build(b, arguments));
          Value zb = widened(b, zeroB.build(b, arguments));
          Value sum = arguments[0];
          auto subtract = [&](Value zero, unsigned times) {
            if (zero)
              sum = arith::SubIOp::create(
                  b, sum, arith::MulIOp::create(b, zero, arguments[times]));
          };
          subtract(za, sumOfB);
          subtract(zb, sumOfA);
          if (length)
            sum = arith::AddIOp::create(
                b, sum,
                arith::MulIOp::create(b, length,
                                      arith::MulIOp::create(b, za, zb)));
          Value left = convertFloat(b, scaleA.build(b, arguments), compute);
          Value right = convertFloat(b, scaleB.build(b, arguments), compute);
          Value value = arith::SIToFPOp::create(b, compute, sum);
          Value scale = arith::MulFOp::create(b, left, right);
          value = arith::MulFOp::create(b, value, scale);
          return {convertFloat(b, value, element)};
        });
    rewriter.replaceOp(op, castTo(b, result, type));
    return success();
  }

private:
  static Value widened(ImplicitLocOpBuilder &b, Value byte) {
    return byte ? arith::ExtSIOp::create(b, b.getI32Type(), byte) : Value();
  }

  static Value createSumOfA(ImplicitLocOpBuilder &b, Int8MatmulOp op,
                            OpFoldResult rows) {
    return createSum(b, op.getA(), {identityMap(b, 2), mapTo(b, 2, {0})}, rows);
  }

  static Value createSumOfB(ImplicitLocOpBuilder &b, Int8MatmulOp op,
                            OpFoldResult columns) {
    AffineMap map =
        op.getTransposeB() ? identityMap(b, 2) : mapTo(b, 2, {1, 0});
    return createSum(b, op.getB(), {map, mapTo(b, 2, {0})}, columns);
  }

  /// The sum over the last loop of the products of the inputs.
  static Value createSum(ImplicitLocOpBuilder &b, ValueRange inputs,
                         ArrayRef<AffineMap> maps,
                         ArrayRef<OpFoldResult> sizes) {
    Value zeros =
        filledTensor(b, sizes, arith::ConstantIntOp::create(b, 0, 32));
    auto sum = createGeneric(
        b, inputs, zeros, maps, loopsOf(sizes.size(), 1),
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          Value term = widened(b, arguments[0]);
          if (inputs.size() == 2)
            term = arith::MulIOp::create(b, term, widened(b, arguments[1]));
          return {arith::AddIOp::create(b, arguments.back(), term)};
        });
    return sum.getResult(0);
  }
};

} // namespace

void aikernel::populateQuantToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerDequantize, LowerInt8Matmul, LowerQuantize>(
      patterns.getContext());
}
