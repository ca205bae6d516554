//===- KernelAccesses.cpp - What a kernel does to memory ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel. Out: answers, of which "no" is always safe: what is not known
// to be harmless is taken to write, and to compute addresses of what it loads.
//
//===----------------------------------------------------------------------===//

#include "KernelAccesses.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace aikernel;

Value aikernel::loadedFrom(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef();
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return load.getBase();
  return {};
}

bool aikernel::isOnlyLoaded(Value memref) {
  return llvm::all_of(memref.getUsers(), [&](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return llvm::all_of(user->getResults(), [](Value view) {
        return !isa<MemRefType>(view.getType()) || isOnlyLoaded(view);
      });
    return loadedFrom(user) || isa<memref::DimOp>(user);
  });
}

namespace {

/// Follows values back to where they come from.
class Origins {
public:
  bool isFromMemory(Value value) {
    if (isa<MemRefType>(value.getType()) || !seen.insert(value).second)
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isFromMemory(argument);
    Operation *op = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return isFromMemory(loop.getYieldedValues()[number]) ||
             isFromMemory(loop.getInitArgs()[number]);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return isFromMemory(branch.getCondition()) ||
             isFromMemory(branch.thenYield().getOperand(number)) ||
             isFromMemory(branch.elseYield().getOperand(number));
    return op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
           llvm::any_of(op->getOperands(),
                        [&](Value operand) { return isFromMemory(operand); });
  }

private:
  bool isFromMemory(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      return false;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return true;
    if (argument == loop.getInductionVar())
      return isFromMemory(loop.getLowerBound()) ||
             isFromMemory(loop.getUpperBound()) || isFromMemory(loop.getStep());
    unsigned number = argument.getArgNumber() - 1;
    return isFromMemory(loop.getInitArgs()[number]) ||
           isFromMemory(loop.getYieldedValues()[number]);
  }

  DenseSet<Value> seen;
};

} // namespace

bool aikernel::hasKnownAddresses(gpu::GPUFuncOp kernel) {
  Origins origins;
  WalkResult found = kernel.walk([&](Operation *op) {
    bool isAccess =
        loadedFrom(op) || isa<memref::StoreOp, vector::StoreOp>(op) ||
        (isa<ViewLikeOpInterface>(op) && !isa<UnrealizedConversionCastOp>(op));
    for (Value operand : op->getOperands()) {
      Type type = operand.getType();
      bool isAddress = isa<MemRefType, LLVM::LLVMPointerType>(type);
      if (isAddress && !isAccess && !isa<memref::DimOp>(op))
        return WalkResult::interrupt();
      if (isAccess && type.isIndex() && origins.isFromMemory(operand))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !found.wasInterrupted();
}
