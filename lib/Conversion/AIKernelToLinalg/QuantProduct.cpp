//===- QuantProduct.cpp - quant_gemv and quant_matmul to linalg -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: products of floats with packed matrices. Out, with float activations: a
// float copy of the weights and a plain contraction. With 8-bit activations:
// the activations as integers with a scale per block, exact i32 sums per block,
// and a sum of the scaled ones; with a weight, which targets lay out as they
// like, one op, aikernel.block_gemv or block_matmul.
//
//===----------------------------------------------------------------------===//

#include "IntegerProduct.h"
#include "Unpack.h"

#include "AIKernel/Dialect/AIKernel/QuantActivations.h"
#include "AIKernel/Dialect/AIKernel/QuantPanels.h"
#include "AIKernel/Dialect/AIKernel/WeightAttrs.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

/// Up to this many rows of x a target may want to quantize by itself.
constexpr int64_t kFewUnquantizedRows = 8;
/// Longer blocks than this are too much to unpack at once.
constexpr unsigned kLongestMatmulBlock = 2048;

/// Lowers one product. Loops are rows of x (none for a vector), then N.
template <typename Op>
class ProductLowering {
public:
  ProductLowering(Op op, ImplicitLocOpBuilder &b)
      : op(op), b(b),
        reader(b, op.getFormat(), op.getW(), op.getScales(), op.getZeros()),
        rows(typeOf(op.getX()).getRank() - 1), n(rows),
        sizes(resultSizesOf(b, op, 0)),
        compute(
            computeType({elementOf(op.getX()), elementOf(op.getResult())})) {}

  Value lower() {
    Value sum;
    if (op.getActivations() == QuantActivations::Q8)
      sum = createQuantizedProduct();
    else
      sum = createUnpackedProduct();
    return createEpilogue(b, sum, Value(), Activation::None,
                          elementOf(op.getResult()));
  }

private:
  /// Are there at most so many rows of x?
  bool isFor(int64_t most) {
    if (rows == 0)
      return true;
    std::optional<int64_t> known = getConstantIntValue(sizes[0]);
    return known && *known <= most;
  }

