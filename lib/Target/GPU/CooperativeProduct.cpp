//===- CooperativeProduct.cpp - A product by all threads of a block -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an aik_tile.product in a kernel. Out: the tiles of a block, addresses and
// bounds of what its threads copy, and what becomes of sums.
//
//===----------------------------------------------------------------------===//

#include "CooperativeProduct.h"
#include "VectorAccess.h"
#include "VectorBody.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace aikernel;

/// Floats between the rows of staged sums beyond their columns: neighbouring
/// rows are in other banks.
static constexpr int64_t kPadding = 8;
static constexpr int64_t kElementBytes = 2;

bool aikernel::isCooperative(tile::ScheduleAttr schedule) {
  return schedule.getLoadRegisters() == 0;
}

CooperativeProduct::CooperativeProduct(gpu::GPUFuncOp kernel,
                                       tile::ProductOp op, int64_t waveSize,
                                       int64_t perBlock)
    : kernel(kernel), op(op), schedule(op.getSchedule()), b(op.getLoc(), op),
      waveSize(waveSize), perBlock(perBlock),
      threads(schedule.getWarpgroups() * tile::kWarpgroupThreads) {
  element = cast<MemRefType>(op.getLhs().getType()).getElementType();
  int64_t length =
      cast<MemRefType>(op.getLhs().getType()).getDimSize(1 - op.getLhsRowDim());
  steps = llvm::divideCeil(length, schedule.getDepth());
  int64_t waves = threads / waveSize;
  wavesDown = waves >= 4 ? 2 : 1;
  wavesAcross = waves / wavesDown;
}

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

