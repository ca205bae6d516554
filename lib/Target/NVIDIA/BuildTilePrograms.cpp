//===- BuildTilePrograms.cpp - Products become tile programs --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels that are one aik_tile.product on memrefs, with its schedule, or
// one aik_tile.attention (AttentionProgram.cpp).
// Out: the tile program: one role fills a ring with tiles of both matrices, the
// other multiplies, applies the product's region to the sums and stores them.
//
//===----------------------------------------------------------------------===//

#include "../GPU/CooperativeProduct.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "AttentionProgram.h"
#include "FragmentProgram.h"
#include "TileRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#define DEBUG_TYPE "aik-build-tile-programs"

namespace aikernel {
#define GEN_PASS_DEF_BUILDTILEPROGRAMSPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

namespace {

/// Rows of a matrix that a warpgroup multiplies at once.
constexpr int64_t kGroupRows = 64;
/// Columns of the sums of one step, beside the sums of all steps.
constexpr int64_t kMostStepColumns = 128;

class ProductProgram {
public:
  explicit ProductProgram(ProductOp op)
      : op(op), schedule(op.getSchedule()), b(op.getLoc(), op) {}

  void build() {
    findTiles();
    rows = sizeOf(op.getOut(), op.getOutRowDim());
    columns = sizeOf(op.getOut(), 1 - op.getOutRowDim());
    tileRows = ceilDiv(rows, schedule.getClusterRows());
    tileColumns = ceilDiv(columns, schedule.getClusterColumns());
    steps = i32(op.getStepsOfPart());
    zero = i32(0);
    one = i32(1);
    Value lhs = map(op.getLhs(), linesOf(left, leftParts));
    Value rhs = map(op.getRhs(), linesOf(right, rightParts));
    out = schedule.getBoxes() ? map(op.getOut(), BoxesType::kBoxRows)
                              : op.getOut();
    auto program = ProgramOp::create(b, schedule.getCluster());
    b.setInsertionPointToStart(&program.getBody().emplaceBlock());
    Value ring = MakeRingOp::create(
        b, RingType::get(b.getContext(), schedule.getStages(), {left, right}));
    if (schedule.getBoxes())
      boxes = MakeBoxesOp::create(
          b, BoxesType::get(b.getContext(), 4 * schedule.getWarpgroups(),
                            schedule.getBoxes()));
    if (schedule.getClustered())
      room = MakeExchangeOp::create(
          b, ExchangeType::get(b.getContext(), schedule.getWarpgroups(),
                               schedule.getSplit(), schedule.getPartColumns()));
    rank = BlockRankOp::create(b);
    inRole(b, 1, schedule.getLoadRegisters(),
           [&](Value) { buildLoads(ring, lhs, rhs); });
    inRole(b, schedule.getWarpgroups(), schedule.getRegisters(),
           [&](Value group) { buildProducts(ring, group); });
    op.erase();
  }

private:
  void findTiles() {
    auto elementOf = [](Value matrix) {
      return cast<MemRefType>(matrix.getType()).getElementType();
    };
    MLIRContext *context = b.getContext();
    int64_t depth = schedule.getDepth();
    left = SharedType::get(context, schedule.getRows(), depth,
                           elementOf(op.getLhs()), op.getLhsTransposed());
    right = SharedType::get(context, schedule.getColumns(), depth,
                            elementOf(op.getRhs()), !op.getRhsTransposed());
    addsSteps = isByteFloat(left.getElementType()) && !op.getFast();
    leftParts = partsOf(left, schedule.getColumnBlocks());
    rightParts = partsOf(right, schedule.getRowBlocks());
  }

  /// Parts that blocks load for each other are whole lines.
  static int64_t partsOf(SharedType tile, int64_t blocks) {
    int64_t inLine = tile.getRowMajor() ? tile.getDepth() : 8;
    return tile.getRows() / blocks % inLine == 0 ? blocks : 1;
  }

  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value times(Value value, int64_t factor) {
    return arith::MulIOp::create(b, value, i32(factor));
  }
  Value ceilDiv(Value value, int64_t by) {
    Value up = arith::AddIOp::create(b, value, i32(by - 1));
    return arith::DivUIOp::create(b, up, i32(by));
  }

  /// Static but for the rows, which are a parameter.
  Value sizeOf(Value memref, unsigned dim) {
    int64_t size = cast<MemRefType>(memref.getType()).getDimSize(dim);
    if (!ShapedType::isDynamic(size))
      return i32(size);
    return arith::IndexCastOp::create(b, b.getI32Type(), op.getRows());
  }

