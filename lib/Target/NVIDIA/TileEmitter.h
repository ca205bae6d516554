//===- TileEmitter.h - Tile programs in NVIDIA's own ops ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the program of one kernel. Out: the same in NVVM, LLVM, scf, arith and
// vector ops. Control flow is in LowerTilePrograms.cpp, barriers and copies are
// in TileMemory.cpp, matrix instructions and elements in TileFragments.cpp,
// stores through boxes in TileBoxes.cpp, turns of warpgroups in TileTurns.cpp,
// tiles that threads read in TileHeld.cpp, claimed tiles in TileClaims.cpp,
// sums of a cluster in TileExchange.cpp and scores of attention in
// TileScores.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_TILEEMITTER_H
#define AIKERNEL_LIB_TARGET_NVIDIA_TILEEMITTER_H

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aikernel {

/// Phases of a barrier alternate. Nobody has to wait for the first filling.
inline constexpr int64_t kFillPhase = 1, kReadPhase = 0;
inline constexpr int64_t kBarrierBytes = 8;

class TileEmitter {
public:
  TileEmitter(mlir::gpu::GPUFuncOp kernel, tile::ProgramOp program);

  /// Puts the lowered program in the program's place.
  mlir::LogicalResult run();

private:
  using Value = mlir::Value;

  // LowerTilePrograms.cpp
  void emitStart();
  void awaitBarriers(bool isFirst);
  mlir::LogicalResult emitRoles();
  mlir::LogicalResult emitRole(tile::RoleOp role, int64_t firstGroup);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitYielding(mlir::Block &block,
                                   mlir::SmallVectorImpl<Value> &results);
  mlir::LogicalResult emitOp(mlir::Operation &op);
  mlir::LogicalResult emitFor(mlir::Operation &op);
  mlir::LogicalResult emitIf(mlir::Operation &op);
  mlir::LogicalResult emitForTiles(tile::ForTilesOp op);
  mlir::Type convert(mlir::Type type);

  // TileMemory.cpp
  void declareShared();
  void initBarriers();
  void startRings(tile::RoleOp role);
  void drainRings(tile::RoleOp role);
  mlir::LogicalResult emitFill(tile::FillOp op);
  void emitLoad(tile::LoadOp op, Value stage, Value full);
  void emitAcquire(tile::AcquireOp op);
  void emitRelease(tile::ReleaseOp op);
  void emitOperand(tile::OperandOp op);
  void waitFor(Value barrier, Value phase,
               mlir::NVVM::MemScopeKind scope = mlir::NVVM::MemScopeKind::CTA);
  bool isShared(Value ring);
  void startPlace(Value of, int64_t stages, int64_t phase);
  void arriveAsOne(Value barrier, Value thread);
  void joinGroup();
  void emitClear(tile::ClearOp op);

  // TileClaims.cpp
  void initMailboxes();
  void startMailboxes(tile::RoleOp role);
  mlir::LogicalResult emitClaims(tile::ClaimTilesOp op);
  void emitPost(Value mailbox, mlir::ArrayRef<Value> words);
  mlir::LogicalResult emitPosted(tile::PostedTilesOp op);
  bool isReadByThreads(Value ring);
  void arriveAfterReads(tile::ReleaseOp op, Value barrier);

  // TileExchange.cpp
  void initExchanges();
  void startExchanges(tile::RoleOp role);
  void emitAddParts(tile::AddPartsOp op);
  void arriveInAll(Value barrier, Value number, int64_t blocks);

  // TileFragments.cpp
  void emitZero(tile::ZeroOp op);
  void emitMultiply(tile::MultiplyOp op);
  void emitAdd(tile::AddOp op);
  void emitColumns(tile::ColumnsOp op);
  void emitKeep(tile::KeepOp op);
  void emitWait(tile::WaitOp op);
  mlir::LogicalResult emitMap(tile::MapOp op);
  void emitRead(tile::ReadOp op);
  void emitFence(tile::MultiplyOp op);
  void emitWrite(tile::WriteOp op);
  Value globalPointer(Value memref);
  mlir::SmallVector<Value> elementsOf(Value frag);
  Value structOf(mlir::ArrayRef<Value> elements);
  Value emitForRounding(tile::MapOp op, mlir::Operation &each,
                        mlir::ArrayRef<Value> operands);
  mlir::FailureOr<Value> emitElements(tile::MapOp op, mlir::IRMapping &inner);
  Value roundPair(Value pair, mlir::Type element);
  Value loadExtra(mlir::Value memref, mlir::AffineMap map, Value row,
                  Value column);
  /// The rows of a thread, where the first pair of both is, and the last there
  /// is.
  struct Pairs {
    Value rows[2], left, last;
  };
  template <typename OpT>
  Pairs pairsOf(OpT op);
  void loadPairs(Value memref, mlir::AffineMap map, const Pairs &pairs,
                 int64_t i, std::array<Value, 2> &known);

  // TileBoxes.cpp
  void startBoxes(tile::RoleOp role);
  void drainBoxes(tile::RoleOp role);
  void emitStore(tile::StoreOp op);
  void emitSend(tile::SendOp op);
  void sendDeferred(tile::StoreOp op);
  void writeBox(tile::StoreOp op, mlir::ArrayRef<Value> elements,
                int64_t number, Value box);
  void sendBoxes(tile::StoreOp op, int64_t first, int64_t count, Value column,
                 Value row, Value isThere);
  Value boxOf(Value boxes, int64_t number);

  // TileTurns.cpp
  void startTurns(tile::RoleOp role);
  void endTurns(tile::RoleOp role);
  void emitTakeTurn();
  void emitPassTurn();
  void meetAt(mlir::StringRef how, Value turn);

  // TileHeld.cpp
  void emitUnpack(tile::UnpackOp op);
  void emitReadRows(tile::ReadRowsOp op);
  void emitAddScaled(tile::AddScaledOp op);
  void emitWriteTransposed(tile::WriteTransposedOp op);
  Value lineOf(mlir::Value stage, uint64_t tile, Value line);
  Value heldRow();
  // TileScores.cpp
  void emitFillRows(tile::FillRowsOp op);
  mlir::SmallVector<Value> capByPowers(llvm::ArrayRef<Value> scores, float cap,
                                       float scale);
  mlir::SmallVector<Value> capSmall(llvm::ArrayRef<Value> scores, float cap,
                                    float scale);
  Value largestOf(llvm::ArrayRef<Value> numbers);
  bool isWorthAsking(tile::CapOp op, float small);
  void emitCap(tile::CapOp op);
  void emitAddMask(tile::AddMaskOp op);
  void emitMask(tile::MaskOp op);
  void emitSoftmax(tile::SoftmaxOp op);
  void emitScaleRows(tile::ScaleRowsOp op);
  void emitRound(tile::RoundOp op);
  void emitAddUp(tile::AddUpOp op);
  void emitDivideRows(tile::DivideRowsOp op);
  void emitStoreRows(tile::StoreRowsOp op);
  Value f32(float value);
  Value power(Value x);
  Value reciprocal(Value x);
  Value product(mlir::ArrayRef<Value> factors);
  void divide(Value inverse, mlir::ArrayRef<Value> numbers,
              mlir::SmallVectorImpl<Value> &found);
  Value numberAt(Value pointer, int64_t place, Value count, mlir::Type element);
  Value fromNeighbour(Value x, int64_t distance);
  Value roundTo(mlir::Type element, mlir::ArrayRef<Value> elements);
  Value readThread();
  Value rowOf(Value thread);

  /// A place in a ring: where it is, on the stack until LLVM has promoted it.
  struct Place {
    Value slot, phase;
  };
  Place load(Place place);
  void advance(Place place, Place now, int64_t stages);

  // Small things of i32.
  Value i32(int64_t value);
  Value i64(int64_t value);
  Value add(Value a, Value b);
  Value add(Value a, int64_t b) { return add(a, i32(b)); }
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value mul(Value a, int64_t b) { return mul(a, i32(b)); }
  Value div(Value a, Value b);
  Value rem(Value a, Value b);
  Value bitAnd(Value a, int64_t b);
  Value bitXor(Value a, Value b);
  Value shiftRight(Value a, int64_t by);
  Value shiftLeft(Value a, int64_t by);
  Value least(Value a, Value b);
  Value equals(Value a, Value b);
  Value lessThan(Value a, Value b);
  Value select(Value condition, Value a, Value b);
  /// The shared memory that many bytes after its start, or after a pointer.
  Value sharedAt(int64_t offset);
  Value after(Value pointer, Value bytes, unsigned space = 3);
  Value after(Value pointer, int64_t bytes) {
    return after(pointer, i32(bytes));
  }
  void onlyIf(Value condition, mlir::function_ref<void()> body);
  /// Inline assembly; DeviceProgram makes it convergent if it has effects.
  Value assembly(mlir::Type result, mlir::StringRef text,
                 mlir::StringRef constraints, mlir::ArrayRef<Value> operands,
                 bool hasEffects = true);

  mlir::gpu::GPUFuncOp kernel;
  tile::ProgramOp program;
  mlir::ImplicitLocOpBuilder b;
  tile::SharedPlan plan;
  mlir::IRMapping values;
  mlir::Type sharedPtr, clusterPtr, genericPtr;

  // Of the whole block.
  mlir::SmallVector<Value> maps;
  Value shared, sharedLow, thread, warp, group, rank, cluster, clusters;
  // Of the role that is emitted.
  tile::RoleOp role;
  Value lane, warpOfRole, threadOfGroup;
  mlir::DenseMap<Value, Place> places;  // by ring or mailbox
  mlir::DenseMap<Value, Value> remotes; // empty barriers that we arrive at
  // By stage and operand: the slot; the low word of the descriptor, and how far
  // panels are from each other in its units.
  mlir::DenseMap<Value, Value> slots;
  mlir::DenseMap<Value, Value> descriptors;
  mlir::DenseMap<Value, int64_t> panels;
  // By boxes: where a deferred store goes and whether there is one, on the
  // stack too.
  struct Deferred {
    Value column, row, isThere;
  };
  mlir::DenseMap<Value, Deferred> deferred;
  // By stage: a word of each load by which threads have read it.
  mlir::DenseMap<Value, mlir::SmallVector<Value>> readWords;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_TILEEMITTER_H
