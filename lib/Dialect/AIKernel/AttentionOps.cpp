//===- AttentionOps.cpp - attention ---------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape contract, verification, canonical form, reference call, tiling of
// causal queries and cost. Its companions are in PositionOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "OpSupport.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace aikernel;

namespace {
/// The sizes of attention by their number in the contract. Dv comes last of
/// the parallel ones because it is one only without lse.
enum Size : unsigned { B, Hq, Sq, Dv, Hkv, Skv, D };
} // namespace

ShapeContract AttentionOp::getShapeContract() {
  ShapeContract contract;
  contract.addSize("B", true);
  contract.addSize("Hq", true);
  contract.addSize("Sq", true);
  // Each tile of Dv would write the whole lse again.
  contract.addSize("Dv", !getLse());
  contract.addSize("Hkv", false);
  contract.addSize("Skv", false);
  contract.addSize("D", false);
  contract.sizes[Hkv].groupsOf = Hq;

  auto inLayout = [&](unsigned head, unsigned sequence, unsigned feature) {
    if (getLayout() == LayoutKind::Bhsd)
      return SmallVector<DimRole>{{B}, {head}, {sequence}, {feature}};
    return SmallVector<DimRole>{{B}, {sequence}, {head}, {feature}};
  };
  contract.addOperand("q", getQ(), inLayout(Hq, Sq, D));
  contract.addOperand("k", getK(), inLayout(Hkv, Skv, D));
  contract.addOperand("v", getV(), inLayout(Hkv, Skv, Dv));
  if (getMask()) {
    SmallVector<DimRole> roles = {
        {B, true}, {Hq, true}, {Sq, true}, {Skv, true}};
    int64_t rank = cast<RankedTensorType>(getMask().getType()).getRank();
    contract.addOperand("mask", getMask(),
                        ArrayRef(roles).take_back(std::min<int64_t>(rank, 4)));
  }
  if (getKvLen())
    contract.addOperand("kv_len", getKvLen(), {{B}});
  if (getSinks())
    contract.addOperand("sinks", getSinks(), {{Hq}});
  contract.addResult("result", getResult(), inLayout(Hq, Sq, Dv));
  if (getLse())
    contract.addResult("lse", getLse(), {{B}, {Hq}, {Sq}});
  return contract;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyAttributes(AttentionOp op) {
  if (std::optional<APFloat> scale = op.getScale())
    if (!scale->isFinite())
      return op.emitOpError("attribute 'scale' is ")
             << scale->convertToDouble() << " but must be finite";
  if (std::optional<APFloat> softcap = op.getSoftcap())
    if (!softcap->isFinite() || softcap->isNegative() || softcap->isZero())
      return op.emitOpError("attribute 'softcap' is ")
             << softcap->convertToDouble()
             << " but must be finite and positive";
  if (std::optional<uint64_t> window = op.getWindow()) {
    if (static_cast<int64_t>(*window) <= 0)
      return op.emitOpError("attribute 'window' is ")
             << static_cast<int64_t>(*window) << " but must be positive";
    if (!op.getCausal())
      return op.emitOpError("attribute 'window' is ")
             << *window << " but 'causal' is not given, and a window needs it";
  }
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyAttributes(*this)) ||
      (getMask() && failed(verifyRank(*this, "mask", getMask(), 0, 4))))
    return failure();
  ShapeContract contract = getShapeContract();
  ArrayRef<TensorRole> operands = contract.operands;
  if (failed(verifyElementType(*this, operands[0], ElementSet::Float)))
    return failure();
  for (const TensorRole &operand : operands.drop_front()) {
    LogicalResult agrees =
        operand.value == getMask()
            ? verifyParameterElementType(*this, operand, operands[0])
        : operand.value == getKvLen()
            ? verifyElementType(*this, operand, ElementSet::I32)
        : operand.value == getSinks()
            ? verifyElementType(*this, operand, ElementSet::F32)
            : verifySameElementType(*this, operand, operands[0]);
    if (failed(agrees))
      return failure();
  }
  if (failed(verifySameElementType(*this, contract.results[0], operands[0])) ||
      (getLse() &&
       failed(verifyElementType(*this, contract.results[1], ElementSet::F32))))
    return failure();
  return contract::verify(*this);
}

