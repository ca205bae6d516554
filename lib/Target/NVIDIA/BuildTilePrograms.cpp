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
// What can be done while the first products of a tile run is done then: storing
// the tile before, or applying the region to sums that it has kept, and reading
// what the region needs beside the sums.
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
/// Registers for all but the sums and what is read ahead for them. Of a region
/// of many ops ptxas works on many elements at once.
constexpr int64_t kOtherRegisters = 36, kRegistersOfLongRegion = 64;
constexpr int64_t kLongRegion = 8;
/// What is done to sums while products run is slow: the products take registers
/// from the same banks. So it is done to so many columns of a tile in a step,
/// and what is read for them so many steps before: a step is shorter than a
/// read from the cache that all blocks share.
constexpr int64_t kColumnsOfPart = 16;
constexpr int64_t kStepsAhead = 2;

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
    MLIRContext *context = b.getContext();
    int64_t depth = schedule.getDepth();
    left = SharedType::get(context, schedule.getRows(), depth,
                           elementOf(op.getLhs()), op.getLhsTransposed());
    right = SharedType::get(context, schedule.getColumns(), depth,
                            elementOf(op.getRhs()), !op.getRhsTransposed());
    addsSteps = isByteFloat(left.getElementType()) && !op.getFast();
    int64_t stored = right.getRows();
    bool isOneFragment =
        left.getRows() == kGroupRows * (int64_t)schedule.getWarpgroups() &&
        (!addsSteps || stored <= kMostStepColumns);
    keptParts = addsSteps ? 0 : partsOfKept();
    if (keptParts)
      stored -= schedule.getKeep();
    // Where boxes hold all of what a warpgroup stores at the end of a tile.
    defers = isOneFragment && stored > 0 &&
             schedule.getBoxes() * elementsOfBox() >= stored;
    leftParts = partsOf(left, schedule.getColumnBlocks());
    rightParts = partsOf(right, schedule.getRowBlocks());
  }

  /// In how many steps the columns that are kept are finished: each does as
  /// little as it can. There is one more at least, whose sums the loop carries,
  /// and one in which boxes are sent and the first parts' extras read.
  int64_t partsOfKept() {
    int64_t parts = schedule.getKeep() / kColumnsOfPart;
    while (parts > 1 && parts + 1 >= op.getStepsOfPart())
      parts /= 2;
    return parts > 1 ? parts : 0;
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

  /// The tiles of this block: where each one begins, and what it carries on.
  ValueRange forTiles(
      ValueRange inits,
      function_ref<SmallVector<Value>(Value, Value, Value, ValueRange)> body) {
    auto loop = ForTilesOp::create(b, inits.getTypes(), tileRows, tileColumns,
                                   inits, schedule.getGroup());
    OpBuilder::InsertionGuard guard(b);
    Block &block = loop.getBody().emplaceBlock();
    Value i = block.addArgument(b.getI32Type(), b.getLoc());
    Value j = block.addArgument(b.getI32Type(), b.getLoc());
    Value turn = block.addArgument(b.getI32Type(), b.getLoc());
    for (Value init : inits)
      block.addArgument(init.getType(), b.getLoc());
    b.setInsertionPointToStart(&block);
    Value row = times(i, schedule.getClusterRows());
    Value column = times(j, schedule.getClusterColumns());
    if (schedule.getShareLeft())
      column =
          arith::AddIOp::create(b, column, times(rank, schedule.getColumns()));
    else if (!schedule.getClustered())
      row = arith::AddIOp::create(b, row, times(rank, schedule.getRows()));
    YieldOp::create(
        b, body(row, column, turn, block.getArguments().drop_front(3)));
    return loop.getResults();
  }

  void buildLoads(Value ring, Value lhs, Value rhs) {
    forTiles({}, [&](Value row, Value column, Value turn, ValueRange) {
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
      auto load = [&](Value step) {
        if (backwards) {
          Value last = arith::SubIOp::create(b, steps, one);
          Value fromEnd = arith::SubIOp::create(b, last, step);
          step = arith::SelectOp::create(b, backwards, fromEnd, step);
        }
        if (first)
          step = arith::AddIOp::create(b, first, step);
        Value at = times(step, schedule.getDepth());
        auto fill = FillOp::create(b, ring);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(&fill.getBody().emplaceBlock());
        LoadOp::create(b, lhs, at, row, /*outer=*/ValueRange(), /*tile=*/0,
                       /*shared=*/leftParts > 1);
        LoadOp::create(b, rhs, at, column, /*outer=*/ValueRange(), /*tile=*/1,
                       /*shared=*/rightParts > 1);
      };
      auto loadAll = [&](Value step, int64_t, int64_t count, ValueRange) {
        for (int64_t i = 0; i < count; ++i)
          load(i == 0 ? step : arith::AddIOp::create(b, step, i32(i)));
        return SmallVector<Value>();
      };
      return forSteps(/*byThemselves=*/1, {}, loadAll);
    });
  }

  /// Steps in which there is more to do: what the tile before has left is
  /// finished. In one before them what was stored is sent, and what they need
  /// first is read. Where nothing was left that is the only one.
  int64_t stepsOfKept() {
    if (keptParts == 0)
      return 1;
    return stepsBeforeKept() + keptParts;
  }
  int64_t stepsBeforeKept() {
    bool readsAny = registersOfExtras(kColumnsOfPart) > 0;
    return defers || readsAny ? 1 : 0;
  }

  /// The steps of a tile, and what they carry, as many at once as the schedule
  /// says. The first ones are by themselves, as there is more to do then, and
  /// are so many that the others are whole turns of a loop. `body` is given the
  /// first step, its number if it is one of these, and how many they are.
  SmallVector<Value>
  forSteps(int64_t byThemselves, SmallVector<Value> carried,
           function_ref<SmallVector<Value>(Value, int64_t, int64_t, ValueRange)>
               body) {
    int64_t all = op.getStepsOfPart();
    int64_t atOnce = addsSteps ? 1 : schedule.getAtOnce();
    int64_t alone = byThemselves - 1;
    int64_t first = (all - alone - 1) % atOnce + 1;
    auto number = [&](int64_t count) {
      return count == 0 ? zero : count == 1 ? one : i32(count);
    };
    for (int64_t i = 0; i <= alone; ++i)
      carried = body(number(i), i, i == alone ? first : 1, carried);
    if (alone + first == all)
      return carried;
    auto loop = scf::ForOp::create(b, number(alone + first), steps,
                                   number(atOnce), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> results =
        body(loop.getInductionVar(), -1, atOnce, loop.getRegionIterArgs());
    if (!carried.empty())
      scf::YieldOp::create(b, results);
    return loop.getResults();
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
    int64_t keptColumns = keptParts ? schedule.getKeep() : 0;
    int64_t otherColumns = width - keptColumns;
    auto fragOf = [&](int64_t columns) {
      return FragType::get(context, kGroupRows, columns, element, false);
    };
    bool readsAhead = !room && !addsSteps && otherColumns > 0 &&
                      frags * width / 2 + registersOfExtras(width) * frags <=
                          schedule.getRegisters() - registersOfRegion();
    // The first tile finds one of which nothing lies in the matrix.
    SmallVector<Value> inits;
    if (keptParts)
      inits = {ZeroOp::create(b, fragOf(keptColumns)), rows, zero};
    ValueRange last = forTiles(inits, [&](Value row, Value column, Value,
                                          ValueRange held) {
      SmallVector<Value> none;
      for (int64_t i = 0; i < frags; ++i)
        none.push_back(ZeroOp::create(b, sums));
      SmallVector<Value> numbers, parts;
      for (int64_t i = 0; i < below; ++i)
        numbers.push_back(
            arith::AddIOp::create(b, times(group, below), i32(i)));
      for (int64_t i = 0; i < across && across > 1; ++i)
        parts.push_back(i32(i));
      SmallVector<Value> tops, firsts;
      for (int64_t i = 0; i < frags; ++i) {
        tops.push_back(arith::AddIOp::create(
            b, row, times(numbers[i / across], kGroupRows)));
        firsts.push_back(i % across == 0
                             ? column
                             : Value(arith::AddIOp::create(
                                   b, column, i32(i % across * width))));
      }
      SmallVector<SmallVector<Value>> extras(
          frags, SmallVector<Value>(op.getExtras()));
      SmallVector<SmallVector<Value>> extrasOfKept(
          keptParts, SmallVector<Value>(op.getExtras()));
      auto multiply = [&](Value, int64_t early, int64_t count,
                          ValueRange before) {
        SmallVector<Value> stages, added(before);
        for (int64_t step = 0; step < count; ++step) {
          Value stage = AcquireOp::create(b, stageType, ring);
          stages.push_back(stage);
          for (int64_t i = 0; i < frags; ++i) {
            Value from =
                OperandOp::create(b, part, stage, 0, numbers[i / across]);
            Value by =
                OperandOp::create(b, columnsOfPart, stage, 1,
                                  across > 1 ? parts[i % across] : Value());
            Value to = addsSteps ? ZeroOp::create(b, sums) : added[i];
            Value started = MultiplyOp::create(b, pending, from, by, to);
            // While the first products run.
            if (early >= 0 && step == 0 && i + 1 == (addsSteps ? 1 : frags)) {
              if (defers && early == 0)
                SendOp::create(b, boxes);
              int64_t kept = early - stepsBeforeKept();
              int64_t ahead = kept + kStepsAhead;
              for (int64_t j = early == 0 ? 0 : ahead;
                   j <= ahead && j < keptParts; ++j)
                readExtrasOfPart(extrasOfKept, j, held);
              if (kept >= 0 && kept < keptParts)
                finish(held, kept, extrasOfKept[kept]);
              bool isLast = early + 1 == stepsOfKept();
              for (int64_t j = 0; j < frags && readsAhead && isLast; ++j)
                readExtras(extras[j], fragOf(otherColumns), tops[j], firsts[j]);
            }
            if (addsSteps) {
              auto wait =
                  WaitOp::create(b, TypeRange(sums), started, /*leaving=*/0);
              started = AddOp::create(b, added[i], wait.getResult(0));
            }
            added[i] = started;
          }
        }
        if (!addsSteps)
          added = llvm::to_vector_of<Value>(
              WaitOp::create(b, SmallVector<Type>(frags, sums), added,
                             /*leaving=*/0)
                  .getResults());
        for (Value stage : stages)
          ReleaseOp::create(b, stage);
        return added;
      };
      SmallVector<Value> all = forSteps(stepsOfKept(), none, multiply);
      Value sumsOfTile = all[0];
      if (otherColumns > 0 && keptColumns > 0)
        all[0] = ColumnsOp::create(b, fragOf(otherColumns), all[0], /*from=*/0);
      for (int64_t i = 0; i < frags && otherColumns > 0; ++i) {
        Value first = firsts[i], result = all[i], end = columns;
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
        Value stored = mapElements(result, extras[i], tops[i], first, end);
        if (boxes)
          StoreOp::create(b, stored, out, first, tops[i],
                          /*outer=*/ValueRange(), boxes, defers,
                          /*at=*/IntegerAttr());
        else
          WriteOp::create(b, stored, out, tops[i], first, rows, end,
                          op.getOutTransposed());
      }
      if (keptParts == 0)
        return SmallVector<Value>();
      // Only now: the others have left their registers.
      Value from = arith::AddIOp::create(b, column, i32(otherColumns));
      Value waiting = ColumnsOp::create(b, fragOf(keptColumns), sumsOfTile,
                                        /*from=*/otherColumns);
      return SmallVector<Value>{KeepOp::create(b, waiting), tops[0], from};
    });
    if (keptParts && defers)
      SendOp::create(b, boxes);
    for (int64_t part = 0; part < keptParts; ++part)
      finish(last, part, op.getExtras());
  }

  /// A part of what a tile before has left: its sums, where they are.
  FragType partOf(ValueRange held) {
    auto type = cast<FragType>(held[0].getType());
    return FragType::get(b.getContext(), kGroupRows,
                         type.getColumns() / keptParts, type.getElementType(),
                         false);
  }
  Value columnOf(ValueRange held, int64_t part) {
    if (part == 0)
      return held[2];
    return arith::AddIOp::create(b, held[2],
                                 i32(part * partOf(held).getColumns()));
  }

  /// Maps the part and stores it, alone or with others of a box.
  void finish(ValueRange held, int64_t part, ValueRange extras) {
    FragType type = partOf(held);
    int64_t width = type.getColumns();
    Value sums = ColumnsOp::create(b, type, held[0], part * width);
    Value column = columnOf(held, part);
    Value mapped = mapElements(sums, extras, held[1], column, columns);
    IntegerAttr at; // where it is a part of a box
    if (width < elementsOfBox())
      at = b.getI64IntegerAttr(part * width % elementsOfBox());
    StoreOp::create(b, mapped, out, column, held[1], /*outer=*/ValueRange(),
                    boxes, /*deferred=*/false, at);
  }

  AffineMap mapOf(unsigned extra) {
    return cast<AffineMapAttr>(op.getExtraMaps()[extra]).getValue();
  }

  /// Those that a fragment of so many columns can be of.
  static bool isHeld(Type element) {
    return element.isF32() || element.isInteger(32) || element.isBF16() ||
           element.isF16();
  }
  static Type elementOf(Value memref) {
    return cast<MemRefType>(memref.getType()).getElementType();
  }

  int64_t registersOfRegion() {
    int64_t ops = llvm::count_if(op.getBody().front(), [](Operation &each) {
      return !each.hasTrait<OpTrait::ConstantLike>();
    });
    return ops > kLongRegion ? kRegistersOfLongRegion : kOtherRegisters;
  }

  /// Registers of a thread for what extras have for a fragment.
  int64_t registersOfExtras(int64_t width) {
    int64_t registers = 0;
    for (auto [number, extra] : llvm::enumerate(op.getExtras())) {
      if (!isHeld(elementOf(extra)))
        continue;
      int64_t rows = mapOf(number).isFunctionOfDim(0) ? 2 : 1;
      int64_t pairs = mapOf(number).isFunctionOfDim(1) ? width / 8 : 1;
      registers += rows * pairs * elementOf(extra).getIntOrFloatBitWidth() / 16;
    }
    return registers;
  }

  void readExtras(MutableArrayRef<Value> extras, FragType sums, Value row,
                  Value column) {
    for (auto [number, extra] : llvm::enumerate(extras))
      if (!isa<FragType>(extra.getType()) && isHeld(elementOf(extra)))
        extra = ReadOp::create(
            b,
            FragType::get(b.getContext(), sums.getRows(), sums.getColumns(),
                          elementOf(extra), false),
            extra, row, column, rows, columns, mapOf(number));
  }

  /// What is the same for all columns is read for the first part only.
  void readExtrasOfPart(MutableArrayRef<SmallVector<Value>> extras,
                        int64_t part, ValueRange held) {
    if (part > 0)
      for (auto [number, first] : llvm::enumerate(extras[0]))
        if (!mapOf(number).isFunctionOfDim(1))
          extras[part][number] = first;
    readExtras(extras[part], partOf(held), held[1], columnOf(held, part));
  }

  int64_t elementsOfBox() {
    return kLineBytes * 8 / elementOf(op.getOut()).getIntOrFloatBitWidth();
  }

  /// Up to column `end`.
  Value mapElements(Value sums, ValueRange extras, Value row, Value column,
                    Value end) {
    auto source = cast<FragType>(sums.getType());
    Block &given = op.getBody().front();
    if (given.getTerminator()->getOperand(0) == given.getArgument(0))
      return sums;
    Type element = cast<MemRefType>(op.getOut().getType()).getElementType();
    SmallVector<AffineMap> maps;
    for (auto [number, extra] : llvm::enumerate(extras))
      maps.push_back(isa<FragType>(extra.getType())
                         ? b.getMultiDimIdentityMap(2)
                         : mapOf(number));
    auto mapped = MapOp::create(
        b,
        FragType::get(b.getContext(), source.getRows(), source.getColumns(),
                      element, false),
        sums, row, column, rows, end, extras, b.getAffineMapArrayAttr(maps));
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
  /// Steps of a tile in which what the one before has kept is finished.
  int64_t keptParts = 0;
  /// Boxes that were written at the end of a tile are sent during the next one.
  bool defers = false;
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
      AttentionProgram(op).build();
  }
};

} // namespace