  Value zeros(ArrayRef<OpFoldResult> shape, Type element) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
    return filledTensor(b, shape, zero);
  }

  Value createUnpackedProduct() {
    Sizes xSizes = sizesOf(b, op.getX());
    Value weights = createUnpacked(b, reader, {sizes.back(), xSizes.back()},
                                   compute, compute);
    // A target may rather have the weights as they were.
    if (op.getFormat().getKind() == QuantKind::I4 && !op.getZeros())
      weights.getDefiningOp()->setAttr(kDequantizesAttrName, op.getFormat());
    AffineMap maps[] = {mapTo(b, 3, {0, 2}), mapTo(b, 3, {1, 2}),
                        mapTo(b, 3, {0, 1})};
    if (rows == 1)
      return createContraction(b, op.getX(), weights, maps, sizes, compute);
    // A vector is a matrix of one row: targets know those products.
    SmallVector<ReassociationIndices> asOne = {{0, 1}};
    OpFoldResult one = b.getIndexAttr(1);
    auto asRow = [&](Type element, OpFoldResult size) {
      SmallVector<int64_t> shape;
      SmallVector<Value> dynamicSizes;
      dispatchIndexOpFoldResults({one, size}, dynamicSizes, shape);
      return RankedTensorType::get(shape, element);
    };
    Value row = tensor::ExpandShapeOp::create(
        b, asRow(elementOf(op.getX()), xSizes[0]), op.getX(), asOne,
        ArrayRef<OpFoldResult>{one, xSizes[0]});
    Value sums =
        createContraction(b, row, weights, maps, {one, sizes[0]}, compute);
    return tensor::CollapseShapeOp::create(b, sums, asOne);
  }

  //===--------------------------------------------------------------------===//
  // 8-bit activations
  //===--------------------------------------------------------------------===//

  /// x as [rows..., blocks, block].
  Value splitIntoBlocks() {
    RankedTensorType type = typeOf(op.getX());
    int64_t block = reader.getFormat().blockSize;
    Sizes shape = sizesOf(b, op.getX());
    OpFoldResult blocks =
        contract::buildScaled(b, b.getLoc(), shape.back(), block, 1);
    shape.back() = blocks;
    shape.push_back(b.getIndexAttr(block));
    SmallVector<int64_t> staticShape;
    SmallVector<Value> dynamicSizes;
    dispatchIndexOpFoldResults(shape, dynamicSizes, staticShape);
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i != rows; ++i)
      groups.push_back({i});
    groups.push_back({rows, rows + 1});
    return tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(staticShape, type.getElementType()), op.getX(),
        groups, shape);
  }

  /// The largest magnitude of each block, NaN if there is any.
  Value createMagnitudes(Value blocks, ArrayRef<OpFoldResult> perBlock) {
    unsigned loops = rows + 2;
    AffineMap maps[] = {identityMap(b, loops), mapWithout(b, loops, rows + 1)};
    auto largest = createGeneric(
        b, blocks, zeros(perBlock, b.getF32Type()), maps, loopsOf(rows + 1, 1),
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          Value x = convertFloat(b, arguments[0], b.getF32Type());
          return {arith::MaximumFOp::create(b, math::AbsFOp::create(b, x),
                                            arguments[1])};
        });
    return largest.getResult(0);
  }

  IntegerActivations quantizeActivations() {
    Value blocks = splitIntoBlocks();
    Sizes whole = sizesOf(b, blocks);
    Sizes perBlock(whole.begin(), whole.end() - 1);
    unsigned loops = rows + 2;
    AffineMap all = identityMap(b, loops),
              outer = mapWithout(b, loops, rows + 1);
    AffineMap each = identityMap(b, rows + 1);
    Value largest = createMagnitudes(blocks, perBlock);
    ActivationBlock kind = reader.getFormat().activations;
    IntegerActivations result;
    result.integers = createElementwise(
        b, {blocks, largest}, {all, outer}, whole, b.getI8Type(),
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          Value x = convertFloat(b, arguments[0], b.getF32Type());
          Value inverse = buildInverse(b, kind, arguments[1]);
          return {
              buildActivation(b, kind, arith::MulFOp::create(b, inverse, x))};
        });
    result.scale = createElementwise(
        b, largest, each, perBlock, b.getF32Type(),
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          return {buildActivationScale(b, kind, arguments[0])};
        });
    if (kind != ActivationBlock::ScaledSum)
      return result;
    AffineMap maps[] = {all, outer};
    Value sum = createIntegerSums(result.integers, perBlock, maps);
    result.scaledSum = createElementwise(
        b, {sum, largest}, {each, each}, perBlock, b.getF32Type(),
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          return {buildScaledSum(b, arguments[0], arguments[1])};
        });
    return result;
  }

  /// Targets have kernels for f32 sums with a matrix of known size, whose form
  /// is theirs.
  bool isKernel() {
    RankedTensorType w = typeOf(op.getW());
    return compute.isF32() && w.hasStaticShape() && w.getNumElements() != 0 &&
           (rows == 0 || reader.getFormat().blockSize <= kLongestMatmulBlock);
  }

  /// The sums of the integers of each chunk.
  Value createChunkSums(Value integers) {
    QuantPanel panel(reader.getFormat());
    Sizes split = sizesOf(b, integers);
    split[rows + 1] = b.getIndexAttr(panel.chunks);
    split.push_back(b.getIndexAttr(panel.chunkSize));
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamicSizes;
    dispatchIndexOpFoldResults(split, dynamicSizes, shape);
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i != rows + 1; ++i)
      groups.push_back({i});
    groups.push_back({rows + 1, rows + 2});
    Value chunks = tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(shape, b.getI8Type()), integers, groups,
        split);
    unsigned loops = rows + 3;
    AffineMap maps[] = {identityMap(b, loops), mapWithout(b, loops, rows + 2)};
    return createIntegerSums(chunks, ArrayRef<OpFoldResult>(split).drop_back(),
                             maps);
  }

  Value createIntegerSums(Value integers, ArrayRef<OpFoldResult> shape,
                          ArrayRef<AffineMap> maps) {
    auto sum = createGeneric(
        b, integers, zeros(shape, b.getI32Type()), maps,
        loopsOf(shape.size(), 1),
        [&](ImplicitLocOpBuilder &b,
            ValueRange arguments) -> SmallVector<Value> {
          Value x = arith::ExtSIOp::create(b, b.getI32Type(), arguments[0]);
          return {arith::AddIOp::create(b, arguments[1], x)};
        });
    return sum.getResult(0);
  }

  template <typename KernelOp>
  Value createKernel(const IntegerActivations &x) {
    Value out = emptyTensor(b, sizes, compute);
    return KernelOp::create(b, TypeRange{out.getType()}, op.getW(),
                            op.getScales(), op.getZeros(), x.integers, x.scale,
                            createChunkSums(x.integers), x.scaledSum,
                            isFor(kFewUnquantizedRows) ? op.getX() : Value(),
                            out, op.getFormat(), /*whole_bytes=*/false)
        .getResult(0);
  }

  Value createQuantizedProduct() {
    IntegerActivations x = quantizeActivations();
    if (isKernel())
      return rows == 0 ? createKernel<BlockGemvOp>(x)
                       : createKernel<BlockMatmulOp>(x);
    return createIntegerProduct(b, reader, x, sizes, compute);
  }

  Op op;
  ImplicitLocOpBuilder &b;
  QuantReader reader;
  unsigned rows, n;
  Sizes sizes;
  Type compute;
};

template <typename Op>
struct LowerProduct : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value result = ProductLowering<Op>(op, b).lower();
    rewriter.replaceOp(op, castTo(b, result, op.getResult().getType()));
    return success();
  }
};

/// A matrix of one row is a vector.
struct LowerOneRow : OpRewritePattern<QuantMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantMatmulOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType xType = typeOf(op.getX());
    RankedTensorType yType = typeOf(op.getResult());
    if (xType.getDimSize(0) != 1 || yType.getDimSize(0) != 1)
      return rewriter.notifyMatchFailure(op, "x has several rows");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<ReassociationIndices> all = {{0, 1}};
    Value x = tensor::CollapseShapeOp::create(b, op.getX(), all);
    auto rowType = RankedTensorType::get(yType.getShape().drop_front(),
                                         yType.getElementType());
    auto gemv =
        QuantGemvOp::create(b, rowType, x, op.getW(), op.getScales(),
                            op.getZeros(), op.getFormat(), op.getActivations());
    Value y = castTo(b, ProductLowering<QuantGemvOp>(gemv, b).lower(), rowType);
    rewriter.eraseOp(gemv);
    Sizes sizes = {b.getIndexAttr(1),
                   tensor::getMixedSize(b, b.getLoc(), y, 0)};
    rewriter.replaceOp(
        op, tensor::ExpandShapeOp::create(b, yType, y, all, sizes).getResult());
    return success();
  }
};

} // namespace

void aikernel::populateQuantProductToLinalgPatterns(
    RewritePatternSet &patterns) {
  patterns.add<LowerProduct<QuantGemvOp>, LowerProduct<QuantMatmulOp>>(
      patterns.getContext());
  patterns.add<LowerOneRow>(patterns.getContext(), /*benefit=*/2);
}
