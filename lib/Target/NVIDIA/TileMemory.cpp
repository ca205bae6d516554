//===- TileMemory.cpp - Barriers and copies of tile programs --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ring ops. Out: mbarriers, bulk copies by tensor maps, and the low words
// of descriptors. Each ring has its stages, then a full barrier of one arrival
// and an empty barrier of all readers for each.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "WarpMatrices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

void TileEmitter::declareShared() { shared = getDynamicShared(b, kernel); }

/// Do blocks of a cluster fill each other's stages?
bool TileEmitter::isShared(Value ring) {
  if (program.getCluster() == 1)
    return false;
  for (Operation *user : ring.getUsers())
    if (auto fill = dyn_cast<FillOp>(user))
      for (auto load : fill.getBody().getOps<LoadOp>())
        if (load.getShared())
          return true;
  return false;
}

/// Do threads read stages themselves, beside instructions of a warpgroup?
bool TileEmitter::isReadByThreads(Value ring) {
  for (Operation *user : ring.getUsers())
    if (auto acquire = dyn_cast<AcquireOp>(user))
      for (Operation *reader : acquire.getStage().getUsers())
        if (isa<UnpackOp, ReadRowsOp>(reader))
          return true;
  return false;
}

void TileEmitter::initBarriers() {
  for (Value map : maps)
    NVVM::PrefetchOp::create(b, /*cacheLevel=*/nullptr,
                             /*evictPriority=*/nullptr, map,
                             /*predicate=*/Value(), /*tensormap=*/true);
  initMailboxes();
  initExchanges();
  for (auto make : program.getBody().getOps<MakeRingOp>()) {
    Value ring = make.getRing();
    int64_t stages = make.getRing().getType().getStages();
    int64_t readers = 0;
    for (Operation *user : ring.getUsers())
      if (isa<AcquireOp>(user))
        readers = user->getParentOfType<RoleOp>().getWarpgroups();
    // Each warp says when it has read a stage by itself.
    if (isReadByThreads(ring))
      readers *= 4;
    if (isShared(ring))
      readers *= program.getCluster();
    int64_t full = plan.barriers[ring];
    for (int64_t i = 0; i < stages; ++i) {
      int64_t at = full + kBarrierBytes * i;
      NVVM::MBarrierInitOp::create(b, sharedAt(at), i32(1), Value());
      NVVM::MBarrierInitOp::create(b, sharedAt(at + kBarrierBytes * stages),
                                   i32(readers), Value());
    }
  }
  NVVM::FenceMbarrierInitOp::create(b);
}

//===----------------------------------------------------------------------===//
// Places in rings
//===----------------------------------------------------------------------===//

void TileEmitter::startPlace(Value of, int64_t stages, int64_t phase) {
  Place place;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value one = i32(1);
    // The only slot is always the same one.
    if (stages > 1)
      place.slot = LLVM::AllocaOp::create(b, genericPtr, b.getI32Type(), one);
    place.phase = LLVM::AllocaOp::create(b, genericPtr, b.getI32Type(), one);
  }
  if (stages > 1)
    LLVM::StoreOp::create(b, i32(0), place.slot);
  LLVM::StoreOp::create(b, i32(phase), place.phase);
  places[of] = place;
}

void TileEmitter::startRings(RoleOp role) {
  for (auto make : program.getBody().getOps<MakeRingOp>()) {
    Value ring = make.getRing();
    bool fills = false, used = false;
    for (Operation *user : ring.getUsers())
      if (role->isProperAncestor(user)) {
        used = true;
        fills |= isa<FillOp>(user);
      }
    if (!used)
      continue;
    startPlace(ring, make.getRing().getType().getStages(),
               fills ? kFillPhase : kReadPhase);
    if (fills)
      continue;
    // Thread n of a warpgroup arrives in block n of the cluster.
    Value empty =
        sharedAt(plan.barriers[ring] +
                 kBarrierBytes * make.getRing().getType().getStages());
    if (isShared(ring))
      remotes[ring] = NVVM::MapaOp::create(
          b, clusterPtr, empty,
          bitAnd(threadOfGroup, llvm::PowerOf2Ceil(program.getCluster()) - 1));
    else
      remotes[ring] = empty;
  }
}

