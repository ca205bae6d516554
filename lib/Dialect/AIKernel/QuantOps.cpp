//===- QuantOps.cpp - quantize, dequantize and quantized products ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape contracts (bytes of a row follow from its elements by the format's
// block), verification, canonical forms, reference calls and costs.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/QuantFormats.h"
#include "OpSupport.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace aikernel;

//===----------------------------------------------------------------------===//
// What the ops share
//===----------------------------------------------------------------------===//

static int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

/// Leading sizes d0, d1, ... of a tensor of `rank`, all parallel.
static void addLeadingSizes(ShapeContract &contract, int64_t rank) {
  for (int64_t dim = 0; dim != rank - 1; ++dim)
    contract.addSize("d" + std::to_string(dim), true);
}

/// The bytes of a row of K elements.
static unsigned addBytes(ShapeContract &contract, unsigned k,
                         QuantAttr format) {
  QuantFormat described = getQuantFormat(format);
  return contract.addRatio("bytes", k, described.blockSize,
                           described.blockBytes);
}

/// Roles of scales and zero points, of which there are `count`: `rows`, then
/// one for each group of K.
static void addGroupOperands(ShapeContract &contract, unsigned k,
                             QuantAttr format, ArrayRef<DimRole> rows,
                             Value scales, Value zeros) {
  if (!scales && !zeros)
    return;
  unsigned groups = contract.addRatio(
      "groups", k, std::max<int64_t>(format.getGroup(), 1), 1);
  SmallVector<DimRole> roles(rows);
  roles.push_back({groups});
  if (scales)
    contract.addOperand("scales", scales, roles);
  if (zeros)
    contract.addOperand("zeros", zeros, roles);
}

/// Grouped formats have scales; the others have them in their blocks.
static LogicalResult verifyGroupOperands(Operation *op, QuantAttr format,
                                         Value scales, Value zeros) {
  StringRef name = stringifyQuantKind(format.getKind());
  if (format.isGrouped()) {
    if (scales)
      return success();
    return op->emitOpError()
           << "attribute 'format' is " << name
           << ", which needs operand 'scales', but there is none";
  }
  if (!scales && !zeros)
    return success();
  return op->emitOpError() << "operand '" << (scales ? "scales" : "zeros")
                           << "' is given but attribute 'format' is " << name
                           << ", which has its scales in its blocks";
}

/// Element types of the operands and results that `contract` names.
static LogicalResult verifyQuantElements(Operation *op,
                                         const ShapeContract &contract) {
  auto verifyOne = [&](const TensorRole &tensor, bool packs) {
    ElementSet allowed = ElementSet::Float;
    if (tensor.name == "scales")
      allowed = ElementSet::Scale;
    else if (tensor.name == "zeros" || tensor.name == "q" ||
             tensor.name == "w" || (packs && tensor.name == "result"))
      allowed = ElementSet::I8;
    return verifyElementType(op, tensor, allowed);
  };
  bool packs = isa<QuantizeOp>(op);
  for (const TensorRole &tensor : contract.operands)
    if (failed(verifyOne(tensor, packs)))
      return failure();
  for (const TensorRole &tensor : contract.results)
    if (failed(verifyOne(tensor, packs)))
      return failure();
  return success();
}

static SmallVector<double> formatParams(QuantAttr format) {
  return {double(static_cast<uint32_t>(format.getKind())),
          double(format.getGroup())};
}

