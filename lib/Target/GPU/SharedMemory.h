//===- SharedMemory.h - Room that the threads of a block share ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a shape. Out: a buffer of the kernel in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_SHAREDMEMORY_H
#define AIKERNEL_LIB_TARGET_GPU_SHAREDMEMORY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace aikernel {

/// Aligned for vectors: LLVM was seen to load four numbers at once from a
/// buffer that it had declared with the alignment of one.
inline mlir::Value addSharedMemory(mlir::gpu::GPUFuncOp kernel,
                                   llvm::ArrayRef<int64_t> shape,
                                   mlir::Type element, mlir::Location loc) {
  mlir::MLIRContext *context = kernel.getContext();
  auto space = mlir::gpu::AddressSpaceAttr::get(
      context, mlir::gpu::AddressSpace::Workgroup);
  auto type = mlir::MemRefType::get(shape, element,
                                    mlir::MemRefLayoutAttrInterface(), space);
  mlir::Value room = kernel.addWorkgroupAttribution(type, loc);
  kernel.setWorkgroupAttributionAttr(
      kernel.getNumWorkgroupAttributions() - 1,
      mlir::LLVM::LLVMDialect::getAlignAttrName(),
      mlir::IntegerAttr::get(mlir::IntegerType::get(context, 64), 16));
  return room;
}

/// What a kernel has of it.
inline int64_t sharedBytesOf(mlir::gpu::GPUFuncOp kernel) {
  int64_t bytes = 0;
  for (mlir::BlockArgument room : kernel.getWorkgroupAttributions()) {
    auto type = mlir::cast<mlir::MemRefType>(room.getType());
    bytes += type.getNumElements() *
             llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_SHAREDMEMORY_H