Value CooperativeProduct::andAlso(Value a, Value c) {
  return a && c ? Value(arith::AndIOp::create(b, a, c)) : a ? a : c;
}
Value CooperativeProduct::lessThan(Value a, Value c) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, a, c);
}
Value CooperativeProduct::divided(Value a, int64_t by) {
  return by == 1 ? a : Value(arith::DivUIOp::create(b, a, b.index(by)));
}
Value CooperativeProduct::remainder(Value a, int64_t by) {
  return arith::RemUIOp::create(b, a, b.index(by));
}
Value CooperativeProduct::bitXor(Value a, Value c) {
  return arith::XOrIOp::create(b, a, c);
}
Value CooperativeProduct::select(Value condition, Value a, Value c) {
  return arith::SelectOp::create(b, condition, a, c);
}
Value CooperativeProduct::after(Value pointer, Value bytes) {
  Value word = arith::IndexCastOp::create(b, b.getI64Type(), bytes);
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{word});
}
Value CooperativeProduct::zeros(int64_t count) {
  if (count == 1)
    return arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  auto type = VectorType::get({count}, b.getF32Type());
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

int64_t CooperativeProduct::stageBytes() const {
  return (schedule.getRows() + schedule.getColumns()) * schedule.getDepth() *
         kElementBytes;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

CooperativeProduct::Operand
CooperativeProduct::describe(Value memref, bool rowMajor, bool isLeft) {
  Operand operand;
  auto type = cast<MemRefType>(memref.getType());
  operand.memref = memref;
  operand.isLeft = isLeft;
  operand.rowMajor = rowMajor;
  operand.rows = isLeft ? schedule.getRows() : schedule.getColumns();
  operand.depth = schedule.getDepth();
  operand.stride = type.getStridesAndOffset().first[0];
  operand.waveRows = operand.rows / (isLeft ? wavesDown : wavesAcross);
  int64_t size = type.getDimSize(rowMajor ? 1 : 0);
  bool isKnown = !ShapedType::isDynamic(size);
  operand.size = isKnown ? b.index(size) : op.getRows();
  operand.isRagged = !isKnown || size % operand.rows != 0;
  operand.offset =
      isLeft ? 0 : schedule.getRows() * operand.depth * kElementBytes;
  Value number =
      isLeft ? divided(wave, wavesAcross) : remainder(wave, wavesAcross);
  operand.waveRow = b.times(number, operand.waveRows);
  Value address = arith::IndexCastOp::create(
      b, b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, memref));
  operand.base = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
  return operand;
}

CooperativeProduct::Source CooperativeProduct::sourceOf(const Operand &operand,
                                                        Value first, Value row,
                                                        Value k) {
  Value at = b.plus(first, row);
  Value line = operand.rowMajor ? k : at, inLine = operand.rowMajor ? at : k;
  Value elements = b.plus(b.times(line, operand.stride), inLine);
  int64_t lines = operand.rowMajor ? operand.stride : 1;
  return {after(operand.base, b.times(elements, kElementBytes)),
          operand.isRagged ? lessThan(at, operand.size) : Value(), k,
          operand.depth * lines * kElementBytes};
}

std::pair<Value, Value> CooperativeProduct::chunkOf(const Operand &operand,
                                                    const Source &source,
                                                    Value step) {
  Value k = b.plus(source.k, b.times(step, operand.depth));
  Value isInside = andAlso(source.isInside, lessThan(k, depth));
  Value pointer = after(source.pointer, b.times(step, source.bytes));
  return {select(isInside, pointer, operand.base), isInside};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult CooperativeProduct::check() {
  int64_t rows = schedule.getRows(), columns = schedule.getColumns(),
          deep = schedule.getDepth();
  bool divides = rows % (wavesDown * kBlock) == 0 &&
                 columns % (wavesAcross * kBlock) == 0 &&
                 rows * deep % (2 * kChunk * threads) == 0 &&
                 columns * deep % (2 * kChunk * threads) == 0 &&
                 (deep == 32 || deep == 64);
  bool isPlain = schedule.getCluster() == 1 && schedule.getSplit() == 1 &&
                 !schedule.getSwapped();
  if (!divides || !isPlain)
    return op.emitOpError("has a schedule that does not divide its tile among "
                          "the threads of a block");
  return success();
}

LogicalResult CooperativeProduct::run() {
  if (failed(check()))
    return failure();
  zero = b.index(0);
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  lane = remainder(thread, waveSize);
  wave = divided(thread, waveSize);
  left = describe(op.getLhs(), op.getLhsTransposed(), /*isLeft=*/true);
  right = describe(op.getRhs(), !op.getRhsTransposed(), /*isLeft=*/false);
  depth = b.index(cast<MemRefType>(op.getLhs().getType())
                      .getDimSize(1 - op.getLhsRowDim()));
  int64_t pitch = right.waveRows + kPadding;
  int64_t strips = threads / waveSize * kBlock * pitch * 4;
  shared = declareShared(
      std::max<int64_t>(schedule.getStages() * stageBytes(), strips));
  // Tiles in groups of rows, a column of a group after the other: what runs at
  // the same time reads few different rows and columns.
  Value rows = b.ceilDiv(left.size, left.rows);
  Value columns = b.ceilDiv(right.size, right.rows);
  Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  b.loop(first, b.times(rows, columns), schedule.getBlocks(), [&](Value tile) {
    Value ofGroup = b.times(columns, schedule.getGroup());
    Value group = arith::DivUIOp::create(b, tile, ofGroup);
    Value inGroup = arith::RemUIOp::create(b, tile, ofGroup);
    Value top = b.times(group, schedule.getGroup());
    Value height = b.smaller(b.minus(rows, top), b.index(schedule.getGroup()));
    Value row = b.plus(top, arith::RemUIOp::create(b, inGroup, height));
    Value column = arith::DivUIOp::create(b, inGroup, height);
    emitTile(b.times(row, left.rows), b.times(column, right.rows));
  });
  op.erase();
  return success();
}

void CooperativeProduct::emitTile(Value row, Value column) {
  Values sums = emitSums(row, column);
  int64_t ofRow = blocksAcross() * perBlock;
  // Sums take the place of tiles that nobody reads any more.
  for (int64_t i = 0; i < blocksDown(); ++i) {
    gpu::BarrierOp::create(b);
    emitStrip(row, column, ArrayRef(sums).slice(i * ofRow, ofRow), i);
  }
  gpu::BarrierOp::create(b);
}

//===----------------------------------------------------------------------===//
// What becomes of sums
//===----------------------------------------------------------------------===//

void CooperativeProduct::emitStrip(Value row, Value column, ValueRange sums,
                                   int64_t blockRow) {
  int64_t columns = right.waveRows, pitch = columns + kPadding;
  Value begin = b.times(wave, kBlock * pitch);
  for (int64_t j = 0; j < blocksAcross(); ++j)
    stage(sums.slice(j * perBlock, perBlock), b.plus(begin, j * kBlock), pitch);
  gpu::BarrierOp::create(b);
  auto outType = cast<MemRefType>(op.getOut().getType());
  int64_t width = widestVectorOf(outType.getElementType());
  int64_t inRow = columns / width;
  Value top = b.plus(b.plus(row, left.waveRow), blockRow * kBlock);
  Value start = b.plus(column, right.waveRow);
  b.loop(lane, b.index(kBlock * inRow), waveSize, [&](Value number) {
    Value inStrip = divided(number, inRow);
    Value offset = b.times(remainder(number, inRow), width);
    Value i = b.plus(top, inStrip), j = b.plus(start, offset);
    Value isInside =
        andAlso(left.isRagged ? lessThan(i, left.size) : Value(),
                right.isRagged ? lessThan(j, right.size) : Value());
    OpBuilder::InsertionGuard guard(b);
    if (isInside) {
      auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    Value at = b.plus(b.plus(begin, b.times(inStrip, pitch)), offset);
    Values operands = {
        LLVM::LoadOp::create(b, VectorType::get({width}, b.getF32Type()),
                             sharedAt(b.times(at, 4)), /*alignment=*/16)};
    for (auto [extra, map] : llvm::zip(op.getExtras(), op.getExtraMaps()))
      operands.push_back(
          loadExtra(extra, cast<AffineMapAttr>(map).getValue(), i, j, width));
    Value made = emitVectorBody(b, op.getBody().front(), operands, width,
                                [](unsigned) { return Value(); })[0];
    vector::StoreOp::create(b, asVector(b, made, width), op.getOut(),
                            ValueRange{i, j}, /*nontemporal=*/false,
                            llvm::MaybeAlign(16));
  });
}

/// The elements of an extra beside `width` sums of a row, or one for all.
Value CooperativeProduct::loadExtra(Value memref, AffineMap map, Value row,
                                    Value column, int64_t width) {
  auto indices = [&](Value column) {
    Values where;
    for (AffineExpr expr : map.getResults())
      where.push_back(expr.isFunctionOfDim(0)   ? row
                      : expr.isFunctionOfDim(1) ? column
                                                : zero);
    return where;
  };
  if (!map.isFunctionOfDim(1))
    return b.load(memref, indices(column));
  auto type = cast<MemRefType>(memref.getType());
  bool isLast = map.getResults().back().isFunctionOfDim(1);
  if (isLast && type.getStridesAndOffset().first.back() == 1 &&
      alignmentOf(memref, width) == width)
    return loadVector(b, memref, indices(column), width);
  Values elements;
  for (int64_t i = 0; i < width; ++i)
    elements.push_back(b.load(memref, indices(b.plus(column, i))));
  return vector::FromElementsOp::create(
      b, VectorType::get({width}, type.getElementType()), elements);
}
