//===- StreamLongRows.cpp - Rows that a cluster of blocks shares ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels of one row per block that is too long for the registers of one.
// Out: the blocks of a cluster have a part of the row each, and take row after
// row:
//
//   rows that come are on their way to shared memory, each thread's own pieces
//   for row of this cluster:
//     wait for its pieces, take them into registers
//     reduce: warps write what they have into all blocks of the cluster
//     ask for a row to come, in the place of this one
//     compute, store
//
// What a long row waits for, its reductions and the start of its blocks, is
// hidden behind the rows that come: without them a row of 131072 bf16 ran at
// 78 % of the speed of a copy (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#include "../GPU/RowEmitter.h"
#include "../GPU/RowSoftmax.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "ClusterExchange.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

#define DEBUG_TYPE "aik-stream-long-rows"

namespace aikernel {
#define GEN_PASS_DEF_STREAMLONGROWSPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

constexpr StringLiteral kSharedName = "aik_rows";

int64_t bytesOf(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
}

class LongRowEmitter final : public RowEmitter {
public:
  LongRowEmitter(gpu::GPUFuncOp kernel, const RowProgram &program,
                 const SharedRow &row)
      : RowEmitter(kernel, program.getOps(), row.layout), blocks(row.blocks),
        softmax(RowSoftmax::find(program.getOps())), stages(row.stages),
        others(b, kernel, layout.threads / aikernel::kWarpSize, row.blocks) {
    planShared(row);
  }

  void run() override;

protected:
  Values acrossRow(const ThreadReduction &reduction, Values values) override;
  void emitOp(const RowOp &row) override;
  Value loadPiece(Value memref, RowShape shape, int64_t piece) override;

private:
  /// An input that waits in shared memory, stage after stage if it is one of
  /// rows; columns are the same for all rows and wait there once.
  struct Waiting {
    RowShape shape;
    int64_t offset; // in shared memory
    Value room;     // memref<stages x pieces x threads x vector>
  };

  void emitOwnMaximum();
  void emitSumOfExponentials();
  void scaleExponentials(Value factor);
  /// Values of all warps of the cluster: each lane gets some of them, for the
  /// first value, the second and so on.
  Values exchange(ValueRange values);
  void takeInputs();
  /// Where each input waits in shared memory.
  void planShared(const SharedRow &row);
  void makeRooms();
  /// The ops that say where a row is, which become the loop's.
  void findAddresses();
  void takeAddresses(scf::ForOp loop);
  /// Asks for the pieces of a row, unless there is none.
  void askFor(Value row, Value stage);
  void askForColumns();
  void copy(Value memref, RowShape shape, const Waiting &waiting, Value stage);
  void endOfCopies();

  int64_t blocks; // of a cluster
  std::optional<RowSoftmax> softmax;
  Value ownMaximum; // of the thread
  int64_t stages;
  int64_t sharedBytes = 0;
  llvm::MapVector<Value, Waiting> inputs;
  SmallVector<Operation *> addresses;
  SmallVector<Value> rowNumbers; // as a block of its own knew it
  Value rowCount, rowStep;       // of all, between two of this cluster
  ClusterExchange others;        // blocks of the cluster
  Value row, stage;              // in the loop
  bool hasAsked = false;         // for a row to come, in the loop
};

void LongRowEmitter::planShared(const SharedRow &row) {
  int64_t elements = layout.pieces() * layout.threads * layout.vector;
  for (auto [memref, shape] : row.inputs) {
    inputs[memref] = {shape, sharedBytes, Value()};
    sharedBytes +=
        elements * bytesOf(memref) * (shape == RowShape::Full ? stages : 1);
  }
}

/// Shared memory whose size the launch says: a symbol without a size.
Value declareShared(LoopBuilder &b, gpu::GPUFuncOp kernel) {
  auto device = kernel->getParentOfType<gpu::GPUModuleOp>();
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type =
      MemRefType::get({0}, b.getI8Type(), MemRefLayoutAttrInterface(), space);
  if (!device.lookupSymbol(kSharedName)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(device.getBody());
    memref::GlobalOp::create(b, kSharedName, StringAttr(), type,
                             /*initial_value=*/Attribute(),
                             /*constant=*/false, b.getI64IntegerAttr(128));
  }
  Value symbol = memref::GetGlobalOp::create(b, type, kSharedName);
  auto open = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  return memref::CastOp::create(b, open, symbol);
}

void LongRowEmitter::makeRooms() {
  Value shared = declareShared(b, kernel);
  Attribute space = cast<MemRefType>(shared.getType()).getMemorySpace();
  for (auto &[memref, waiting] : inputs) {
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    auto type =
        MemRefType::get({waiting.shape == RowShape::Full ? stages : 1,
                         layout.pieces(), layout.threads, layout.vector},
                        element, MemRefLayoutAttrInterface(), space);
    waiting.room = memref::ViewOp::create(
        b, type, shared, b.index(waiting.offset), ValueRange());
  }
  kernel->setAttr(kSharedBytesAttrName, b.getI32IntegerAttr(sharedBytes));
}

void LongRowEmitter::findAddresses() {
  SetVector<Value> moving;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<gpu::BlockIdOp>(op)) {
      rowNumbers.push_back(op.getResult(0));
    } else if (isa<linalg::LinalgOp>(op) ||
               llvm::none_of(op.getOperands(), [&](Value operand) {
                 return moving.contains(operand);
               })) {
      continue;
    } else {
      addresses.push_back(&op);
    }
    moving.insert(op.result_begin(), op.result_end());
  }
}

