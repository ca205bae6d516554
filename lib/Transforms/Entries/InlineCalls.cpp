//===- InlineCalls.cpp - Calls of the module's own functions disappear ----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions of one block that call each other, without recursion.
// Out: the same functions without calls; private functions that nothing names
// any more are gone.
//
//   %0 = call @f$kernel0(%x, %destination)  ==>  the body of @f$kernel0
//
// Upstream's inliner refuses to move affine ops into the regions of scf, where
// tiled kernels put them.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "aik-inline-calls"

namespace aikernel {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

constexpr unsigned kMaxCalls = 1 << 16;

struct InlineCallsPass : aikernel::impl::InlineCallsPassBase<InlineCallsPass> {
  using InlineCallsPassBase::InlineCallsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<func::CallOp> calls;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](func::CallOp call) { calls.push_back(call); });
    unsigned inlined = 0;
    while (!calls.empty()) {
      func::CallOp call = calls.pop_back_val();
      if (++inlined > kMaxCalls) {
        call.emitError("AIK-E0012: there are more than ")
            << kMaxCalls << " calls to inline";
        return signalPassFailure();
      }
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal() ||
          !llvm::hasSingleElement(callee.getBody()))
        continue;
      inlineCall(call, callee, calls);
    }
    // One walk for the uses of all functions.
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (function.isPrivate() && users.useEmpty(function))
        symbols.erase(function);
  }

private:
  static void inlineCall(func::CallOp call, func::FuncOp callee,
                         SmallVectorImpl<func::CallOp> &calls) {
    OpBuilder builder(call);
    IRMapping values;
    Block &body = callee.getBody().front();
    values.map(body.getArguments(), call.getOperands());
    for (Operation &op : body.without_terminator()) {
      Operation *clone = builder.clone(op, values);
      clone->walk([&](func::CallOp inner) { calls.push_back(inner); });
    }
    for (auto [result, returned] :
         llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(values.lookupOrDefault(returned));
    call.erase();
  }
};

} // namespace
