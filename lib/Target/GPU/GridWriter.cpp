//===- GridWriter.cpp - Kernels and their grids ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops of host code. Out: kernels in their place, each with the number of
// blocks that launches it: iterations of a loop, elements of an op that is
// spread, or tiles of a matrix up to as many as run at once.
//
//===----------------------------------------------------------------------===//

#include "GridWriter.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Transforms/Threads/TripCounts.h"
#include "CooperativeProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cmath>

using namespace mlir;
using namespace aikernel;

/// Elements that a thread of a spread op computes.
static constexpr int64_t kElementsPerThread = 8;
/// Blocks of an op whose size only the device knows.
static constexpr int64_t kBlocksOfUnknown = 256;
/// A grid is never larger; threads then compute more.
static constexpr int64_t kMostSpreadBlocks = 1 << 16;

/// Ends the kernel and launches it in place of `op`.
gpu::LaunchFuncOp GridWriter::finish(Kernel &kernel, Value blocks,
                                     Operation *op,
                                     ArrayRef<Operation *> reads) {
  gpu::LaunchFuncOp made = launch(kernel, blocks, op, reads);
  op->erase();
  return made;
}

gpu::LaunchFuncOp GridWriter::formGrid(scf::ForallOp loop,
                                       ArrayRef<Operation *> reads) {
  Location loc = loop.getLoc();
  builder.setInsertionPoint(loop);
  auto [lowers, steps, trips, blocks] = countTrips(builder, loop);
  SetVector<Value> more;
  for (ArrayRef<Value> values :
       {ArrayRef(lowers), ArrayRef(steps), ArrayRef(trips)})
    more.insert(values.begin(), values.end());
  Kernel kernel = start(loop, reads, more);
  IRMapping &values = kernel.values;
  Value rest = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  SmallVector<Value> ivs(trips.size());
  for (int dim = trips.size() - 1; dim >= 0; --dim) {
    Value trip = rest;
    if (dim > 0) {
      Value count = values.lookup(trips[dim]);
      trip = arith::RemUIOp::create(builder, loc, rest, count);
      rest = arith::DivUIOp::create(builder, loc, rest, count);
    }
    Value offset =
        arith::MulIOp::create(builder, loc, trip, values.lookup(steps[dim]));
    ivs[dim] =
        arith::AddIOp::create(builder, loc, values.lookup(lowers[dim]), offset);
  }
  values.map(loop.getInductionVars(), ivs);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, values);
  return finish(kernel, blocks, loop, reads);
}

gpu::LaunchFuncOp GridWriter::formSpread(linalg::LinalgOp op,
                                         ArrayRef<Operation *> reads,
                                         bool hostKnowsSizes) {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  Value blocks = index(loc, kBlocksOfUnknown);
  bool isKnown = llvm::none_of(op.getStaticLoopRanges(), [](int64_t extent) {
    return ShapedType::isDynamic(extent);
  });
  if (isKnown || hostKnowsSizes) {
    Value elements = index(loc, 1);
    for (auto [range, iterator] : llvm::zip(op.createLoopRanges(builder, loc),
                                            op.getIteratorTypesArray()))
      if (iterator == utils::IteratorType::parallel) {
        Value size = getValueOrCreateConstantIndexOp(builder, loc, range.size);
        elements = builder.createOrFold<arith::MulIOp>(loc, elements, size);
      }
    Value perBlock = index(loc, kThreadsPerBlock * kElementsPerThread);
    blocks = builder.createOrFold<arith::CeilDivSIOp>(loc, elements, perBlock);
    blocks = builder.createOrFold<arith::MinSIOp>(
        loc, blocks, index(loc, kMostSpreadBlocks));
  }
  Kernel kernel = start(op, reads, {});
  builder.clone(*op, kernel.values)
      ->setAttr(kSpreadAttrName, builder.getUnitAttr());
  return finish(kernel, blocks, op, reads);
}

/// A check of many elements is not left to one block.
static int64_t blocksOfCheck(Operation *op) {
  auto check = dyn_cast<CheckOp>(op);
  auto loop =
      check ? check.getCondition().getDefiningOp<scf::ForOp>() : scf::ForOp();
  int64_t elements = loop ? 1 : 0;
  if (loop)
    loop.walk([&](scf::ForOp inner) {
      std::optional<int64_t> end = getConstantIntValue(inner.getUpperBound());
      elements = end ? elements * *end : 0;
    });
  return std::clamp<int64_t>(llvm::divideCeil(elements, kThreadsPerBlock), 1,
                             kBlocksOfUnknown);
}

gpu::LaunchFuncOp GridWriter::formBlock(Operation *op,
                                        ArrayRef<Operation *> reads) {
  builder.setInsertionPoint(op);
  int64_t count = blocksOfCheck(op);
  Value blocks = index(op->getLoc(), count);
  Kernel kernel = start(op, reads, {});
  if (auto check = dyn_cast<CheckOp>(op); check && count > 1)
    kernel.values.lookup(check.getCondition())
        .getDefiningOp()
        ->setAttr(kSpreadAttrName, builder.getUnitAttr());
  builder.clone(*op, kernel.values);
  return finish(kernel, blocks, op, reads);
}

