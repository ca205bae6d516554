//===- SharedProduct.cpp - A product whose factors are shared -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a product on buffers with a tile. Out:
//
//   copy the first steps of both factors' tiles into shared memory
//   for some steps of the sum at a time:
//     load the next ones into registers
//     for each step: a few numbers of the left times a few of the right
//     share the next ones
//   add the sums to the result
//
// A thread has 4x4 sums or more: with fewer it would do nothing but read shared
// memory. Where a tile has fewer than all threads can have, groups of them take
// steps of their own, and their sums are added up at the end.
//
// In shared memory the sum comes first, so that a thread reads its numbers of
// either factor as a vector. Beyond the end of a matrix its last numbers are
// read again, and beyond that of the sum they count as zero.
//
//===----------------------------------------------------------------------===//

#include "SharedProduct.h"
#include "StructuredBody.h"
#include "VectorAccess.h"

using namespace mlir;
using namespace aikernel;

/// Elements of both tiles that are in shared memory at a time: the smaller the
/// tiles, the longer threads wait for memory and the more of it they ask for.
static constexpr uint64_t kSharedElements = 4096;
/// Numbers of a factor that a thread has next to each other.
static constexpr int64_t kNeighbours = 4;
/// More of a side than this are shared by threads that have twice as many.
static constexpr int64_t kMostOfNeighbours = 64;
/// Groups of neighbours that are in different banks.
static constexpr int64_t kBankGroups = 8;
/// Steps up to which it is enough that lines are not a multiple of all banks.
static constexpr int64_t kFewSteps = 16;
static constexpr int64_t kWordBytes = 4;

/// Rows (columns) that a thread has of so many.
static int64_t eachOf(int64_t extent) {
  return extent > kMostOfNeighbours ? 2 * kNeighbours : kNeighbours;
}

//===----------------------------------------------------------------------===//
// Which products
//===----------------------------------------------------------------------===//

/// Is it an input, maybe in another type?
static bool isFactor(Value value, Block *body) {
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp,
                         arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == body &&
         argument.getArgNumber() + 1 < body->getNumArguments();
}

/// Does it add products of two inputs? Two zeros then change no sum.
static bool addsProducts(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  BlockArgument sum = body->getArguments().back();
  Value more = add->getOperand(add->getOperand(0) == sum ? 1 : 0);
  Operation *product = more.getDefiningOp();
  return llvm::is_contained(add->getOperands(), Value(sum)) &&
         isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) &&
         llvm::all_of(product->getOperands(),
                      [&](Value factor) { return isFactor(factor, body); });
}

/// Is shared memory made for its numbers?
static bool fitsWords(Value factor) {
  Type element = getElementTypeOrSelf(factor);
  return element.isIntOrFloat() &&
         llvm::is_contained({8u, 16u, 32u}, element.getIntOrFloatBitWidth());
}

std::optional<MatrixLoops> MatrixLoops::match(linalg::LinalgOp op,
                                              ArrayRef<int64_t> extents) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  if (!addsProducts(op) || !llvm::all_of(op.getDpsInputs(), fitsWords))
    return std::nullopt;
  SmallVector<unsigned> parallel, sums;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      sums.push_back(loop);
    else if (extents[loop] != 1)
      parallel.push_back(loop);
  if (sums.size() != 1 || parallel.size() != 2)
    return std::nullopt;
  MatrixLoops loops{parallel[0], parallel[1], sums[0], nullptr, nullptr};
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool hasRows = map.isFunctionOfDim(loops.row);
    if (!map.isFunctionOfDim(loops.sum) ||
        hasRows == map.isFunctionOfDim(loops.column))
      return std::nullopt;
    (hasRows ? loops.left : loops.right) = input;
  }
  return loops.left && loops.right ? std::optional(loops) : std::nullopt;
}

bool ProductTile::isGood() const {
  return llvm::isPowerOf2_64(rows) && llvm::isPowerOf2_64(columns) &&
         rows >= kLeast.rows && columns >= kLeast.columns &&
         rows <= kMost.rows && columns <= kMost.columns;
}

std::optional<ProductTile> ProductTile::of(linalg::LinalgOp op) {
  auto sizes = op->getAttrOfType<DenseI64ArrayAttr>(kSharedTileAttrName);
  if (!sizes || sizes.size() != 2)
    return std::nullopt;
  ProductTile tile{sizes[0], sizes[1]};
  return tile.isGood() ? std::optional(tile) : std::nullopt;
}

