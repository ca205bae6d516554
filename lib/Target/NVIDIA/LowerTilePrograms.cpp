//===- LowerTilePrograms.cpp - Tile programs become what threads do -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a gpu.module whose kernels may be an aik_tile.program. Out: the same in
// NVVM and LLVM ops, with structured loops and element arithmetic that later
// passes lower, and what launches need as attributes (Launches.h).
//
//   aik_tile.program { roles }
//   ==>  barriers ; if (group < 1) { first role } else { second role }
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "aik-lower-tile-programs"

namespace aikernel {
#define GEN_PASS_DEF_LOWERTILEPROGRAMSPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

/// The part of a shared memory address that a matrix descriptor holds.
static constexpr int64_t kOffsetMask = 0x3FFFF;

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

Value TileEmitter::i32(int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI32Type(),
                                  b.getI32IntegerAttr((int32_t)value));
}
Value TileEmitter::i64(int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI64Type(),
                                  b.getI64IntegerAttr(value));
}
Value TileEmitter::add(Value a, Value c) {
  return LLVM::AddOp::create(b, a, c);
}
Value TileEmitter::sub(Value a, Value c) {
  return LLVM::SubOp::create(b, a, c);
}
Value TileEmitter::mul(Value a, Value c) {
  return LLVM::MulOp::create(b, a, c);
}
Value TileEmitter::div(Value a, Value c) {
  return LLVM::UDivOp::create(b, a, c);
}
Value TileEmitter::rem(Value a, Value c) {
  return LLVM::URemOp::create(b, a, c);
}
Value TileEmitter::bitAnd(Value a, int64_t c) {
  return LLVM::AndOp::create(b, a, i32(c));
}
Value TileEmitter::bitXor(Value a, Value c) {
  return LLVM::XOrOp::create(b, a, c);
}
Value TileEmitter::shiftRight(Value a, int64_t by) {
  return LLVM::LShrOp::create(b, a, i32(by));
}
Value TileEmitter::shiftLeft(Value a, int64_t by) {
  return LLVM::ShlOp::create(b, a, i32(by));
}
Value TileEmitter::least(Value a, Value c) {
  return LLVM::UMinOp::create(b, a, c);
}
Value TileEmitter::equals(Value a, Value c) {
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, a, c);
}
Value TileEmitter::lessThan(Value a, Value c) {
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, a, c);
}
Value TileEmitter::select(Value condition, Value a, Value c) {
  return LLVM::SelectOp::create(b, condition, a, c);
}
Value TileEmitter::after(Value pointer, Value bytes, unsigned space) {
  return LLVM::GEPOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), space), b.getI8Type(),
      pointer, ArrayRef<LLVM::GEPArg>{bytes});
}
Value TileEmitter::sharedAt(int64_t offset) { return after(shared, offset); }

