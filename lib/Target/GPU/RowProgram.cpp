//===- RowProgram.cpp - Rows that stay in registers -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel of structured ops on whole rows. Out: whether it has that form,
// and how threads divide a row:
//
//   a row of 8192 bf16, 256 threads: each has 4 vectors of 8 elements, thread t
//   those at 8 t, 8 (256 + t), ...; short rows have a warp each
//
//===----------------------------------------------------------------------===//

#include "RowProgram.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "BufferAlignment.h"
#include "Processor.h"
#include "RowEmitter.h"
#include "ThreadReduction.h"
#include "VectorAccess.h"
#include "VectorBody.h"

#include <numeric>

using namespace mlir;
using namespace aikernel;

/// Elements of a row that one thread can hold beside what it computes.
static constexpr int64_t kMostElements = 64;

/// Rows that a cluster shares: threads of its blocks, blocks of the largest
/// cluster that every device takes, and elements that a thread should have.
static constexpr int64_t kThreads = 512;
static constexpr int64_t kMostBlocks = 8;
static constexpr int64_t kElements = 32;
/// Shared memory of a block when two share a processor.
static constexpr int64_t kBlockBytes = 110 * 1024;
static constexpr int64_t kMostStages = 3;
/// What a thread asks for at once.
static constexpr int64_t kCopyBytes = 16;

static bool isScratch(Operation *op) {
  return isa_and_nonnull<memref::AllocaOp, memref::AllocOp>(op);
}

/// Scratch of the block as a whole, not a part of it.
bool aikernel::isWholeScratch(Value memref) {
  while (Operation *def = memref.getDefiningOp()) {
    if (isScratch(def))
      return true;
    if (auto view = dyn_cast<memref::ViewOp>(def)) {
      if (!isConstantIntValue(view.getByteShift(), 0))
        return false;
      memref = view.getSource();
    } else if (auto cast = dyn_cast<memref::CastOp>(def)) {
      memref = cast.getSource();
    } else {
      return false;
    }
  }
  return false;
}

Value aikernel::scratchOf(Value memref) {
  while (!isScratch(memref.getDefiningOp()))
    memref = memref.getDefiningOp()->getOperand(0);
  return memref;
}

static bool isPartOfScratch(Value memref) {
  return isScratch(rootOf(memref).getDefiningOp());
}

/// What the operands of an op are indexed by, when its first `rowLoops` loops
/// are rows and the next one, if there is one, columns.
static bool classify(linalg::LinalgOp op, unsigned rowLoops,
                     SmallVectorImpl<RowShape> &shapes) {
  bool hasColumns = op.getNumLoops() > rowLoops;
  MLIRContext *context = op.getContext();
  auto rows = AffineMap::getMultiDimIdentityMap(rowLoops, context);
  auto all = AffineMap::getMultiDimIdentityMap(op.getNumLoops(), context);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    // What has no loops of rows is one row, whose numbers have no indices.
    bool isOneRow = rowLoops == 0 && isa<MemRefType>(operand.get().getType());
    if (map.getNumResults() == 0)
      shapes.push_back(isOneRow ? RowShape::PerRow : RowShape::Scalar);
    else if (hasColumns && map == all)
      shapes.push_back(RowShape::Full);
    else if (rowLoops > 0 && map.getResults() == rows.getResults())
      shapes.push_back(RowShape::PerRow);
    else if (hasColumns && map.getNumResults() == 1 &&
             map.getResult(0) == getAffineDimExpr(rowLoops, context))
      shapes.push_back(RowShape::Column);
    else
      return false;
  }
  return true;
}

/// What a kernel writes outside of its scratch it may read only through the
/// same value: threads know what they hold by that.
static bool readsItsResults(Block &block) {
  DenseMap<Value, Value> written;
  for (auto op : block.getOps<linalg::LinalgOp>())
    for (Value init : op.getDpsInits())
      if (!isWholeScratch(init))
        written[rootOf(init)] = init;
  for (auto op : block.getOps<linalg::LinalgOp>())
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()) || isWholeScratch(operand))
        continue;
      auto known = written.find(rootOf(operand));
      if (known != written.end() && known->second != operand)
        return true;
    }
  return false;
}

bool RowProgram::add(linalg::LinalgOp op) {
  RowOp row;
  row.op = op;
  if (op->hasAttr(kSpreadAttrName))
    return false;
  if (!worksOnVectors(op))
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  row.hasColumns = iterators.size() == rowExtents.size() + 1;
  if (!row.hasColumns && iterators.size() != rowExtents.size())
    return false;
  if (row.hasColumns && extents.back() != columns)
    return false;
  extents.truncate(rowExtents.size());
  if (extents != rowExtents)
    return false;
  auto isParallel = [](utils::IteratorType iterator) {
    return iterator == utils::IteratorType::parallel;
  };
  if (!llvm::all_of(ArrayRef(iterators).take_front(rowExtents.size()),
                    isParallel))
    return false;
  row.reduces = row.hasColumns && !isParallel(iterators.back());
  if (row.reduces && !ThreadReduction::match(op))
    return false;
  if (!classify(op, rowExtents.size(), row.shapes))
    return false;
  for (auto [operand, shape] : llvm::zip(op->getOpOperands(), row.shapes)) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    Type element = type.getElementType();
    if (!isHeldInRegisters(element))
      return false;
    if (isWholeScratch(operand.get()))
      continue;
    // A part of the scratch would need its place in the row.
    if (isPartOfScratch(operand.get()))
      return false;
    if (shape != RowShape::Full && shape != RowShape::Column)
      continue;
    if (type.getStridesAndOffset().first.back() != 1)
      return false;
    int64_t inVector = widestVectorOf(element);
    narrowest = std::min<int64_t>(narrowest, element.getIntOrFloatBitWidth());
    int64_t aligned = alignmentOf(operand.get(), inVector);
    if (aligned < inVector)
      mostElements = std::min(mostElements, aligned);
  }
  ops.push_back(row);
  return true;
}

