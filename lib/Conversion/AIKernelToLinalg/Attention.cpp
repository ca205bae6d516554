//===- Attention.cpp - attention to online_attention ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: attention. Out: aikernel.online_attention over all keys, and a generic op
// that divides its sums. What causal, window and kv_len say becomes two small
// tensors: the first and the past-the-last key that each query sees. Sinks are
// the initial maximum and sum.
//
//===----------------------------------------------------------------------===//

#include "Common.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

#include <cmath>

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

class AttentionLowering {
public:
  AttentionLowering(AttentionOp op, OpBuilder &builder)
      : op(op), b(op.getLoc(), builder), element(elementOf(op.getQ())),
        compute(computeType(element)), qSizes(sizesOf(b, op.getQ())),
        kSizes(sizesOf(b, op.getK())), batch(qSizes[0]),
        heads(qSizes[op.getHeadDim()]), queries(qSizes[op.getSequenceDim()]),
        keys(kSizes[op.getSequenceDim()]), features(sizesOf(b, op.getV())[3]) {}

  SmallVector<Value> lower() {
    Sizes rowSizes{batch, heads, queries};
    Sizes accSizes{batch, heads, queries, features};
    Value acc = filledTensor(b, accSizes, floatConstant(b, compute, 0.0));
    auto [maximum, sum] = initialRows(rowSizes);
    Value outputs[] = {acc, maximum, sum};
    Value zero = arith::ConstantIndexOp::create(b, 0);
    FloatAttr softcap;
    if (std::optional<APFloat> cap = op.getSoftcap())
      softcap = b.getF64FloatAttr(cap->convertToDouble());
    Value begin, end;
    if (op.getCausal() || op.getKvLen())
      end = visibleBound(/*isEnd=*/true);
    if (op.getWindow())
      begin = visibleBound(/*isEnd=*/false);
    auto online = OnlineAttentionOp::create(
        b, ValueRange(outputs).getTypes(), op.getQ(), op.getK(), op.getV(),
        op.getMask(), begin, end, op.getKvLen(), scale(), zero, zero, group(),
        outputs, softcap, op.getLayoutAttr());

    SmallVector<Value> results{
        quotient(online.getResult(0), online.getResult(2), accSizes)};
    if (op.getLse())
      results.push_back(
          logarithm(online.getResult(1), online.getResult(2), rowSizes));
    return results;
  }

private:
  Value asInt32(ImplicitLocOpBuilder &b, OpFoldResult size) {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return arith::ConstantOp::create(b, b.getI32IntegerAttr(*known));
    return arith::IndexCastOp::create(b, b.getI32Type(), cast<Value>(size));
  }

  Value scale() {
    if (std::optional<APFloat> given = op.getScale())
      return floatConstant(b, compute, given->convertToDouble());
    OpFoldResult depth = qSizes[3];
    if (std::optional<int64_t> known = getConstantIntValue(depth))
      return floatConstant(b, compute,
                           *known ? 1.0 / std::sqrt(double(*known)) : 1.0);
    Value root = math::SqrtOp::create(b, sizeAsFloat(b, depth, compute));
    return arith::DivFOp::create(b, floatConstant(b, compute, 1.0), root);
  }

  /// Query heads per key head.
  Value group() {
    OpFoldResult keyHeads = kSizes[op.getHeadDim()];
    std::optional<int64_t> q = getConstantIntValue(heads);
    std::optional<int64_t> k = getConstantIntValue(keyHeads);
    if (q && k)
      return arith::ConstantIndexOp::create(
          b, *k ? std::max<int64_t>(*q / *k, 1) : 1);
    // Without heads there is nothing to compute, but also nothing to divide by.
    Value one = arith::ConstantIndexOp::create(b, 1);
    auto atLeastOne = [&](OpFoldResult size) -> Value {
      return arith::MaxUIOp::create(
          b, getValueOrCreateConstantIndexOp(b, b.getLoc(), size), one);
    };
    return arith::DivUIOp::create(b, atLeastOne(heads), atLeastOne(keyHeads));
  }

