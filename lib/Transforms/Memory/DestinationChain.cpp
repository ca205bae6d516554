//===- DestinationChain.cpp - Whose memory a tensor updates ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tensor before bufferization. Out: the start of its chain of
// destinations.
//
//===----------------------------------------------------------------------===//

#include "DestinationChain.h"
#include "LoopSizes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

Value aikernel::destinationOf(Value tensor) {
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return startOfCarried(tensor);
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    unsigned number = result.getResultNumber();
    auto start = [&](scf::YieldOp yield) {
      return startOfDestinationChain(yield.getOperand(number));
    };
    Value then = start(choice.thenYield());
    return then == start(choice.elseYield()) ? then : Value();
  }
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return loop.getTiedOpOperand(result)->get();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return insert.getDest();
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    return dps.getTiedOpOperand(result)->get();
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return op->getOperand(0);
  return {};
}

Value aikernel::startOfDestinationChain(Value tensor) {
  while (Value destination = destinationOf(tensor))
    tensor = destination;
  return tensor;
}

static void collectStarts(Value tensor, SmallPtrSetImpl<Value> &starts) {
  Value start = aikernel::startOfDestinationChain(tensor);
  auto choice = start.getDefiningOp<scf::IfOp>();
  if (!choice) {
    starts.insert(start);
    return;
  }
  unsigned number = cast<OpResult>(start).getResultNumber();
  collectStarts(choice.thenYield().getOperand(number), starts);
  collectStarts(choice.elseYield().getOperand(number), starts);
}

bool aikernel::mayShareMemory(Value a, Value b) {
  SmallPtrSet<Value, 4> startsOfA, startsOfB;
  collectStarts(a, startsOfA);
  collectStarts(b, startsOfB);
  return llvm::any_of(startsOfA,
                      [&](Value start) { return startsOfB.contains(start); });
}

bool aikernel::isOnDestinationChain(Value earlier, Value tensor) {
  for (; tensor; tensor = destinationOf(tensor))
    if (tensor == earlier)
      return true;
  return false;
}

/// Memory of its own, that nothing else names.
static bool isFresh(Value start) {
  Operation *op = start.getDefiningOp();
  return op && (isa<tensor::EmptyOp, bufferization::AllocTensorOp>(op) ||
                op->hasTrait<OpTrait::ConstantLike>());
}

bool aikernel::isFreshOrIn(Value tensor, Value own) {
  Value start = startOfDestinationChain(tensor);
  if (start == own || isFresh(start))
    return true;
  auto choice = start.getDefiningOp<scf::IfOp>();
  if (!choice)
    return false;
  unsigned number = cast<OpResult>(start).getResultNumber();
  return isFreshOrIn(choice.thenYield().getOperand(number), own) &&
         isFreshOrIn(choice.elseYield().getOperand(number), own);
}
