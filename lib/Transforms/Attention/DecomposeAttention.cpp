//===- DecomposeAttention.cpp - A tile of online attention as linalg ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.online_attention on tensors, tiled or not. Out: linalg.generic
// ops on the scores of that tile. Those with an instruction stay. Loops of the
// ops are named b, h, i (query), j (key), d (feature of q and k), e (feature of
// v).
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/AttentionPasses.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "aik-decompose-attention"

namespace aikernel {
#define GEN_PASS_DEF_DECOMPOSEATTENTIONPASS
#include "AIKernel/Transforms/AttentionPasses.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

class Decomposition {
public:
  Decomposition(OnlineAttentionOp op, OpBuilder &builder)
      : op(op), b(op.getLoc(), builder), compute(op.getScale().getType()) {
    bindDims(b.getContext(), batch, head, query, key, feature);
    auto size = [&](Value tensor, int64_t dim) {
      return tensor::getMixedSize(b, b.getLoc(), tensor, dim);
    };
    scoreSizes = {size(op.getQ(), 0), size(op.getQ(), op.getHeadDim()),
                  size(op.getQ(), op.getSequenceDim()),
                  size(op.getK(), op.getSequenceDim())};
    bool sharesOneKeyHead = cast<RankedTensorType>(op.getK().getType())
                                .getDimSize(op.getHeadDim()) == 1;
    keyHead =
        sharesOneKeyHead ? getAffineConstantExpr(0, b.getContext()) : head;
  }

  SmallVector<Value> decompose() {
    Value scores = maskedScores(dotProducts());
    // The old maximum is read before the new one takes its place, so that what
    // a loop carries is updated without copies.
    Value highest = reduceKeys(scores, filledRows(), takeMaximum);
    Value shrink = shrinkage(highest);
    Value maximum = updateMaximum(highest);
    Value probabilities = powers(scores, maximum);
    Value sum = reduceKeys(
        probabilities, multiplyByRow(op.getSum(), shrink),
        [](ImplicitLocOpBuilder &b, Value value, Value soFar) -> Value {
          return arith::AddFOp::create(b, soFar, value);
        });
    Value acc =
        weightedValues(probabilities, multiplyByRow(op.getAcc(), shrink));
    return {acc, maximum, sum};
  }

private:
  using BodyFn = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  AffineMap map(unsigned loops, ArrayRef<AffineExpr> results) {
    return AffineMap::get(loops, 0, results, b.getContext());
  }
  /// The indices of a tensor in the op's layout.
  AffineMap laidOutMap(AffineExpr headExpr, AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> exprs(4);
    exprs[0] = batch, exprs[3] = column;
    exprs[op.getHeadDim()] = headExpr, exprs[op.getSequenceDim()] = row;
    return map(5, exprs);
  }

  Value generic(ValueRange inputs, Value output, ArrayRef<AffineMap> maps,
                unsigned reductions, BodyFn body) {
    unsigned loops = maps.front().getNumDims();
    SmallVector<utils::IteratorType> iterators(loops,
                                               utils::IteratorType::parallel);
    for (unsigned i = loops - reductions; i < loops; ++i)
      iterators[i] = utils::IteratorType::reduction;
    return linalg::GenericOp::create(
               b, output.getType(), inputs, output, maps, iterators,
               [&](OpBuilder &nested, Location loc, ValueRange arguments) {
                 ImplicitLocOpBuilder inner(loc, nested);
                 linalg::YieldOp::create(inner, body(inner, arguments));
               })
        .getResult(0);
  }

  Value convert(ImplicitLocOpBuilder &b, Value x) {
    if (x.getType() == compute)
      return x;
    return arith::ExtFOp::create(b, compute, x);
  }
  Value constant(ImplicitLocOpBuilder &b, double value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(compute, value));
  }
  Value negativeInfinity(ImplicitLocOpBuilder &b) {
    auto &semantics = cast<FloatType>(compute).getFloatSemantics();
    return arith::ConstantOp::create(
        b, b.getFloatAttr(compute, APFloat::getInf(semantics, true)));
  }
  Value empty(ArrayRef<OpFoldResult> sizes, Type element) {
    return tensor::EmptyOp::create(b, sizes, element);
  }

