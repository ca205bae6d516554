//===- SumBlocks.cpp - Products block by block of their sums --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.packed_product of operands that are packed as a whole.
// Out: the same for slices of what is packed. The sums are added in the same
// order as before.
//
//   %c = packed_product (pack_panels %a), (pack_panels %b) outs %o {overwrite}
//   ==>  %c0 = packed_product (pack_panels %a[:, 0 to 384]), ... {overwrite}
//        %c = scf.for %k = 384 ... (%s = %c0) {
//          packed_product (pack_panels %a[:, %k to %k + 384]), ... outs %s }
//
// A packed weight is made once, elsewhere; of it a block is taken. Inside a
// tile that has all rows only the tile's part of the right operand is packed,
// so that it stays in L2 until it is read:
//
//   packed_product %p, (extract_slice (pack_panels %b)[.., %j, ..])
//   ==>  packed_product %p[0], (pack_panels %b[0 to 512, tile]) {overwrite}
//        scf.for %k = 512 ... { packed_product %p[%k / 512], ... }
//
//===----------------------------------------------------------------------===//

#include "SumBlocks.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "Tiles/MatrixInstructions.h"
#include "Tiles/NumberParts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel;

/// Block, panel, step, row and element come last.
static constexpr int64_t kPackedDims = 5;

static PackPanelsOp packingOf(Value operand) {
  return operand.getDefiningOp<PackPanelsOp>();
}

int64_t aikernel::getSumBlock(PackedProductOp product) {
  ArrayRef<int64_t> shape =
      cast<ShapedType>(product.getLhs().getType()).getShape();
  const MatrixInstruction *instruction =
      findInstruction(product.getInstruction());
  int64_t parts = instruction ? instruction->parts : 1;
  return stepsOfPacked(shape[shape.size() - 3], parts) * shape.back();
}

bool aikernel::hasSumBlocks(PackedProductOp product) {
  return llvm::all_of(ArrayRef<Value>{product.getLhs(), product.getRhs()},
                      [](Value operand) {
                        PackPanelsOp packing = packingOf(operand);
                        return packing && packing->hasOneUse();
                      });
}

bool aikernel::takesBlocksInTile(PackedProductOp product) {
  return isInTileRegisters(product.getInstruction());
}

bool aikernel::hasSumBlocksInTile(PackedProductOp product) {
  Value right = product.getRhs();
  if (auto panels = right.getDefiningOp<tensor::ExtractSliceOp>())
    right = panels.getSource();
  PackPanelsOp packing = packingOf(right);
  ArrayRef<int64_t> left =
      cast<ShapedType>(product.getLhs().getType()).getShape();
  return packing && !isWeight(packing.getSource()) &&
         product.getNumLoops() == 2 && left[left.size() - kPackedDims] != 0;
}

namespace {

class SumSplitter {
public:
  SumSplitter(RewriterBase &rewriter, PackedProductOp product, bool isInTile)
      : b(rewriter), product(product), loc(product.getLoc()),
        length(getSumBlock(product)), isInTile(isInTile) {}

  SmallVector<PackedProductOp> run() {
    b.setInsertionPoint(product);
    OpFoldResult depth = getAsOpFoldResult(product.getDepth());
    PackedProductOp first = blockAt(b.getIndexAttr(0), depth, product.getOut(),
                                    product.getOverwrite());
    Value step = arith::ConstantIndexOp::create(b, loc, length);
    auto loop = scf::ForOp::create(b, loc, step, product.getDepth(), step,
                                   first.getResults());
    b.setInsertionPointToStart(loop.getBody());
    PackedProductOp next =
        blockAt(loop.getInductionVar(), depth, loop.getRegionIterArg(0), false);
    scf::YieldOp::create(b, loc, next.getResults());
    SmallVector<Value> operands{product.getLhs(), product.getRhs()};
    b.replaceOp(product, loop.getResults());
    for (Value operand : operands)
      eraseUnused(operand);
    return {first, next};
  }

private:
  PackedProductOp blockAt(OpFoldResult start, OpFoldResult depth, Value out,
                          bool overwrite) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    auto least = AffineMap::get(
        2, 0, {d1 - d0, b.getAffineConstantExpr(length)}, b.getContext());
    OpFoldResult size =
        affine::makeComposedFoldedAffineMin(b, loc, least, {start, depth});
    Value lhs = isInTile ? blockOf(product.getLhs(), start)
                         : packBlock(product.getLhs(), start, size);
    Value rhs = packBlock(product.getRhs(), start, size);
    Value here = getValueOrCreateConstantIndexOp(b, loc, size);
    return PackedProductOp::create(
        b, loc, TypeRange{out.getType()}, lhs, rhs, here, out,
        product.getInstructionAttr(), product.getLhsMapAttr(),
        product.getRhsMapAttr(), product.getOutMapAttr(),
        overwrite ? b.getUnitAttr() : UnitAttr());
  }

