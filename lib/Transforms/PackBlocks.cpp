//===- PackBlocks.cpp - Block products read packed weights ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.block_gemv on weights as they are stored.
// Out: aikernel.pack_blocks, which aik-prepare-weights does once, and the
// product on what it made.
//
//   aikernel.block_gemv %w, %x ...
//   ==>  %p = aikernel.pack_blocks %w ; aikernel.block_gemv %p, %x ...
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantPanels.h"
#include "AIKernel/Transforms/ByteProducts.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

bool wantsWholeBytes(BlockGemvOp op) {
  bool hasHighBits = QuantPanel(getQuantFormat(op.getFormat())).highBits != 0;
  return hasHighBits && ByteProducts(op).getVectorBits() < kWideBits;
}

Value pack(OpBuilder &b, BlockGemvOp op) {
  Location loc = op.getLoc();
  QuantPanel panel(getQuantFormat(op.getFormat()), op.getWholeBytes());
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult panels = affine::makeComposedFoldedAffineApply(
      b, loc, d0.ceilDiv(QuantPanel::kRows),
      {tensor::getMixedSize(b, loc, op.getW(), 0)});
  OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
      b, loc, d0.floorDiv(panel.format.blockBytes),
      {tensor::getMixedSize(b, loc, op.getW(), 1)});
  Value empty = tensor::EmptyOp::create(
      b, loc,
      SmallVector<OpFoldResult>{panels, blocks,
                                b.getIndexAttr(panel.getBlockBytes())},
      b.getI8Type());
  return PackBlocksOp::create(b, loc, TypeRange{empty.getType()}, op.getW(),
                              empty, op.getFormat(), op.getWholeBytes())
      .getResult(0);
}

struct PackBlocksPass : aikernel::impl::PackBlocksPassBase<PackBlocksPass> {
  using PackBlocksPassBase::PackBlocksPassBase;

  void runOnOperation() override {
    getOperation()->walk([](BlockGemvOp op) {
      if (op.isPacked() || !isa<TensorType>(op.getW().getType()))
        return;
      OpBuilder b(op);
      op.setWholeBytes(wantsWholeBytes(op));
      op.getWMutable().assign(pack(b, op));
    });
  }
};

} // namespace
