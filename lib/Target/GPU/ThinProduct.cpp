//===- ThinProduct.cpp - A matrix times a few vectors ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a product on buffers. Out, where rows of the matrix are summed up:
//
//   a few rows at a time: all threads take 16 bytes of each in turn, several
//   such pieces at a time, and add up what they have at the end
//
// and where columns are:
//
//   a lane has 16 bytes of each row, four lanes 64; the others, and the other
//   warps, have other rows; they add up through shared memory
//
// The vectors come from the cache, and are asked for first: loads are answered
// in about the order in which they were asked for.
//
//===----------------------------------------------------------------------===//

#include "ThinProduct.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Transforms/Vectors/VectorBodies.h"
#include "SharedMemory.h"
#include "StructuredBody.h"
#include "VectorAccess.h"

using namespace mlir;
using namespace aikernel;
using Values = LoopBuilder::Values;

/// Most threads of a block, and vectors of the matrix that a thread asks for at
/// once, where rows are summed up; what was fastest for 14336x4096 bf16.
static constexpr int64_t kRowThreads = 512;
static constexpr int64_t kUnderWay = 4;
/// Rows of the matrix that a thread asks for at once, where columns are.
static constexpr int64_t kRowsUnderWay = 8;
/// Sums that a thread has at once; when they are few, each is a vector of sums,
/// so that additions do not wait for each other.
static constexpr int64_t kMostSums = 16;
static constexpr int64_t kFewSums = 4;
/// Lanes next to each other in a row whose columns are summed up.
static constexpr int64_t kColumnLanes = 4;

//===----------------------------------------------------------------------===//
// Which products
//===----------------------------------------------------------------------===//

std::optional<ThinLoops> ThinLoops::match(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  for (Operation &inner : *op.getBlock())
    if (!isLanewise(inner) || isa<linalg::IndexOp>(inner))
      return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  ThinLoops loops;
  SmallVector<unsigned> parallel;
  std::optional<unsigned> sum;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator == utils::IteratorType::parallel) {
      if (extents[loop] != 1)
        parallel.push_back(loop);
    } else if (sum) {
      return std::nullopt;
    } else {
      sum = loop;
    }
  }
  // A tile may be one row.
  if (parallel.empty() && op.getNumParallelLoops() > 0) {
    SmallVector<unsigned> all;
    op.getParallelDims(all);
    parallel.push_back(all.back());
  }
  if (!sum || parallel.empty() || parallel.size() > 2)
    return std::nullopt;
  loops.sum = *sum;
  loops.outer = parallel.back();
  if (parallel.size() == 2) {
    auto isLonger = [](int64_t x, int64_t y) {
      return ShapedType::isDynamic(x) || (!ShapedType::isDynamic(y) && x > y);
    };
    loops.vectorNumber = parallel.front();
    if (isLonger(extents[*loops.vectorNumber], extents[loops.outer]))
      std::swap(*loops.vectorNumber, loops.outer);
    loops.vectorCount = extents[*loops.vectorNumber];
    if (ShapedType::isDynamic(loops.vectorCount) ||
        loops.vectorCount > kMostVectors)
      return std::nullopt;
  }
  auto isIndexedBy = [&](OpOperand &operand, unsigned loop) {
    return op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
  };
  OpOperand &first = *op.getDpsInputOperand(0);
  OpOperand &second = *op.getDpsInputOperand(1);
  bool firstIsMatrix = isIndexedBy(first, loops.outer);
  loops.matrix = firstIsMatrix ? &first : &second;
  loops.vectors = firstIsMatrix ? &second : &first;
  if (!isIndexedBy(*loops.matrix, loops.outer) ||
      isIndexedBy(*loops.vectors, loops.outer) ||
      !isIndexedBy(*loops.matrix, *sum) || !isIndexedBy(*loops.vectors, *sum))
    return std::nullopt;
  if (loops.vectorNumber && isIndexedBy(*loops.matrix, *loops.vectorNumber))
    return std::nullopt;
  auto lastLoop = [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return map.getDimPosition(map.getNumResults() - 1);
  };
  loops.isRowwise = lastLoop(*loops.matrix) == *sum;
  if (loops.isRowwise ? lastLoop(*loops.vectors) != *sum
                      : lastLoop(*loops.matrix) != loops.outer)
    return std::nullopt;
  return loops;
}

static bool isContiguous(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && type.getStridesAndOffset().first.back() == 1;
}

