//===- BlockReduction.cpp - Many threads for one sum ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a structured op that reduces. Out:
//
//   for each element of this group of threads:
//     each lane reduces every n-th point; the lanes combine by shuffles, the
//     warps through shared memory; one lane adds what was there and stores
//
//===----------------------------------------------------------------------===//

#include "BlockReduction.h"
#include "SharedMemory.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace aikernel;

std::optional<BlockReduction> BlockReduction::match(StructuredBody &body) {
  BlockReduction reduction(body);
  linalg::LinalgOp op = body.getOp();
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    SmallVector<Operation *> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), i, combiners) ||
        combiners.size() != 1)
      return std::nullopt;
    Operation *combiner = combiners.front();
    Type type = combiner->getResult(0).getType();
    if (!type.isF32() && !type.isInteger(32))
      return std::nullopt;
    std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
    if (!neutral)
      return std::nullopt;
    reduction.combiners.push_back(combiner);
    reduction.neutral.push_back(*neutral);
  }
  return reduction;
}

Value BlockReduction::combine(LoopBuilder &b, unsigned result, Value x,
                              Value y) {
  Operation *combiner = combiners[result];
  OperationState state(b.getLoc(), combiner->getName(), {x, y},
                       combiner->getResultTypes(), combiner->getAttrs());
  return b.create(state)->getResult(0);
}

LoopBuilder::Values BlockReduction::acrossWarp(LoopBuilder &b,
                                               LoopBuilder::Values values,
                                               int64_t lanes) {
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2)
    for (auto [result, value] : llvm::enumerate(values)) {
      Value other = gpu::ShuffleOp::create(b, value, (int32_t)distance, kWarp,
                                           gpu::ShuffleMode::XOR)
                        .getShuffleResult();
      value = combine(b, result, value, other);
    }
  return values;
}

LoopBuilder::Values BlockReduction::acrossBlock(LoopBuilder &b,
                                                gpu::GPUFuncOp kernel,
                                                LoopBuilder::Values values,
                                                Value thread, int64_t threads) {
  int64_t warps = threads / kWarp;
  Value warp = arith::DivUIOp::create(b, thread, b.index(kWarp));
  Value lane = arith::RemUIOp::create(b, thread, b.index(kWarp));
  SmallVector<Value> rooms;
  for (Value value : values)
    rooms.push_back(
        addSharedMemory(kernel, {warps}, value.getType(), b.getLoc()));
  auto first = scf::IfOp::create(b, b.equals(lane, 0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    for (auto [room, value] : llvm::zip(rooms, values))
      b.store(value, room, warp);
  }
  gpu::BarrierOp::create(b);
  for (auto [result, room] : llvm::enumerate(rooms)) {
    Value sum = b.load(room, b.index(0));
    for (int64_t i = 1; i < warps; ++i)
      sum = combine(b, result, sum, b.load(room, b.index(i)));
    values[result] = sum;
  }
  // The next element uses the same rooms.
  gpu::BarrierOp::create(b);
  return values;
}

void BlockReduction::emit(LoopBuilder &b, gpu::GPUFuncOp kernel, Value thread,
                          int64_t threads, int64_t group) {
  Value number = arith::DivUIOp::create(b, thread, b.index(group));
  Value lane = arith::RemUIOp::create(b, thread, b.index(group));
  Value elements = body.parallelCount(b), points = body.reductionCount(b);
  Value start = group == threads ? b.index(0) : number;
  b.loop(start, elements, threads / group, [&](Value element) {
    LoopBuilder::Values ivs = body.makeIvs();
    body.setParallel(b, element, ivs);
    LoopBuilder::Values partial;
    for (TypedAttr attr : neutral)
      partial.push_back(arith::ConstantOp::create(b, attr));
    partial = b.loop(lane, points, group, partial,
                     [&](Value point, ValueRange carried) {
                       body.setReduction(b, point, ivs);
                       return body.compute(b, ivs, carried);
                     });
    partial = acrossWarp(b, partial, kWarp);
    if (group == threads)
      partial = acrossBlock(b, kernel, partial, thread, threads);
    auto one = scf::IfOp::create(b, b.equals(lane, 0));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    LoopBuilder::Values before = body.loadResults(b, ivs);
    for (auto [result, value] : llvm::enumerate(partial))
      value = combine(b, result, before[result], value);
    body.storeResults(b, ivs, partial);
  });
}