namespace {
/// A result without elements needs no op.
template <typename Op>
struct ReplaceEmptyResult : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> empty;
    for (Value result : op->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      if (!type.hasStaticShape() || !isEmptyTensor(type))
        return rewriter.notifyMatchFailure(op, "a result may have elements");
      empty.push_back(tensor::EmptyOp::create(
          rewriter, op.getLoc(), type.getShape(), type.getElementType()));
    }
    rewriter.replaceOp(op, empty);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// DequantizeOp
//===----------------------------------------------------------------------===//

ShapeContract DequantizeOp::getShapeContract() {
  ShapeContract contract;
  int64_t rank = rankOf(getQ());
  addLeadingSizes(contract, rank);
  unsigned k = contract.addSize("K", false);
  unsigned bytes = addBytes(contract, k, getFormat());
  SmallVector<DimRole> rows = consecutiveRoles(0, rank - 1);
  SmallVector<DimRole> packed(rows), whole(rows);
  packed.push_back({bytes});
  whole.push_back({k});
  contract.addOperand("q", getQ(), packed);
  addGroupOperands(contract, k, getFormat(), rows, getScales(), getZeros());
  contract.addResult("result", getResult(), whole);
  return contract;
}

LogicalResult DequantizeOp::verify() {
  if (failed(verifyRank(*this, "q", getQ(), 1, AIK_MAX_RANK)) ||
      failed(verifyGroupOperands(*this, getFormat(), getScales(), getZeros())))
    return failure();
  if (failed(verifyQuantElements(*this, getShapeContract())))
    return failure();
  return contract::verify(*this);
}

void DequantizeOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> DequantizeOp::getReferenceParams() {
  return formatParams(getFormat());
}

SmallVector<Value> DequantizeOp::getReferenceOperands() {
  return {getQ(), getScales(), getZeros()};
}

/// One multiplication per element, and one addition where there is a minimum.
Value DequantizeOp::buildFlops(OpBuilder &builder) {
  Location loc = getLoc();
  ShapeContract contract = getShapeContract();
  bool hasMinimum = getQuantFormat(getFormat()).minimumByte.has_value();
  SmallVector<OpFoldResult> factors = {
      builder.getIndexAttr(hasMinimum || getZeros() ? 2 : 1)};
  for (DimRole role : contract.results[0].dims)
    factors.push_back(contract::buildSize(builder, loc, contract, role.size));
  return buildProduct(builder, loc, factors);
}

/// Multiplying with f32 weights that were just unpacked is what quant_matmul
/// does: the same numbers, without the unpacked matrix.
static LogicalResult foldIntoProduct(Operation *product, Value x, Value weights,
                                     PatternRewriter &rewriter) {
  auto unpack = weights.getDefiningOp<DequantizeOp>();
  if (!unpack || !unpack->hasOneUse())
    return rewriter.notifyMatchFailure(product, "no unpacked weights");
  auto isF64 = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType().isF64();
  };
  auto xType = cast<RankedTensorType>(x.getType());
  if (xType.getRank() != 2 || rankOf(weights) != 2 || isF64(x) ||
      isF64(product->getResult(0)) ||
      xType.getElementType().getIntOrFloatBitWidth() < 16 ||
      !cast<RankedTensorType>(weights.getType()).getElementType().isF32())
    return rewriter.notifyMatchFailure(product, "not a product in f32");
  rewriter.replaceOpWithNewOp<QuantMatmulOp>(
      product, product->getResultTypes(), x, unpack.getQ(), unpack.getScales(),
      unpack.getZeros(), unpack.getFormat(), QuantActivations::F32);
  return success();
}

namespace {
struct FoldDequantizeIntoMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getTransposeB() || op.getTransposeA())
      return rewriter.notifyMatchFailure(op, "not X times W transposed");
    return foldIntoProduct(op, op.getA(), op.getB(), rewriter);
  }
};

struct FoldDequantizeIntoLinear : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getTransposeB() || op.getBias() ||
        op.getActivation() != Activation::None)
      return rewriter.notifyMatchFailure(op, "more than X times W transposed");
    return foldIntoProduct(op, op.getX(), op.getW(), rewriter);
  }
};
} // namespace

void DequantizeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<FoldDequantizeIntoLinear, FoldDequantizeIntoMatmul,
               ReplaceEmptyResult<DequantizeOp>>(context);
}

//===----------------------------------------------------------------------===//
// QuantizeOp
//===----------------------------------------------------------------------===//

ShapeContract QuantizeOp::getShapeContract() {
  ShapeContract contract;
  int64_t rank = rankOf(getX());
  addLeadingSizes(contract, rank);
  unsigned k = contract.addSize("K", false);
  unsigned bytes = addBytes(contract, k, getFormat());
  SmallVector<DimRole> rows = consecutiveRoles(0, rank - 1);
  SmallVector<DimRole> packed(rows), whole(rows);
  packed.push_back({bytes});
  whole.push_back({k});
  contract.addOperand("x", getX(), whole);
  contract.addResult("result", getResult(), packed);
  if (getParameters().empty())
    return contract;
  rows.push_back({contract.addRatio(
      "groups", k, std::max<int64_t>(getFormat().getGroup(), 1), 1)});
  contract.addResult("scales", getParameters()[0], rows);
  if (getParameters().size() > 1)
    contract.addResult("zeros", getParameters()[1], rows);
  return contract;
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyRank(*this, "x", getX(), 1, AIK_MAX_RANK)))
    return failure();
  size_t given = getParameters().size();
  StringRef name = stringifyQuantKind(getFormat().getKind());
  if (!getFormat().isGrouped() && given != 0)
    return emitOpError("has ")
           << given + 1 << " results but attribute 'format' is " << name
           << ", which has one";
  if (getFormat().isGrouped() && (given == 0 || given > 2))
    return emitOpError("has ")
           << given + 1 << (given == 0 ? " result" : " results")
           << " but attribute 'format' is " << name
           << ", which has two (with scales) or three (with zero points)";
  if (failed(verifyQuantElements(*this, getShapeContract())))
    return failure();
  return contract::verify(*this);
}

void QuantizeOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> QuantizeOp::getReferenceParams() {
  return formatParams(getFormat());
}

SmallVector<Value> QuantizeOp::getReferenceOperands() { return {getX()}; }

/// A multiplication with the inverse scale and a rounding per element.
Value QuantizeOp::buildFlops(OpBuilder &builder) {
  return buildElementCount(builder, getLoc(), getX(), 2);
}

void QuantizeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<ReplaceEmptyResult<QuantizeOp>>(context);
}

//===----------------------------------------------------------------------===//
// QuantGemvOp and QuantMatmulOp
//===----------------------------------------------------------------------===//

/// X `[rows..., K]` times W `[N, bytes]` transposed.
template <typename Op>
static ShapeContract getProductContract(Op op, bool rows) {
  ShapeContract contract;
  unsigned m = rows ? contract.addSize("M", true) : 0;
  unsigned n = contract.addSize("N", true);
  unsigned k = contract.addSize("K", false);
  unsigned bytes = addBytes(contract, k, op.getFormat());
  SmallVector<DimRole> x, result;
  if (rows) {
    x.push_back({m});
    result.push_back({m});
  }
  x.push_back({k});
  result.push_back({n});
  contract.addOperand("x", op.getX(), x);
  contract.addOperand("w", op.getW(), {{n}, {bytes}});
  addGroupOperands(contract, k, op.getFormat(), {{n}}, op.getScales(),
                   op.getZeros());
  contract.addResult("result", op.getResult(), result);
  return contract;
}

template <typename Op>
static LogicalResult verifyProduct(Op op) {
  if (failed(verifyGroupOperands(op, op.getFormat(), op.getScales(),
                                 op.getZeros())) ||
      failed(verifyQuantElements(op, op.getShapeContract())))
    return failure();
  return contract::verify(op);
}

template <typename Op>
static SmallVector<double> getProductParams(Op op) {
  SmallVector<double> params = formatParams(op.getFormat());
  params.push_back(double(static_cast<uint32_t>(op.getActivations())));
  return params;
}

/// One multiplication and one addition for each element and step of the sum.
template <typename Op>
static Value buildProductFlops(OpBuilder &builder, Op op) {
  ShapeContract contract = op.getShapeContract();
  SmallVector<OpFoldResult> factors = {builder.getIndexAttr(2)};
  for (auto [index, size] : llvm::enumerate(contract.sizes))
    if (!size.ratio)
      factors.push_back(
          contract::buildSize(builder, op.getLoc(), contract, index));
  return buildProduct(builder, op.getLoc(), factors);
}

ShapeContract QuantGemvOp::getShapeContract() {
  return getProductContract(*this, /*rows=*/false);
}
LogicalResult QuantGemvOp::verify() { return verifyProduct(*this); }
void QuantGemvOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}
SmallVector<double> QuantGemvOp::getReferenceParams() {
  return getProductParams(*this);
}
SmallVector<Value> QuantGemvOp::getReferenceOperands() {
  return {getX(), getW(), getScales(), getZeros()};
}
Value QuantGemvOp::buildFlops(OpBuilder &builder) {
  return buildProductFlops(builder, *this);
}
void QuantGemvOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ReplaceEmptyResult<QuantGemvOp>>(context);
}

ShapeContract QuantMatmulOp::getShapeContract() {
  return getProductContract(*this, /*rows=*/true);
}
LogicalResult QuantMatmulOp::verify() { return verifyProduct(*this); }
void QuantMatmulOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}
SmallVector<double> QuantMatmulOp::getReferenceParams() {
  return getProductParams(*this);
}
SmallVector<Value> QuantMatmulOp::getReferenceOperands() {
  return {getX(), getW(), getScales(), getZeros()};
}
Value QuantMatmulOp::buildFlops(OpBuilder &builder) {
  return buildProductFlops(builder, *this);
}

