//===- ProgramSteps.h - What a program does, as far as others wait --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program. Out: for each role the ops, in order and with their loops, at
// which somebody waits or which somebody waits for.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_DIALECT_TILE_PROGRAMSTEPS_H
#define AIKERNEL_LIB_DIALECT_TILE_PROGRAMSTEPS_H

#include "AIKernel/Dialect/Tile/TileOps.h"

namespace aikernel::tile {

/// A ring, a mailbox, or the turns of a role.
struct Channel {
  uint64_t depth;
  unsigned firstReader,
      readers; // one for each warpgroup of the role that reads
  bool isTurns = false;
};

struct Loop {
  mlir::Operation *op; // one of those that run as often
  std::optional<uint64_t> turns;
  bool isOfTile = false;    // of other turns in each tile
  bool isOverTiles = false; // with such loops in it
};

/// Fill and Acquire may have to wait. Pass is to the next warpgroup only.
struct Step {
  enum Kind { Fill, Acquire, Release, Pass, Enter, Leave } kind;
  unsigned of; // the number of a channel or of a loop
  mlir::Operation *op;
  size_t other = 0; // of a loop: where its other end is
};

class ProgramSteps {
public:
  /// More steps than any role needs.
  static constexpr size_t kMostSteps = 1 << 12;

  explicit ProgramSteps(ProgramOp program);

  /// An error where there are too many.
  llvm::LogicalResult read();

  ProgramOp program;
  llvm::SmallVector<Channel> channels;
  unsigned readers = 0; // of all channels
  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<std::pair<RoleOp, llvm::SmallVector<Step>>> roles;

private:
  void addChannel(mlir::Value value, uint64_t depth, RoleOp reader);
  void add(Step::Kind kind, mlir::Value channel, mlir::Operation *op);
  void addTaking(mlir::Value channel, mlir::Operation *op);
  void addLoop(mlir::Operation *op, mlir::Block &body);
  void addSteps(mlir::Block &block);
  unsigned findLoop(mlir::Operation *op);

  /// By rings, mailboxes and, for turns, the number of a role's warpgroup.
  llvm::DenseMap<mlir::Value, unsigned> channelOf;
  llvm::SmallVector<Step> steps; // of the role that is read
};

} // namespace aikernel::tile

#endif // AIKERNEL_LIB_DIALECT_TILE_PROGRAMSTEPS_H