void TileEmitter::onlyIf(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value TileEmitter::assembly(Type result, StringRef text, StringRef constraints,
                            ArrayRef<Value> operands, bool hasEffects) {
  auto made = LLVM::InlineAsmOp::create(
      b, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
      hasEffects, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  return result ? made.getResult(0) : Value();
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

TileEmitter::TileEmitter(gpu::GPUFuncOp kernel, ProgramOp program)
    : kernel(kernel), program(program), b(program.getLoc(), program),
      plan(planShared(program)) {
  MLIRContext *context = b.getContext();
  genericPtr = LLVM::LLVMPointerType::get(context);
  sharedPtr = LLVM::LLVMPointerType::get(context, 3);
  clusterPtr = LLVM::LLVMPointerType::get(context, 7);
}

Type TileEmitter::convert(Type type) {
  if (isa<RowsType>(type))
    return LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(2, b.getF32Type()));
  auto frag = dyn_cast<FragType>(type);
  if (!frag)
    return type;
  // Each of 128 threads holds its share, narrow elements in pairs.
  int64_t count = frag.getRows() * frag.getColumns() / kWarpgroupThreads;
  bool isWide = frag.getElementType().getIntOrFloatBitWidth() == 32;
  Type element = isWide ? frag.getElementType() : Type(b.getI32Type());
  return LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(isWide ? count : count / 2, element));
}

LogicalResult TileEmitter::run() {
  declareShared();
  // The host encodes maps into parameters; all that is used is their address.
  SmallVector<TensorMapOp> ops;
  kernel.walk([&](TensorMapOp op) { ops.push_back(op); });
  for (TensorMapOp op : ops) {
    Value address =
        UnrealizedConversionCastOp::create(b, genericPtr, op.getSource())
            .getResult(0);
    values.map(op.getMap(), address);
    maps.push_back(address);
  }
  emitStart();
  for (Operation &op : program.getBody().front()) {
    if (isa<MakeRingOp, MakeBoxesOp, MakeExchangeOp, MakeMailboxOp, RoleOp,
            TensorMapOp>(op))
      continue;
    if (failed(emitOp(op)))
      return failure();
  }
  if (failed(emitRoles()))
    return failure();
  program.erase();
  for (TensorMapOp op : ops)
    if (op->getBlock())
      op.erase();
  return success();
}

void TileEmitter::emitStart() {
  Type word = b.getI32Type();
  Value all = i32(-1);
  thread = NVVM::ThreadIdXOp::create(b, word);
  // A warp is of one mind about its number; the shuffle says so.
  warp = NVVM::ShflOp::create(b, word, all, shiftRight(thread, 5), i32(0),
                              i32(31), NVVM::ShflKind::idx, UnitAttr());
  group = shiftRight(warp, 2);
  cluster = NVVM::BlockIdXOp::create(b, word);
  if (program.getCluster() > 1) {
    rank = NVVM::ClusterId::create(b, word);
    cluster = shiftRight(cluster, llvm::Log2_64(program.getCluster()));
    clusters = NVVM::ClusterDimXOp::create(b, word);
  } else {
    rank = i32(0);
    clusters = NVVM::GridDimXOp::create(b, word);
  }
  // Above the offset an address has the number of the block in its cluster.
  sharedLow = shiftRight(
      bitAnd(LLVM::PtrToIntOp::create(b, word, shared), kOffsetMask), 4);
  onlyIf(equals(thread, i32(0)), [&] { initBarriers(); });
  // Relaxed: barriers have a fence of their own, and there is nothing else that
  // others could see.
  if (program.getCluster() > 1)
    NVVM::ClusterArriveRelaxedOp::create(b, b.getUnitAttr());
}

/// In a cluster everybody waits for all blocks. Elsewhere the thread that made
/// the barriers loads through them at once. Warps of a role that loads may end,
/// and barrier 0, which counts all that have not, would be confused: theirs is
/// the one of the first warpgroup, which needs none.
void TileEmitter::awaitBarriers(bool isFirst) {
  bool firstFills = (*program.getBody().getOps<RoleOp>().begin()).fills();
  if (program.getCluster() > 1)
    NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
  else if (!firstFills)
    NVVM::Barrier0Op::create(b);
  else
    assembly(Type(), isFirst ? "bar.arrive 1, $0;" : "bar.sync 1, $0;",
             "n,~{memory}", {i32(program.getThreads())});
}

LogicalResult TileEmitter::emitRoles() {
  OpBuilder::InsertionGuard guard(b);
  int64_t first = 0;
  auto roles = llvm::to_vector(program.getBody().getOps<RoleOp>());
  for (auto [number, role] : llvm::enumerate(roles)) {
    int64_t past = first + role.getWarpgroups();
    if (number + 1 < roles.size()) {
      auto branch = scf::IfOp::create(b, lessThan(group, i32(past)),
                                      /*withElseRegion=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      if (failed(emitRole(role, first)))
        return failure();
      b.setInsertionPointToStart(branch.elseBlock());
    } else if (failed(emitRole(role, first))) {
      return failure();
    }
    first = past;
  }
  return success();
}

LogicalResult TileEmitter::emitRole(RoleOp role, int64_t firstGroup) {
  this->role = role;
  places.clear();
  remotes.clear();
  int64_t even = getEvenRegisters(program.getThreads());
  NVVM::SetMaxRegisterOp::create(b, role.getRegisters(),
                                 (int64_t)role.getRegisters() < even
                                     ? NVVM::SetMaxRegisterAction::decrease
                                     : NVVM::SetMaxRegisterAction::increase);
  awaitBarriers(/*isFirst=*/firstGroup == 0);
  values.map(role.getBody().getArgument(0), sub(group, i32(firstGroup)));
  lane = bitAnd(thread, 31);
  warpOfRole = sub(warp, i32(4 * firstGroup));
  threadOfGroup = bitAnd(thread, kWarpgroupThreads - 1);
  OpBuilder::InsertionGuard guard(b);
  if (role.fills()) {
    auto branch = scf::IfOp::create(b, equals(threadOfGroup, i32(0)),
                                    /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  startRings(role);
  startMailboxes(role);
  startTurns(role);
  startBoxes(role);
  startExchanges(role);
  if (failed(emitBlock(role.getBody().front())))
    return failure();
  drainRings(role);
  drainBoxes(role);
  endTurns(role);
  return success();
}

//===----------------------------------------------------------------------===//
// What roles do
//===----------------------------------------------------------------------===//

LogicalResult TileEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(op)))
      return failure();
  return success();
}

/// The block of a loop or a choice, and what goes on from it. What a product
/// reads has another name after it, in its block only.
LogicalResult TileEmitter::emitYielding(Block &block,
                                        SmallVectorImpl<Value> &results) {
  const IRMapping before = values;
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(op)))
      return failure();
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(values.lookupOrDefault(result));
  values = before;
  return success();
}

