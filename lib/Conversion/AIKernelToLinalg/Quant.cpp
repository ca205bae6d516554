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

#include "QuantReader.h"

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
    Type element = type.getElementType(), compute = computeType(element);
    Value result = createElementwise(
        b, {}, {}, sizes, element,
        [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
          SmallVector<Value> row;
          for (int64_t dim = 0; dim != type.getRank(); ++dim)
            row.push_back(linalg::IndexOp::create(b, dim));
          Value k = row.pop_back_val();
          Value value = reader.buildElement(b, row, k, compute);
          return {convertFloat(b, value, element)};
        });
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

struct LowerInt8Matmul : OpRewritePattern<Int8MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(Int8MatmulOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Sizes sizes = resultSizesOf(b, op, 0);
    Value sum = createSum(b, op, sizes);

    Type element = type.getElementType(), compute = computeType(element);
    SmallVector<Value> inputs = {sum};
    SmallVector<AffineMap> maps = {identityMap(b, 2)};
    LoopVector scaleA(b, op.getScaleA(), 0, 2, inputs, maps);
    LoopVector scaleB(b, op.getScaleB(), 1, 2, inputs, maps);
    Value result = createElementwise(
        b, inputs, maps, sizes, element,
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          Value left = convertFloat(b, scaleA.build(b, arguments), compute);
          Value right = convertFloat(b, scaleB.build(b, arguments), compute);
          Value value = arith::SIToFPOp::create(b, compute, arguments[0]);
          Value scale = arith::MulFOp::create(b, left, right);
          value = arith::MulFOp::create(b, value, scale);
          return {convertFloat(b, value, element)};
        });
    rewriter.replaceOp(op, castTo(b, result, type));
    return success();
  }

  static Value createSum(ImplicitLocOpBuilder &b, Int8MatmulOp op,
                         ArrayRef<OpFoldResult> sizes) {
    Type i32 = b.getI32Type();
    SmallVector<Value> inputs = {op.getA(), op.getB()};
    SmallVector<AffineMap> maps = {mapTo(b, 3, {0, 2}),
                                   op.getTransposeB() ? mapTo(b, 3, {1, 2})
                                                      : mapTo(b, 3, {2, 1})};
    LoopVector zeroA(b, op.getZeroA(), 0, 3, inputs, maps);
    LoopVector zeroB(b, op.getZeroB(), 1, 3, inputs, maps);
    maps.push_back(mapTo(b, 3, {0, 1}));
    Value zeros =
        filledTensor(b, sizes, arith::ConstantIntOp::create(b, 0, 32));
    SmallVector<utils::IteratorType> loops = {utils::IteratorType::parallel,
                                              utils::IteratorType::parallel,
                                              utils::IteratorType::reduction};
    auto difference = [&](ImplicitLocOpBuilder &b, Value x,
                          Value zero) -> Value {
      x = arith::ExtSIOp::create(b, i32, x);
      if (!zero)
        return x;
      return arith::SubIOp::create(b, x, arith::ExtSIOp::create(b, i32, zero));
    };
    auto sum = createGeneric(
        b, inputs, zeros, maps, loops,
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          Value x = difference(b, arguments[0], zeroA.build(b, arguments));
          Value y = difference(b, arguments[1], zeroB.build(b, arguments));
          return {arith::AddIOp::create(b, arguments.back(),
                                        arith::MulIOp::create(b, x, y))};
        });
    return sum.getResult(0);
  }
};

} // namespace

void aikernel::populateQuantToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerDequantize, LowerInt8Matmul, LowerQuantize>(
      patterns.getContext());
}
