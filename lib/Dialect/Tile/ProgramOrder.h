//===- ProgramOrder.h - What roles wait for, in the order they do ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program whose rings and mailboxes are right by themselves, and which of
// its loops run as often. Out: whether roles come to their end.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_DIALECT_TILE_PROGRAMORDER_H
#define AIKERNEL_LIB_DIALECT_TILE_PROGRAMORDER_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel::tile {

/// Do two loops run as often? (TileProgram.cpp)
bool runsAsOften(mlir::Operation *a, mlir::Operation *b);

/// Is there an end, or do roles wait for each other? (ProgramOrder.cpp)
llvm::LogicalResult checkOrder(ProgramOp program);

} // namespace aikernel::tile

#endif // AIKERNEL_LIB_DIALECT_TILE_PROGRAMORDER_H