std::optional<ThinProduct> ThinProduct::match(linalg::LinalgOp op) {
  std::optional<ThinLoops> loops = ThinLoops::match(op);
  std::optional<ThreadReduction> reduction = ThreadReduction::match(op);
  if (!loops || !reduction)
    return std::nullopt;
  Value matrix = loops->matrix->get(), vectors = loops->vectors->get();
  if (!isContiguous(matrix) || !isContiguous(vectors))
    return std::nullopt;
  ThinProduct product(op, *loops, std::move(*reduction));
  product.width =
      alignmentOf(matrix, widestVectorOf(getElementTypeOrSelf(matrix)));
  if (loops->isRowwise)
    product.width = std::min(
        product.width,
        alignmentOf(vectors, widestVectorOf(getElementTypeOrSelf(vectors))));
  else if (op.getMatchingIndexingMap(loops->vectors).getResults().back() ==
           getAffineDimExpr(loops->sum, op.getContext()))
    product.numbersAtOnce = alignmentOf(vectors, kRowsUnderWay);
  // A vector is whole, or not there at all.
  int64_t extent =
      op.getStaticLoopRanges()[loops->isRowwise ? loops->sum : loops->outer];
  if (ShapedType::isDynamic(extent) || extent % product.width != 0)
    product.width = 1;
  return product;
}

/// How threads divide rows that are summed up.
struct RowDivision {
  int64_t lanes; // threads that share a row
  int64_t rows;  // that they have at a time
};

static RowDivision divideRows(linalg::LinalgOp op, const ThinLoops &loops,
                              int64_t width, int64_t threads) {
  int64_t columns = op.getStaticLoopRanges()[loops.sum];
  if (ShapedType::isDynamic(columns))
    columns = threads * width * kUnderWay;
  int64_t lanes = columns < threads * width ? kWarpSize : threads;
  int64_t pieces = llvm::divideCeil(columns, lanes * width);
  int64_t most = std::max<int64_t>(1, kMostSums / loops.vectorCount);
  return {lanes, std::clamp<int64_t>(kUnderWay / pieces, 1, most)};
}

int64_t ThinProduct::threadsFor(linalg::LinalgOp op, const ThinLoops &loops) {
  if (!loops.isRowwise)
    return kThreadsPerBlock;
  // As many as divide the row into equal parts.
  int64_t columns = op.getStaticLoopRanges()[loops.sum];
  int64_t width = widestVectorOf(getElementTypeOrSelf(loops.matrix->get()));
  for (int64_t threads = kRowThreads; threads >= kThreadsPerBlock;
       threads -= kWarpSize)
    if (!ShapedType::isDynamic(columns) && columns % (threads * width) == 0)
      return threads;
  return kRowThreads;
}

int64_t ThinProduct::outerTile(linalg::LinalgOp op, const ThinLoops &loops) {
  int64_t threads = threadsFor(op, loops);
  int64_t width = widestVectorOf(getElementTypeOrSelf(loops.matrix->get()));
  if (!loops.isRowwise)
    return kColumnLanes * width;
  RowDivision division = divideRows(op, loops, width, threads);
  return threads / division.lanes * division.rows;
}

//===----------------------------------------------------------------------===//
// What both forms do
//===----------------------------------------------------------------------===//

ThinProduct::Values ThinProduct::indices(LoopBuilder &b, OpOperand &operand,
                                         Value outer, Value sum,
                                         int64_t vector) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Values found;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    unsigned loop = map.getDimPosition(i);
    if (loop == loops.outer)
      found.push_back(outer);
    else if (loop == loops.sum)
      found.push_back(sum);
    else
      found.push_back(b.index(loops.vectorNumber == loop ? vector : 0));
  }
  return found;
}

Value ThinProduct::load(LoopBuilder &b, OpOperand &operand, Value outer,
                        Value sum, int64_t vector) {
  return loadVector(b, operand.get(), indices(b, operand, outer, sum, vector),
                    width);
}

static Values elementsOf(LoopBuilder &b, Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return {vector};
  Values elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(
        vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{i}));
  return elements;
}

ThinProduct::Values ThinProduct::loadNumbers(LoopBuilder &b, Value outer,
                                             Value sum, int64_t vector,
                                             int64_t count) {
  Value memref = loops.vectors->get();
  if (count > 1 && numbersAtOnce == count)
    return elementsOf(
        b, loadVector(b, memref, indices(b, *loops.vectors, outer, sum, vector),
                      count));
  Values numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(b.load(
        memref, indices(b, *loops.vectors, outer, b.plus(sum, i), vector)));
  return numbers;
}

