//===- TileExchange.cpp - Sums that a cluster adds up ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a part of sums in the registers of each block of a cluster. Out: the sums
// of some columns in each of them. Every thread sends what it holds of block
// n's columns to the thread with its own number in block n, so that nobody has
// to know how registers and columns belong together. A warpgroup has, in shared
// memory,
//
//   part | four numbers | thread
//
// and a barrier that turns when all parts have come, and one that turns when
// all blocks have read what this one sent.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// What a thread sends or reads at once, and all threads of a warpgroup.
static constexpr int64_t kNumbers = 4, kThreadBytes = 4 * kNumbers;
static constexpr int64_t kRowBytes = kWarpgroupThreads * kThreadBytes;
static constexpr int64_t kWarps = 4;

void TileEmitter::initExchanges() {
  for (auto make : program.getBody().getOps<MakeExchangeOp>()) {
    ExchangeType type = make.getRoom().getType();
    int64_t at = plan.barriers[make.getRoom()];
    for (int64_t i = 0; i < type.getGroups(); ++i, at += 2 * kBarrierBytes) {
      NVVM::MBarrierInitOp::create(b, sharedAt(at),
                                   i32(type.getParts() * kWarps), Value());
      NVVM::MBarrierInitOp::create(b, sharedAt(at + kBarrierBytes),
                                   i32(type.getParts()), Value());
    }
  }
}

void TileEmitter::startExchanges(RoleOp role) {
  for (auto make : program.getBody().getOps<MakeExchangeOp>())
    for (Operation *user : make.getRoom().getUsers())
      if (role->isProperAncestor(user))
        startPlace(make.getRoom(), /*stages=*/1, kFillPhase);
}

/// A block must not end while others say that they have read what it sent.
void TileEmitter::drainExchanges(RoleOp role) {
  for (auto make : program.getBody().getOps<MakeExchangeOp>()) {
    Value room = make.getRoom();
    if (!role->isProperAncestor(*room.getUsers().begin()))
      continue;
    Value number = values.lookup(role.getBody().getArgument(0));
    Value empty = after(sharedAt(plan.barriers[room] + kBarrierBytes),
                        mul(number, 2 * kBarrierBytes));
    waitFor(empty, load(places[room]).phase);
  }
}

/// Thread n arrives in block n of the cluster, where there is one.
void TileEmitter::arriveInAll(Value barrier, Value number, int64_t blocks) {
  onlyIf(lessThan(number, i32(blocks)), [&] {
    Value there = NVVM::MapaOp::create(b, clusterPtr, barrier, number);
    NVVM::MBarrierArriveOp::create(b, Type(), there, /*count=*/Value(),
                                   NVVM::MemScopeKind::CLUSTER);
  });
}

void TileEmitter::emitAddParts(AddPartsOp op) {
  Value room = op.getRoom();
  ExchangeType type = op.getRoom().getType();
  int64_t parts = type.getParts();
  int64_t held = type.getColumns() / 2; // numbers of a part in a thread
  Place now = load(places[room]);
  Value number = values.lookup(role.getBody().getArgument(0));
  Value full =
      after(sharedAt(plan.barriers[room]), mul(number, 2 * kBarrierBytes));
  Value empty = after(full, kBarrierBytes);
  Value mine = after(
      after(sharedAt(plan.begin[room]), mul(number, type.getGroupBytes())),
      mul(threadOfGroup, kThreadBytes));
  waitFor(empty, now.phase, NVVM::MemScopeKind::CLUSTER);
  SmallVector<Value> elements = elementsOf(values.lookup(op.getPart()));
  Value to = after(mine, mul(rank, type.getPartBytes()));
  auto four = VectorType::get(kNumbers, b.getF32Type());
  int64_t receivers = op.getPart().getType().getColumns() / type.getColumns();
  for (int64_t block = 0; block < receivers; ++block) {
    Value there = NVVM::MapaOp::create(b, clusterPtr, to, i32(block));
    for (int64_t i = 0; i < held; i += kNumbers) {
      Value sent = vector::FromElementsOp::create(
          b, four, ArrayRef(elements).slice(block * held + i, kNumbers));
      Value at = after(there, i32(i / kNumbers * kRowBytes), /*space=*/7);
      LLVM::StoreOp::create(b, sent, at, kThreadBytes);
    }
  }
  // A warp has sent all when some of its lanes say so, one to each block.
  NVVM::SyncWarpOp::create(b, i32(-1));
  arriveInAll(full, lane, parts);
  waitFor(full, bitXor(now.phase, i32(1)), NVVM::MemScopeKind::CLUSTER);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < held; i += kNumbers) {
    Value sum;
    for (int64_t part = 0; part < parts; ++part) {
      int64_t offset = part * type.getPartBytes() + i / kNumbers * kRowBytes;
      Value more =
          LLVM::LoadOp::create(b, four, after(mine, offset), kThreadBytes);
      sum = sum ? Value(LLVM::FAddOp::create(b, sum, more)) : more;
    }
    for (int64_t j = 0; j < kNumbers; ++j)
      sums.push_back(vector::ExtractOp::create(b, sum, j));
  }
  // All threads have read when some of them say so. Barrier 0 is the whole
  // block's.
  assembly(Type(), "bar.sync $0, $1;", "r,r,~{memory}",
           {add(group, 1), i32(kWarpgroupThreads)});
  arriveInAll(empty, threadOfGroup, parts);
  advance(places[room], now, /*stages=*/1);
  values.map(op.getSums(), structOf(sums));
}