//===----------------------------------------------------------------------===//
// Run time, reference and cost
//===----------------------------------------------------------------------===//

void AttentionOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
  if (!getKvLen())
    return;
  Location loc = getLoc();
  Value keys = getValueOrCreateConstantIndexOp(
      builder, loc,
      tensor::getMixedSize(builder, loc, getK(), getSequenceDim()));
  Value inRange = buildForAllElements(
      builder, loc, getKvLen(), [&](OpBuilder &body, Value length) -> Value {
        // Unsigned: a negative length is larger than any number of keys.
        Value asIndex =
            arith::IndexCastOp::create(body, loc, body.getIndexType(), length);
        return arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ule,
                                     asIndex, keys);
      });
  require(inRange, AIK_ERANGE,
          "aikernel.attention: a value of operand 'kv_len' is negative or "
          "larger than dimension " +
              Twine(getSequenceDim()) + " (Skv) of operand 'k'");
}

/// `scale`, or its default where D is known; NaN asks the reference to take
/// 1 / sqrt(D) itself.
static double getReferenceScale(AttentionOp op) {
  if (std::optional<APFloat> scale = op.getScale())
    return scale->convertToDouble();
  auto type = cast<RankedTensorType>(op.getQ().getType());
  if (type.isDynamicDim(op.getFeatureDim()))
    return std::numeric_limits<double>::quiet_NaN();
  int64_t features = type.getDimSize(op.getFeatureDim());
  return features == 0 ? 1.0 : 1.0 / std::sqrt(double(features));
}

SmallVector<double> AttentionOp::getReferenceParams() {
  std::optional<APFloat> softcap = getSoftcap();
  // No tensor has as many keys, and the number stays exact.
  uint64_t window = std::min(getWindow().value_or(0), uint64_t(1) << 53);
  return {getReferenceScale(*this), double(getCausal()), double(window),
          softcap ? softcap->convertToDouble() : 0.0,
          double(static_cast<uint32_t>(getLayout()))};
}

SmallVector<Value> AttentionOp::getReferenceOperands() {
  return {getQ(), getK(), getV(), getMask(), getKvLen(), getSinks()};
}