  Value multiplyAdd(ImplicitLocOpBuilder &b, ValueRange v) {
    Value product =
        arith::MulFOp::create(b, convert(b, v[0]), convert(b, v[1]));
    return arith::AddFOp::create(b, v[2], product);
  }

  /// Q K^T, loops (b, h, i, j, d).
  Value dotProducts() {
    Value zeros =
        linalg::FillOp::create(b, constant(b, 0.0), empty(scoreSizes, compute))
            .getResult(0);
    AffineMap maps[] = {laidOutMap(head, query, feature),
                        laidOutMap(keyHead, key, feature),
                        map(5, {batch, head, query, key})};
    return generic({op.getQ(), op.getK()}, zeros, maps, 1,
                   [&](ImplicitLocOpBuilder &b, ValueRange v) {
                     return multiplyAdd(b, v);
                   });
  }

  /// Scale, soft cap, mask; -inf for keys that the query does not see. In
  /// place.
  Value maskedScores(Value products) {
    AffineMap identity = map(4, {batch, head, query, key});
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    if (Value mask = op.getMask()) {
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(mask.getType()).getShape();
      AffineExpr loops[] = {batch, head, query, key};
      SmallVector<AffineExpr> exprs;
      for (auto [dim, size] : llvm::enumerate(shape))
        exprs.push_back(size == 1 ? getAffineConstantExpr(0, b.getContext())
                                  : loops[4 - shape.size() + dim]);
      inputs.push_back(mask);
      maps.push_back(map(4, exprs));
    }
    unsigned bounds = inputs.size();
    addBounds(inputs, maps, /*loops=*/4);
    maps.push_back(identity);
    Value offset = keyOffset();
    return generic(
        inputs, products, maps, 0,
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
          Value score = arith::MulFOp::create(b, v.back(), scale(b));
          if (std::optional<APFloat> cap = op.getSoftcap()) {
            Value limit = constant(b, cap->convertToDouble());
            Value ratio = arith::DivFOp::create(b, score, limit);
            score =
                arith::MulFOp::create(b, math::TanhOp::create(b, ratio), limit);
          }
          if (op.getMask())
            score = arith::AddFOp::create(b, score, convert(b, v[0]));
          if (!op.getBegin() && !op.getEnd())
            return score;
          return arith::SelectOp::create(
              b, isSeen(b, v.drop_front(bounds), /*keyLoop=*/3, offset), score,
              negativeInfinity(b));
        });
  }

  Value keyOffset() {
    return arith::IndexCastOp::create(b, b.getI32Type(), op.getKeyOffset());
  }

  /// The first and the last key of each query, where there are any, become
  /// further inputs.
  void addBounds(SmallVectorImpl<Value> &inputs,
                 SmallVectorImpl<AffineMap> &maps, unsigned loops) {
    for (Value bound : {op.getBegin(), op.getEnd()})
      if (bound) {
        inputs.push_back(bound);
        maps.push_back(map(loops, {batch, query}));
      }
  }

  /// Does the query see the key? `bounds` begin with those of addBounds.
  Value isSeen(ImplicitLocOpBuilder &b, ValueRange bounds, unsigned keyLoop,
               Value offset) {
    Value index = arith::IndexCastOp::create(
        b, b.getI32Type(), linalg::IndexOp::create(b, keyLoop));
    Value number = arith::AddIOp::create(b, index, offset);
    Value seen;
    auto require = [&](arith::CmpIPredicate predicate) {
      Value inside =
          arith::CmpIOp::create(b, predicate, number, bounds.front());
      bounds = bounds.drop_front();
      seen = seen ? arith::AndIOp::create(b, seen, inside) : inside;
    };
    if (op.getBegin())
      require(arith::CmpIPredicate::sge);
    if (op.getEnd())
      require(arith::CmpIPredicate::slt);
    return seen;
  }

  /// The scale as a value of the body: constants are better off inside.
  Value scale(ImplicitLocOpBuilder &b) {
    FloatAttr value;
    if (matchPattern(op.getScale(), m_Constant(&value)))
      return arith::ConstantOp::create(b, value);
    return op.getScale();
  }

  Value reduceKeys(
      Value tensor, Value initial,
      llvm::function_ref<Value(ImplicitLocOpBuilder &, Value, Value)> combine) {
    AffineMap maps[] = {map(4, {batch, head, query, key}),
                        map(4, {batch, head, query})};
    return generic(tensor, initial, maps, 1,
                   [&](ImplicitLocOpBuilder &b, ValueRange v) {
                     return combine(b, v[0], v[1]);
                   });
  }

  /// What to subtract from scores: 0 while a row has seen no key, so that -inf
  /// minus it stays -inf.
  Value shift(ImplicitLocOpBuilder &b, Value maximum) {
    Value isLowest = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                                           maximum, negativeInfinity(b));
    return arith::SelectOp::create(b, isLowest, constant(b, 0.0), maximum);
  }

  static Value expAtMostZero(ImplicitLocOpBuilder &b, Value x) {
    auto exp = math::ExpOp::create(b, x);
    exp->setAttr(kAtMostZeroAttrName, b.getUnitAttr());
    return exp;
  }

  /// exp(scores - maximum), in place.
  Value powers(Value scores, Value maximum) {
    AffineMap maps[] = {map(4, {batch, head, query}),
                        map(4, {batch, head, query, key})};
    return generic(maximum, scores, maps, 0,
                   [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                     return expAtMostZero(
                         b, arith::SubFOp::create(b, v[1], shift(b, v[0])));
                   });
  }

  static Value takeMaximum(ImplicitLocOpBuilder &b, Value value, Value soFar) {
    return arith::MaximumFOp::create(b, soFar, value);
  }

  /// -inf per row.
  Value filledRows() {
    Value rows = empty(ArrayRef(scoreSizes).drop_back(), compute);
    return linalg::FillOp::create(b, negativeInfinity(b), rows).getResult(0);
  }

  /// exp(old maximum - new maximum) per row.
  Value shrinkage(Value highest) {
    AffineMap identity = map(3, {batch, head, query});
    AffineMap maps[] = {identity, identity, identity};
    Value output = empty(ArrayRef(scoreSizes).drop_back(), compute);
    return generic({op.getMax(), highest}, output, maps, 0,
                   [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                     Value subtrahend = shift(b, takeMaximum(b, v[0], v[1]));
                     return expAtMostZero(
                         b, arith::SubFOp::create(b, v[0], subtrahend));
                   });
  }

  Value updateMaximum(Value highest) {
    AffineMap identity = map(3, {batch, head, query});
    AffineMap maps[] = {identity, identity};
    return generic(highest, op.getMax(), maps, 0,
                   [](ImplicitLocOpBuilder &b, ValueRange v) {
                     return takeMaximum(b, v[0], v[1]);
                   });
  }

  /// tensor[b, h, i, ...] * row[b, h, i], in place: it is carried by a loop.
  Value multiplyByRow(Value tensor, Value row) {
    unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
    AffineMap maps[] = {map(rank, {batch, head, query}),
                        b.getMultiDimIdentityMap(rank)};
    return generic(row, tensor, maps, 0,
                   [](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                     return arith::MulFOp::create(b, v[1], v[0]);
                   });
  }

  /// initial + P V, loops (b, h, i, e, j). A key that a query does not see
  /// has the probability 0, which does not keep a NaN or an infinity of V out
  /// of a sum of products; where V holds one, such products are left out. The
  /// bounds decide, not the probability: that of a key which is seen may be 0
  /// too.
  Value weightedValues(Value probabilities, Value initial) {
    AffineExpr value = key, innermost = feature;
    AffineMap result = map(5, {batch, head, query, value});
    SmallVector<AffineMap> maps{map(5, {batch, head, query, innermost}),
                                laidOutMap(keyHead, innermost, value)};
    Value values = validValues();
    SmallVector<Value> inputs{probabilities, values};
    auto products = [&](BodyFn body) {
      maps.push_back(result);
      return generic(inputs, initial, maps, 1, body);
    };
    auto plain = [&] {
      return products([&](ImplicitLocOpBuilder &b, ValueRange v) {
        return multiplyAdd(b, v);
      });
    };
    if (!op.getBegin() && !op.getEnd())
      return plain();
    auto choice = scf::IfOp::create(b, initial.getType(), allFinite(values),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, plain());
    b.setInsertionPointToStart(choice.elseBlock());
    maps.pop_back();
    addBounds(inputs, maps, /*loops=*/5);
    Value offset = keyOffset();
    Value careful = products([&](ImplicitLocOpBuilder &b, ValueRange v) {
      Value seen = isSeen(b, v.drop_front(2), /*keyLoop=*/4, offset);
      Value more = multiplyAdd(b, {v[0], v[1], v.back()});
      return Value(arith::SelectOp::create(b, seen, more, v.back()));
    });
    scf::YieldOp::create(b, careful);
    return choice.getResult(0);
  }

  /// Is no element a NaN or an infinity? The sum of x - x is 0 exactly then.
  Value allFinite(Value tensor) {
    Value zero = linalg::FillOp::create(b, constant(b, 0.0), empty({}, compute))
                     .getResult(0);
    AffineMap maps[] = {b.getMultiDimIdentityMap(4), map(4, {})};
    Value sum = generic(tensor, zero, maps, 4,
                        [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
                          Value x = convert(b, v[0]);
                          return arith::AddFOp::create(
                              b, v[1], arith::SubFOp::create(b, x, x));
                        });
    Value total = tensor::ExtractOp::create(b, sum, ValueRange{});
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, total,
                                 constant(b, 0.0));
  }

  /// V with zeros where no query looks: a probability of 0 does not keep a NaN
  /// out of a sum.
  Value validValues() {
    Value v = op.getV();
    if (!op.getKvLen())
      return v;
    Type element = getElementTypeOrSelf(v.getType());
    AffineMap identity = b.getMultiDimIdentityMap(4);
    AffineMap maps[] = {identity, map(4, {batch}), identity};
    Value output = empty(tensor::getMixedSizes(b, b.getLoc(), v), element);
    Value offset = keyOffset();
    return generic(
        {v, op.getKvLen()}, output, maps, 0,
        [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> Value {
          Value index = arith::IndexCastOp::create(
              b, b.getI32Type(),
              linalg::IndexOp::create(b, op.getSequenceDim()));
          Value number = arith::AddIOp::create(b, index, offset);
          Value isValid = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                                number, arguments[1]);
          Value zero =
              arith::ConstantOp::create(b, b.getFloatAttr(element, 0.0));
          return arith::SelectOp::create(b, isValid, arguments[0], zero);
        });
  }

  OnlineAttentionOp op;
  ImplicitLocOpBuilder b;
  Type compute;
  SmallVector<OpFoldResult> scoreSizes;
  AffineExpr batch, head, query, key, feature;
  AffineExpr keyHead;
};