TileEmitter::Place TileEmitter::load(Place place) {
  Value slot = place.slot
                   ? Value(LLVM::LoadOp::create(b, b.getI32Type(), place.slot))
                   : i32(0);
  return {slot, LLVM::LoadOp::create(b, b.getI32Type(), place.phase)};
}

void TileEmitter::advance(Place place, Place now, int64_t stages) {
  if (stages == 1) {
    LLVM::StoreOp::create(b, bitXor(now.phase, i32(1)), place.phase);
    return;
  }
  Value next = add(now.slot, 1);
  Value wraps = equals(next, i32(stages));
  LLVM::StoreOp::create(b, select(wraps, i32(0), next), place.slot);
  LLVM::StoreOp::create(b, select(wraps, bitXor(now.phase, i32(1)), now.phase),
                        place.phase);
}

/// A block must not end while others arrive at its barriers or read what it has
/// sent them.
void TileEmitter::drainRings(RoleOp role) {
  for (auto make : program.getBody().getOps<MakeRingOp>()) {
    Value ring = make.getRing();
    bool fills = llvm::any_of(ring.getUsers(), [&](Operation *user) {
      return isa<FillOp>(user) && role->isProperAncestor(user);
    });
    if (!fills)
      continue;
    int64_t stages = make.getRing().getType().getStages();
    for (int64_t i = 0; i < stages; ++i) {
      Place now = load(places[ring]);
      waitFor(after(sharedAt(plan.barriers[ring] + kBarrierBytes * stages),
                    mul(now.slot, kBarrierBytes)),
              now.phase);
      advance(places[ring], now, stages);
    }
  }
}