LogicalResult TileEmitter::emitOp(Operation &op) {
  b.setLoc(op.getLoc());
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ForTilesOp op) { return emitForTiles(op); })
      .Case([&](scf::ForOp op) { return emitFor(*op); })
      .Case([&](scf::IfOp op) { return emitIf(*op); })
      .Case([&](ClaimTilesOp op) { return emitClaims(op); })
      .Case([&](PostedTilesOp op) { return emitPosted(op); })
      .Case([&](FillOp op) { return emitFill(op); })
      .Case([&](MapOp op) { return emitMap(op); })
      .Case([&](AcquireOp op) { return emitAcquire(op), success(); })
      .Case([&](ReleaseOp op) { return emitRelease(op), success(); })
      .Case([&](OperandOp op) { return emitOperand(op), success(); })
      .Case([&](ZeroOp op) { return emitZero(op), success(); })
      .Case([&](MultiplyOp op) { return emitMultiply(op), success(); })
      .Case([&](AddOp op) { return emitAdd(op), success(); })
      .Case([&](ColumnsOp op) { return emitColumns(op), success(); })
      .Case([&](KeepOp op) { return emitKeep(op), success(); })
      .Case([&](TakeTurnOp) { return emitTakeTurn(), success(); })
      .Case([&](PassTurnOp) { return emitPassTurn(), success(); })
      .Case([&](UnpackOp op) { return emitUnpack(op), success(); })
      .Case([&](ReadRowsOp op) { return emitReadRows(op), success(); })
      .Case([&](AddScaledOp op) { return emitAddScaled(op), success(); })
      .Case([&](WriteTransposedOp op) {
        return emitWriteTransposed(op), success();
      })
      .Case([&](AddPartsOp op) { return emitAddParts(op), success(); })
      .Case([&](WaitOp op) { return emitWait(op), success(); })
      .Case([&](ReadOp op) { return emitRead(op), success(); })
      .Case([&](StoreOp op) { return emitStore(op), success(); })
      .Case([&](SendOp op) { return emitSend(op), success(); })
      .Case([&](WriteOp op) { return emitWrite(op), success(); })
      .Case([&](PostOp op) {
        SmallVector<Value> words;
        for (Value word : op.getWords())
          words.push_back(values.lookupOrDefault(word));
        return emitPost(op.getMailbox(), words), success();
      })
      .Case([&](ClearOp op) { return emitClear(op), success(); })
      .Case([&](FillRowsOp op) { return emitFillRows(op), success(); })
      .Case([&](CapOp op) { return emitCap(op), success(); })
      .Case([&](AddMaskOp op) { return emitAddMask(op), success(); })
      .Case([&](MaskOp op) { return emitMask(op), success(); })
      .Case([&](SoftmaxOp op) { return emitSoftmax(op), success(); })
      .Case([&](ScaleRowsOp op) { return emitScaleRows(op), success(); })
      .Case([&](RoundOp op) { return emitRound(op), success(); })
      .Case([&](AddUpOp op) { return emitAddUp(op), success(); })
      .Case([&](DivideRowsOp op) { return emitDivideRows(op), success(); })
      .Case([&](StoreRowsOp op) { return emitStoreRows(op), success(); })
      .Case([&](BlockRankOp op) {
        values.map(op.getRank(), rank);
        return success();
      })
      .Default([&](Operation *op) -> LogicalResult {
        if (op->getNumRegions() != 0)
          return op->emitOpError("has no place in a tile program");
        b.clone(*op, values);
        return success();
      });
}

