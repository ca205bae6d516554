//===- DecomposeBlockProducts.cpp - Block products in linalg --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels on tensors with block_gemv and block_matmul of plain weights.
// Out: the same in linalg. A root stays the root.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Conversion/AIKernelToLinalg/AIKernelToLinalg.h"
#include "IntegerProduct.h"

#define DEBUG_TYPE "aik-decompose-block-products"

namespace aikernel {
#define GEN_PASS_DEF_DECOMPOSEBLOCKPRODUCTSPASS
#include "AIKernel/Conversion/AIKernelToLinalg/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

template <typename Op>
void decompose(Op op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  QuantReader reader(b, op.getFormat(), op.getW(), op.getWScales(),
                     op.getWZeros());
  IntegerActivations x{op.getX(), op.getScales(), op.getScaledSums()};
  Value product = createIntegerProduct(b, reader, x, sizesOf(b, op.getOut()),
                                       b.getF32Type());
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    product.getDefiningOp()->setAttr(attribute.getName(), attribute.getValue());
  op->replaceAllUsesWith(ValueRange{product});
  op->erase();
}

struct DecomposeBlockProductsPass
    : aikernel::impl::DecomposeBlockProductsPassBase<
          DecomposeBlockProductsPass> {
  using DecomposeBlockProductsPassBase::DecomposeBlockProductsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<BlockGemvOp, BlockMatmulOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto gemv = dyn_cast<BlockGemvOp>(op))
        decompose(gemv);
      else
        decompose(cast<BlockMatmulOp>(op));
    }
  }
};

} // namespace
