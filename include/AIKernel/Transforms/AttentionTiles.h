//===- AttentionTiles.h - Attention in register tiles ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the body of a function that computes one head of online attention (see
// aikernel.online_attention).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_ATTENTIONTILES_H
#define AIKERNEL_TRANSFORMS_ATTENTIONTILES_H

#include "AIKernel/Transforms/MatrixInstructions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace aikernel {

/// What the code of one head depends on, beside the types of its operands.
struct AttentionForm {
  const MatrixInstruction &instruction;
  /// Sizes of a row of q and k, and of one of v.
  int64_t depth, features;
  std::optional<double> softcap;
  bool hasMask, hasBegin, hasEnd;
  bool fusesMultiplyAdd;
};

/// Fills an empty function of q, k, v and acc: memref<? x ?> [row, feature];
/// max and sum: memref<1 x ?>; the scale; the number of the first key: index;
/// then, as the form says, the mask: memref<? x ?> [query, key] and the bounds
/// of visible keys: memref<1 x ? x i32>.
void emitAttention(mlir::func::FuncOp function, const AttentionForm &form);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_ATTENTIONTILES_H
