//===- TensorChecks.h - Run-time checks of slices and loops ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function on tensors. Out: the same with an aikernel.check for what ops
// of other dialects leave undefined. Part of aik-check-arguments.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_TENSORCHECKS_H
#define AIKERNEL_TRANSFORMS_TENSORCHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aikernel {

/// Slices lie inside their tensor, single elements too.
void checkSlices(mlir::func::FuncOp function);

/// What a loop carries keeps its size: memory is planned before it runs. Fails
/// with a message where the size is known to change.
mlir::LogicalResult checkLoops(mlir::func::FuncOp function);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_TENSORCHECKS_H
