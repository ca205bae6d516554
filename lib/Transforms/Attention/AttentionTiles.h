//===- AttentionTiles.h - Code of attention -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the bodies of functions that compute online attention (see
// aikernel.online_attention): of one head in register tiles, or of a few rows
// over a long cache.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONTILES_H
#define AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONTILES_H

#include "Tiles/MatrixInstructions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace aikernel {

/// What the code of one head depends on, beside the types of its operands.
struct AttentionForm {
  const MatrixInstruction &instruction;
  /// Sizes of a row of q and k, and of one of v.
  int64_t depth, features;
  /// Queries for which a block of keys is packed once.
  int64_t queriesAtOnce;
  std::optional<double> softcap;
  bool hasMask, hasBegin, hasEnd;
  bool fusesMultiplyAdd, keepsNaNInMinMax;
  /// Does aik-load-addends load the constants that several registers are added
  /// to?
  bool hasCheapAddends;
  /// Is the number of queries known only when it runs, and can a few of them
  /// read keys and values where these lie?
  bool mayBeFew;
};

/// Fills an empty function of q, k, v and acc: memref<? x ?> [row, feature];
/// max and sum: memref<1 x ?>; the scale; the number of the first key: index;
/// then, as the form says, the mask: memref<? x ?> [query, key] and the bounds
/// of visible keys: memref<1 x ? x i32>.
void emitAttention(mlir::func::FuncOp function, const AttentionForm &form);

/// The same for a part of the keys and all rows of a key head, `group` query
/// heads of `queries` queries each. Its operands: q and acc: memref<? x ? x ?>
/// [head, query, feature]; max and sum: memref<? x ?> [head, query]; after the
/// number of the first key the first key of the part and the one past its last;
/// the mask: memref<? x ? x ?> [head, query, key]. What acc, max and sum held
/// before is not read. Rows of q, k, v and acc are contiguous and of whole
/// vectors.
void emitAttentionOfRows(mlir::func::FuncOp function, const AttentionForm &form,
                         int64_t group, int64_t queries);

/// Fills an empty function that adds to one row what its parts gave: their acc:
/// memref<? x ?> [part, feature], max and sum: memref<? x ?> [part, 0]; then
/// acc, max and sum of the row: memref<? x ?>.
void emitCombination(mlir::func::FuncOp function, const AttentionForm &form);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_ATTENTION_ATTENTIONTILES_H
