//===- QuantFields.h - Scalar code that reads a packed field --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shifts and masks that take one number of a PackedField out of the bytes
// of a block, for an index that is known only when the code runs.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_QUANTFIELDS_H
#define AIKERNEL_DIALECT_AIKERNEL_QUANTFIELDS_H

#include "AIKernel/Dialect/AIKernel/QuantFormats.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aikernel {

/// Loads the byte at an offset (`index`) of the block, as i32 from 0 to 255.
using LoadByteFn = llvm::function_ref<mlir::Value(mlir::Value offset)>;

/// Number `index` of the field, as i32.
mlir::Value buildFieldRead(mlir::ImplicitLocOpBuilder &b,
                           const PackedField &field, mlir::Value index,
                           LoadByteFn loadByte);

/// 2^(e - 128) in f32, for a byte e as i32. The two smallest are subnormal.
mlir::Value buildPowerScale(mlir::ImplicitLocOpBuilder &b, mlir::Value e);

/// index / divisor and index % divisor, folded where possible.
mlir::Value divideIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
                        int64_t divisor);
mlir::Value remainderOfIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
                             int64_t divisor);

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_QUANTFIELDS_H