Value ThinProduct::add(LoopBuilder &b, Value matrix, Value vector, Value sum) {
  // A single sum takes the products one after the other.
  if (isa<VectorType>(matrix.getType()) && !isa<VectorType>(sum.getType())) {
    for (auto [x, y] : llvm::zip(elementsOf(b, matrix), elementsOf(b, vector)))
      sum = add(b, x, y, sum);
    return sum;
  }
  IRMapping values;
  values.map(op.getMatchingBlockArgument(loops.matrix), matrix);
  values.map(op.getMatchingBlockArgument(loops.vectors), vector);
  values.map(op.getRegionOutputArgs().front(), sum);
  return emitMultiplyAdd(b, op, values, width);
}

Value ThinProduct::neutral(LoopBuilder &b, bool asVector) {
  Value value = reduction.neutral(b).front();
  return asVector ? splat(b, b.getLoc(), value, width) : value;
}

bool ThinProduct::isOnce(int64_t tile) {
  int64_t extent = op.getStaticLoopRanges()[loops.outer];
  return !ShapedType::isDynamic(extent) && extent <= tile;
}

void ThinProduct::store(LoopBuilder &b, Value outer, int64_t vector,
                        Value sum) {
  OpOperand &out = *op.getDpsInitOperand(0);
  Values where = indices(b, out, outer, Value(), vector);
  Value before = b.load(out.get(), where);
  b.store(reduction.combine(b, 0, before, sum), out.get(), where);
}

void ThinProduct::emit(LoopBuilder &b, gpu::GPUFuncOp kernel, Value thread,
                       int64_t threads) {
  SmallVector<Range> ranges = op.createLoopRanges(b, b.getLoc());
  outerCount =
      getValueOrCreateConstantIndexOp(b, b.getLoc(), ranges[loops.outer].size);
  sumCount =
      getValueOrCreateConstantIndexOp(b, b.getLoc(), ranges[loops.sum].size);
  if (loops.isRowwise)
    emitRows(b, kernel, thread, threads);
  else
    emitColumns(b, kernel, thread, threads);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void ThinProduct::emitRows(LoopBuilder &b, gpu::GPUFuncOp kernel, Value thread,
                           int64_t threads) {
  RowDivision division = divideRows(op, loops, width, threads);
  int64_t lanes = division.lanes, rows = division.rows;
  int64_t vectors = loops.vectorCount, step = lanes * width;
  int64_t steps = std::max<int64_t>(1, kUnderWay / rows);
  Value group = arith::DivUIOp::create(b, thread, b.index(lanes));
  Value lane = arith::RemUIOp::create(b, thread, b.index(lanes));
  Value last = b.minus(outerCount, b.index(1));
  Value start = lanes == threads ? b.index(0) : b.times(group, rows);
  // Warps do not meet again.
  if (lanes != threads)
    gpu::BarrierOp::create(b);
  b.loop(start, outerCount, threads / lanes * rows, [&](Value row) {
    // The last row again, where there are no more.
    Values rowNumbers;
    for (int64_t r = 0; r < rows; ++r)
      rowNumbers.push_back(b.smaller(b.plus(row, r), last));
    auto addPieces = [&](Value place, int64_t count, ValueRange carried) {
      Values pieces, ofVectors, next(carried);
      for (int64_t s = 0; s < count; ++s)
        for (int64_t v = 0; v < vectors; ++v)
          ofVectors.push_back(
              load(b, *loops.vectors, row, b.plus(place, s * step), v));
      for (int64_t s = 0; s < count; ++s)
        for (Value number : rowNumbers)
          pieces.push_back(
              load(b, *loops.matrix, number, b.plus(place, s * step), 0));
      for (int64_t s = 0; s < count; ++s)
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t v = 0; v < vectors; ++v) {
            Value &sum = next[r * vectors + v];
            sum = add(b, pieces[s * rows + r], ofVectors[s * vectors + v], sum);
          }
      return next;
    };
    Values sums(rows * vectors, neutral(b, rows * vectors <= kFewSums));
    Value whole = b.roundDown(sumCount, step * steps);
    Value first = b.times(lane, width);
    sums = b.loop(b.index(0), whole, step * steps, sums,
                  [&](Value place, ValueRange carried) {
                    return addPieces(b.plus(place, first), steps, carried);
                  });
    sums = b.loop(b.plus(whole, first), sumCount, step, sums,
                  [&](Value place, ValueRange carried) {
                    return addPieces(place, 1, carried);
                  });
    for (Value &sum : sums)
      sum = reduction.acrossVector(b, 0, sum);
    sums = reduction.acrossThreads(b, kernel, sums, thread, lanes);
    // The next rows use the same rooms.
    if (lanes == threads && !isOnce(rows))
      gpu::BarrierOp::create(b);
    for (int64_t r = 0; r < rows; ++r) {
      Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                            b.plus(row, r), outerCount);
      auto one = scf::IfOp::create(
          b, arith::AndIOp::create(b, isThere, b.equals(lane, r % lanes)));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(one.thenBlock());
      for (int64_t v = 0; v < vectors; ++v)
        store(b, b.plus(row, r), v, sums[r * vectors + v]);
    }
  });
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

