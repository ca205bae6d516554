//===- BufferEffects.h - What an op reads and writes of memory --*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op with destinations, perhaps on buffers. Out: that it writes those
// and reads all else; on tensors, nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_DIALECT_AIKERNEL_BUFFEREFFECTS_H
#define AIKERNEL_LIB_DIALECT_AIKERNEL_BUFFEREFFECTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace aikernel {

using BufferEffects = llvm::SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

inline void addBufferEffects(mlir::Operation *op, BufferEffects &effects) {
  auto dps = mlir::cast<mlir::DestinationStyleOpInterface>(op);
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    if (!mlir::isa<mlir::MemRefType>(operand.get().getType()))
      continue;
    if (dps.isDpsInit(&operand))
      effects.emplace_back(mlir::MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(mlir::MemoryEffects::Read::get(), &operand);
  }
}

} // namespace aikernel

#endif // AIKERNEL_LIB_DIALECT_AIKERNEL_BUFFEREFFECTS_H
