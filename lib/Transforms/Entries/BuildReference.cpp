//===- BuildReference.cpp - Keep a copy of the program as it was written --===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the module at the end of the phase `kernel`.
// Out: the same with a nested module @reference that holds a copy of all
// functions. The copy is lowered to calls of the scalar reference of each op
// and never passes through AIKernelToLinalg.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "aik-build-reference"

namespace aikernel {
#define GEN_PASS_DEF_BUILDREFERENCEPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

struct BuildReferencePass
    : aikernel::impl::BuildReferencePassBase<BuildReferencePass> {
  using BuildReferencePassBase::BuildReferencePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    SmallVector<Operation *> ops;
    for (Operation &op : *module.getBody())
      ops.push_back(&op);
    auto reference = ModuleOp::create(builder, module.getLoc(),
                                      aikernel::kReferenceModuleName);
    OpBuilder inside = OpBuilder::atBlockEnd(reference.getBody());
    for (Operation *op : ops)
      inside.clone(*op);
  }
};

} // namespace
