//===- WholeTensors.h - Tensors that become buffers of their own ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel, on tensors. Out: its calls, and whether these pass whole
// buffers, which is what tensor maps describe.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_WHOLETENSORS_H
#define AIKERNEL_LIB_TARGET_GPU_WHOLETENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aikernel {

llvm::SmallVector<mlir::func::CallOp> callsOf(mlir::func::FuncOp kernel);

/// Is a tensor, seen through reshapes, an argument?
bool isArgument(mlir::Value tensor);

/// Is all that callers pass, and all that they get, later a buffer of its own,
/// from its start and without gaps?
bool callersPassWholeTensors(mlir::func::FuncOp kernel);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_WHOLETENSORS_H