  /// Lines of the boxes in which a tile is loaded, in that many parts.
  static int64_t linesOf(SharedType tile, int64_t parts) {
    return tile.getRowMajor() ? tile.getDepth() : tile.getRows() / parts;
  }

  Value map(Value memref, int64_t lines) {
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    int64_t inLine = kLineBytes * 8 / element.getIntOrFloatBitWidth();
    return TensorMapOp::create(
        b, MapType::get(b.getContext(), lines, inLine, element), memref,
        /*row_dim=*/IntegerAttr());
  }

  /// The tiles of this block: where each one begins.
  void forTiles(function_ref<void(Value row, Value column, Value turn)> body) {
    auto loop =
        ForTilesOp::create(b, tileRows, tileColumns, schedule.getGroup());
    OpBuilder::InsertionGuard guard(b);
    Block &block = loop.getBody().emplaceBlock();
    Value i = block.addArgument(b.getI32Type(), b.getLoc());
    Value j = block.addArgument(b.getI32Type(), b.getLoc());
    Value turn = block.addArgument(b.getI32Type(), b.getLoc());
    b.setInsertionPointToStart(&block);
    Value row = times(i, schedule.getClusterRows());
    Value column = times(j, schedule.getClusterColumns());
    if (schedule.getShareLeft())
      column =
          arith::AddIOp::create(b, column, times(rank, schedule.getColumns()));
    else if (!schedule.getClustered())
      row = arith::AddIOp::create(b, row, times(rank, schedule.getRows()));
    body(row, column, turn);
  }

  void buildLoads(Value ring, Value lhs, Value rhs) {
    forTiles([&](Value row, Value column, Value turn) {
      Value backwards;
      if (schedule.getSerpentine())
        backwards = arith::TruncIOp::create(b, b.getI1Type(), turn);
      Value first; // step of a part, whose rows come after those before it
      if (schedule.getClustered()) {
        first = times(rank, op.getStepsOfPart());
      } else if (schedule.getSplit() > 1) {
        Value height = i32(op.getRowsOfPart());
        Value part = arith::DivUIOp::create(b, row, height);
        first = times(part, op.getStepsOfPart());
        row = arith::RemUIOp::create(b, row, height);
      }
      auto loop = scf::ForOp::create(b, zero, steps, one);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value step = loop.getInductionVar();
      if (backwards) {
        Value last = arith::SubIOp::create(b, steps, one);
        Value fromEnd = arith::SubIOp::create(b, last, step);
        step = arith::SelectOp::create(b, backwards, fromEnd, step);
      }
      if (first)
        step = arith::AddIOp::create(b, first, step);
      Value at = times(step, schedule.getDepth());
      auto fill = FillOp::create(b, ring);
      b.setInsertionPointToStart(&fill.getBody().emplaceBlock());
      LoadOp::create(b, lhs, at, row, /*outer=*/ValueRange(), /*tile=*/0,
                     /*shared=*/leftParts > 1);
      LoadOp::create(b, rhs, at, column, /*outer=*/ValueRange(), /*tile=*/1,
                     /*shared=*/rightParts > 1);
    });
  }

