//===- SeparateDestinations.cpp - Results do not share empty tensors ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions after CSE, which makes one tensor.empty of all that are alike.
// Out: a tensor.empty for each use again, in the body of the function:
//
//   %e = tensor.empty() ; %0 = op outs(%e) ; %1 = op outs(%e)
//   ==>  %e = tensor.empty() ; %0 = op outs(%e)
//        %f = tensor.empty() ; %1 = op outs(%f)
//
// Tensors that start from the same tensor.empty may share memory, and
// bufferization compares each read with each write of what may: a chain of n
// ops would take it n^3 steps. PlanMemory lets buffers share memory by their
// lives. Inside loops, where there is no such plan, sharing stays, but for a
// tensor.empty from which two tensors start that an inner loop carries: both
// are there at once, and upstream's analysis gives up on them.
//
//===----------------------------------------------------------------------===//

#include "SeparateDestinations.h"
#include "AIKernel/Transforms/Passes.h"
#include "DestinationChain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#define DEBUG_TYPE "aik-separate-destinations"

namespace aikernel {
#define GEN_PASS_DEF_SEPARATEDESTINATIONSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

void aikernel::separateUses(Operation *op) {
  if (op->use_empty())
    return;
  OpBuilder builder(op);
  for (OpOperand &use :
       llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
    use.set(builder.clone(*op)->getResult(0));
}

namespace {

struct SeparateDestinationsPass
    : aikernel::impl::SeparateDestinationsPassBase<SeparateDestinationsPass> {
  using SeparateDestinationsPassBase::SeparateDestinationsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      for (auto empty : llvm::to_vector(
               function.getBody().front().getOps<tensor::EmptyOp>()))
        separateUses(empty);
      function.walk([](LoopLikeOpInterface loop) { separateCarried(loop); });
    }
  }

private:
  static void separateCarried(LoopLikeOpInterface loop) {
    llvm::SmallDenseSet<Operation *> seen;
    for (Value carried : loop.getInits()) {
      auto empty =
          startOfDestinationChain(carried).getDefiningOp<tensor::EmptyOp>();
      if (empty && !seen.insert(empty).second)
        separateUses(empty);
    }
  }
};

} // namespace
