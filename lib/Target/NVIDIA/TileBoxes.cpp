//===- TileBoxes.cpp - Fragments are stored through boxes -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: stores of fragments or of parts of a box, and sends of those that are
// deferred. Out: each warp writes its rows into its boxes, and one of its
// threads starts bulk copies of them, after a fence for which all of its writes
// must be done. A deferred store ends with the writes; where it goes is on the
// stack until LLVM has promoted it. Of parts of a box the first one waits until
// the box can be written, and the last one starts its copy.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// The L2 cache evicts what is stored first.
static constexpr int64_t kEvictFirst = 0x12F0000000000000;

/// A box of this warp.
Value TileEmitter::boxOf(Value boxes, int64_t number) {
  int64_t count = cast<BoxesType>(boxes.getType()).getCount();
  return after(sharedAt(plan.begin[boxes] + number * BoxesType::kBoxBytes),
               mul(warpOfRole, count * BoxesType::kBoxBytes));
}

/// The deferred store of boxes in a role.
static StoreOp deferredIn(RoleOp role, MakeBoxesOp make) {
  for (Operation *user : make.getBoxes().getUsers())
    if (auto store = dyn_cast<StoreOp>(user))
      if (store.getDeferred() && role->isProperAncestor(store))
        return store;
  return StoreOp();
}

void TileEmitter::startBoxes(RoleOp role) {
  for (auto make : program.getBody().getOps<MakeBoxesOp>()) {
    if (!deferredIn(role, make))
      continue;
    Deferred store;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&kernel.getBody().front());
      Value one = i32(1);
      for (Value *place : {&store.column, &store.row, &store.isThere})
        *place = LLVM::AllocaOp::create(b, genericPtr, b.getI32Type(), one);
    }
    for (Value place : {store.column, store.row, store.isThere})
      LLVM::StoreOp::create(b, i32(0), place);
    deferred[make.getBoxes()] = store;
  }
}

/// What was started is done before the block ends.
void TileEmitter::drainBoxes(RoleOp role) {
  for (auto make : program.getBody().getOps<MakeBoxesOp>())
    if (StoreOp store = deferredIn(role, make))
      sendDeferred(store);
  bool stores = role.getBody()
                    .walk([](StoreOp) { return WalkResult::interrupt(); })
                    .wasInterrupted();
  if (stores)
    NVVM::CpAsyncBulkWaitGroupOp::create(b, 0, /*read=*/b.getUnitAttr());
}

/// Columns [64 n, 64 n + 64), or 32 of f32, of a warp's sixteen rows; or all of
/// them, from column `at` of the box on.
void TileEmitter::writeBox(StoreOp op, ArrayRef<Value> elements, int64_t n,
                           Value box) {
  FragType type = op.getFrag().getType();
  int64_t skipped = op.getAt().value_or(0);
  Value quad = shiftRight(lane, 2);
  if (!type.getElementType().isF32()) {
    // Lane l gives the address of row l mod 16, columns 8 (l / 16) and on.
    Value line = after(box, mul(bitAnd(lane, 15), kLineBytes));
    auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
    // The last box may be in part outside of the matrix.
    int64_t groups = std::min<int64_t>(4, type.getColumns() / 16 - 4 * n);
    for (int64_t j = 0; j < groups; ++j) {
      Value chunk = bitXor(add(shiftRight(lane, 4), 2 * j + skipped / 8),
                           bitAnd(lane, 7));
      NVVM::StMatrixOp::create(b, after(line, shiftLeft(chunk, 4)),
                               elements.slice(16 * n + 4 * j, 4),
                               NVVM::MMALayout::row, shape,
                               NVVM::LdStMatrixEltType::B16);
    }
    return;
  }
  Value inChunk = shiftLeft(bitAnd(lane, 1), 3);
  int64_t groups = std::min<int64_t>(4, type.getColumns() / 8);
  for (int64_t i = 0; i < groups; ++i)
    for (int64_t half : {0, 1}) {
      Value chunk = bitXor(
          add(shiftRight(bitAnd(lane, 3), 1), 2 * i + skipped / 4), quad);
      Value at =
          add(add(mul(add(quad, 8 * half), kLineBytes), shiftLeft(chunk, 4)),
              inChunk);
      int64_t pair = 2 * (4 * n + i) + half;
      Value both = vector::FromElementsOp::create(
          b, VectorType::get(2, b.getF32Type()),
          ValueRange{elements[2 * pair], elements[2 * pair + 1]});
      LLVM::StoreOp::create(b, both, after(box, at), 8);
    }
}