void ThinProduct::emitColumns(LoopBuilder &b, gpu::GPUFuncOp kernel,
                              Value thread, int64_t threads) {
  int64_t columns = kColumnLanes * width, warps = threads / kWarpSize;
  int64_t groups = threads / kColumnLanes;
  Value lane = arith::RemUIOp::create(b, thread, b.index(kColumnLanes));
  Value group = arith::DivUIOp::create(b, thread, b.index(kColumnLanes));
  Value warp = arith::DivUIOp::create(b, thread, b.index(kWarpSize));
  Value inWarp = arith::RemUIOp::create(b, thread, b.index(kWarpSize));
  Type type = reduction.neutral(b).front().getType();
  Value room = addSharedMemory(kernel, {warps, loops.vectorCount, columns},
                               type, b.getLoc());
  b.loop(outerCount, columns, [&](Value base) {
    // The last columns again, where there are no more.
    Value last = b.minus(outerCount, b.index(width));
    Value column = b.smaller(b.plus(base, b.times(lane, width)), last);
    auto addRows = [&](Value row, int64_t count, ValueRange carried) {
      Values pieces, numbers, next(carried);
      for (int64_t v = 0; v < loops.vectorCount; ++v)
        numbers.append(loadNumbers(b, column, row, v, count));
      for (int64_t r = 0; r < count; ++r)
        pieces.push_back(load(b, *loops.matrix, column, b.plus(row, r), 0));
      for (int64_t r = 0; r < count; ++r)
        for (int64_t v = 0; v < loops.vectorCount; ++v)
          next[v] = add(b, pieces[r], numbers[v * count + r], next[v]);
      return next;
    };
    Values sums(loops.vectorCount, neutral(b, /*asVector=*/true));
    Value whole = b.roundDown(sumCount, kRowsUnderWay);
    sums = b.loop(b.times(group, kRowsUnderWay), whole, groups * kRowsUnderWay,
                  sums, [&](Value row, ValueRange carried) {
                    return addRows(row, kRowsUnderWay, carried);
                  });
    sums = b.loop(b.plus(whole, group), sumCount, groups, sums,
                  [&](Value row, ValueRange carried) {
                    return addRows(row, 1, carried);
                  });
    // The other rows of the warp, then the other warps.
    for (auto [v, sum] : llvm::enumerate(sums)) {
      Values elements = elementsOf(b, sum);
      for (Value &element : elements)
        for (int64_t distance = kColumnLanes; distance < kWarpSize;
             distance *= 2) {
          Value other =
              gpu::ShuffleOp::create(b, element, (int32_t)distance,
                                     (int32_t)kWarpSize, gpu::ShuffleMode::XOR)
                  .getShuffleResult();
          element = reduction.combine(b, 0, element, other);
        }
      auto first = scf::IfOp::create(
          b, b.compare(arith::CmpIPredicate::ult, inWarp, kColumnLanes));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(first.thenBlock());
      for (auto [i, element] : llvm::enumerate(elements))
        b.store(element, room,
                {warp, b.index(v), b.plus(b.times(lane, width), i)});
    }
    gpu::BarrierOp::create(b);
    Value left = b.minus(outerCount, base);
    for (int64_t v = 0; v < loops.vectorCount; ++v)
      b.loop(thread, b.smaller(left, b.index(columns)), threads,
             [&](Value place) {
               Value sum = b.load(room, {b.index(0), b.index(v), place});
               for (int64_t w = 1; w < warps; ++w)
                 sum = reduction.combine(
                     b, 0, sum, b.load(room, {b.index(w), b.index(v), place}));
               store(b, b.plus(base, place), v, sum);
             });
    if (!isOnce(columns))
      gpu::BarrierOp::create(b);
  });
}
