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
// the initial maximum and sum. Where a size is known to be 0 no slice of such a
// dimension is left to take, which upstream's verifier would refuse.
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
        keys(kSizes[op.getSequenceDim()]), depth(qSizes[3]),
        features(sizesOf(b, op.getV())[3]) {
    findZeros();
  }

  SmallVector<Value> lower() {
    if (isZero(batch) || isZero(heads) || isZero(queries) ||
        (isZero(features) && !op.getLse()))
      return emptyResults();
    Sizes rowSizes{batch, heads, queries};
    if (isZero(features)) {
      // The logarithm alone, for which any values will do.
      Rows rows = attend(keysOrZeros());
      return {emptyResult(op.getResult()),
              logarithm(rows.maximum, rows.sum, rowSizes)};
    }
    Rows rows = attend(op.getV());
    SmallVector<Value> results{
        quotient(rows.acc, rows.sum, {batch, heads, queries, features})};
    if (op.getLse())
      results.push_back(logarithm(rows.maximum, rows.sum, rowSizes));
    return results;
  }

private:
  /// Per query: the weighted values, the largest score and the sum of weights.
  struct Rows {
    Value acc, maximum, sum;
  };

  static bool isZero(OpFoldResult size) { return isConstantIntValue(size, 0); }

  /// What one tensor is known to lack, the others lack too.
  void findZeros() {
    auto find = [&](OpFoldResult &size, Value tensor, int64_t dim) {
      if (tensor &&
          cast<RankedTensorType>(tensor.getType()).getDimSize(dim) == 0)
        size = b.getIndexAttr(0);
    };
    for (Value tensor : {op.getK(), op.getV(), op.getResult()}) {
      find(batch, tensor, 0);
      find(heads, tensor, op.getHeadDim());
    }
    find(batch, op.getKvLen(), 0);
    find(heads, op.getSinks(), 0);
    find(queries, op.getResult(), op.getSequenceDim());
    find(keys, op.getV(), op.getSequenceDim());
    find(depth, op.getK(), 3);
    find(features, op.getResult(), 3);
    OpFoldResult *loops[] = {&batch, &heads, &queries, &keys};
    for (int64_t dim = 0; op.getLse() && dim < 3; ++dim)
      find(*loops[dim], op.getLse(), dim);
    int64_t rank =
        op.getMask() ? cast<RankedTensorType>(op.getMask().getType()).getRank()
                     : 0;
    for (int64_t dim = 0; dim < rank; ++dim)
      find(*loops[4 - rank + dim], op.getMask(), dim);
  }

  Value emptyResult(Value result) {
    auto type = cast<RankedTensorType>(result.getType());
    Sizes sizes{batch, heads, queries};
    if (type.getRank() == 4) {
      std::swap(sizes[1], sizes[op.getHeadDim()]);
      sizes.push_back(features);
    }
    return castTo(b, emptyTensor(b, sizes, type.getElementType()), type);
  }

  SmallVector<Value> emptyResults() {
    SmallVector<Value> results{emptyResult(op.getResult())};
    if (op.getLse())
      results.push_back(emptyResult(op.getLse()));
    return results;
  }

  /// Without features every score is 0, as with a single one that is 0.
  Value orZeros(Value tensor, Sizes sizes) {
    if (!isZero(depth))
      return tensor;
    sizes[3] = b.getIndexAttr(1);
    return filledTensor(b, sizes, floatConstant(b, element, 0.0));
  }
  Value keysOrZeros() { return orZeros(op.getK(), kSizes); }

  Rows attend(Value values) {
    Value acc = filledTensor(b, {batch, heads, queries, sizesOf(b, values)[3]},
                             floatConstant(b, compute, 0.0));
    auto [maximum, sum] = initialRows({batch, heads, queries});
    if (isZero(keys))
      return {acc, maximum, sum};
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
        b, ValueRange(outputs).getTypes(), orZeros(op.getQ(), qSizes),
        keysOrZeros(), values, op.getMask(), begin, end, op.getKvLen(), scale(),
        zero, zero, group(), outputs, softcap, /*instruction=*/StringAttr(),
        /*any_queries=*/UnitAttr(), op.getLayoutAttr(), op.getCausalAttr(),
        op.getWindowAttr());
    return {online.getResult(0), online.getResult(1), online.getResult(2)};
  }

  Value asInt32(ImplicitLocOpBuilder &b, OpFoldResult size) {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return arith::ConstantOp::create(b, b.getI32IntegerAttr(*known));
    return arith::IndexCastOp::create(b, b.getI32Type(), cast<Value>(size));
  }

  Value scale() {
    if (std::optional<APFloat> given = op.getScale())
      return floatConstant(b, compute, given->convertToDouble());
    if (std::optional<int64_t> known = getConstantIntValue(depth))
      return floatConstant(b, compute,
                           *known ? 1.0 / std::sqrt(double(*known)) : 1.0);
    // Without features every score is 0, which no scale may turn into a NaN.
    Value atLeastOne = arith::MaxUIOp::create(
        b, cast<Value>(depth), arith::ConstantIndexOp::create(b, 1));
    Value root = math::SqrtOp::create(b, sizeAsFloat(b, atLeastOne, compute));
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
  OpFoldResult batch, heads, queries, keys, depth, features;
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