/// Matrices are parameters of their own even where one is given twice: the host
/// makes a tensor map of each.
gpu::LaunchFuncOp GridWriter::formProduct(tile::ProductOp op) {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  tile::ScheduleAttr schedule = op.getSchedule();
  unsigned rowDim = op.getOutRowDim();
  Value rows =
      memref::DimOp::create(builder, loc, op.getOut(), index(loc, rowDim));
  Value columns =
      memref::DimOp::create(builder, loc, op.getOut(), index(loc, 1 - rowDim));
  auto tiles = [&](Value size, int64_t by) {
    return builder.createOrFold<arith::CeilDivSIOp>(loc, size, index(loc, by));
  };
  Value clusters = builder.createOrFold<arith::MulIOp>(
      loc, tiles(rows, schedule.getClusterRows()),
      tiles(columns, schedule.getColumns()));
  Value blocks = builder.createOrFold<arith::MulIOp>(
      loc, clusters, index(loc, schedule.getCluster()));
  blocks = builder.createOrFold<arith::MinSIOp>(
      loc, blocks, index(loc, schedule.getBlocks()));
  Kernel kernel;
  kernel.captures.append({op.getLhs(), op.getRhs(), op.getOut(), rows});
  llvm::append_range(kernel.captures, op.getExtras());
  kernel.plainCaptures = kernel.captures.size();
  SetVector<Value> constants;
  getUsedValuesDefinedAbove(op->getRegions(), constants);
  for (Value constant : constants)
    kernel.constants.push_back(constant.getDefiningOp());
  // One of them loads, unless all of them copy.
  int64_t warpgroups = schedule.getWarpgroups() + !isCooperative(schedule);
  declare(kernel, loc, warpgroups * tile::kWarpgroupThreads);
  ValueRange words = kernel.device.getBody().front().getArguments();
  fill(loc, kernel, words, /*reads=*/{}, kernel.values, /*onDevice=*/true);
  auto inside = cast<tile::ProductOp>(builder.clone(*op, kernel.values));
  inside.getLhsMutable().assign(words[0]);
  inside.getRhsMutable().assign(words[1]);
  inside.getOutMutable().assign(words[2]);
  inside.getRowsMutable().assign(words[3]);
  for (auto [operand, word] :
       llvm::zip(inside.getExtrasMutable(), words.drop_front(4)))
    operand.set(word);
  return finish(kernel, blocks, op, /*reads=*/{});
}

/// Again each tensor is a parameter of its own.
gpu::LaunchFuncOp GridWriter::formAttention(tile::AttentionOp op) {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  tile::AttentionScheduleAttr schedule = op.getSchedule();
  auto size = [&](Value memref, unsigned dim) -> Value {
    return builder.createOrFold<memref::DimOp>(loc, memref, index(loc, dim));
  };
  Value sizes[] = {size(op.getQ(), 0), size(op.getQ(), op.getSequenceDim()),
                   size(op.getK(), op.getSequenceDim())};
  Value tiles = builder.createOrFold<arith::CeilDivSIOp>(
      loc, sizes[1], index(loc, schedule.getRows()));
  for (Value factor : {sizes[0], index(loc, op.getHeads())})
    tiles = builder.createOrFold<arith::MulIOp>(loc, tiles, factor);
  Value blocks = builder.createOrFold<arith::MinSIOp>(
      loc, tiles, index(loc, schedule.getBlocks()));
  if (!getConstantIntValue(sizes[2]))
    blocks = unlessEmpty(op, sizes[2], blocks);
  Kernel kernel;
  op.getSizesMutable().assign(sizes);
  kernel.captures.assign(op->operand_begin(), op->operand_end());
  kernel.plainCaptures = kernel.captures.size();
  declare(kernel, loc,
          (schedule.getWarpgroups() + 1) * tile::kWarpgroupThreads);
  ValueRange words = kernel.device.getBody().front().getArguments();
  fill(loc, kernel, words, /*reads=*/{}, kernel.values, /*onDevice=*/true);
  builder.clone(*op, kernel.values)->setOperands(words);
  return finish(kernel, blocks, op, /*reads=*/{});
}

/// Nobody sees a key where there is none: no blocks but zeros.
Value GridWriter::unlessEmpty(tile::AttentionOp op, Value keys, Value blocks) {
  Location loc = op.getLoc();
  Value none = index(loc, 0);
  Value isEmpty =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, keys, none);
  auto branch =
      scf::IfOp::create(builder, loc, isEmpty, /*withElseRegion=*/false);
  SmallVector<std::pair<Value, double>> fills{{op.getOut(), 0.0}};
  for (auto [number, rows] : llvm::enumerate(op.getStatistics()))
    fills.push_back({rows, number == 0 ? -INFINITY : 0.0});
  for (auto [memref, value] : fills) {
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    Type type = cast<MemRefType>(memref.getType()).getElementType();
    Value constant = arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(type, value));
    formSpread(linalg::FillOp::create(builder, loc, constant, memref),
               /*reads=*/{}, /*hostKnowsSizes=*/true);
  }
  builder.setInsertionPoint(op);
  return arith::SelectOp::create(builder, loc, isEmpty, none, blocks);
}