  Value slice(Value tensor, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes,
                                          strides);
  }

  /// Of what stays packed as a whole.
  Value blockOf(Value packed, OpFoldResult start) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, packed);
    SmallVector<OpFoldResult> at(sizes.size(), b.getIndexAttr(0));
    int64_t blockDim = int64_t(sizes.size()) - kPackedDims;
    sizes[blockDim] = b.getIndexAttr(1);
    at[blockDim] = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).floorDiv(length), {start});
    return slice(packed, at, sizes);
  }

  Value packBlock(Value packed, OpFoldResult start, OpFoldResult size) {
    PackPanelsOp packing = packingOf(packed);
    if (packing && isWeight(packing.getSource()))
      return blockOf(packed, start);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, packed);
    int64_t blockDim = int64_t(sizes.size()) - kPackedDims;
    sizes[blockDim] = b.getIndexAttr(1);
    auto panels = packed.getDefiningOp<tensor::ExtractSliceOp>();
    if (!packing)
      packing = packingOf(panels.getSource());
    SmallVector<OpFoldResult> from =
        tensor::getMixedSizes(b, loc, packing.getSource());
    SmallVector<OpFoldResult> at(from.size(), b.getIndexAttr(0));
    if (panels) {
      int64_t width = product.getPanelColumns();
      AffineExpr d0 = b.getAffineDimExpr(0);
      at[packing.getPanelDim()] = affine::makeComposedFoldedAffineApply(
          b, loc, d0 * width, {panels.getMixedOffsets()[blockDim + 1]});
      from[packing.getPanelDim()] = columnsOfTile();
    }
    at[packing.getDepthDim()] = start;
    from[packing.getDepthDim()] = size;
    Value empty = tensor::EmptyOp::create(
        b, loc, sizes, getElementTypeOrSelf(packed.getType()));
    return PackPanelsOp::create(b, loc, TypeRange{empty.getType()},
                                slice(packing.getSource(), at, from), empty,
                                packing.getPanelDim(), packing.getDepthDim(),
                                packing.getStepMultiple(),
                                packing.getFlipSign(), packing.getParts())
        .getResult(0);
  }

  OpFoldResult columnsOfTile() {
    AffineMap map = product.getOutMap();
    std::optional<unsigned> dim =
        map.getResultPosition(b.getAffineDimExpr(product.getNumLoops() - 1));
    return tensor::getMixedSize(b, loc, product.getOut(), *dim);
  }

  /// A packed operand, and the slice of it, after its product.
  void eraseUnused(Value operand) {
    Operation *op = operand.getDefiningOp();
    if (!op || !op->use_empty())
      return;
    Value source;
    if (auto panels = dyn_cast<tensor::ExtractSliceOp>(op))
      source = panels.getSource();
    else if (!isa<PackPanelsOp>(op))
      return;
    b.eraseOp(op);
    if (source)
      eraseUnused(source);
  }

  RewriterBase &b;
  PackedProductOp product;
  Location loc;
  int64_t length;
  bool isInTile;
};

} // namespace

SmallVector<PackedProductOp> aikernel::splitSum(RewriterBase &rewriter,
                                                PackedProductOp product) {
  return SumSplitter(rewriter, product, /*isInTile=*/false).run();
}

void aikernel::splitSumInTile(RewriterBase &rewriter, PackedProductOp product) {
  SumSplitter(rewriter, product, /*isInTile=*/true).run();
}
