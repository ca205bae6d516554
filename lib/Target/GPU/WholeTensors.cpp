//===- WholeTensors.cpp - Tensors that become buffers of their own --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel, on tensors. Out: its calls, and whether these pass whole
// buffers.
//
//===----------------------------------------------------------------------===//

#include "WholeTensors.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

SmallVector<func::CallOp> aikernel::callsOf(func::FuncOp kernel) {
  SmallVector<func::CallOp> calls;
  if (auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp()))
    for (SymbolTable::SymbolUse use : *uses)
      calls.push_back(cast<func::CallOp>(use.getUser()));
  return calls;
}

/// What a tensor is a view of, in another shape.
static Value withoutReshapes(Value tensor) {
  while (Operation *def = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(def))
      break;
    tensor = def->getOperand(0);
  }
  return tensor;
}

bool aikernel::isArgument(Value tensor) {
  return isa<BlockArgument>(withoutReshapes(tensor));
}

/// Later a buffer of its own, from its start and without gaps?
static bool isWhole(Value tensor) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return true;
  tensor = withoutReshapes(tensor);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return isa<tensor::EmptyOp, func::CallOp>(tensor.getDefiningOp());
}

/// Nobody makes it a part of something larger.
static bool staysWhole(Value tensor) {
  return llvm::all_of(tensor.getUsers(), [](Operation *user) {
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
      return staysWhole(user->getResult(0));
    return isa<func::CallOp, func::ReturnOp, tensor::DimOp>(user);
  });
}

bool aikernel::callersPassWholeTensors(func::FuncOp kernel) {
  auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
  return uses && llvm::all_of(*uses, [](SymbolTable::SymbolUse use) {
           auto call = dyn_cast<func::CallOp>(use.getUser());
           return call && llvm::all_of(call.getOperands(), isWhole) &&
                  llvm::all_of(call.getResults(), staysWhole);
         });
}