/// Whether one indexing map can name the key head of every query head.
bool hasSimpleHeads(OnlineAttentionOp op) {
  auto headCount = [&](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(op.getHeadDim());
  };
  return headCount(op.getK()) == 1 || matchPattern(op.getGroup(), m_One());
}

struct DecomposeAttention
    : aikernel::impl::DecomposeAttentionPassBase<DecomposeAttention> {
  void runOnOperation() override {
    SmallVector<OnlineAttentionOp> worklist;
    getOperation()->walk([&](OnlineAttentionOp op) {
      if (!op.getInstruction())
        worklist.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (OnlineAttentionOp op : worklist) {
      rewriter.setInsertionPoint(op);
      if (!hasSimpleHeads(op)) {
        FailureOr<OnlineAttentionOp> single = tileHeads(op, rewriter);
        if (failed(single))
          return signalPassFailure();
        op = *single;
        rewriter.setInsertionPoint(op);
      }
      rewriter.replaceOp(op, Decomposition(op, rewriter).decompose());
    }
  }

  /// A loop over single query heads around the op.
  static FailureOr<OnlineAttentionOp> tileHeads(OnlineAttentionOp op,
                                                IRRewriter &rewriter) {
    scf::SCFTilingOptions options;
    OpFoldResult zero = rewriter.getIndexAttr(0);
    options.setTileSizes({zero, rewriter.getIndexAttr(1), zero, zero});
    auto interface = cast<TilingInterface>(op.getOperation());
    FailureOr<scf::SCFTilingResult> tiled =
        scf::tileUsingSCF(rewriter, interface, options);
    if (failed(tiled))
      return op.emitOpError() << "cannot be tiled to single heads";
    rewriter.replaceOp(op, tiled->replacements);
    return cast<OnlineAttentionOp>(tiled->tiledOps.front());
  }
};

} // namespace
