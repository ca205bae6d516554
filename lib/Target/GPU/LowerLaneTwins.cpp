//===- LowerLaneTwins.cpp - Quantized products of twins become loops ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions of the host with aikernel.lane_product on memrefs: the twins of
// kernels. Out: loops that compute the same from the same bytes.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "LaneProduct.h"

#define DEBUG_TYPE "aik-lower-lane-twins"

namespace aikernel {
#define GEN_PASS_DEF_LOWERLANETWINSPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

struct LowerLaneTwinsPass
    : aikernel::impl::LowerLaneTwinsPassBase<LowerLaneTwinsPass> {
  using LowerLaneTwinsPassBase::LowerLaneTwinsPassBase;

  void runOnOperation() override {
    SmallVector<LaneProductOp> products;
    getOperation().walk([&](LaneProductOp op) { products.push_back(op); });
    for (LaneProductOp op : products) {
      LoopBuilder b(op.getLoc(), op);
      emitLaneTwin(b, op);
      op.erase();
    }
  }
};

} // namespace
