//===- CheckLoops.cpp - Loops keep the sizes of what they carry -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: loops of a program that carry tensors. Out: the same with an
// aikernel.check at the end of each body. Part of aik-check-arguments.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "RuntimeChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// `next` takes the place of `start` in a loop.
LogicalResult checkCarried(Operation *loop, Operation *yield, unsigned number,
                           Value start, Value next) {
  auto type = dyn_cast<RankedTensorType>(start.getType());
  if (!type || start == next)
    return success();
  OpBuilder builder(yield);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    std::string message =
        (loop->getName().getStringRef() + ": the body changes dimension " +
         Twine(dim) + " of tensor " + Twine(number) + " that the loop carries")
            .str();
    FailureOr<bool> same =
        ValueBoundsConstraintSet::areEqual({start, dim}, {next, dim});
    if (succeeded(same) && !*same)
      return loop->emitError("AIK-E0007: ") << message;
    Value before = tensor::DimOp::create(builder, loop->getLoc(), start, dim);
    Value after = tensor::DimOp::create(builder, loop->getLoc(), next, dim);
    Value ok = arith::CmpIOp::create(builder, loop->getLoc(),
                                     arith::CmpIPredicate::eq, before, after);
    CheckOp::create(builder, loop->getLoc(), ok, AIK_EINVAL, message);
  }
  return success();
}

} // namespace

LogicalResult aikernel::checkLoops(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    auto check = [&](Operation *yield, ValueRange starts, ValueRange nexts) {
      for (auto [number, start, next] : llvm::enumerate(starts, nexts))
        if (failed(checkCarried(op, yield, number, start, next)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    };
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return check(loop.getBody()->getTerminator(), loop.getRegionIterArgs(),
                   loop.getYieldedValues());
    // The arguments of the condition are not visible in the body.
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return check(loop.getYieldOp(), loop.getInits(),
                   loop.getYieldOp().getResults());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
