//===- ConvertDevice.h - Kernels to the LLVM dialect ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the vendors' conversions of kernels share.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_CONVERTDEVICE_H
#define AIKERNEL_LIB_TARGET_GPU_CONVERTDEVICE_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace aikernel {

/// Converts all dialects of a gpu.module at once, with one type converter:
/// upstream's separate passes leave casts between them. `add` gives the
/// vendor's patterns for the gpu dialect, and makes its own dialect legal.
llvm::LogicalResult
convertDevice(mlir::gpu::GPUModuleOp device, mlir::LLVMTypeConverter &types,
              llvm::function_ref<void(mlir::RewritePatternSet &,
                                      mlir::ConversionTarget &)>
                  add);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_CONVERTDEVICE_H