void TileEmitter::waitFor(Value barrier, Value phase,
                          NVVM::MemScopeKind scope) {
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value done = NVVM::MBarrierTryWaitOp::create(b, b.getI1Type(), barrier, phase,
                                               /*ticks=*/Value(), scope);
  Value yes = LLVM::ConstantOp::create(b, b.getI1Type(), b.getBoolAttr(true));
  scf::ConditionOp::create(b, LLVM::XOrOp::create(b, done, yes), ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b);
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

LogicalResult TileEmitter::emitFill(FillOp op) {
  Value ring = op.getRing();
  RingType type = op.getRing().getType();
  Place now = load(places[ring]);
  Value barrier = mul(now.slot, kBarrierBytes);
  int64_t barriers = plan.barriers[ring];
  Value full = after(sharedAt(barriers), barrier);
  waitFor(after(sharedAt(barriers + kBarrierBytes * type.getStages()), barrier),
          now.phase);
  int64_t bytes = 0;
  for (SharedType tile : type.getTiles())
    bytes += tile.getBytes();
  NVVM::MBarrierArriveExpectTxOp::create(b, Type(), full, i32(bytes),
                                         NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
  Value stage =
      after(sharedAt(plan.begin[ring]), mul(now.slot, type.getStageBytes()));
  for (Operation &inner : op.getBody().front()) {
    if (auto copy = dyn_cast<LoadOp>(inner))
      emitLoad(copy, stage, full);
    else if (failed(emitOp(inner)))
      return failure();
  }
  advance(places[ring], now, type.getStages());
  return success();
}

static int64_t offsetOf(ArrayRef<SharedType> tiles, int64_t number) {
  int64_t offset = 0;
  for (SharedType tile : tiles.take_front(number))
    offset += llvm::alignTo(tile.getBytes(), kTileAlignment);
  return offset;
}

void TileEmitter::emitLoad(LoadOp op, Value stage, Value full) {
  auto fill = cast<FillOp>(op->getParentOp());
  ArrayRef<SharedType> tiles = fill.getRing().getType().getTiles();
  SharedType tile = tiles[op.getTile()];
  int64_t parts = op.getShared() ? program.getCluster() : 1;
  int64_t rows = tile.getRows() / parts;
  Value map = values.lookupOrDefault(op.getMap());
  Value depth = values.lookupOrDefault(op.getDepth());
  Value row = values.lookupOrDefault(op.getRow());
  Value to = after(stage, offsetOf(tiles, op.getTile()));
  Value everyone;
  if (parts > 1) {
    row = add(row, mul(rank, rows));
    to = after(to, mul(rank, tile.getBytes() / parts));
    everyone = LLVM::ConstantOp::create(b, b.getI16Type(),
                                        b.getI16IntegerAttr((1 << parts) - 1));
  }
  auto copy = [&](Value to, Value inLine, Value line) {
    SmallVector<Value> outer;
    for (Value coordinate : op.getOuter())
      outer.push_back(values.lookupOrDefault(coordinate));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, LLVM::AddrSpaceCastOp::create(b, clusterPtr, to), map,
        TensorMapOp::order(op.getMap(), inLine, line, outer), full,
        ValueRange(), everyone, /*l2CacheHint=*/Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(),
        /*predicate=*/Value());
  };
  // A box of lines for each 128 bytes of them.
  int64_t inLine = op.getMap().getType().getColumns();
  int64_t panels = tile.getPanels();
  if (parts > 1 && tile.getRowMajor())
    panels = rows / inLine;
  for (int64_t panel = 0; panel < panels; ++panel) {
    Value at = after(to, panel * tile.getLines() * kLineBytes);
    if (tile.getRowMajor())
      copy(at, add(row, panel * inLine), depth);
    else
      copy(at, add(depth, panel * inLine), row);
  }
}

void TileEmitter::emitAcquire(AcquireOp op) {
  Value ring = op.getRing();
  Place now = load(places[ring]);
  waitFor(after(sharedAt(plan.barriers[ring]), mul(now.slot, kBarrierBytes)),
          now.phase);
  slots[op.getStage()] = now.slot;
  advance(places[ring], now, op.getRing().getType().getStages());
}

/// The thread that is number 0 arrives, without a branch.
void TileEmitter::arriveAsOne(Value barrier, Value thread) {
  Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), barrier);
  assembly(Type(),
           "{ .reg .pred p; setp.eq.u32 p, $1, 0; "
           "@p mbarrier.arrive.shared::cta.b64 _, [$0]; }",
           "r,r,~{memory}", {address, thread});
}

/// Do the warps of a warpgroup meet in this op, whatever is chosen? Products
/// keep them together, and what is released is released by all.
static bool joins(Operation &op) {
  auto choice = dyn_cast<scf::IfOp>(op);
  if (!choice)
    return isa<WaitOp, ReleaseOp>(op);
  return choice.elseBlock() && llvm::any_of(*choice.thenBlock(), joins) &&
         llvm::any_of(*choice.elseBlock(), joins);
}

/// Have they met since the stage was acquired?
static bool isJoined(ReleaseOp release) {
  Operation *acquire = release.getStage().getDefiningOp();
  for (Operation *last = release; !isa<RoleOp>(last);
       last = last->getParentOp())
    for (Operation *op = last->getPrevNode(); op; op = op->getPrevNode()) {
      if (op == acquire)
        return false;
      if (joins(*op))
        return true;
    }
  return false;
}

