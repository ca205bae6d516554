//===- Activation.cpp - Elementwise functions to linalg -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: relu, gelu, silu, sigmoid, tanh, swiglu, geglu. Out: one linalg.generic
// with parallel loops each.
//
//===----------------------------------------------------------------------===//

#include "Common.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

Activation geluKind(GeluApproximation approximation) {
  return approximation == GeluApproximation::Tanh ? Activation::GeluTanh
                                                  : Activation::Gelu;
}

Value buildScalar(ImplicitLocOpBuilder &b, ReluOp, Value x, Accuracy accuracy) {
  return buildActivation(b, Activation::Relu, x, accuracy);
}
Value buildScalar(ImplicitLocOpBuilder &b, SiluOp, Value x, Accuracy accuracy) {
  return buildActivation(b, Activation::Silu, x, accuracy);
}
Value buildScalar(ImplicitLocOpBuilder &b, GeluOp op, Value x,
                  Accuracy accuracy) {
  return buildActivation(b, geluKind(op.getApproximate()), x, accuracy);
}
Value buildScalar(ImplicitLocOpBuilder &b, SigmoidOp, Value x,
                  Accuracy accuracy) {
  return buildSigmoid(b, x, accuracy);
}
Value buildScalar(ImplicitLocOpBuilder &b, TanhOp, Value x, Accuracy accuracy) {
  return buildTanh(b, x, accuracy);
}
Value buildScalar(ImplicitLocOpBuilder &b, SwigluOp, Value x,
                  Accuracy accuracy) {
  return buildActivation(b, Activation::Silu, x, accuracy);
}
Value buildScalar(ImplicitLocOpBuilder &b, GegluOp op, Value x,
                  Accuracy accuracy) {
  return buildActivation(b, geluKind(op.getApproximate()), x, accuracy);
}

/// A function of the first operand, times the second one if there are two.
template <typename Op>
struct LowerActivation : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ValueRange operands = op->getOperands();
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    Type element = resultType.getElementType();
    Type compute = computeType(element);
    SmallVector<AffineMap> maps(operands.size(),
                                identityMap(b, resultType.getRank()));
    Sizes sizes = refineSizes(b, sizesOf(b, operands[0]), resultType);
    Value result = createElementwise(
        b, operands, maps, sizes, element,
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          Value x = convertFloat(b, arguments[0], compute);
          Value y = buildScalar(b, op, x, accuracyFor(element));
          if (operands.size() == 2)
            y = arith::MulFOp::create(b, y,
                                      convertFloat(b, arguments[1], compute));
          return {convertFloat(b, y, element)};
        });
    rewriter.replaceOp(op, castTo(b, result, resultType));
    return success();
  }
};

} // namespace

void aikernel::populateActivationToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerActivation<ReluOp>, LowerActivation<GeluOp>,
               LowerActivation<SiluOp>, LowerActivation<SigmoidOp>,
               LowerActivation<TanhOp>, LowerActivation<SwigluOp>,
               LowerActivation<GegluOp>>(patterns.getContext());
}
