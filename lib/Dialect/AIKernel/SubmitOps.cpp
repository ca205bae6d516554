//===- SubmitOps.cpp - Memory and command queues --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification and canonical forms of the ops that call the runtime.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

using namespace mlir;
using namespace aikernel;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult MemAllocPinnedOp::verify() {
  auto type = cast<MemRefType>(getMemory().getType());
  int64_t given = getDynamicSizes().size(), needed = type.getNumDynamicDims();
  if (given != needed)
    return emitOpError() << "has " << given << " sizes but the result type "
                         << type << " has " << needed << " dynamic dimensions";
  if (!type.getLayout().isIdentity())
    return emitOpError() << "has the result type " << type
                         << " but memory is allocated in row-major order";
  if (type.getMemorySpace())
    return emitOpError() << "has the result type " << type
                         << " but pinned memory is in the host's memory space";
  return success();
}

//===----------------------------------------------------------------------===//
// Queues and commands
//===----------------------------------------------------------------------===//

LogicalResult GpuQueueCreateOp::verify() {
  StringRef device = getDevice();
  if (device == "self" || device == "cpu" || device == "null")
    return success();
  StringRef number = device;
  unsigned index;
  if ((number.consume_front("nvidia:") || number.consume_front("amd:")) &&
      !number.getAsInteger(10, index))
    return success();
  return emitOpError() << "attribute 'device' is \"" << device
                       << "\" but must be self, cpu, null, nvidia:<n> or "
                          "amd:<n>";
}

LogicalResult GpuCommandsOp::verifyRegions() {
  if (getBody().empty())
    return success();
  if (getBody().getNumArguments() != 0)
    return emitOpError() << "has a body with " << getBody().getNumArguments()
                         << " arguments but takes none";
  // In code for a GPU, launches of its kernels are what is left.
  auto isCommand = [](Operation &op) {
    return isa<GpuLaunchOp, GpuCopyOp, GpuFillOp, GpuBarrierOp>(op) ||
           op.getName().getStringRef() == "gpu.launch_func";
  };
  for (Operation &op : getBody().front())
    if (!isCommand(op) && !isMemoryEffectFree(&op))
      return op.emitOpError("has side effects but is recorded in "
                            "'aikernel.gpu.commands', which holds commands "
                            "and ops without side effects");
  return success();
}

LogicalResult
GpuLaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee =
      symbolTable.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "launches '" << getCallee()
                         << "' but there is no function of that name";
  FunctionType type = callee.getFunctionType();
  if (type.getNumResults() != 0)
    return emitOpError() << "launches '" << getCallee() << "', which has "
                         << type.getNumResults()
                         << " results but a kernel has none";
  if (type.getNumInputs() != getArguments().size())
    return emitOpError() << "passes " << getArguments().size()
                         << " arguments but '" << getCallee() << "' takes "
                         << type.getNumInputs();
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip(getArguments().getTypes(), type.getInputs())))
    if (std::get<0>(pair) != std::get<1>(pair))
      return emitOpError() << "argument " << index << " has type "
                           << std::get<0>(pair) << " but '" << getCallee()
                           << "' takes " << std::get<1>(pair);
  return success();
}

LogicalResult GpuLaunchOp::verify() {
  for (auto [index, type] : llvm::enumerate(getArguments().getTypes()))
    if (!isa<MemRefType, FloatType, IntegerType, IndexType>(type))
      return emitOpError() << "argument " << index << " has type " << type
                           << " but must be a memref or a number";
  return success();
}

/// What it reads and writes is known only to the callee: any memref it gets.
void GpuLaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult GpuCopyOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto destination = cast<MemRefType>(getDestination().getType());
  if (source.getElementType() != destination.getElementType())
    return emitOpError() << "operand 'source' has element type "
                         << source.getElementType()
                         << " but operand 'destination' has "
                         << destination.getElementType();
  if (failed(verifyCompatibleShape(source, destination)))
    return emitOpError() << "operand 'source' has type " << source
                         << " but operand 'destination' has type "
                         << destination;
  return success();
}

LogicalResult GpuFillOp::verify() {
  auto destination = cast<MemRefType>(getDestination().getType());
  if (getValue().getType() != destination.getElementType())
    return emitOpError() << "operand 'value' has type " << getValue().getType()
                         << " but operand 'destination' has element type "
                         << destination.getElementType();
  return success();
}

/// Of two barriers in a row one is enough.
LogicalResult GpuBarrierOp::canonicalize(GpuBarrierOp op,
                                         PatternRewriter &rewriter) {
  if (!isa_and_nonnull<GpuBarrierOp>(op->getPrevNode()))
    return rewriter.notifyMatchFailure(op, "no barrier before it");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult GpuWaitOp::verify() {
  if (std::optional<uint64_t> timeout = getTimeout())
    if (static_cast<int64_t>(*timeout) < 0)
      return emitOpError() << "attribute 'timeout' is "
                           << static_cast<int64_t>(*timeout)
                           << " but must not be negative";
  return success();
}