/// Two products, 2 (D + Dv) operations, and five for softmax, for each pair of
/// a query and a key that it may see. A window counts as full; `kv_len` counts
/// as Skv.
Value AttentionOp::buildFlops(OpBuilder &builder) {
  Location loc = getLoc();
  ShapeContract contract = getShapeContract();
  auto size = [&](unsigned number) {
    return contract::buildSize(builder, loc, contract, number);
  };
  auto asValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  Value queries = asValue(size(Sq)), keys = asValue(size(Skv));
  Value pairs = builder.createOrFold<arith::MulIOp>(loc, queries, keys);
  if (getCausal()) {
    // m Skv - m (m - 1) / 2 with m = min(Sq, Skv).
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value two = arith::ConstantIndexOp::create(builder, loc, 2);
    Value m = builder.createOrFold<arith::MinUIOp>(loc, queries, keys);
    Value all = builder.createOrFold<arith::MulIOp>(loc, m, keys);
    Value less = builder.createOrFold<arith::SubIOp>(loc, m, one);
    Value square = builder.createOrFold<arith::MulIOp>(loc, m, less);
    Value hidden = builder.createOrFold<arith::DivUIOp>(loc, square, two);
    pairs = builder.createOrFold<arith::SubIOp>(loc, all, hidden);
  }
  if (std::optional<uint64_t> window = getWindow()) {
    Value most = buildProduct(
        builder, loc,
        {queries, builder.getIndexAttr(static_cast<int64_t>(*window))});
    pairs = builder.createOrFold<arith::MinUIOp>(loc, pairs, most);
  }
  Value features = builder.createOrFold<arith::AddIOp>(loc, asValue(size(D)),
                                                       asValue(size(Dv)));
  Value two = arith::ConstantIndexOp::create(builder, loc, 2);
  Value five = arith::ConstantIndexOp::create(builder, loc, 5);
  Value products = builder.createOrFold<arith::MulIOp>(loc, features, two);
  Value perPair = builder.createOrFold<arith::AddIOp>(loc, products, five);
  return buildProduct(builder, loc, {size(B), size(Hq), pairs, perPair});
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

/// Causal attention aligns the last query with the last valid key. A tile of
/// queries that ends before the last query therefore sees fewer keys: its own
/// kv_len is len - (Sq - end of tile), or 0 where even its last query sees
/// none.
LogicalResult AttentionOp::adjustTile(OpBuilder &builder, Operation *tiledOp,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  if (!getCausal())
    return success();
  Location loc = getLoc();
  ShapeContract contract = getShapeContract();
  OpFoldResult queries = contract::buildSize(builder, loc, contract, Sq);
  if (isEqualConstantIntOrValue(queries, sizes[Sq]))
    return success();
  auto tiled = cast<AttentionOp>(tiledOp);
  auto asValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  Value end = builder.createOrFold<arith::AddIOp>(loc, asValue(offsets[Sq]),
                                                  asValue(sizes[Sq]));
  Value after = builder.createOrFold<arith::SubIOp>(loc, asValue(queries), end);
  Type i32 = builder.getI32Type();
  Value after32 = arith::IndexCastOp::create(builder, loc, i32, after);
  auto lengthType = RankedTensorType::get(
      {getConstantIntValue(sizes[B]).value_or(ShapedType::kDynamic)}, i32);
  SmallVector<Value> dynamicSizes;
  if (lengthType.isDynamicDim(0))
    dynamicSizes.push_back(asValue(sizes[B]));
  auto splat = [&](Value scalar) -> Value {
    return tensor::SplatOp::create(builder, loc, scalar, lengthType,
                                   dynamicSizes);
  };
  Value length = tiled.getKvLen();
  if (!length) {
    Value keys = asValue(contract::buildSize(builder, loc, contract, Skv));
    length = splat(arith::IndexCastOp::create(builder, loc, i32, keys));
  }
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value shorter = arith::SubIOp::create(builder, loc, length, splat(after32));
  Value visible = arith::MaxSIOp::create(builder, loc, shorter, splat(zero));
  tiled.getKvLenMutable().assign(visible);
  return success();
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

namespace {
/// A scale that is exactly the default says nothing.
struct DropDefaultScale : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getQ().getType());
    int64_t features = type.getDimSize(op.getFeatureDim());
    if (!op.getScale() || ShapedType::isDynamic(features))
      return rewriter.notifyMatchFailure(op, "no scale, or D is dynamic");
    if (op.getScale()->convertToDouble() != 1.0 / std::sqrt(double(features)))
      return rewriter.notifyMatchFailure(op, "another scale");
    rewriter.modifyOpInPlace(op, [&] { op.removeScaleAttr(); });
    return success();
  }
};

/// The only query sees every valid key, causal or not.
struct DropCausalOfOneQuery : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getQ().getType());
    if (!op.getCausal() || op.getWindow() ||
        type.getDimSize(op.getSequenceDim()) != 1)
      return rewriter.notifyMatchFailure(op, "causal is needed");
    rewriter.modifyOpInPlace(op, [&] { op.setCausal(false); });
    return success();
  }
};

/// A mask of zeros adds nothing.
struct DropZeroMask : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!isConstantZero(op.getMask()))
      return rewriter.notifyMatchFailure(op, "no mask of zeros");
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
};

/// A length that is always Skv says nothing.
struct DropFullLength : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    DenseIntElementsAttr lengths;
    auto type = cast<RankedTensorType>(op.getK().getType());
    if (!op.getKvLen() || type.isDynamicDim(op.getSequenceDim()) ||
        !matchPattern(op.getKvLen(), m_Constant(&lengths)))
      return rewriter.notifyMatchFailure(op, "lengths are not constant");
    int64_t keys = type.getDimSize(op.getSequenceDim());
    for (const APInt &length : lengths)
      if (length.getSExtValue() != keys)
        return rewriter.notifyMatchFailure(op, "a length is shorter");
    rewriter.modifyOpInPlace(op, [&] { op.getKvLenMutable().clear(); });
    return success();
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropCausalOfOneQuery, DropDefaultScale, DropFullLength,
               DropZeroMask>(context);
}
