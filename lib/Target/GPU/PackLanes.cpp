//===- PackLanes.cpp - Quantized products of few rows for lanes -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.block_gemv and block_matmul on weights as they are stored.
// Out: aikernel.pack_lanes, which aik-prepare-weights does once, and
// aikernel.lane_product of what it made with the activations as they were
// before they were quantized. Products of many rows, and formats that lanes do
// not share, stay.
//
//   aikernel.block_gemv %w, %q ... source %x
//   ==>  %c = aikernel.pack_lanes %w {section = codes} ...
//        aikernel.lane_product %c ..., %x
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantLanes.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "LaneProduct.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "aik-pack-lanes"

namespace aikernel {
#define GEN_PASS_DEF_PACKLANESPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

template <typename OpTy>
void pack(OpTy op) {
  QuantLanes layout(getQuantFormat(op.getFormat()));
  auto w = cast<RankedTensorType>(op.getW().getType());
  auto out = cast<RankedTensorType>(op.getOut().getType());
  if (!op.getSource() || !layout.isPossible() || !w.hasStaticShape())
    return;
  int64_t rows = out.getRank() == 1 ? 1 : out.getDimSize(0);
  int64_t units =
      w.getDimSize(1) / layout.format.blockBytes * layout.getUnitsOfBlock();
  if (ShapedType::isDynamic(rows) || !fitsLanes(units, rows))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto section = [&](LaneSection which) -> Value {
    SmallVector<int64_t> shape =
        getLaneShape(which, layout, w.getDimSize(0), units);
    if (shape.empty())
      return Value();
    Value empty = tensor::EmptyOp::create(b, loc, shape, b.getI32Type());
    return PackLanesOp::create(b, loc, TypeRange{empty.getType()}, op.getW(),
                               empty, op.getFormat(), which)
        .getResult(0);
  };
  Value codes = section(LaneSection::Codes), high = section(LaneSection::High);
  Value small = section(LaneSection::Small);
  Value scales = section(LaneSection::Scales);
  auto product = LaneProductOp::create(
      b, loc, TypeRange{out}, codes, high, small, scales, op.getWScales(),
      op.getWZeros(), op.getSource(), op.getOut(), op.getFormat());
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    product->setAttr(attribute.getName(), attribute.getValue());
  op->replaceAllUsesWith(product->getResults());
  op->erase();
}

struct PackLanesPass : aikernel::impl::PackLanesPassBase<PackLanesPass> {
  using PackLanesPassBase::PackLanesPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<BlockGemvOp, BlockMatmulOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto gemv = dyn_cast<BlockGemvOp>(op))
        pack(gemv);
      else
        pack(cast<BlockMatmulOp>(op));
    }
  }
};

} // namespace