int64_t ProductTile::depth() const {
  return llvm::bit_floor(kSharedElements / (rows + columns));
}

std::optional<SharedProduct> SharedProduct::match(linalg::LinalgOp op,
                                                  int64_t threads) {
  std::optional<ProductTile> tile = ProductTile::of(op);
  if (!tile || threads != kThreadsPerBlock)
    return std::nullopt;
  std::optional<MatrixLoops> loops =
      MatrixLoops::match(op, op.getStaticLoopRanges());
  std::optional<ThreadReduction> reduction = ThreadReduction::match(op);
  if (!loops || !reduction)
    return std::nullopt;
  return SharedProduct(op, *loops, std::move(*reduction), *tile, threads);
}

SharedProduct::SharedProduct(linalg::LinalgOp op, MatrixLoops loops,
                             ThreadReduction reduction, ProductTile tile,
                             int64_t threads)
    : op(op), loops(loops), reduction(std::move(reduction)), threads(threads),
      depth(tile.depth()) {
  left = factorOf(*loops.left, loops.row, tile.rows);
  right = factorOf(*loops.right, loops.column, tile.columns);
}

SharedProduct::Factor SharedProduct::factorOf(OpOperand &operand, unsigned loop,
                                              int64_t extent) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned last = map.getDimPosition(map.getNumResults() - 1);
  Factor factor{};
  factor.operand = &operand;
  factor.loop = loop;
  factor.extent = extent;
  factor.each = eachOf(extent);
  factor.isAlongSum = last == loops.sum;
  factor.width = 1;
  auto type = cast<MemRefType>(operand.get().getType());
  int64_t along = op.getStaticLoopRanges()[last];
  if ((last != loops.sum && last != loop) || ShapedType::isDynamic(along) ||
      type.getStridesAndOffset().first.back() != 1)
    return factor;
  // A vector is whole, or not there at all, and every thread has as many.
  factor.width = std::min(
      alignmentOf(operand.get(), widestVectorOf(type.getElementType())),
      kNeighbours);
  while (factor.width > 1 && (along % factor.width != 0 ||
                              extent * depth % (threads * factor.width) != 0))
    factor.width /= 2;
  return factor;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Elements of a step, and what keeps neighbouring steps in other banks.
static int64_t lineOf(int64_t extent, int64_t depth) {
  return extent + (depth <= kFewSteps ? kNeighbours : 0);
}

/// Sums are of 32 bits, factors of no more.
int64_t ProductTile::bytes() const {
  int64_t factors =
      depth() * (lineOf(rows, depth()) + lineOf(columns, depth()));
  int64_t ofThread = eachOf(rows) * eachOf(columns);
  bool hasGroups = rows * columns < kThreadsPerBlock * ofThread;
  int64_t sums = hasGroups ? kThreadsPerBlock * ofThread : 0;
  return std::max(factors, sums) * kWordBytes;
}

void SharedProduct::placeIn(LoopBuilder &b, Value room) {
  int64_t start = 0;
  Attribute space = cast<MemRefType>(room.getType()).getMemorySpace();
  auto view = [&](ArrayRef<int64_t> shape, Type element) -> Value {
    auto type =
        MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
    Value made =
        memref::ViewOp::create(b, type, room, b.index(start), ValueRange());
    start += type.getNumElements() * element.getIntOrFloatBitWidth() / 8;
    return made;
  };
  for (Factor *factor : {&left, &right})
    factor->room =
        view({depth, lineOf(factor->extent, depth)}, factor->element());
  start = 0;
  if (groups() > 1)
    partials = view({groups(), left.extent, right.extent},
                    getElementTypeOrSelf(op.getDpsInits().front()));
}

SharedProduct::Values SharedProduct::indices(LoopBuilder &b, OpOperand &operand,
                                             Value row, Value column,
                                             Value sum) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Values found;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    unsigned loop = map.getDimPosition(i);
    found.push_back(loop == loops.row      ? row
                    : loop == loops.column ? column
                    : loop == loops.sum    ? sum
                                           : b.index(0));
  }
  return found;
}

void SharedProduct::forPieces(
    LoopBuilder &b, const Factor &factor,
    llvm::function_ref<void(int64_t, Value, Value)> body) {
  int64_t line = (factor.isAlongSum ? depth : factor.extent) / factor.width;
  int64_t pieces = factor.extent * depth / factor.width;
  for (int64_t i = 0; i < pieces / threads; ++i) {
    Value piece = b.plus(thread, i * threads);
    Value outer = arith::DivUIOp::create(b, piece, b.index(line));
    Value inner =
        b.times(arith::RemUIOp::create(b, piece, b.index(line)), factor.width);
    if (factor.isAlongSum)
      body(i, outer, inner);
    else
      body(i, inner, outer);
  }
}