void LongRowEmitter::takeAddresses(scf::ForOp loop) {
  for (Operation *op : addresses)
    op->moveBefore(loop.getBody(), loop.getBody()->end());
  for (Value number : rowNumbers)
    number.replaceAllUsesWith(loop.getInductionVar());
}

void LongRowEmitter::copy(Value memref, RowShape shape, const Waiting &waiting,
                          Value stage) {
  auto token = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  for (int64_t piece = 0; piece < layout.pieces(); ++piece)
    ifInside(piece, TypeRange(), {}, [&]() -> Values {
      bool bypass = layout.vector * bytesOf(memref) == 16;
      nvgpu::DeviceAsyncCopyOp::create(
          b, token, waiting.room,
          ValueRange{stage, b.index(piece), thread, b.index(0)}, memref,
          indicesOf(shape, piece), b.getIndexAttr(layout.vector), Value(),
          bypass ? b.getUnitAttr() : UnitAttr());
      return {};
    });
}

void LongRowEmitter::endOfCopies() {
  nvgpu::DeviceAsyncCreateGroupOp::create(
      b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), ValueRange());
}

void LongRowEmitter::askFor(Value number, Value stage) {
  auto isThere = scf::IfOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number, rowCount));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isThere.thenBlock());
  IRMapping values;
  values.map(row, number);
  for (Operation *op : addresses)
    b.clone(*op, values);
  for (auto &[memref, waiting] : inputs)
    if (waiting.shape == RowShape::Full)
      copy(values.lookupOrDefault(memref), RowShape::Full, waiting, stage);
}

void LongRowEmitter::askForColumns() {
  for (auto &[memref, waiting] : inputs)
    if (waiting.shape == RowShape::Column)
      copy(memref, RowShape::Column, waiting, b.index(0));
}

Value LongRowEmitter::loadPiece(Value memref, RowShape shape, int64_t piece) {
  auto waiting = inputs.find(memref);
  if (waiting == inputs.end())
    return RowEmitter::loadPiece(memref, shape, piece);
  auto type = VectorType::get(
      {layout.vector}, cast<MemRefType>(memref.getType()).getElementType());
  Value from = shape == RowShape::Full ? stage : b.index(0);
  return vector::LoadOp::create(
      b, type, waiting->second.room,
      ValueRange{from, b.index(piece), thread, b.index(0)},
      /*nontemporal=*/false, llvm::MaybeAlign(layout.vector * bytesOf(memref)));
}

RowEmitter::Values LongRowEmitter::exchange(ValueRange values) {
  ClusterExchange::Sent sent = others.send(values);
  if (!hasAsked) {
    takeInputs();
    askFor(b.plus(row, b.times(rowStep, stages)), stage);
    endOfCopies();
    hasAsked = true;
  }
  Values found = others.receive(sent);
  for (auto [number, value] : llvm::enumerate(found)) {
    Type type = values[number / (found.size() / values.size())].getType();
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(b, type, value);
  }
  return found;
}