namespace {
/// One row is a vector: the decode kernel.
struct SingleRowToGemv : OpRewritePattern<QuantMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantMatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    auto xType = cast<RankedTensorType>(op.getX().getType());
    if (xType.getDimSize(0) != 1 || type.getDimSize(0) != 1)
      return rewriter.notifyMatchFailure(op, "not known to be one row");
    Location loc = op.getLoc();
    SmallVector<ReassociationIndices> both = {{0, 1}};
    Value x = tensor::CollapseShapeOp::create(rewriter, loc, op.getX(), both);
    auto rowType =
        RankedTensorType::get({type.getDimSize(1)}, type.getElementType());
    Value row = QuantGemvOp::create(rewriter, loc, rowType, x, op.getW(),
                                    op.getScales(), op.getZeros(),
                                    op.getFormat(), op.getActivations());
    SmallVector<OpFoldResult> sizes = {
        rewriter.getIndexAttr(1), tensor::getMixedSize(rewriter, loc, row, 0)};
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, type, row, both,
                                                       sizes);
    return success();
  }
};
} // namespace

void QuantMatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<ReplaceEmptyResult<QuantMatmulOp>, SingleRowToGemv>(context);
}

//===----------------------------------------------------------------------===//
// Int8MatmulOp
//===----------------------------------------------------------------------===//

ShapeContract Int8MatmulOp::getShapeContract() {
  ShapeContract contract;
  unsigned m = contract.addSize("M", true);
  unsigned n = contract.addSize("N", true);
  unsigned k = contract.addSize("K", false);
  contract.addOperand("a", getA(), {{m}, {k}});
  if (getTransposeB())
    contract.addOperand("b", getB(), {{n}, {k}});
  else
    contract.addOperand("b", getB(), {{k}, {n}});
  contract.addOperand("scale_a", getScaleA(), {{m, /*broadcast=*/true}});
  contract.addOperand("scale_b", getScaleB(), {{n, /*broadcast=*/true}});
  if (getZeroA())
    contract.addOperand("zero_a", getZeroA(), {{m, /*broadcast=*/true}});
  if (getZeroB())
    contract.addOperand("zero_b", getZeroB(), {{n, /*broadcast=*/true}});
  contract.addResult("result", getResult(), {{m}, {n}});
  return contract;
}

LogicalResult Int8MatmulOp::verify() {
  ShapeContract contract = getShapeContract();
  for (const TensorRole &tensor : contract.operands) {
    bool isScale = StringRef(tensor.name).starts_with("scale");
    if (failed(verifyElementType(*this, tensor,
                                 isScale ? ElementSet::Scale : ElementSet::I8)))
      return failure();
  }
  if (failed(verifyElementType(*this, contract.results[0], ElementSet::Float)))
    return failure();
  return contract::verify(*this);
}

void Int8MatmulOp::buildRuntimeChecks(OpBuilder &builder, RequireFn require) {
  contract::buildSizeChecks(builder, *this, require);
}

SmallVector<double> Int8MatmulOp::getReferenceParams() {
  return {double(getTransposeB())};
}

SmallVector<Value> Int8MatmulOp::getReferenceOperands() {
  return {getA(), getB(), getScaleA(), getScaleB(), getZeroA(), getZeroB()};
}

/// The product, and two multiplications per element for the scales.
Value Int8MatmulOp::buildFlops(OpBuilder &builder) {
  Location loc = getLoc();
  ShapeContract contract = getShapeContract();
  OpFoldResult m = contract::buildSize(builder, loc, contract, 0);
  OpFoldResult n = contract::buildSize(builder, loc, contract, 1);
  OpFoldResult k = contract::buildSize(builder, loc, contract, 2);
  OpFoldResult two = builder.getIndexAttr(2);
  return builder.createOrFold<arith::AddIOp>(
      loc, buildProduct(builder, loc, {two, m, n, k}),
      buildProduct(builder, loc, {two, m, n}));
}

namespace {
/// A zero point of 0 shifts nothing.
struct DropZeroPoints : OpRewritePattern<Int8MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(Int8MatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto isZero = [](Value value) {
      return value && matchPattern(value, m_Zero());
    };
    bool a = isZero(op.getZeroA()), b = isZero(op.getZeroB());
    if (!a && !b)
      return rewriter.notifyMatchFailure(op, "no zero point of 0");
    rewriter.modifyOpInPlace(op, [&] {
      if (a)
        op.getZeroAMutable().clear();
      if (b)
        op.getZeroBMutable().clear();
    });
    return success();
  }
};
} // namespace

void Int8MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<DropZeroPoints, ReplaceEmptyResult<Int8MatmulOp>>(context);
}
