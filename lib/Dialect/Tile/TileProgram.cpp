//===- TileProgram.cpp - What the roles of a program owe each other -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program. Out: where things are in shared memory, and errors where roles
// would wait for ever, overwrite what others read, or need more than a block
// has. The order in which they wait is checked in ProgramOrder.cpp.
//
//===----------------------------------------------------------------------===//

#include "ProgramOrder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace aikernel::tile;

SharedPlan aikernel::tile::planShared(ProgramOp program) {
  SharedPlan plan;
  auto take = [&](int64_t bytes, int64_t alignment) {
    int64_t begin = llvm::alignTo(plan.bytes, alignment);
    plan.bytes = begin + bytes;
    return begin;
  };
  for (auto ring : program.getBody().getOps<MakeRingOp>()) {
    RingType type = ring.getRing().getType();
    plan.begin[ring.getRing()] =
        take(type.getStages() * type.getStageBytes(), kTileAlignment);
  }
  for (auto boxes : program.getBody().getOps<MakeBoxesOp>())
    plan.begin[boxes.getBoxes()] =
        take(boxes.getBoxes().getType().getBytes(), kTileAlignment);
  for (auto make : program.getBody().getOps<MakeExchangeOp>()) {
    ExchangeType type = make.getRoom().getType();
    plan.begin[make.getRoom()] = take(type.getBytes(), 16);
    plan.barriers[make.getRoom()] = take(16 * type.getGroups(), 8);
  }
  for (auto ring : program.getBody().getOps<MakeRingOp>())
    plan.barriers[ring.getRing()] =
        take(16 * ring.getRing().getType().getStages(), 8);
  for (auto make : program.getBody().getOps<MakeMailboxOp>()) {
    MailboxType type = make.getMailbox().getType();
    plan.barriers[make.getMailbox()] = take(16 * type.getSlots(), 8);
    plan.begin[make.getMailbox()] = take(type.getBytes(), 16);
  }
  return plan;
}

int64_t ProgramOp::getThreads() {
  int64_t threads = 0;
  for (auto role : getBody().getOps<RoleOp>())
    threads += role.getWarpgroups() * kWarpgroupThreads;
  return threads;
}

int64_t ProgramOp::getSharedBytes() { return planShared(*this).bytes; }

/// What was posted, for a word that a reader of a mailbox was given.
static Value postedFor(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto reader =
      argument ? dyn_cast<PostedTilesOp>(argument.getOwner()->getParentOp())
               : PostedTilesOp();
  if (!reader ||
      argument.getArgNumber() >= reader.getMailbox().getType().getWords())
    return value;
  for (Operation *user : reader.getMailbox().getUsers())
    if (auto post = dyn_cast<PostOp>(user))
      return post.getWords()[argument.getArgNumber()];
  return value;
}

bool aikernel::tile::runsAsOften(Operation *a, Operation *b) {
  if (auto claims = dyn_cast<ClaimTilesOp>(a)) {
    auto reader = dyn_cast<PostedTilesOp>(b);
    return reader && reader.getMailbox() == claims.getMailbox();
  }
  if (a->getName() != b->getName())
    return false;
  if (auto tiles = dyn_cast<ForTilesOp>(a)) {
    auto others = cast<ForTilesOp>(b);
    return tiles.getRows() == others.getRows() &&
           tiles.getColumns() == others.getColumns() &&
           tiles.getGroup() == others.getGroup();
  }
  auto same = [](Value x, Value y) {
    Attribute left, right;
    return postedFor(x) == postedFor(y) ||
           (matchPattern(x, m_Constant(&left)) &&
            matchPattern(y, m_Constant(&right)) && left == right);
  };
  if (auto loop = dyn_cast<scf::ForOp>(a)) {
    auto other = cast<scf::ForOp>(b);
    return same(loop.getLowerBound(), other.getLowerBound()) &&
           same(loop.getUpperBound(), other.getUpperBound()) &&
           same(loop.getStep(), other.getStep()) &&
           loop.getUnsignedCmp() == other.getUnsignedCmp();
  }
  return false;
}

