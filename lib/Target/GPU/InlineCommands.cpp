//===- InlineCommands.cpp - What commands do, where they are recorded -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: commands as they were written. Out: what they do, as host code has it:
//
//   aikernel.gpu.launch @k(%x)   ==>  the body of k, on %x
//   aikernel.gpu.copy %x, %y     ==>  memref.copy %x, %y
//   aikernel.gpu.fill %y, %v     ==>  linalg.fill ins(%v) outs(%y)
//
//===----------------------------------------------------------------------===//

#include "InlineCommands.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace aikernel;

static LogicalResult inlineLaunch(OpBuilder &builder, GpuLaunchOp launch,
                                  SetVector<func::FuncOp> &inlined) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      launch, launch.getCalleeAttr());
  if (!kernel || kernel.isExternal() ||
      !llvm::hasSingleElement(kernel.getBody()))
    return launch.emitError("AIK-E0007: the kernel '")
           << launch.getCallee() << "' has no body of one block to launch";
  WalkResult allocates =
      kernel.walk([](memref::AllocOp) { return WalkResult::interrupt(); });
  if (allocates.wasInterrupted())
    return launch.emitError("AIK-E0007: the kernel '")
           << launch.getCallee()
           << "' needs memory of its own, which commands do not have on a GPU";
  IRMapping values;
  values.map(kernel.getArguments(), launch.getArguments());
  for (Operation &op : kernel.getBody().front().without_terminator())
    builder.clone(op, values);
  inlined.insert(kernel);
  return success();
}

LogicalResult aikernel::inlineCommands(func::FuncOp function,
                                       SetVector<func::FuncOp> &inlined) {
  SmallVector<Operation *> commands;
  function.walk([&](Operation *op) {
    if (isa_and_nonnull<GpuCommandsOp>(op->getParentOp()))
      commands.push_back(op);
  });
  for (Operation *op : commands) {
    OpBuilder builder(op);
    if (auto launch = dyn_cast<GpuLaunchOp>(op)) {
      if (failed(inlineLaunch(builder, launch, inlined)))
        return failure();
    } else if (auto copy = dyn_cast<GpuCopyOp>(op)) {
      memref::CopyOp::create(builder, op->getLoc(), copy.getSource(),
                             copy.getDestination());
    } else if (auto fill = dyn_cast<GpuFillOp>(op)) {
      linalg::FillOp::create(builder, op->getLoc(), fill.getValue(),
                             fill.getDestination());
    } else if (!isa<GpuBarrierOp>(op)) {
      continue; // computes what others need
    }
    op->erase();
  }
  return success();
}
