//===- KeepRows.cpp - Temporaries of rows that stay in registers ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: bufferized parallel loops whose iterations allocate temporaries.
// Out: where an iteration computes rows that threads will hold in registers,
// the temporaries are scratch of any size: they will never be in memory, so the
// bounds of shared memory do not matter, and PromoteScratch must not find them
// a place in the workspace.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "RowProgram.h"

#define DEBUG_TYPE "aik-keep-rows"

namespace aikernel {
#define GEN_PASS_DEF_KEEPROWSPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

struct KeepRowsPass : aikernel::impl::KeepRowsPassBase<KeepRowsPass> {
  using KeepRowsPassBase::KeepRowsPassBase;

  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    getOperation().walk([&](scf::ForallOp loop) {
      std::optional<RowProgram> rows = RowProgram::match(*loop.getBody());
      if (!rows ||
          (!rows->divide(kThreadsPerBlock) && !rows->divideByCluster(target)))
        return;
      for (auto alloc : llvm::make_early_inc_range(
               loop.getBody()->getOps<memref::AllocOp>())) {
        OpBuilder b(alloc);
        Value scratch = memref::AllocaOp::create(
            b, alloc.getLoc(), alloc.getType(), alloc.getDynamicSizes(),
            alloc.getSymbolOperands(), alloc.getAlignmentAttr());
        alloc.replaceAllUsesWith(scratch);
        alloc.erase();
      }
    });
  }
};

} // namespace