/// Starts copies of boxes [first, first + count) of the fragment, of which the
/// one at `column` is the first, if `isThere` or there is no such condition.
void TileEmitter::sendBoxes(StoreOp op, int64_t first, int64_t count,
                            Value column, Value row, Value isThere) {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  NVVM::SyncWarpOp::create(b, i32(-1));
  Value map = values.lookupOrDefault(op.getMap());
  SmallVector<Value> outer;
  for (Value coordinate : op.getOuter())
    outer.push_back(values.lookupOrDefault(coordinate));
  int64_t width = op.getMap().getType().getColumns();
  Value leads = equals(lane, i32(0));
  if (isThere)
    leads = LLVM::AndOp::create(b, leads, isThere);
  onlyIf(leads, [&] {
    for (int64_t n = first; n < first + count; ++n)
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          b, map,
          boxOf(op.getBoxes(), n % (int64_t)op.getBoxes().getType().getCount()),
          TensorMapOp::order(op.getMap(), add(column, width * n), row, outer),
          i64(kEvictFirst), NVVM::TMAStoreMode::TILE, Value());
    NVVM::CpAsyncBulkCommitGroupOp::create(b);
  });
}

/// Boxes that a fragment takes.
static int64_t boxesFor(StoreOp op) {
  return llvm::divideCeil(op.getFrag().getType().getColumns(),
                          op.getMap().getType().getColumns());
}

/// Is there another store, whose last copy may be of any box?
static bool hasOthers(StoreOp op) {
  return llvm::any_of(op.getBoxes().getUsers(), [&](Operation *user) {
    return user != op && isa<StoreOp>(user);
  });
}

void TileEmitter::emitStore(StoreOp op) {
  SmallVector<Value> elements = elementsOf(values.lookup(op.getFrag()));
  Value column = values.lookupOrDefault(op.getColumn());
  Value row = add(values.lookupOrDefault(op.getRow()),
                  mul(bitAnd(warpOfRole, 3), BoxesType::kBoxRows));
  int64_t needed = boxesFor(op);
  int64_t count = std::min<int64_t>(op.getBoxes().getType().getCount(), needed);
  // A group of boxes is stored while the next one is written.
  int64_t together = count == needed ? needed : std::max<int64_t>(count / 2, 1);
  int64_t inFlight = count / together - 1;
  bool begins = op.getAt().value_or(0) == 0;
  bool fills = !op.getAt() ||
               int64_t(*op.getAt()) + op.getFrag().getType().getColumns() ==
                   op.getMap().getType().getColumns();
  if (op.getAt())
    column = add(column, -int64_t(*op.getAt()));
  for (int64_t n = 0; n < needed; ++n) {
    if (n % together == 0 && begins) {
      // The last store may have ended anywhere in the boxes.
      bool isNew = n == 0 && (needed % count != 0 || hasOthers(op));
      onlyIf(equals(lane, i32(0)), [&] {
        NVVM::CpAsyncBulkWaitGroupOp::create(b, isNew ? 0 : inFlight,
                                             b.getUnitAttr());
      });
      NVVM::SyncWarpOp::create(b, i32(-1));
    }
    writeBox(op, elements, n, boxOf(op.getBoxes(), n % count));
    bool ends = n % together == together - 1 || n + 1 == needed;
    int64_t first = n / together * together;
    if (ends && fills && !op.getDeferred())
      sendBoxes(op, first, n + 1 - first, column, row, Value());
  }
  if (!op.getDeferred())
    return;
  Deferred store = deferred[op.getBoxes()];
  LLVM::StoreOp::create(b, column, store.column);
  LLVM::StoreOp::create(b, row, store.row);
  LLVM::StoreOp::create(b, i32(1), store.isThere);
}

void TileEmitter::sendDeferred(StoreOp op) {
  Deferred store = deferred[op.getBoxes()];
  auto load = [&](Value place) -> Value {
    return LLVM::LoadOp::create(b, b.getI32Type(), place);
  };
  sendBoxes(op, 0, boxesFor(op), load(store.column), load(store.row),
            equals(load(store.isThere), i32(1)));
}

void TileEmitter::emitSend(SendOp op) {
  sendDeferred(deferredIn(role, op.getBoxes().getDefiningOp<MakeBoxesOp>()));
  LLVM::StoreOp::create(b, i32(0), deferred[op.getBoxes()].isThere);
}
