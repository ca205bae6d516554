//===- TileOps.h - Tile programs: dialect, types and ops ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generated classes, what a block may use at most, and where things are in
// its shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_TILE_TILEOPS_H
#define AIKERNEL_DIALECT_TILE_TILEOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "AIKernel/Dialect/Tile/TileDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "AIKernel/Dialect/Tile/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "AIKernel/Dialect/Tile/TileAttrs.h.inc"

#define GET_OP_CLASSES
#include "AIKernel/Dialect/Tile/TileOps.h.inc"

namespace aikernel::tile {

/// What a block of sm_90 has.
inline constexpr int64_t kMostSharedBytes = 232448;
inline constexpr int64_t kMostRegisters = 65536;
inline constexpr int64_t kMostThreads = 1024;
inline constexpr uint64_t kMostCluster = 8;
inline constexpr int64_t kWarpgroupThreads = 128;

/// What the compiler gives each thread before roles ask for more or less.
constexpr int64_t getEvenRegisters(int64_t threads) {
  return kMostRegisters / threads / 8 * 8;
}
/// A line of a tile, within which chunks are swizzled.
inline constexpr int64_t kLineBytes = 128;
/// Tiles begin at multiples of this.
inline constexpr int64_t kTileAlignment = 1024;

/// A float of eight bits.
bool isByteFloat(mlir::Type type);
/// What products of these are summed in: f32, i32 for i8; nothing where there
/// is no instruction for them. Those of f32 are of its upper bits (tf32).
mlir::Type sumsOf(mlir::Type lhs, mlir::Type rhs);

/// Byte offsets from the start of the block's shared memory.
struct SharedPlan {
  llvm::DenseMap<mlir::Value, int64_t> begin; // of rings, boxes and mailboxes
  // Of rings and mailboxes: those that say full, then those that say empty.
  llvm::DenseMap<mlir::Value, int64_t> barriers;
  int64_t bytes = 0;
};
SharedPlan planShared(ProgramOp program);

/// Are its arguments that many i32 and what the loop carries from tile to tile,
/// which it yields again?
llvm::LogicalResult checkTileLoop(mlir::Operation *op, mlir::Block &body,
                                  unsigned numbers, mlir::TypeRange carried);

/// Products and attention on tensors become the same on memrefs, in place.
void registerProductBufferization(mlir::DialectRegistry &registry);

} // namespace aikernel::tile

#endif // AIKERNEL_DIALECT_TILE_TILEOPS_H