std::optional<RowLayout> RowProgram::divide(int64_t threads,
                                            int64_t blocks) const {
  if (columns ==
      1) // then there may be no dimension of a row to store vectors in
    return std::nullopt;
  RowLayout layout;
  layout.columns = columns;
  layout.threads = threads;
  layout.vector = std::min(std::gcd<int64_t>(kVectorBits / narrowest, columns),
                           mostElements);
  bool oneRow = llvm::all_of(rowExtents, [](int64_t n) { return n == 1; });
  if (!oneRow && blocks > 1)
    return std::nullopt;
  layout.perRow = oneRow ? threads * blocks : kWarpSize;
  if (layout.pieces() * layout.vector > kMostElements)
    return std::nullopt;
  return layout;
}

std::optional<SharedRow> RowProgram::divideByCluster(TargetAttr target) const {
  bool hasClusters = getProcessor(target).hasWarpgroups;
  bool hasReduction =
      llvm::any_of(ops, [](const RowOp &row) { return row.reduces; });
  if (!hasClusters || !hasReduction)
    return std::nullopt;
  int64_t blocks = 2;
  while (blocks < kMostBlocks && columns > blocks * kThreads * kElements)
    blocks *= 2;
  std::optional<RowLayout> layout = divide(kThreads, blocks);
  if (!layout)
    return std::nullopt;
  SharedRow row{*layout, blocks, 0, {}};
  if (!planStages(row))
    return std::nullopt;
  return row;
}

bool RowProgram::planStages(SharedRow &row) const {
  RowLayout &layout = row.layout;
  auto bytesOf = [](Value memref) {
    return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
  };
  SetVector<Value> written;
  for (const RowOp &rowOp : ops) {
    linalg::LinalgOp op = rowOp.op;
    for (OpOperand &operand : op->getOpOperands()) {
      RowShape shape = rowOp.shapes[operand.getOperandNumber()];
      Value memref = operand.get();
      if ((shape != RowShape::Full && shape != RowShape::Column) ||
          !isa<MemRefType>(memref.getType()) || isWholeScratch(memref) ||
          !op.payloadUsesValueFromOperand(&operand) ||
          written.contains(memref) || row.inputs.contains(memref))
        continue;
      row.inputs[memref] = shape;
      // Copies to shared memory are of 16 bytes at most.
      layout.vector =
          std::min<int64_t>(layout.vector, kCopyBytes / bytesOf(memref));
    }
    for (Value init : op.getDpsInits())
      written.insert(init);
  }
  int64_t rowBytes = 0, columnBytes = 0;
  for (auto [memref, shape] : row.inputs) {
    int64_t bytes = layout.vector * bytesOf(memref);
    if (bytes != 4 && bytes != 8 && bytes != kCopyBytes)
      return false;
    (shape == RowShape::Full ? rowBytes : columnBytes) +=
        layout.pieces() * layout.threads * bytes;
  }
  if (rowBytes == 0)
    return false;
  row.stages = std::min(kMostStages, (kBlockBytes - columnBytes) / rowBytes);
  if (row.stages < 2)
    row.stages =
        std::min<int64_t>(2, (2 * kBlockBytes - columnBytes) / rowBytes);
  return row.stages >= 2;
}

std::optional<RowProgram> RowProgram::match(Block &block) {
  RowProgram program;
  // Rows are the outer loops of the ops that have the most; columns the last.
  for (auto op : block.getOps<linalg::LinalgOp>())
    if (op.getNumLoops() > program.rowExtents.size() + 1 ||
        program.columns == 0) {
      program.rowExtents = op.getStaticLoopRanges();
      if (program.rowExtents.empty())
        return std::nullopt;
      program.columns = program.rowExtents.pop_back_val();
    }
  if (ShapedType::isDynamic(program.columns) || program.columns <= 0 ||
      llvm::equal(program.rowExtents, ArrayRef(program.columns)))
    return std::nullopt;
  for (Operation &op : block) {
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      if (!program.add(structured))
        return std::nullopt;
      continue;
    }
    auto copy = dyn_cast<memref::CopyOp>(op);
    bool doesNothing = copy && copy.getSource() == copy.getTarget();
    // A number of the host's arrives in scratch of its own.
    auto store = dyn_cast<memref::StoreOp>(op);
    doesNothing |= store && store.getMemRefType().getRank() == 0 &&
                   isScratch(store.getMemRef().getDefiningOp());
    if (!doesNothing && !isScratch(&op) && !isMemoryEffectFree(&op) &&
        !op.hasTrait<OpTrait::IsTerminator>())
      return std::nullopt;
  }
  if (program.ops.empty() || readsItsResults(block))
    return std::nullopt;
  return program;
}
