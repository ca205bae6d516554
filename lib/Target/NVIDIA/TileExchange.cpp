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
// and a barrier that turns when all bytes of the parts have come, and one that
// turns when all blocks have read what this one sent. Who adds up only once
// never asks for that.
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// What a thread sends or reads at once, and all threads of a warpgroup.
static constexpr int64_t kNumbers = 4, kThreadBytes = 4 * kNumbers;
static constexpr int64_t kRowBytes = kWarpgroupThreads * kThreadBytes;

void TileEmitter::initExchanges() {
  for (auto make : program.getBody().getOps<MakeExchangeOp>()) {
    ExchangeType type = make.getRoom().getType();
    int64_t at = plan.barriers[make.getRoom()];
    for (int64_t i = 0; i < type.getGroups(); ++i, at += 2 * kBarrierBytes) {
      NVVM::MBarrierInitOp::create(b, sharedAt(at), i32(1), Value());
      NVVM::MBarrierInitOp::create(b, sharedAt(at + kBarrierBytes),
                                   i32(type.getParts()), Value());
    }
  }
}

/// The slot of a room is one when it has been used.
void TileEmitter::startExchanges(RoleOp role) {
  for (auto make : program.getBody().getOps<MakeExchangeOp>()) {
    Value room = make.getRoom();
    if (!role->isProperAncestor(*room.getUsers().begin()))
      continue;
    startPlace(room, /*stages=*/1, kFillPhase);
    Value used;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&kernel.getBody().front());
      used = LLVM::AllocaOp::create(b, genericPtr, b.getI32Type(), i32(1));
    }
    LLVM::StoreOp::create(b, i32(0), used);
    places[room].slot = used;
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
  // Before parts are sent again, all blocks have read those before: all threads
  // when some of them say so.
  onlyIf(equals(now.slot, i32(1)), [&] {
    joinGroup();
    arriveInAll(empty, threadOfGroup, parts);
    waitFor(empty, now.phase, NVVM::MemScopeKind::CLUSTER);
  });
  LLVM::StoreOp::create(b, i32(1), places[room].slot);
  SmallVector<Value> elements = elementsOf(values.lookup(op.getPart()));
  Value to = after(mine, mul(rank, type.getPartBytes()));
  // The last blocks may have no columns to add up.
  int64_t receivers = op.getPart().getType().getColumns() / type.getColumns();
  Value expected = i32(type.getGroupBytes());
  if (receivers < parts)
    expected = select(lessThan(rank, i32(receivers)), expected, i32(0));
  onlyIf(equals(threadOfGroup, i32(0)), [&] {
    NVVM::MBarrierArriveExpectTxOp::create(b, Type(), full, expected,
                                           NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, Value());
  });
  // What an mbarrier counts in bytes is seen by those who wait at it; nothing
  // has to be fenced, and no thread speaks for others.
  for (int64_t block = 0; block < receivers; ++block) {
    Value there = NVVM::MapaOp::create(b, clusterPtr, to, i32(block));
    Value counted = NVVM::MapaOp::create(b, clusterPtr, full, i32(block));
    for (int64_t i = 0; i < held; i += kNumbers)
      storeAsync(b, after(there, i32(i / kNumbers * kRowBytes), /*space=*/7),
                 ArrayRef(elements).slice(block * held + i, kNumbers), counted);
  }
  waitFor(full, bitXor(now.phase, i32(1)), NVVM::MemScopeKind::CLUSTER);
  auto four = VectorType::get(kNumbers, b.getF32Type());
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
  advance(places[room], now, /*stages=*/1);
  values.map(op.getSums(), structOf(sums));
}