RowEmitter::Values LongRowEmitter::acrossRow(const ThreadReduction &reduction,
                                             Values values) {
  values =
      reduction.acrossThreads(b, kernel, values, thread, aikernel::kWarpSize);
  Values found = exchange(values);
  unsigned perValue = found.size() / values.size();
  for (auto [result, value] : llvm::enumerate(values)) {
    value = found[result * perValue];
    for (unsigned i = 1; i < perValue; ++i)
      value = reduction.combine(b, result, value, found[result * perValue + i]);
  }
  return reduction.acrossThreads(b, kernel, values, thread,
                                 aikernel::kWarpSize);
}

void LongRowEmitter::emitOp(const RowOp &row) {
  if (softmax && &row == softmax->maximum)
    emitOwnMaximum();
  else if (softmax && &row == softmax->sum)
    emitSumOfExponentials();
  else
    RowEmitter::emitOp(row);
}

/// The exponentials that come next are of what is above the thread's maximum.
void LongRowEmitter::emitOwnMaximum() {
  ThreadReduction maximum = *ThreadReduction::match(softmax->maximum->op);
  ownMaximum = reduceOwn(*softmax->maximum, maximum).front();
  putReduced(*softmax->maximum, maximum, {ownMaximum});
}

/// Where they are only multiplied with a number of the row, that number takes
/// the factor.
void LongRowEmitter::scaleExponentials(Value factor) {
  if (arith::MulFOp product = softmax->findOnlyUse(ops)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(product);
    product.setOperand(1, arith::MulFOp::create(b, product.getRhs(), factor));
    return;
  }
  linalg::LinalgOp exponentials = softmax->exponentials->op;
  OpOperand &held = *exponentials.getDpsInitOperand(0);
  for (int64_t piece = 0; piece < layout.pieces(); ++piece) {
    Value before = operandAt(*softmax->exponentials, held, piece);
    put(*softmax->exponentials, held, piece,
        arith::MulFOp::create(b, before, asVector(factor)));
  }
}

/// Sums are exchanged with the maximum that they are relative to; in the end
/// each thread puts its exponentials right.
void LongRowEmitter::emitSumOfExponentials() {
  ThreadReduction maximum = *ThreadReduction::match(softmax->maximum->op);
  ThreadReduction sum = *ThreadReduction::match(softmax->sum->op);
  auto scaled = [&](Value value, Value from, Value to) -> Value {
    return arith::MulFOp::create(b, value, softmax->factor(b, from, to));
  };
  auto acrossWarp = [&](const ThreadReduction &reduction, Value value) {
    return reduction
        .acrossThreads(b, kernel, {value}, thread, aikernel::kWarpSize)
        .front();
  };
  Value top = acrossWarp(maximum, ownMaximum);
  Value total = reduceOwn(*softmax->sum, sum).front();
  total = acrossWarp(sum, scaled(total, ownMaximum, top));
  Values found = exchange({top, total});
  ArrayRef<Value> tops = ArrayRef(found).take_front(found.size() / 2);
  ArrayRef<Value> totals = ArrayRef(found).drop_front(tops.size());
  top = tops.front();
  for (Value other : tops.drop_front())
    top = maximum.combine(b, 0, top, other);
  top = acrossWarp(maximum, top);
  total = scaled(totals.front(), tops.front(), top);
  for (auto [part, from] : llvm::drop_begin(llvm::zip(totals, tops)))
    total = sum.combine(b, 0, total, scaled(part, from, top));
  total = acrossWarp(sum, total);
  scaleExponentials(softmax->factor(b, ownMaximum, top));
  putReduced(*softmax->sum, sum, {total});
}

/// All of this row into registers: the next one takes its place.
void LongRowEmitter::takeInputs() {
  for (const RowOp &row : ops) {
    linalg::LinalgOp op = row.op;
    for (OpOperand &operand : op->getOpOperands())
      if (row.shapes[operand.getOperandNumber()] == RowShape::Full &&
          inputs.contains(operand.get()))
        (void)operandAt(row, operand, 0);
  }
}

