//===- PackBlocks.cpp - Block products read packed weights ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.block_gemv and block_matmul on weights as they are stored.
// Out: aikernel.pack_blocks, which aik-prepare-weights does once, and the
// product on what it made. The scales of grouped formats, and what a product
// knows of the rows of x, become panels too.
//
//   aikernel.block_gemv %w, %x ...
//   ==>  %p = aikernel.pack_blocks %w ; aikernel.block_gemv %p, %x ...
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Passes.h"
#include "BlockKernels.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "aik-pack-blocks"

namespace aikernel {
#define GEN_PASS_DEF_PACKBLOCKSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Vectors at least this wide put five- and six-bit codes together faster than
/// one thread reads memory. Narrower ones do not, and read whole bytes.
constexpr unsigned kWideBits = 256;

template <typename OpTy>
class Packer {
public:
  Packer(OpTy op, const ByteProducts &products)
      : op(op), products(products), b(op), loc(op.getLoc()) {}

  LogicalResult pack() {
    op.setWholeBytes(wantsWholeBytes());
    op.getSourceMutable().clear();
    QuantPanel layout(getQuantFormat(op.getFormat()), op.getWholeBytes());
    if (isa<BlockMatmulOp>(op) || op.getWScales()) {
      auto type = cast<RankedTensorType>(op.getW().getType());
      if (type.isDynamicDim(1))
        return op.emitOpError("needs rows of w of known length");
      blocks = type.getDimSize(1) / layout.format.blockBytes;
    }
    if constexpr (std::is_same_v<OpTy, BlockMatmulOp>)
      packRows(layout);
    if (op.getWScales())
      replace(op.getWScalesMutable(), QuantPanel::kRows, 1, blocks,
              b.getF32Type());
    if (op.getWZeros())
      replace(op.getWZerosMutable(), QuantPanel::kRows, 1, blocks,
              b.getI8Type());
    op.getWMutable().assign(packWeight(layout));
    return success();
  }

private:
  bool wantsWholeBytes() {
    bool hasHighBits = QuantPanel(getQuantFormat(op.getFormat())).highBits != 0;
    return hasHighBits && products.getVectorBits() < kWideBits;
  }

  OpFoldResult divide(OpFoldResult size, int64_t by) {
    return affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).ceilDiv(by), {size});
  }

  Value packWeight(const QuantPanel &layout) {
    Value w = op.getW();
    OpFoldResult panels =
        divide(tensor::getMixedSize(b, loc, w, 0), QuantPanel::kRows);
    OpFoldResult blocks =
        divide(tensor::getMixedSize(b, loc, w, 1), layout.format.blockBytes);
    Value empty = tensor::EmptyOp::create(
        b, loc,
        SmallVector<OpFoldResult>{panels, blocks,
                                  b.getIndexAttr(layout.getBlockBytes())},
        b.getI8Type());
    return PackBlocksOp::create(b, loc, TypeRange{empty.getType()}, w, empty,
                                op.getFormat(), op.getWholeBytes())
        .getResult(0);
  }

  /// An operand [rows, numbers] in panels of `width` rows, in one part unless
  /// `steps` says otherwise.
  void replace(MutableOperandRange operand, int64_t width, int64_t depth,
               int64_t steps, Type element, int64_t parts = 1) {
    Value source = operand[0].get();
    SmallVector<OpFoldResult> sizes = {
        b.getIndexAttr(parts),
        divide(tensor::getMixedSize(b, loc, source, 0), width),
        b.getIndexAttr(steps), b.getIndexAttr(width), b.getIndexAttr(depth)};
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
    operand.assign(PackPanelsOp::create(b, loc, TypeRange{empty.getType()},
                                        source, empty, /*panel_dim=*/0,
                                        /*depth_dim=*/1, /*step_multiple=*/1,
                                        /*flip_sign=*/false)
                       .getResult(0));
  }

  /// [rows, a, b] as [rows, a * b].
  Value flatten(Value source) {
    SmallVector<ReassociationIndices> groups = {{0}, {1, 2}};
    return tensor::CollapseShapeOp::create(b, loc, source, groups);
  }

  /// [rows, numbers] with each number twice in a row.
  Value repeat(Value source) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source);
    sizes.push_back(b.getIndexAttr(2));
    Value empty =
        tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(source));
    auto all = b.getMultiDimIdentityMap(3);
    auto repeated = linalg::GenericOp::create(
        b, loc, empty.getType(), source, empty,
        ArrayRef<AffineMap>{all.dropResult(2), all},
        SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
        [](OpBuilder &inner, Location at, ValueRange values) {
          linalg::YieldOp::create(inner, at, values.front());
        });
    return flatten(repeated.getResult(0));
  }

  /// One number of each row per step, in as many lanes as a row has there.
  void replaceNumbers(MutableOperandRange operand, int64_t rows, int64_t steps,
                      Type element, int64_t parts) {
    int64_t lanes = products.getLanesOfRow();
    if (lanes == 2)
      operand.assign(repeat(operand[0].get()));
    replace(operand, rows, lanes, steps, element, parts);
  }

  void packRows(const QuantPanel &layout) {
    int64_t rows = cast<RankedTensorType>(op.getOut().getType()).getDimSize(0);
    int64_t elements = blocks * layout.format.blockSize;
    BlockTile tile = chooseBlockTile(products, layout, rows, elements);
    int64_t parts = llvm::divideCeil(elements, tile.elements);
    int64_t blocksOfPart = tile.elements / layout.format.blockSize;
    op.getXMutable().assign(flatten(op.getX()));
    replace(op.getXMutable(), tile.rows, tile.depth, tile.elements / tile.depth,
            b.getI8Type(), parts);
    replaceNumbers(op.getScalesMutable(), tile.rows, blocksOfPart,
                   b.getF32Type(), parts);
    op.getSumsMutable().assign(flatten(op.getSums()));
    replaceNumbers(op.getSumsMutable(), tile.rows, blocksOfPart * layout.chunks,
                   b.getI32Type(), parts);
    if (op.getScaledSums())
      replaceNumbers(op.getScaledSumsMutable(), tile.rows, blocksOfPart,
                     b.getF32Type(), parts);
  }

  OpTy op;
  const ByteProducts &products;
  OpBuilder b;
  Location loc;
  int64_t blocks = 0; // of a row of w, where that is known
};

struct PackBlocksPass : aikernel::impl::PackBlocksPassBase<PackBlocksPass> {
  using PackBlocksPassBase::PackBlocksPassBase;

  void runOnOperation() override {
    ByteProducts products(getOperation());
    WalkResult result = getOperation()->walk([&](Operation *op) {
      LogicalResult packed = success();
      if (auto gemv = dyn_cast<BlockGemvOp>(op); gemv && isToPack(gemv))
        packed = Packer(gemv, products).pack();
      if (auto matmul = dyn_cast<BlockMatmulOp>(op); matmul && isToPack(matmul))
        packed = Packer(matmul, products).pack();
      return failed(packed) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  template <typename OpTy>
  static bool isToPack(OpTy op) {
    return !op.isPacked() && isa<TensorType>(op.getW().getType());
  }
};

} // namespace
