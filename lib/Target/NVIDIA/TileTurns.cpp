//===- TileTurns.cpp - Warpgroups that take turns -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: take_turn and pass_turn of a role's warpgroups. Out: named barriers, one
// for each warpgroup, where it waits and the one before it arrives. All of them
// take as many turns; what the last passes on in the end, the first one takes.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// Those below are of the whole block and of single warpgroups.
static constexpr int64_t kFirstBarrier = 8;

static bool hasTurns(RoleOp role) {
  return role.getBody()
      .walk([](TakeTurnOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// `how` is to sync or to arrive: two warpgroups meet.
void TileEmitter::meetAt(StringRef how, Value turn) {
  assembly(Type(), ("bar." + how + " $0, $1;").str(), "r,r,~{memory}",
           {add(turn, kFirstBarrier), i32(2 * kWarpgroupThreads)});
}

void TileEmitter::startTurns(RoleOp role) {
  if (!hasTurns(role))
    return;
  Value last = i32(role.getWarpgroups() - 1);
  onlyIf(equals(shiftRight(warpOfRole, 2), last),
         [&] { meetAt("arrive", i32(0)); });
}

void TileEmitter::endTurns(RoleOp role) {
  if (hasTurns(role))
    onlyIf(equals(shiftRight(warpOfRole, 2), i32(0)),
           [&] { meetAt("sync", i32(0)); });
}

void TileEmitter::emitTakeTurn() { meetAt("sync", shiftRight(warpOfRole, 2)); }

void TileEmitter::emitPassTurn() {
  Value next = add(shiftRight(warpOfRole, 2), 1);
  Value ends = equals(next, i32(role.getWarpgroups()));
  meetAt("arrive", select(ends, i32(0), next));
}
