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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// The block's shared memory: its size is given at launch.
static constexpr StringLiteral kSharedName = "aik_shared";
/// Phases of a barrier alternate. Nobody has to wait for the first filling.
static constexpr int64_t kFillPhase = 1, kReadPhase = 0;
static constexpr int64_t kBarrierBytes = 8;

void TileEmitter::declareShared() {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  if (!module.lookupSymbol(kSharedName)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, type, /*isConstant=*/false,
                           LLVM::Linkage::External, kSharedName, Attribute(),
                           kTileAlignment, /*addrSpace=*/3);
  }
  shared = LLVM::AddressOfOp::create(b, sharedPtr, kSharedName);
}

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
        if (isa<UnpackOp, AddScaledOp>(reader))
          return true;
  return false;
}

void TileEmitter::initBarriers() {
  for (Value map : maps)
    NVVM::PrefetchOp::create(b, /*cacheLevel=*/nullptr,
                             /*evictPriority=*/nullptr, map,
                             /*predicate=*/Value(), /*tensormap=*/true);
  for (auto make : program.getBody().getOps<MakeRingOp>()) {
    Value ring = make.getRing();
    int64_t stages = make.getRing().getType().getStages();
    int64_t readers = 0;
    for (Operation *user : ring.getUsers())
      if (isa<AcquireOp>(user))
        readers = user->getParentOfType<RoleOp>().getWarpgroups();
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
    Place place;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&kernel.getBody().front());
      Value one = i32(1);
      place.slot = LLVM::AllocaOp::create(b, genericPtr, b.getI32Type(), one);
      place.phase = LLVM::AllocaOp::create(b, genericPtr, b.getI32Type(), one);
    }
    LLVM::StoreOp::create(b, i32(0), place.slot);
    LLVM::StoreOp::create(b, i32(fills ? kFillPhase : kReadPhase), place.phase);
    places[ring] = place;
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
  return {LLVM::LoadOp::create(b, b.getI32Type(), place.slot),
          LLVM::LoadOp::create(b, b.getI32Type(), place.phase)};
}

void TileEmitter::advance(Place place, Place now, int64_t stages) {
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
  bool stores = role.getBody()
                    .walk([](StoreOp) { return WalkResult::interrupt(); })
                    .wasInterrupted();
  if (stores)
    NVVM::CpAsyncBulkWaitGroupOp::create(b, 0, /*read=*/UnitAttr());
}

void TileEmitter::waitFor(Value barrier, Value phase) {
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value done = NVVM::MBarrierTryWaitOp::create(b, b.getI1Type(), barrier, phase,
                                               /*ticks=*/Value());
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
  auto copy = [&](Value to, ArrayRef<Value> coordinates) {
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, LLVM::AddrSpaceCastOp::create(b, clusterPtr, to), map, coordinates,
        full, ValueRange(), everyone, /*l2CacheHint=*/Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(),
        /*predicate=*/Value());
  };
  if (!tile.getRowMajor())
    return copy(to, {depth, row});
  // Lines are along the rows: a box of lines for each 128 bytes of them.
  int64_t inLine = op.getMap().getType().getColumns();
  for (int64_t from = 0; from < rows; from += inLine)
    copy(after(to, from * tile.getDepth() * kLineBytes / inLine),
         {add(row, from), depth});
}

void TileEmitter::emitAcquire(AcquireOp op) {
  Value ring = op.getRing();
  Place now = load(places[ring]);
  waitFor(after(sharedAt(plan.barriers[ring]), mul(now.slot, kBarrierBytes)),
          now.phase);
  slots[op.getStage()] = now.slot;
  advance(places[ring], now, op.getRing().getType().getStages());
}

void TileEmitter::emitRelease(ReleaseOp op) {
  Value ring = op.getStage().getDefiningOp<AcquireOp>().getRing();
  int64_t blocks = isShared(ring) ? program.getCluster() : 1;
  // A warpgroup's products are done when it has waited for them; what its warps
  // read by themselves, each of them knows.
  Value who = threadOfGroup;
  if (isReadByThreads(ring)) {
    NVVM::SyncWarpOp::create(b, i32(-1));
    who = lane;
  }
  onlyIf(lessThan(who, i32(blocks)), [&] {
    // Without a scope: the release of a cluster's would cost two fences.
    Value empty = after(remotes[ring], mul(slots[op.getStage()], kBarrierBytes),
                        blocks > 1 ? 7 : 3);
    NVVM::MBarrierArriveOp::create(b, Type(), empty, /*count=*/Value());
  });
}

void TileEmitter::emitOperand(OperandOp op) {
  Value ring = op.getStage().getDefiningOp<AcquireOp>().getRing();
  auto type = cast<RingType>(ring.getType());
  int64_t begin = plan.begin[ring] + offsetOf(type.getTiles(), op.getTile());
  Value low = add(add(sharedLow, begin >> 4),
                  mul(slots[op.getStage()], type.getStageBytes() >> 4));
  if (op.getPart())
    low = add(low, mul(values.lookupOrDefault(op.getPart()),
                       op.getOperand().getType().getBytes() >> 4));
  descriptors[op.getOperand()] = low;
}
