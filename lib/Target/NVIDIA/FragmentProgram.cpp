//===- FragmentProgram.cpp - Tile programs with 4-bit weights -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a packed aik_tile.product on memrefs (FragmentWeights.h). Out: its tile
// program, which computes the transposed product: weights are the left operand,
// which threads unpack into registers, and rows of x the right one.
//
//   for each 128 of the depth:  step = integers * x ; sums += scales * step
//
// Weights and rows of x have rings of their own: while the instructions of one
// step run, threads unpack the weights of the next.
//
//===----------------------------------------------------------------------===//

#include "FragmentProgram.h"
#include "../GPU/FragmentWeights.h"
#include "TileRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

namespace {

/// What a line has of x.
constexpr int64_t kHalfDepth = FragmentWeights::kGroup / 2;

class FragmentProgram {
public:
  explicit FragmentProgram(ProductOp op)
      : op(op), schedule(op.getSchedule()), b(op.getLoc(), op) {
    MLIRContext *context = b.getContext();
    auto x = cast<MemRefType>(op.getLhs().getType());
    slabs = cast<MemRefType>(op.getOut().getType()).getDimSize(1) /
            FragmentWeights::kRows;
    groups = x.getDimSize(1) / FragmentWeights::kGroup;
    element = x.getElementType();
    slabsOfTile = schedule.getRows() / FragmentWeights::kRows;
    codes =
        SharedType::get(context, slabsOfTile * FragmentWeights::kCodeLines,
                        FragmentWeights::kCodesOfLine, b.getI8Type(), false);
    scales =
        SharedType::get(context, slabsOfTile * FragmentWeights::kScaleLines,
                        FragmentWeights::kScalesOfLine, b.getF32Type(), false);
    rows = SharedType::get(context, schedule.getColumns(), kHalfDepth, element,
                           false);
  }

  void build() {
    Value all = arith::IndexCastOp::create(b, b.getI32Type(), op.getRows());
    zero = i32(0);
    one = i32(1);
    // The last one has no weights of a next one to unpack.
    steps = i32(groups - 1);
    // Slabs are whole clusters, as the verifier has seen.
    tileRows = i32(
        llvm::divideCeil(slabs, slabsOfTile * (int64_t)schedule.getCluster()));
    Value up = arith::AddIOp::create(b, all, i32(schedule.getColumns() - 1));
    tileColumns = arith::DivUIOp::create(b, up, i32(schedule.getColumns()));
    int64_t parts = isShared() ? schedule.getCluster() : 1;
    Value x = map(op.getLhs(), rows, rows.getRows() / parts);
    Value w = map(op.getRhs(), codes, codes.getRows());
    Value s = map(op.getExtras()[0], scales, scales.getRows());
    auto program = ProgramOp::create(b, schedule.getCluster());
    b.setInsertionPointToStart(&program.getBody().emplaceBlock());
    Value weights = makeRing(schedule.getStages() + 1, {codes, scales});
    Value ring = makeRing(schedule.getStages(), {rows, rows});
    rank = BlockRankOp::create(b);
    inRole(b, 1, schedule.getLoadRegisters(),
           [&](Value) { load(weights, ring, x, w, s); });
    inRole(b, schedule.getWarpgroups(), schedule.getRegisters(),
           [&](Value group) { multiply(weights, ring, group, all); });
    op.erase();
  }

private:
  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value times(Value value, int64_t factor) {
    return arith::MulIOp::create(b, value, i32(factor));
  }
  Value plus(Value x, Value y) { return arith::AddIOp::create(b, x, y); }

  /// Blocks of a cluster load parts of x for each other.
  bool isShared() {
    return schedule.getCluster() > 1 &&
           rows.getRows() / schedule.getCluster() % 8 == 0;
  }

  Value map(Value memref, SharedType tile, int64_t lines) {
    return TensorMapOp::create(b,
                               MapType::get(b.getContext(), lines,
                                            tile.getDepth(),
                                            tile.getElementType()),
                               memref);
  }

  /// The tiles of this block: the first slab, and the first row of x.
  void forTiles(function_ref<void(Value slab, Value row)> body) {
    auto loop = ForTilesOp::create(b, TypeRange(), tileRows, tileColumns,
                                   /*inits=*/ValueRange(), schedule.getGroup());
    OpBuilder::InsertionGuard guard(b);
    Block &block = loop.getBody().emplaceBlock();
    for (unsigned i = 0; i < 3; ++i)
      block.addArgument(b.getI32Type(), b.getLoc());
    b.setInsertionPointToStart(&block);
    Value first = times(block.getArgument(0),
                        slabsOfTile * (int64_t)schedule.getCluster());
    body(plus(first, times(rank, slabsOfTile)),
         times(block.getArgument(1), schedule.getColumns()));
    YieldOp::create(b);
  }

  Value makeRing(int64_t stages, ArrayRef<SharedType> tiles) {
    return MakeRingOp::create(b, RingType::get(b.getContext(), stages, tiles));
  }