LogicalResult TileEmitter::emitFor(Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs())
    inits.push_back(values.lookupOrDefault(init));
  auto made =
      scf::ForOp::create(b, values.lookupOrDefault(loop.getLowerBound()),
                         values.lookupOrDefault(loop.getUpperBound()),
                         values.lookupOrDefault(loop.getStep()), inits,
                         [](OpBuilder &, Location, Value, ValueRange) {});
  values.map(loop.getInductionVar(), made.getInductionVar());
  values.map(loop.getRegionIterArgs(), made.getRegionIterArgs());
  values.map(loop.getResults(), made.getResults());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  SmallVector<Value> results;
  if (failed(emitYielding(*loop.getBody(), results)))
    return failure();
  scf::YieldOp::create(b, results);
  return success();
}

LogicalResult TileEmitter::emitIf(Operation &op) {
  auto choice = cast<scf::IfOp>(op);
  SmallVector<Type> types;
  for (Type type : choice.getResultTypes())
    types.push_back(convert(type));
  auto made =
      scf::IfOp::create(b, types, values.lookupOrDefault(choice.getCondition()),
                        /*addThenBlock=*/true,
                        /*addElseBlock=*/choice.elseBlock() != nullptr);
  values.map(choice.getResults(), made.getResults());
  for (auto [from, to] : llvm::zip(choice->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&to.front());
    SmallVector<Value> results;
    if (failed(emitYielding(from.front(), results)))
      return failure();
    scf::YieldOp::create(b, results);
  }
  return success();
}

