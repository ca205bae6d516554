//===- TileRoles.h - Roles of tile programs as they are written -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a builder within a program, and who writes what a role does. Out: the
// role.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_TILEROLES_H
#define AIKERNEL_LIB_TARGET_NVIDIA_TILEROLES_H

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aikernel::tile {

/// `body` gets the number of the warpgroup within the role.
inline void inRole(mlir::ImplicitLocOpBuilder &b, int64_t warpgroups,
                   int64_t registers,
                   llvm::function_ref<void(mlir::Value)> body) {
  auto role = RoleOp::create(b, warpgroups, registers);
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Block &block = role.getBody().emplaceBlock();
  mlir::Value group = block.addArgument(b.getI32Type(), b.getLoc());
  b.setInsertionPointToStart(&block);
  body(group);
}

} // namespace aikernel::tile

#endif // AIKERNEL_LIB_TARGET_NVIDIA_TILEROLES_H