  void fill(Value ring, function_ref<void()> body) {
    auto fill = FillOp::create(b, ring);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&fill.getBody().emplaceBlock());
    body();
  }

  /// Weights of a step come before the rows of the step before it, as they are
  /// read.
  void load(Value weights, Value ring, Value x, Value w, Value s) {
    auto loadWeights = [&](Value step, Value slab) {
      Value at = plus(times(step, slabs), slab);
      fill(weights, [&] {
        LoadOp::create(b, w, zero, times(at, FragmentWeights::kCodeLines),
                       /*outer=*/ValueRange(), /*tile=*/0, /*shared=*/false);
        LoadOp::create(b, s, zero, times(at, FragmentWeights::kScaleLines),
                       /*outer=*/ValueRange(), /*tile=*/1, /*shared=*/false);
      });
    };
    auto loadRows = [&](Value step, Value row) {
      Value first = times(step, FragmentWeights::kGroup);
      fill(ring, [&] {
        LoadOp::create(b, x, first, row, /*outer=*/ValueRange(), /*tile=*/0,
                       isShared());
        LoadOp::create(b, x, plus(first, i32(kHalfDepth)), row,
                       /*outer=*/ValueRange(), /*tile=*/1, isShared());
      });
    };
    forTiles([&](Value slab, Value row) {
      loadWeights(zero, slab);
      auto loop = scf::ForOp::create(b, zero, steps, one);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value step = loop.getInductionVar();
        loadRows(step, row);
        loadWeights(plus(step, one), slab);
      }
      loadRows(i32(groups - 1), row);
    });
  }

  /// What threads hold of a step: two fragments of weights, and scales.
  SmallVector<Value> unpack(Value weights) {
    MLIRContext *context = b.getContext();
    auto held = FragType::get(context, FragmentWeights::kRows, kHalfDepth,
                              element, false);
    Value stage =
        AcquireOp::create(b, StageType::get(context, {codes, scales}), weights);
    SmallVector<Value> values{
        UnpackOp::create(b, held, stage, /*tile=*/0, /*half=*/0),
        UnpackOp::create(b, held, stage, /*tile=*/0, /*half=*/1),
        ReadRowsOp::create(b, RowsType::get(context), stage, /*tile=*/1)};
    ReleaseOp::create(b, stage);
    return values;
  }

  /// The sums after a step; `meanwhile` happens while instructions run. While
  /// those of one warpgroup do, the other adds its sums.
  Value addStep(Value ring, ValueRange held, Value sums,
                function_ref<void()> meanwhile) {
    MLIRContext *context = b.getContext();
    auto type = cast<FragType>(sums.getType());
    auto pending = FragType::get(context, type.getRows(), type.getColumns(),
                                 type.getElementType(), true);
    Value stage =
        AcquireOp::create(b, StageType::get(context, {rows, rows}), ring);
    Value step = ZeroOp::create(b, type);
    Value by[] = {OperandOp::create(b, rows, stage, 0, Value()),
                  OperandOp::create(b, rows, stage, 1, Value())};
    bool inTurn = schedule.getWarpgroups() > 1;
    if (inTurn)
      TakeTurnOp::create(b);
    for (int64_t half : {0, 1})
      step = MultiplyOp::create(b, pending, held[half], by[half], step);
    if (inTurn)
      PassTurnOp::create(b);
    meanwhile();
    Value done =
        WaitOp::create(b, TypeRange(type), step, /*leaving=*/0).getResult(0);
    ReleaseOp::create(b, stage);
    return AddScaledOp::create(b, sums, done, held[2]);
  }

  void multiply(Value weights, Value ring, Value group, Value all) {
    auto sums = FragType::get(b.getContext(), FragmentWeights::kRows,
                              schedule.getColumns(), b.getF32Type(), false);
    forTiles([&](Value slab, Value row) {
      SmallVector<Value> carried{ZeroOp::create(b, sums)};
      llvm::append_range(carried, unpack(weights));
      auto loop = scf::ForOp::create(b, zero, steps, one, carried);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        ValueRange before = loop.getRegionIterArgs();
        SmallVector<Value> next;
        Value added = addStep(ring, before.drop_front(), before[0],
                              [&] { next = unpack(weights); });
        next.insert(next.begin(), added);
        scf::YieldOp::create(b, next);
      }
      Value last = addStep(ring, loop.getResults().drop_front(),
                           loop.getResult(0), [] {});
      Value column = times(plus(slab, group), FragmentWeights::kRows);
      WriteTransposedOp::create(b, last, op.getOut(), row, column, all);
    });
  }

  ProductOp op;
  ScheduleAttr schedule;
  ImplicitLocOpBuilder b;
  int64_t slabs, groups, slabsOfTile;
  Type element;
  SharedType codes, scales, rows;
  Value tileRows, tileColumns, steps, zero, one, rank;
};

} // namespace

void aikernel::buildFragmentProgram(ProductOp op) {
  FragmentProgram(op).build();
}