LogicalResult TileEmitter::emitForTiles(ForTilesOp op) {
  Value rows = values.lookupOrDefault(op.getRows());
  Value columns = values.lookupOrDefault(op.getColumns());
  // The last group may have fewer rows. Where sizes are known this leaves
  // nothing to divide by but constants.
  Value group = i32(op.getGroup());
  Value lastFirst = mul(div(sub(rows, i32(1)), group), group);
  Value lastHeight = sub(rows, lastFirst);
  SmallVector<Value> carried{i32(0)};
  for (Value init : op.getInits())
    carried.push_back(values.lookupOrDefault(init));
  auto loop =
      scf::ForOp::create(b, cluster, mul(rows, columns), clusters, carried,
                         [](OpBuilder &, Location, Value, ValueRange) {});
  values.map(op.getBody().getArguments().drop_front(3),
             loop.getRegionIterArgs().drop_front());
  values.map(op.getResults(), loop.getResults().drop_front());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), turn = loop.getRegionIterArg(0);
  Value ofGroup = mul(columns, group);
  Value groupNumber = div(number, ofGroup), inGroup = rem(number, ofGroup);
  Value first = mul(groupNumber, group);
  Value isLast = equals(first, lastFirst);
  Value column = select(isLast, div(inGroup, lastHeight), div(inGroup, group));
  Value row = select(isLast, rem(inGroup, lastHeight), rem(inGroup, group));
  Value turned = sub(sub(columns, i32(1)), column);
  values.map(op.getBody().getArgument(0), add(first, row));
  values.map(op.getBody().getArgument(1),
             select(equals(bitAnd(groupNumber, 1), i32(0)), column, turned));
  values.map(op.getBody().getArgument(2), turn);
  SmallVector<Value> carriedOn;
  if (failed(emitYielding(op.getBody().front(), carriedOn)))
    return failure();
  SmallVector<Value> next{add(turn, 1)};
  llvm::append_range(next, carriedOn);
  scf::YieldOp::create(b, next);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// What the L2 cache fetches of a tensor at once.
constexpr int64_t kPromotionBytes = 256;

struct LowerTileProgramsPass
    : aikernel::impl::LowerTileProgramsPassBase<LowerTileProgramsPass> {
  using LowerTileProgramsPassBase::LowerTileProgramsPassBase;

  void runOnOperation() override {
    SmallVector<ProgramOp> programs;
    getOperation().walk([&](ProgramOp op) { programs.push_back(op); });
    for (ProgramOp program : programs) {
      auto kernel = program->getParentOfType<gpu::GPUFuncOp>();
      if (!kernel) {
        program.emitOpError("belongs into a gpu.func");
        return signalPassFailure();
      }
      if (failed(sayWhatLaunchesNeed(kernel, program)) ||
          failed(TileEmitter(kernel, program).run()))
        return signalPassFailure();
    }
  }

private:
  static LogicalResult sayWhatLaunchesNeed(gpu::GPUFuncOp kernel,
                                           ProgramOp program) {
    Builder builder(kernel.getContext());
    int32_t threads = program.getThreads();
    kernel.setKnownBlockSize(SmallVector<int32_t>{threads, 1, 1});
    if (program.getCluster() > 1)
      kernel.setKnownClusterSize(
          SmallVector<int32_t>{int32_t(program.getCluster()), 1, 1});
    kernel->setAttr(kSharedBytesAttrName,
                    builder.getI32IntegerAttr(program.getSharedBytes()));
    kernel->setAttr(kResidentAttrName, builder.getUnitAttr());
    kernel->setAttr(kHotAttrName, builder.getUnitAttr());
    // Roles may only divide registers that are known to be the block's.
    kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({threads, 1, 1}));
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(1));
    SmallVector<Attribute> maps;
    WalkResult passed = kernel.walk([&](TensorMapOp op) {
      auto argument = dyn_cast<BlockArgument>(op.getSource());
      if (!argument || argument.getOwner() != &kernel.getBody().front() ||
          !argument.hasOneUse()) {
        op.emitOpError("is of a parameter that has no other use");
        return WalkResult::interrupt();
      }
      auto number = [&](int64_t value) {
        return builder.getI32IntegerAttr(value);
      };
      NamedAttribute fields[] = {
          {"argument", number(argument.getArgNumber())},
          {"box", builder.getDenseI32ArrayAttr(op.getBox())},
          {"promotion", number(kPromotionBytes)},
          {"swizzle", number(kLineBytes)}};
      maps.push_back(builder.getDictionaryAttr(
          SmallVector<NamedAttribute>(std::begin(fields), std::end(fields))));
      return WalkResult::advance();
    });
    if (!maps.empty())
      kernel->setAttr(kTensorMapsAttrName, builder.getArrayAttr(maps));
    return failure(passed.wasInterrupted());
  }
};

} // namespace