/// The loops around an op, the outermost first; anything else around it that
/// may not run is in the list too, and runs as often as nothing else.
static SmallVector<Operation *> loopsAround(Operation *op) {
  SmallVector<Operation *> loops;
  for (Operation *parent = op->getParentOp(); !isa<RoleOp>(parent);
       parent = parent->getParentOp())
    loops.push_back(parent);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

namespace {
/// Ops of a role in the same loops, and how often they run in each turn of
/// these. Innermost loops whose turns are known count as so many ops.
struct Run {
  SmallVector<Operation *> loops;
  uint64_t times;
  Operation *last;
};
} // namespace

static SmallVector<Run> runsOf(ArrayRef<Operation *> ops) {
  SmallVector<Run> runs;
  for (Operation *op : ops) {
    Run run{loopsAround(op), 1, op};
    while (!run.loops.empty()) {
      auto loop = dyn_cast<scf::ForOp>(run.loops.back());
      std::optional<APInt> turns =
          loop ? loop.getStaticTripCount() : std::nullopt;
      if (!turns)
        break;
      run.times = llvm::SaturatingMultiply(run.times, turns->getLimitedValue());
      run.loops.pop_back();
    }
    auto same = llvm::find_if(
        runs, [&](const Run &other) { return other.loops == run.loops; });
    if (same == runs.end())
      runs.push_back(run);
    else
      same->times = llvm::SaturatingAdd(same->times, run.times);
  }
  return runs;
}

static bool isBalanced(const Run &filling, const Run &reading) {
  bool isCounted = filling.times != std::numeric_limits<uint64_t>::max();
  bool balanced = isCounted && filling.times == reading.times &&
                  filling.loops.size() == reading.loops.size();
  for (unsigned i = 0; balanced && i < filling.loops.size(); ++i)
    balanced = runsAsOften(filling.loops[i], reading.loops[i]);
  return balanced;
}

/// A role that acquires more stages than there are, before it has released one,
/// waits for itself.
static LogicalResult checkHeld(MakeRingOp ring, ArrayRef<AcquireOp> acquires) {
  auto releaseOf = [](AcquireOp acquire) {
    for (Operation *user : acquire.getStage().getUsers())
      if (isa<ReleaseOp>(user))
        return acquire->getBlock()->findAncestorOpInBlock(*user);
    llvm_unreachable("acquires are verified before");
  };
  for (AcquireOp acquire : acquires) {
    int64_t held = 1;
    for (AcquireOp before : acquires) {
      Operation *here = before->getBlock()->findAncestorOpInBlock(*acquire);
      if (!here || !before->isBeforeInBlock(here) ||
          !here->isBeforeInBlock(releaseOf(before)))
        continue;
      ++held;
      if (here != acquire.getOperation() ||
          held > ring.getRing().getType().getStages())
        return (acquire
                    .emitOpError("may find no stage: its role still has "
                                 "those before it")
                    .attachNote(before.getLoc())
                << "acquired here, and not yet released");
    }
  }
  return success();
}

static LogicalResult checkRing(ProgramOp program, MakeRingOp ring) {
  SmallVector<FillOp> fills;
  SmallVector<AcquireOp> acquires;
  SetVector<Operation *> fillers, readers;
  for (Operation *user : ring.getRing().getUsers()) {
    auto role = user->getParentOfType<RoleOp>();
    if (!role)
      return user->emitOpError("belongs into a role");
    if (auto fill = dyn_cast<FillOp>(user)) {
      fills.push_back(fill);
      fillers.insert(role);
    } else if (auto acquire = dyn_cast<AcquireOp>(user)) {
      acquires.push_back(acquire);
      readers.insert(role);
    }
  }
  if (fillers.size() != 1 || readers.size() != 1)
    return ring.emitOpError()
           << "is filled by " << fillers.size() << " roles and read by "
           << readers.size() << ", expected one each";
  if (fillers.front() == readers.front())
    return ring.emitOpError("is filled by the role that reads it: it would "
                            "wait for itself");
  if (failed(checkHeld(ring, acquires)))
    return failure();
  for (FillOp fill : fills)
    for (auto load : fill.getBody().getOps<LoadOp>())
      if (load.getShared() && fill->getParentOfType<ClaimTilesOp>())
        return load.emitOpError("is for all blocks of a cluster, each of which "
                                "claims other tiles");
  // Threads say to their own block only that they have read a stage.
  for (AcquireOp acquire : acquires)
    for (Operation *user : acquire.getStage().getUsers())
      for (FillOp fill : fills)
        for (auto load : fill.getBody().getOps<LoadOp>())
          if (isa<UnpackOp, ReadRowsOp>(user) && load.getShared())
            return (user->emitOpError("reads what other blocks fill")
                        .attachNote(load.getLoc())
                    << "loaded for all of them");
  // A role may read later what was filled before a loop, or at its end: it is
  // the number that counts.
  SmallVector<Run> filling = runsOf(llvm::to_vector_of<Operation *>(fills)),
                   reading = runsOf(llvm::to_vector_of<Operation *>(acquires));
  for (const Run &fill : filling) {
    auto read = llvm::find_if(
        reading, [&](const Run &run) { return isBalanced(fill, run); });
    if (read == reading.end())
      return (
          fill.last->emitOpError("runs not as often as the stage is acquired")
              .attachNote(acquires.front()->getLoc())
          << "acquired here");
    reading.erase(read);
  }
  if (!reading.empty())
    return ring.emitOpError("is not filled in the loops that read it: one of "
                            "the roles would wait for ever");
  return success();
}

static LogicalResult checkMailbox(MakeMailboxOp make) {
  SmallVector<Operation *> claims, readers;
  for (Operation *user : make.getMailbox().getUsers()) {
    if (isa<ClaimTilesOp>(user))
      claims.push_back(user->getParentOfType<RoleOp>());
    else if (isa<PostedTilesOp>(user))
      readers.push_back(user->getParentOfType<RoleOp>());
  }
  if (claims.size() != 1 || readers.size() != 1)
    return make.emitOpError()
           << "is filled at " << claims.size() << " places and read at "
           << readers.size() << ", expected one each";
  if (claims.front() == readers.front())
    return make.emitOpError("is filled by the role that reads it: it would "
                            "wait for itself");
  return success();
}

/// All warpgroups of a role, and all blocks of a cluster, go through the same
/// loops; what is chosen within them may differ.
static LogicalResult checkRunsInAll(Operation *op) {
  for (Operation *around = op->getParentOp(); around && !isa<RoleOp>(around);
       around = around->getParentOp())
    if (!isa<ForTilesOp, PostedTilesOp, scf::ForOp>(around))
      return (op->emitOpError("may run in some only: others would wait for it")
                  .attachNote(around->getLoc())
              << "chosen here");
  return success();
}

/// Barriers turn once for each time that all blocks add up.
static LogicalResult checkExchange(ProgramOp program, MakeExchangeOp make) {
  ExchangeType type = make.getRoom().getType();
  if ((uint64_t)type.getParts() != program.getCluster())
    return make.emitOpError()
           << "is for " << type.getParts() << " blocks, a cluster has "
           << program.getCluster();
  if (!make.getRoom().hasOneUse())
    return make.emitOpError("is used at one place");
  auto role = (*make.getRoom().getUsers().begin())->getParentOfType<RoleOp>();
  if (!role || role.fills() ||
      role.getWarpgroups() != (uint64_t)type.getGroups())
    return make.emitOpError() << "is for all " << type.getGroups()
                              << " warpgroups of a role that fills no ring";
  Operation *user = *make.getRoom().getUsers().begin();
  if (user->getParentOfType<PostedTilesOp>())
    return user->emitOpError("waits for blocks that claim other tiles");
  return checkRunsInAll(user);
}

/// Is there anything about these boxes in regions between two ops?
static bool isUsedBetween(Value boxes, Operation *first, Operation *last) {
  return llvm::any_of(boxes.getUsers(), [&](Operation *user) {
    Operation *holder = first->getBlock()->findAncestorOpInBlock(*user);
    return holder && holder != user && first->isBeforeInBlock(holder) &&
           holder->isBeforeInBlock(last);
  });
}

/// Stores of parts of a box follow each other in their block, and fill it.
static LogicalResult checkParts(MakeBoxesOp make) {
  llvm::MapVector<Block *, SmallVector<StoreOp>> stores;
  for (Operation *user : make.getBoxes().getUsers())
    if (auto store = dyn_cast<StoreOp>(user))
      stores[store->getBlock()].push_back(store);
  for (auto &[block, inBlock] : stores) {
    llvm::sort(inBlock,
               [](StoreOp a, StoreOp b) { return a->isBeforeInBlock(b); });
    int64_t filled = 0;
    StoreOp before;
    for (StoreOp store : inBlock) {
      if (filled != int64_t(store.getAt().value_or(0)))
        return store.emitOpError()
               << "begins at column " << store.getAt().value_or(0)
               << " of a box, of which " << filled << " have been written";
      if (filled != 0 && (store.getMap() != before.getMap() ||
                          isUsedBetween(make.getBoxes(), before, store)))
        return store.emitOpError("is not of the same box as the part before");
      if (store.getAt())
        filled = (filled + store.getFrag().getType().getColumns()) %
                 store.getMap().getType().getColumns();
      before = store;
    }
    if (filled != 0)
      return inBlock.back().emitOpError("leaves a box that is not full");
  }
  return success();
}

/// What a deferred store has written is sent before anything else is written,
/// itself in the next turn included. It is the last one in its block.
static LogicalResult checkBoxes(MakeBoxesOp make) {
  SmallVector<StoreOp> stores;
  SmallVector<SendOp> sends;
  StoreOp deferred;
  for (Operation *user : make.getBoxes().getUsers()) {
    if (auto send = dyn_cast<SendOp>(user))
      sends.push_back(send);
    auto store = dyn_cast<StoreOp>(user);
    if (!store)
      continue;
    stores.push_back(store);
    if (store.getDeferred() && deferred)
      return make.emitOpError("has more than one deferred store");
    if (store.getDeferred())
      deferred = store;
  }
  if (!deferred && sends.empty())
    return success();
  // What was written in an op of this block is sent after it.
  auto isSentBefore = [&](StoreOp store) {
    Block *block = store->getBlock();
    Operation *writes = block->findAncestorOpInBlock(*deferred);
    bool isWritten =
        writes && writes != store && writes->isBeforeInBlock(store);
    return llvm::any_of(sends, [&](SendOp send) {
      return send->getBlock() == block && send->isBeforeInBlock(store) &&
             (!isWritten || writes->isBeforeInBlock(send));
    });
  };
  auto isLast = [&](StoreOp store) {
    return llvm::none_of(make.getBoxes().getUsers(), [&](Operation *user) {
      return store->getBlock() == user->getBlock() &&
             store->isBeforeInBlock(user);
    });
  };
  auto isInRole = [&](SendOp send) {
    return send->getParentOfType<RoleOp>() ==
           deferred->getParentOfType<RoleOp>();
  };
  if (!deferred || !isLast(deferred) || !llvm::all_of(sends, isInRole) ||
      !llvm::all_of(stores, isSentBefore))
    return make.emitOpError("has one deferred store, the last in its block, "
                            "and what it has written is sent before a store");
  return success();
}

/// Warpgroups meet at barriers 8 to 15 when turns change. Those below are the
/// block's, and of single warpgroups.
static LogicalResult checkTurns(ProgramOp program) {
  SetVector<Operation *> takers;
  auto checked = program.getBody().walk([&](TakeTurnOp take) {
    takers.insert(take->getParentOfType<RoleOp>());
    return WalkResult(checkRunsInAll(take));
  });
  if (checked.wasInterrupted())
    return failure();
  if (takers.size() > 1)
    return program.emitOpError("has turns in several roles");
  if (!takers.empty() && program.getThreads() > 7 * kWarpgroupThreads)
    return program.emitOpError("has turns and more than 7 warpgroups");
  return success();
}

/// Lowering knows where a stage lies by the op that acquired it, and its rows
/// by theirs: neither goes through loops or choices.
static LogicalResult checkStages(ProgramOp program) {
  return success(!program.getBody()
                      .walk([](Operation *op) -> WalkResult {
                        for (Value value : op->getOperands()) {
                          Operation *source = value.getDefiningOp();
                          if (isa<StageType>(value.getType()) &&
                              !isa_and_nonnull<AcquireOp>(source))
                            return op->emitOpError(
                                "uses a stage that no op acquires here");
                          if (isa<SharedType>(value.getType()) &&
                              !isa_and_nonnull<OperandOp>(source))
                            return op->emitOpError("uses rows of no stage");
                        }
                        return WalkResult::advance();
                      })
                      .wasInterrupted());
}

LogicalResult ProgramOp::verify() {
  if (!llvm::isPowerOf2_64(getCluster()) || getCluster() > kMostCluster)
    return emitOpError() << "has clusters of 1, 2, 4 or 8 blocks but has "
                         << getCluster();
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  int64_t registers = 0;
  for (auto role : getBody().getOps<RoleOp>())
    registers += role.getWarpgroups() * kWarpgroupThreads * role.getRegisters();
  if (getThreads() == 0 || getThreads() > kMostThreads)
    return emitOpError() << "has " << getThreads() << " threads, a block 1 to "
                         << kMostThreads;
  if (registers > kMostRegisters)
    return emitOpError() << "takes " << registers << " registers, a block has "
                         << kMostRegisters;
  if (getSharedBytes() > kMostSharedBytes)
    return emitOpError() << "takes " << getSharedBytes()
                         << " bytes of shared memory, a block has "
                         << kMostSharedBytes;
  if (failed(checkStages(*this)))
    return failure();
  for (auto boxes : getBody().getOps<MakeBoxesOp>())
    for (Operation *user : boxes.getBoxes().getUsers()) {
      auto role = user->getParentOfType<RoleOp>();
      if (!role || (uint64_t)boxes.getBoxes().getType().getWarps() !=
                       role.getWarpgroups() * 4)
        return user->emitOpError("stores through boxes of ")
               << boxes.getBoxes().getType().getWarps()
               << " warps, which are not those of its role";
    }
  for (auto boxes : getBody().getOps<MakeBoxesOp>())
    if (failed(checkBoxes(boxes)) || failed(checkParts(boxes)))
      return failure();
  if (failed(checkTurns(*this)))
    return failure();
  for (auto ring : getBody().getOps<MakeRingOp>())
    if (failed(checkRing(*this, ring)))
      return failure();
  for (auto make : getBody().getOps<MakeMailboxOp>())
    if (failed(checkMailbox(make)))
      return failure();
  for (auto make : getBody().getOps<MakeExchangeOp>())
    if (failed(checkExchange(*this, make)))
      return failure();
  return checkOrder(*this);
}