SharedProduct::Values SharedProduct::load(LoopBuilder &b, const Factor &factor,
                                          Value first, Value step) {
  Values pieces;
  forPieces(b, factor, [&](int64_t, Value row, Value sum) {
    int64_t rowsAtOnce = factor.isAlongSum ? 1 : factor.width;
    int64_t sumsAtOnce = factor.isAlongSum ? factor.width : 1;
    Value lastRow = b.minus(factor.count, b.index(rowsAtOnce));
    Value lastSum = b.minus(sumCount, b.index(sumsAtOnce));
    Value where = b.smaller(b.plus(first, row), lastRow);
    Value place = b.smaller(b.plus(step, sum), lastSum);
    pieces.push_back(loadVector(
        b, factor.operand->get(),
        indices(b, *factor.operand, where, where, place), factor.width));
  });
  return pieces;
}

/// Threads that turn lines along the sum store neighbours in the sum. These are
/// in other banks if groups of rows change places from some steps to the next.
Value SharedProduct::swizzle(LoopBuilder &b, const Factor &factor, Value row,
                             Value sum) {
  if (!factor.isAlongSum || depth <= kFewSteps)
    return row;
  int64_t places = std::min(factor.extent / kNeighbours, kBankGroups);
  Value turn = arith::RemUIOp::create(
      b, arith::DivUIOp::create(b, sum, b.index(kNeighbours)), b.index(places));
  return arith::XOrIOp::create(b, row, b.times(turn, kNeighbours));
}

void SharedProduct::share(LoopBuilder &b, const Factor &factor, Value step,
                          ValueRange pieces) {
  forPieces(b, factor, [&](int64_t i, Value row, Value sum) {
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                          b.plus(step, sum), sumCount);
    Value zero =
        arith::ConstantOp::create(b, b.getZeroAttr(pieces[i].getType()));
    Value piece = arith::SelectOp::create(b, isThere, pieces[i], zero);
    Value where = swizzle(b, factor, row, sum);
    if (factor.width == 1 || !factor.isAlongSum) {
      b.store(piece, factor.room, {sum, where});
      return;
    }
    for (int64_t e = 0; e < factor.width; ++e)
      b.store(vector::ExtractOp::create(b, piece, ArrayRef<int64_t>{e}),
              factor.room, {b.plus(sum, e), where});
  });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Neighbours of each lane, then the next ones of each.
Value SharedProduct::placeOf(LoopBuilder &b, const Factor &factor, int64_t i) {
  return b.plus(b.times(factor.lane, kNeighbours),
                i / kNeighbours * factor.lanes() * kNeighbours +
                    i % kNeighbours);
}

SharedProduct::Values
SharedProduct::fragment(LoopBuilder &b, const Factor &factor, Value step) {
  Values numbers;
  for (int64_t i = 0; i < factor.each; i += kNeighbours) {
    Value row = swizzle(b, factor, placeOf(b, factor, i), step);
    Value loaded = loadVector(b, factor.room, {step, row}, kNeighbours);
    for (int64_t e = 0; e < kNeighbours; ++e)
      numbers.push_back(
          vector::ExtractOp::create(b, loaded, ArrayRef<int64_t>{e}));
  }
  return numbers;
}

Value SharedProduct::add(LoopBuilder &b, Value x, Value y, Value sum) {
  IRMapping values;
  values.map(op.getMatchingBlockArgument(loops.left), x);
  values.map(op.getMatchingBlockArgument(loops.right), y);
  values.map(op.getRegionOutputArgs().front(), sum);
  return emitMultiplyAdd(b, op, values, /*width=*/1);
}

SharedProduct::Values SharedProduct::multiply(LoopBuilder &b, ValueRange sums) {
  Values next(sums);
  int64_t steps = depth / groups();
  Value first = b.times(group, steps);
  for (int64_t i = 0; i < steps; ++i) {
    Value step = b.plus(first, i);
    Values x = fragment(b, left, step), y = fragment(b, right, step);
    for (int64_t r = 0; r < left.each; ++r)
      for (int64_t c = 0; c < right.each; ++c) {
        Value &sum = next[r * right.each + c];
        sum = add(b, x[r], y[c], sum);
      }
  }
  return next;
}

