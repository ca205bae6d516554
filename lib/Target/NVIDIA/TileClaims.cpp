//===- TileClaims.cpp - Tiles that blocks claim ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: claims and mailboxes. Out: an atomic counter in global memory, which one
// thread of a block asks for its next tile, and words in shared memory by which
// that thread tells the other warps.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

void TileEmitter::initMailboxes() {
  for (auto make : program.getBody().getOps<MakeMailboxOp>()) {
    Value mailbox = make.getMailbox();
    int64_t slots = make.getMailbox().getType().getSlots();
    int64_t warps = 0;
    for (Operation *user : mailbox.getUsers())
      if (isa<PostedTilesOp>(user))
        warps = 4 * user->getParentOfType<RoleOp>().getWarpgroups();
    for (int64_t i = 0; i < slots; ++i) {
      int64_t at = plan.barriers[mailbox] + kBarrierBytes * i;
      NVVM::MBarrierInitOp::create(b, sharedAt(at), i32(1), Value());
      NVVM::MBarrierInitOp::create(b, sharedAt(at + kBarrierBytes * slots),
                                   i32(warps), Value());
    }
  }
}

void TileEmitter::startMailboxes(RoleOp role) {
  for (auto make : program.getBody().getOps<MakeMailboxOp>())
    for (Operation *user : make.getMailbox().getUsers())
      if (role->isProperAncestor(user) && !isa<PostOp>(user))
        startPlace(make.getMailbox(), make.getMailbox().getType().getSlots(),
                   isa<ClaimTilesOp>(user) ? kFillPhase : kReadPhase);
}

/// Waits until the slot is empty, and says that it is full.
void TileEmitter::emitPost(Value mailbox, ArrayRef<Value> words) {
  auto type = cast<MailboxType>(mailbox.getType());
  Place now = load(places[mailbox]);
  Value barrier = mul(now.slot, kBarrierBytes);
  int64_t full = plan.barriers[mailbox];
  waitFor(after(sharedAt(full + kBarrierBytes * type.getSlots()), barrier),
          now.phase);
  Value slot =
      after(sharedAt(plan.begin[mailbox]), mul(now.slot, 4 * type.getWords()));
  for (auto [i, word] : llvm::enumerate(words))
    LLVM::StoreOp::create(b, word, after(slot, 4 * i), /*alignment=*/4,
                          /*isVolatile=*/true);
  NVVM::MBarrierArriveOp::create(b, Type(), after(sharedAt(full), barrier),
                                 /*count=*/Value());
  advance(places[mailbox], now, type.getSlots());
}

LogicalResult TileEmitter::emitClaims(ClaimTilesOp op) {
  // Numbers of blocks are the first tiles.
  SmallVector<Value> inits{cluster};
  for (Value init : op.getInits())
    inits.push_back(values.lookupOrDefault(init));
  SmallVector<Type> types(inits.size(), b.getI32Type());
  SmallVector<Location> locations(inits.size(), b.getLoc());
  Value count = values.lookupOrDefault(op.getCount());
  auto loop = scf::WhileOp::create(b, types, inits);
  values.map(op.getResults(), loop.getResults().drop_front());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
    scf::ConditionOp::create(b, lessThan(before->getArgument(0), count),
                             before->getArguments());
    Block *body = b.createBlock(&loop.getAfter(), {}, types, locations);
    values.map(op.getBody().getArguments(), body->getArguments());
    SmallVector<Value> carried;
    if (failed(emitYielding(op.getBody().front(), carried)))
      return failure();
    Value counter = globalPointer(values.lookupOrDefault(op.getCounter()));
    Value claimed =
        LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, counter, i32(1),
                                  LLVM::AtomicOrdering::monotonic, "device");
    SmallVector<Value> next{add(claimed, clusters)};
    llvm::append_range(next, carried);
    scf::YieldOp::create(b, next);
  }
  // There are no more.
  SmallVector<Value> none(op.getMailbox().getType().getWords(), i32(-1));
  emitPost(op.getMailbox(), none);
  return success();
}

LogicalResult TileEmitter::emitPosted(PostedTilesOp op) {
  Value mailbox = op.getMailbox();
  MailboxType type = op.getMailbox().getType();
  SmallVector<Value> inits;
  for (Value init : op.getInits())
    inits.push_back(values.lookupOrDefault(init));
  SmallVector<Type> carried = llvm::to_vector(ValueRange(inits).getTypes());
  SmallVector<Type> types(type.getWords(), b.getI32Type());
  llvm::append_range(types, carried);
  auto locations = [&](size_t count) {
    return SmallVector<Location>(count, b.getLoc());
  };
  auto loop = scf::WhileOp::create(b, types, inits);
  values.map(op.getResults(), loop.getResults().drop_front(type.getWords()));
  OpBuilder::InsertionGuard guard(b);
  Block *before =
      b.createBlock(&loop.getBefore(), {}, carried, locations(carried.size()));
  Place now = load(places[mailbox]);
  Value barrier = mul(now.slot, kBarrierBytes);
  int64_t full = plan.barriers[mailbox];
  waitFor(after(sharedAt(full), barrier), now.phase);
  Value slot =
      after(sharedAt(plan.begin[mailbox]), mul(now.slot, 4 * type.getWords()));
  SmallVector<Value> words;
  for (int64_t i = 0; i < type.getWords(); ++i)
    words.push_back(LLVM::LoadOp::create(b, b.getI32Type(), after(slot, 4 * i),
                                         /*alignment=*/4, /*isVolatile=*/true));
  // All lanes have read when one of them says so.
  NVVM::SyncWarpOp::create(b, i32(-1));
  arriveAsOne(after(sharedAt(full + kBarrierBytes * type.getSlots()), barrier),
              bitAnd(readThread(), 31));
  advance(places[mailbox], now, type.getSlots());
  Value isTile =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sge, words.front(), i32(0));
  llvm::append_range(words, before->getArguments());
  scf::ConditionOp::create(b, isTile, words);
  Block *body =
      b.createBlock(&loop.getAfter(), {}, types, locations(types.size()));
  values.map(op.getBody().getArguments(), body->getArguments());
  SmallVector<Value> next;
  if (failed(emitYielding(op.getBody().front(), next)))
    return failure();
  scf::YieldOp::create(b, next);
  return success();
}
