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

#include "AIKernel/Transforms/DestinationChain.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

Value aikernel::startOfDestinationChain(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    auto result = cast<OpResult>(tensor);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      tensor = loop.getTiedLoopInit(result)->get();
    else if (auto loop = dyn_cast<scf::ForallOp>(op))
      tensor = loop.getTiedOpOperand(result)->get();
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      tensor = insert.getDest();
    else if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
      tensor = dps.getTiedOpOperand(result)->get();
    else if (isa<tensor::CastOp, tensor::ExpandShapeOp,
                 tensor::CollapseShapeOp>(op))
      tensor = op->getOperand(0);
    else
      break;
  }
  return tensor;
}

bool aikernel::isFreshTensor(Value start) {
  Operation *op = start.getDefiningOp();
  return op && (isa<tensor::EmptyOp, bufferization::AllocTensorOp>(op) ||
                op->hasTrait<OpTrait::ConstantLike>());
}
