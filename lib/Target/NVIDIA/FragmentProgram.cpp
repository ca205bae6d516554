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
//===----------------------------------------------------------------------===//

#include "FragmentProgram.h"
#include "../GPU/FragmentWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

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
    steps = i32(groups);
    // Slabs beyond the last are filled with zeros and not written.
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
    SharedType tiles[] = {codes, scales, rows, rows};
    Value ring = MakeRingOp::create(
        b, RingType::get(b.getContext(), schedule.getStages(), tiles));
    rank = BlockRankOp::create(b);
    inRole(1, schedule.getLoadRegisters(), [&](Value) { load(ring, x, w, s); });
    inRole(schedule.getWarpgroups(), schedule.getRegisters(),
           [&](Value group) { multiply(ring, group, all, tiles); });
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

  void inRole(int64_t warpgroups, int64_t registers,
              function_ref<void(Value)> body) {
    auto role = RoleOp::create(b, warpgroups, registers);
    OpBuilder::InsertionGuard guard(b);
    Block &block = role.getBody().emplaceBlock();
    Value group = block.addArgument(b.getI32Type(), b.getLoc());
    b.setInsertionPointToStart(&block);
    body(group);
  }

  /// The tiles of this block: the first slab, and the first row of x.
  void forTiles(function_ref<void(Value slab, Value row)> body) {
    auto loop =
        ForTilesOp::create(b, tileRows, tileColumns, schedule.getGroup());
    OpBuilder::InsertionGuard guard(b);
    Block &block = loop.getBody().emplaceBlock();
    for (unsigned i = 0; i < 3; ++i)
      block.addArgument(b.getI32Type(), b.getLoc());
    b.setInsertionPointToStart(&block);
    Value first = times(block.getArgument(0),
                        slabsOfTile * (int64_t)schedule.getCluster());
    body(plus(first, times(rank, slabsOfTile)),
         times(block.getArgument(1), schedule.getColumns()));
  }

  void load(Value ring, Value x, Value w, Value s) {
    forTiles([&](Value slab, Value row) {
      auto loop = scf::ForOp::create(b, zero, steps, one);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value step = loop.getInductionVar();
      Value at = plus(times(step, slabs), slab);
      Value first = times(step, FragmentWeights::kGroup);
      auto fill = FillOp::create(b, ring);
      b.setInsertionPointToStart(&fill.getBody().emplaceBlock());
      LoadOp::create(b, w, zero, times(at, FragmentWeights::kCodeLines), 0,
                     /*shared=*/false);
      LoadOp::create(b, s, zero, times(at, FragmentWeights::kScaleLines), 1,
                     /*shared=*/false);
      LoadOp::create(b, x, first, row, 2, isShared());
      LoadOp::create(b, x, plus(first, i32(kHalfDepth)), row, 3, isShared());
    });
  }

  void multiply(Value ring, Value group, Value all,
                ArrayRef<SharedType> tiles) {
    MLIRContext *context = b.getContext();
    int64_t width = schedule.getColumns();
    auto held = FragType::get(context, FragmentWeights::kRows, kHalfDepth,
                              element, false);
    auto sums = FragType::get(context, FragmentWeights::kRows, width,
                              b.getF32Type(), false);
    auto pending = FragType::get(context, FragmentWeights::kRows, width,
                                 b.getF32Type(), true);
    auto stageType = StageType::get(context, tiles);
    forTiles([&](Value slab, Value row) {
      Value none = ZeroOp::create(b, sums);
      auto loop = scf::ForOp::create(b, zero, steps, one, none);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value stage = AcquireOp::create(b, stageType, ring);
        // Both before the first product: what an instruction reads stays.
        Value from[] = {UnpackOp::create(b, held, stage, 0, /*half=*/0),
                        UnpackOp::create(b, held, stage, 0, /*half=*/1)};
        Value step = ZeroOp::create(b, sums);
        for (int64_t half : {0, 1}) {
          Value by = OperandOp::create(b, rows, stage, 2 + half, Value());
          step = MultiplyOp::create(b, pending, from[half], by, step);
        }
        Value done = WaitOp::create(b, TypeRange(sums), step).getResult(0);
        Value added = AddScaledOp::create(b, loop.getRegionIterArg(0), done,
                                          stage, /*tile=*/1);
        ReleaseOp::create(b, stage);
        scf::YieldOp::create(b, added);
      }
      Value column = times(plus(slab, group), FragmentWeights::kRows);
      WriteTransposedOp::create(b, loop.getResult(0), op.getOut(), row, column,
                                all);
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