/// Every thread gets some sums of all groups, one after the other in the tile.
SharedProduct::Values SharedProduct::addGroups(LoopBuilder &b,
                                               ValueRange sums) {
  for (int64_t r = 0; r < left.each; ++r)
    for (int64_t c = 0; c < right.each; ++c)
      b.store(sums[r * right.each + c], partials,
              {group, placeOf(b, left, r), placeOf(b, right, c)});
  gpu::BarrierOp::create(b);
  Values added;
  for (int64_t i = 0; i < sumsOfThread() / groups(); ++i) {
    Value place = b.plus(thread, i * threads);
    Value columns = b.index(right.extent);
    Value row = arith::DivUIOp::create(b, place, columns);
    Value column = arith::RemUIOp::create(b, place, columns);
    Value sum = b.load(partials, {b.index(0), row, column});
    for (int64_t g = 1; g < groups(); ++g)
      sum = reduction.combine(b, 0, sum,
                              b.load(partials, {b.index(g), row, column}));
    added.append({row, column, sum});
  }
  return added;
}

void SharedProduct::store(LoopBuilder &b, Value row, Value column, Value sum) {
  OpOperand &out = *op.getDpsInitOperand(0);
  auto isBelow = [&](Value place, Value count) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, place, count);
  };
  auto isThere =
      scf::IfOp::create(b, arith::AndIOp::create(b, isBelow(row, left.count),
                                                 isBelow(column, right.count)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isThere.thenBlock());
  Values where = indices(b, out, row, column, Value());
  Value before = b.load(out.get(), where);
  b.store(reduction.combine(b, 0, before, sum), out.get(), where);
}

void SharedProduct::emitTile(LoopBuilder &b, Value row, Value column) {
  Values sums(sumsOfThread(), reduction.neutral(b).front());
  Values x = load(b, left, row, b.index(0));
  Values y = load(b, right, column, b.index(0));
  // Others may still read what was shared before.
  gpu::BarrierOp::create(b);
  share(b, left, b.index(0), x);
  share(b, right, b.index(0), y);
  gpu::BarrierOp::create(b);
  sums = b.loop(b.index(0), sumCount, depth, sums,
                [&](Value step, ValueRange carried) {
                  Value next = b.plus(step, depth);
                  Values x = load(b, left, row, next);
                  Values y = load(b, right, column, next);
                  Values more = multiply(b, carried);
                  gpu::BarrierOp::create(b);
                  share(b, left, next, x);
                  share(b, right, next, y);
                  gpu::BarrierOp::create(b);
                  return more;
                });
  if (groups() > 1) {
    Values added = addGroups(b, sums);
    for (unsigned i = 0; i < added.size(); i += 3)
      store(b, b.plus(row, added[i]), b.plus(column, added[i + 1]),
            added[i + 2]);
    return;
  }
  for (int64_t r = 0; r < left.each; ++r)
    for (int64_t c = 0; c < right.each; ++c)
      store(b, b.plus(row, placeOf(b, left, r)),
            b.plus(column, placeOf(b, right, c)), sums[r * right.each + c]);
}

void SharedProduct::emit(LoopBuilder &b, Value room, Value thread) {
  this->thread = thread;
  int64_t lanes = left.lanes() * right.lanes();
  Value lane = arith::RemUIOp::create(b, thread, b.index(lanes));
  group = arith::DivUIOp::create(b, thread, b.index(lanes));
  left.lane = arith::DivUIOp::create(b, lane, b.index(right.lanes()));
  right.lane = arith::RemUIOp::create(b, lane, b.index(right.lanes()));
  placeIn(b, room);
  SmallVector<Range> ranges = op.createLoopRanges(b, b.getLoc());
  auto countOf = [&](unsigned loop) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), ranges[loop].size);
  };
  sumCount = countOf(loops.sum);
  for (Factor *factor : {&left, &right})
    factor->count = countOf(factor->loop);
  // There may be no tile, and so no barrier of its own.
  gpu::BarrierOp::create(b);
  // A sum of nothing has no numbers to read.
  Value isAny = b.compare(arith::CmpIPredicate::sgt, sumCount, 0);
  Value rows = arith::SelectOp::create(b, isAny, left.count, b.index(0));
  b.loop(rows, left.extent, [&](Value row) {
    b.loop(right.count, right.extent,
           [&](Value column) { emitTile(b, row, column); });
  });
}