  /// i32[B, Sq]: the bound of the keys that query (b, i) sees. With len the
  /// number of valid keys, its diagonal is i + len - Sq.
  Value visibleBound(bool isEnd) {
    Sizes sizes{batch, queries};
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    if (op.getKvLen()) {
      inputs.push_back(op.getKvLen());
      maps.push_back(mapTo(b, 2, {0}));
    }
    // Run-time sizes are computed once, outside the loop.
    Value allKeys = op.getKvLen() ? Value() : asInt32(b, keys);
    Value allQueries = op.getCausal() ? asInt32(b, queries) : Value();
    return createElementwise(
        b, inputs, maps, sizes, b.getI32Type(),
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> SmallVector<Value> {
          Value length = op.getKvLen() ? v[0] : allKeys;
          if (isEnd && !op.getCausal())
            return {length};
          Value query = arith::IndexCastOp::create(
              b, b.getI32Type(), linalg::IndexOp::create(b, 1));
          Value shift = arith::SubIOp::create(b, length, allQueries);
          Value diagonal = arith::AddIOp::create(b, query, shift);
          Value past = arith::AddIOp::create(b, diagonal, constant(b, 1));
          if (isEnd)
            return {arith::MinSIOp::create(b, past, length)};
          // A window beyond any sequence is no window.
          int64_t window = std::min<int64_t>(*op.getWindow(), int64_t(1) << 30);
          return {arith::SubIOp::create(b, past, constant(b, window))};
        });
  }

  Value constant(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }

  /// Maximum and sum before any key: those of the sink alone, if there is one.
  std::pair<Value, Value> initialRows(const Sizes &sizes) {
    Value lowest = negativeInfinity(b, compute);
    if (!op.getSinks())
      return {filledTensor(b, sizes, lowest),
              filledTensor(b, sizes, floatConstant(b, compute, 0.0))};
    AffineMap headMap = mapTo(b, 3, {1});
    Value maximum = createElementwise(
        b, op.getSinks(), headMap, sizes, compute,
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> SmallVector<Value> {
          return {convertFloat(b, v[0], compute)};
        });
    Value sum = createElementwise(
        b, op.getSinks(), headMap, sizes, compute,
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> SmallVector<Value> {
          Value sink = convertFloat(b, v[0], compute);
          Value isNone = arith::CmpFOp::create(
              b, arith::CmpFPredicate::OEQ, sink, negativeInfinity(b, compute));
          return {arith::SelectOp::create(b, isNone,
                                          floatConstant(b, compute, 0.0),
                                          floatConstant(b, compute, 1.0))};
        });
    return {maximum, sum};
  }

  /// acc / sum, zero where no key was seen, in the layout of the result.
  Value quotient(Value acc, Value sum, const Sizes &accSizes) {
    bool isBhsd = op.getHeadDim() == 1;
    Sizes sizes = accSizes;
    if (!isBhsd)
      std::swap(sizes[1], sizes[2]);
    AffineMap maps[] = {identityMap(b, 4), mapTo(b, 4, {0, 1, 2}),
                        isBhsd ? identityMap(b, 4) : mapTo(b, 4, {0, 2, 1, 3})};
    SmallVector<utils::IteratorType> iterators(4,
                                               utils::IteratorType::parallel);
    auto divided = createGeneric(
        b, {acc, sum}, emptyTensor(b, sizes, element), maps, iterators,
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> SmallVector<Value> {
          Value zero = floatConstant(b, compute, 0.0);
          Value isEmpty =
              arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, v[1], zero);
          Value ratio = arith::DivFOp::create(b, v[0], v[1]);
          Value result = arith::SelectOp::create(b, isEmpty, zero, ratio);
          return {convertFloat(b, result, element)};
        });
    return castTo(b, divided.getResult(0), op.getResult().getType());
  }

  Value logarithm(Value maximum, Value sum, const Sizes &sizes) {
    Type lseElement = elementOf(op.getLse());
    AffineMap maps[] = {identityMap(b, 3), identityMap(b, 3)};
    Value lse = createElementwise(
        b, {maximum, sum}, maps, sizes, lseElement,
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> SmallVector<Value> {
          Value log = math::LogOp::create(b, v[1]);
          return {
              convertFloat(b, arith::AddFOp::create(b, v[0], log), lseElement)};
        });
    return castTo(b, lse, op.getLse().getType());
  }

  AttentionOp op;
  ImplicitLocOpBuilder b;
  Type element, compute;
  Sizes qSizes, kSizes;
  OpFoldResult batch, heads, queries, keys, features;
};

struct LowerAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, AttentionLowering(op, rewriter).lower());
    return success();
  }
};

} // namespace

void aikernel::populateAttentionToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerAttention>(patterns.getContext());
}