  void buildProducts(Value ring, Value group) {
    MLIRContext *context = b.getContext();
    Type element = op.getBody().front().getArgument(0).getType();
    // Where the sums of a step are registers of their own, there are enough for
    // so many columns at once.
    int64_t width = addsSteps ? std::min(right.getRows(), kMostStepColumns)
                              : right.getRows();
    while (right.getRows() % width != 0)
      width /= 2;
    int64_t across = right.getRows() / width;
    auto sums = FragType::get(context, kGroupRows, width, element, false);
    auto pending = FragType::get(context, kGroupRows, width, element, true);
    auto columnsOfPart =
        SharedType::get(context, width, right.getDepth(),
                        right.getElementType(), right.getRowMajor());
    auto part = SharedType::get(context, kGroupRows, left.getDepth(),
                                left.getElementType(), left.getRowMajor());
    auto stageType = StageType::get(context, {left, right});
    // A warpgroup has one or more fragments, one below the other, of one or
    // more parts next to each other.
    int64_t below = left.getRows() / kGroupRows / schedule.getWarpgroups();
    int64_t frags = below * across;
    forTiles([&](Value row, Value column, Value) {
      SmallVector<Value> none;
      for (int64_t i = 0; i < frags; ++i)
        none.push_back(ZeroOp::create(b, sums));
      SmallVector<Value> numbers, parts;
      for (int64_t i = 0; i < below; ++i)
        numbers.push_back(
            arith::AddIOp::create(b, times(group, below), i32(i)));
      for (int64_t i = 0; i < across && across > 1; ++i)
        parts.push_back(i32(i));
      auto loop = scf::ForOp::create(b, zero, steps, one, none);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value stage = AcquireOp::create(b, stageType, ring);
        SmallVector<Value> started, added;
        for (int64_t i = 0; i < frags; ++i) {
          Value from =
              OperandOp::create(b, part, stage, 0, numbers[i / across]);
          Value by =
              OperandOp::create(b, columnsOfPart, stage, 1,
                                across > 1 ? parts[i % across] : Value());
          Value before = loop.getRegionIterArg(i);
          Value to = addsSteps ? ZeroOp::create(b, sums) : before;
          started.push_back(MultiplyOp::create(b, pending, from, by, to));
          if (addsSteps) {
            auto wait =
                WaitOp::create(b, TypeRange(sums), started, /*leaving=*/0);
            added.push_back(AddOp::create(b, before, wait.getResult(0)));
            started.clear();
          }
        }
        if (!addsSteps)
          llvm::append_range(
              added, WaitOp::create(b, SmallVector<Type>(frags, sums), started,
                                    /*leaving=*/0)
                         .getResults());
        ReleaseOp::create(b, stage);
        scf::YieldOp::create(b, added);
      }
      for (int64_t i = 0; i < frags; ++i) {
        Value top = arith::AddIOp::create(
            b, row, times(numbers[i / across], kGroupRows));
        Value first = column;
        if (i % across != 0)
          first = arith::AddIOp::create(b, column, i32(i % across * width));
        Value result = loop.getResult(i), end = columns;
        if (room) {
          int64_t share = schedule.getPartColumns();
          auto type = FragType::get(context, kGroupRows, share, element, false);
          result = AddPartsOp::create(b, type, result, room);
          first = arith::AddIOp::create(b, column, times(rank, share));
          // What lies beyond the tile is not for this cluster.
          if (share * schedule.getSplit() != width)
            end = arith::MinUIOp::create(
                b, end, arith::AddIOp::create(b, column, i32(width)));
        }
        Value stored = mapElements(result, top, first, end);
        if (boxes)
          StoreOp::create(b, stored, out, first, top, /*outer=*/ValueRange(),
                          boxes);
        else
          WriteOp::create(b, stored, out, top, first, rows, end,
                          op.getOutTransposed());
      }
    });
  }

  /// Up to column `end`.
  Value mapElements(Value sums, Value row, Value column, Value end) {
    auto source = cast<FragType>(sums.getType());
    Block &given = op.getBody().front();
    if (given.getTerminator()->getOperand(0) == given.getArgument(0))
      return sums;
    Type element = cast<MemRefType>(op.getOut().getType()).getElementType();
    auto mapped = MapOp::create(
        b,
        FragType::get(b.getContext(), source.getRows(), source.getColumns(),
                      element, false),
        sums, row, column, rows, end, op.getExtras(), op.getExtraMapsAttr());
    IRMapping values;
    op.getBody().cloneInto(&mapped.getBody(), values);
    return mapped;
  }

  ProductOp op;
  ScheduleAttr schedule;
  ImplicitLocOpBuilder b;
  SharedType left, right;
  int64_t leftParts = 1, rightParts = 1; // of tiles
  /// Instructions sum a step only; threads add the steps.
  bool addsSteps = false;
  Value rows, columns, tileRows, tileColumns, steps, zero, one, rank;
  Value out, boxes; // the matrix or its map, and where it is stored through
  Value room;       // where a cluster adds up
};

struct BuildTileProgramsPass
    : aikernel::impl::BuildTileProgramsPassBase<BuildTileProgramsPass> {
  using BuildTileProgramsPassBase::BuildTileProgramsPassBase;

  void runOnOperation() override {
    SmallVector<ProductOp> products;
    getOperation().walk([&](ProductOp op) {
      if (!isCooperative(op.getSchedule()))
        products.push_back(op);
    });
    for (ProductOp op : products) {
      if (op.getPacked())
        buildFragmentProgram(op);
      else
        ProductProgram(op).build();
    }
    SmallVector<AttentionOp> attentions;
    getOperation().walk([&](AttentionOp op) { attentions.push_back(op); });
    for (AttentionOp op : attentions)
      buildAttentionProgram(op);
  }
};

} // namespace
