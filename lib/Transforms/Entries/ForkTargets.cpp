//===- ForkTargets.cpp - One nested module per target ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with kernels and `aikernel.targets = [#aikernel.target<...>]`.
// Out: its functions, once in a nested module for each target:
//
//   module { func @f ; func @f$kernel0 }
//   ==>  module { module @target0 {aikernel.target = ...} { ... } ... }
//
// From here on each nested module is compiled on its own.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "aik-fork-targets"

namespace aikernel {
#define GEN_PASS_DEF_FORKTARGETSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

struct ForkTargetsPass : aikernel::impl::ForkTargetsPassBase<ForkTargetsPass> {
  using ForkTargetsPassBase::ForkTargetsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto targets = module->getAttrOfType<ArrayAttr>(kTargetsAttrName);
    if (!targets) {
      module.emitError("names no targets to compile for");
      return signalPassFailure();
    }
    SmallVector<Operation *> shared;
    for (Operation &op : *module.getBody())
      if (!isa<ModuleOp>(op))
        shared.push_back(&op);
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(module.getBody());
    for (auto [index, target] : llvm::enumerate(targets)) {
      auto nested = ModuleOp::create(builder, module.getLoc(),
                                     ("target" + Twine(index)).str());
      nested->setAttr(kTargetAttrName, target);
      OpBuilder inside = OpBuilder::atBlockEnd(nested.getBody());
      for (Operation *op : shared)
        inside.clone(*op);
    }
    for (Operation *op : shared)
      op->erase();
  }
};

} // namespace
