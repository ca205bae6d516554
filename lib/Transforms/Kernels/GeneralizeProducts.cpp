//===- GeneralizeProducts.cpp - Products in the one form passes know ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: linalg on tensors. Out: products that programs of other compilers name
// (linalg.matmul, batch_matmul, matvec, contract and their kin) as the
// linalg.generic that our own become. Packing, tile registers and tensor cores
// look for that.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

#define DEBUG_TYPE "aik-generalize-products"

namespace aikernel {
#define GEN_PASS_DEF_GENERALIZEPRODUCTSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

struct GeneralizeProductsPass
    : aikernel::impl::GeneralizeProductsPassBase<GeneralizeProductsPass> {
  using GeneralizeProductsPassBase::GeneralizeProductsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> named;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op) && linalg::isaContractionOpInterface(op))
        named.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      // What has no body of its own stays as it is.
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
  }
};

} // namespace