void LongRowEmitter::run() {
  kernel.setKnownBlockSize(SmallVector<int32_t>{int32_t(layout.threads), 1, 1});
  kernel.setKnownClusterSize(SmallVector<int32_t>{int32_t(blocks), 1, 1});
  kernel->setAttr(kResidentAttrName, b.getUnitAttr());
  kernel->setAttr(kPerThreadAttrName, b.getUnitAttr());
  rowCount = kernel.getArguments().back();
  findAddresses();
  b.setInsertionPoint(kernel.getBody().front().getTerminator());
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value number = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value count = gpu::GridDimOp::create(b, gpu::Dimension::x);
  Value rank = arith::RemUIOp::create(b, number, b.index(blocks));
  others.begin(thread, rank);
  Value first = arith::DivUIOp::create(b, number, b.index(blocks));
  rowStep = arith::DivUIOp::create(b, count, b.index(blocks));
  lane = b.plus(b.times(rank, layout.threads), thread);
  placePieces();
  makeRooms();
  Value zero = b.index(0);
  auto loop =
      scf::ForOp::create(b, first, rowCount, rowStep, ValueRange{zero, zero});
  row = loop.getInductionVar();
  takeAddresses(loop);
  b.setInsertionPoint(loop);
  setRow(zero);
  askForColumns();
  for (int64_t s = 0; s < stages; ++s) {
    askFor(b.plus(first, b.times(rowStep, s)), b.index(s));
    endOfCopies();
  }
  others.awaitOthers();
  b.setInsertionPointToEnd(loop.getBody());
  stage = loop.getRegionIterArg(0);
  Value turn = loop.getRegionIterArg(1);
  others.setTurn(turn);
  NVVM::CpAsyncWaitGroupOp::create(b, stages - 1);
  emitRow(b.index(0));
  Value next = b.plus(stage, 1);
  Value wraps = b.equals(next, stages);
  next = arith::SelectOp::create(b, wraps, zero, next);
  scf::YieldOp::create(b, ValueRange{next, b.plus(turn, 1)});
  eraseOps();
}

struct StreamLongRowsPass
    : aikernel::impl::StreamLongRowsPassBase<StreamLongRowsPass> {
  using StreamLongRowsPassBase::StreamLongRowsPassBase;

  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    auto device =
        getOperation().lookupSymbol<gpu::GPUModuleOp>(kDeviceModuleName);
    if (!device)
      return;
    SmallVector<gpu::LaunchFuncOp> launches;
    getOperation().walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
    for (gpu::LaunchFuncOp launch : launches)
      stream(launch,
             cast<gpu::GPUFuncOp>(device.lookupSymbol(launch.getKernelName())),
             target);
  }

private:
  void stream(gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel,
              TargetAttr target) {
    std::optional<RowProgram> rows =
        RowProgram::match(kernel.getBody().front());
    // Shorter ones are as fast with a block each.
    if (!rows || rows->divide(kThreadsPerBlock))
      return;
    std::optional<SharedRow> shared = rows->divideByCluster(target);
    if (!shared)
      return;
    LongRowEmitter emitter(kernel, *rows, *shared);
    // The number of rows travels as a parameter, since fewer clusters than rows
    // will run.
    OpBuilder b(launch);
    Value count = launch.getGridSizeX();
    (void)kernel.insertArgument(kernel.getFunctionType().getNumInputs(),
                                b.getIndexType(), {}, kernel.getLoc());
    auto twin = getOperation().lookupSymbol<func::FuncOp>(
        (kernel.getName() + kTwinSuffix).str());
    (void)twin.insertArgument(twin.getNumArguments(), b.getIndexType(), {},
                              twin.getLoc());
    launch.getKernelOperandsMutable().append(count);
    Value size =
        arith::ConstantIndexOp::create(b, launch.getLoc(), shared->blocks);
    launch.getGridSizeXMutable().assign(
        arith::MulIOp::create(b, launch.getLoc(), count, size));
    emitter.run();
  }
};

} // namespace