void TileEmitter::emitRelease(ReleaseOp op) {
  Value ring = op.getStage().getDefiningOp<AcquireOp>().getRing();
  Value barrier = mul(slots[op.getStage()], kBarrierBytes);
  if (isReadByThreads(ring))
    return arriveAfterReads(op, after(remotes[ring], barrier));
  int64_t blocks = isShared(ring) ? program.getCluster() : 1;
  // The thread that arrives must not get so far that the ring turns under warps
  // that still wait for this stage.
  if (!role.fills() && !isJoined(op))
    joinGroup();
  if (blocks == 1)
    return arriveAsOne(after(remotes[ring], barrier), threadOfGroup);
  onlyIf(lessThan(threadOfGroup, i32(blocks)), [&] {
    // Without a scope: the release of a cluster's would cost two fences.
    Value empty = after(remotes[ring], barrier, /*space=*/7);
    NVVM::MBarrierArriveOp::create(b, Type(), empty, /*count=*/Value());
  });
}

/// A load of shared memory that was started may still wait for its turn when
/// the arrival of the same thread is seen and new bytes come in. So where the
/// arrival goes depends on what was loaded: n * n + n is even.
void TileEmitter::arriveAfterReads(ReleaseOp op, Value barrier) {
  Value all;
  for (Value word : readWords[op.getStage()])
    all = all ? Value(LLVM::OrOp::create(b, all, word)) : word;
  NVVM::SyncWarpOp::create(b, i32(-1));
  Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), barrier);
  assembly(Type(),
           "{ .reg .pred p; .reg .b32 t; mad.lo.u32 t, $2, $2, $2; "
           "and.b32 t, t, 1; add.u32 t, t, $0; setp.eq.u32 p, $1, 0; "
           "@p mbarrier.arrive.shared::cta.b64 _, [t]; }",
           "r,r,r,~{memory}", {address, lane, all});
}

void TileEmitter::emitOperand(OperandOp op) {
  Value ring = op.getStage().getDefiningOp<AcquireOp>().getRing();
  auto type = cast<RingType>(ring.getType());
  int64_t begin = plan.begin[ring] + offsetOf(type.getTiles(), op.getTile());
  Value low = add(add(sharedLow, begin >> 4),
                  mul(slots[op.getStage()], type.getStageBytes() >> 4));
  SharedType whole = type.getTiles()[op.getTile()];
  SharedType part = op.getOperand().getType();
  if (op.getPart())
    low = add(low, mul(values.lookupOrDefault(op.getPart()),
                       part.getBytes() / part.getPanels() >> 4));
  descriptors[op.getOperand()] = low;
  panels[op.getOperand()] = whole.getLines() * kLineBytes >> 4;
}

/// Lines from `depth` on, eight threads for each line of 128 bytes.
void TileEmitter::emitClear(ClearOp op) {
  Value ring = op.getStage().getDefiningOp<AcquireOp>().getRing();
  auto type = cast<RingType>(ring.getType());
  SharedType tile = type.getTiles()[op.getTile()];
  int64_t begin = plan.begin[ring] + offsetOf(type.getTiles(), op.getTile());
  Value from = values.lookupOrDefault(op.getDepth());
  Value lines = i32(tile.getLines());
  auto isPast = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, from, lines);
  onlyIf(isPast, [&] {
    Value first = add(from, shiftRight(threadOfGroup, 3));
    Value stage =
        after(sharedAt(begin), mul(slots[op.getStage()], type.getStageBytes()));
    Value chunk = shiftLeft(bitAnd(threadOfGroup, 7), 4);
    auto loop = scf::ForOp::create(b, first, lines, i32(kWarpgroupThreads / 8));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value zeros = LLVM::ZeroOp::create(b, VectorType::get(4, b.getI32Type()));
      Value line = add(mul(loop.getInductionVar(), kLineBytes), chunk);
      for (int64_t panel = 0; panel < tile.getPanels(); ++panel)
        LLVM::StoreOp::create(
            b, zeros,
            after(stage, add(line, panel * tile.getLines() * kLineBytes)), 16);
    }
    NVVM::FenceProxyOp::create(
        b, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    joinGroup();
  });
}

void TileEmitter::joinGroup() {
  // Barrier 0 is the whole block's.
  assembly(Type(), "bar.sync $0, $1;", "r,r,~{memory}",
           {add(group, 1), i32(kWarpgroupThreads)});
}
