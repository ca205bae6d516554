//===- ThreadReduction.cpp - Threads combine what each has ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a value of each thread. Out: in every thread, all of them combined in the
// same order.
//
//===----------------------------------------------------------------------===//

#include "ThreadReduction.h"
#include "SharedMemory.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace aikernel;

std::optional<ThreadReduction> ThreadReduction::match(linalg::LinalgOp op) {
  ThreadReduction reduction;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    SmallVector<Operation *> found;
    if (!matchReduction(op.getRegionOutputArgs(), i, found) ||
        found.size() != 1)
      return std::nullopt;
    Type type = found.front()->getResult(0).getType();
    if ((!type.isF32() && !type.isInteger(32)) ||
        !arith::getNeutralElement(found.front()))
      return std::nullopt;
    reduction.combiners.push_back(found.front());
  }
  return reduction;
}

LoopBuilder::Values ThreadReduction::neutral(LoopBuilder &b) const {
  LoopBuilder::Values values;
  for (Operation *combiner : combiners)
    values.push_back(
        arith::ConstantOp::create(b, *arith::getNeutralElement(combiner)));
  return values;
}

Value ThreadReduction::combine(LoopBuilder &b, unsigned result, Value x,
                               Value y) const {
  Operation *combiner = combiners[result % combiners.size()];
  OperationState state(b.getLoc(), combiner->getName(), {x, y}, x.getType(),
                       combiner->getAttrs());
  return b.create(state)->getResult(0);
}

Value ThreadReduction::acrossVector(LoopBuilder &b, unsigned result,
                                    Value vector) const {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return vector;
  LoopBuilder::Values elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(
        vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{i}));
  // Halves, as long as there are two: the same order in every thread.
  while (elements.size() > 1) {
    LoopBuilder::Values next;
    for (unsigned i = 0; i + 1 < elements.size(); i += 2)
      next.push_back(combine(b, result, elements[i], elements[i + 1]));
    if (elements.size() % 2)
      next.push_back(elements.back());
    elements = next;
  }
  return elements.front();
}

LoopBuilder::Values ThreadReduction::acrossThreads(LoopBuilder &b,
                                                   gpu::GPUFuncOp kernel,
                                                   LoopBuilder::Values values,
                                                   Value thread,
                                                   int64_t threads) const {
  for (int64_t distance = kWarpSize / 2; distance > 0; distance /= 2)
    for (auto [result, value] : llvm::enumerate(values)) {
      Value other =
          gpu::ShuffleOp::create(b, value, (int32_t)distance,
                                 (int32_t)kWarpSize, gpu::ShuffleMode::XOR)
              .getShuffleResult();
      value = combine(b, result, value, other);
    }
  if (threads == kWarpSize)
    return values;
  return acrossWarps(b, kernel, values, thread, threads / kWarpSize);
}

/// From this many values of one kind on, a lane combines one of them.
static constexpr size_t kManyValues = 8;

LoopBuilder::Values ThreadReduction::acrossWarps(LoopBuilder &b,
                                                 gpu::GPUFuncOp kernel,
                                                 LoopBuilder::Values values,
                                                 Value thread,
                                                 int64_t warps) const {
  Value warp = arith::DivUIOp::create(b, thread, b.index(kWarpSize));
  Value lane = arith::RemUIOp::create(b, thread, b.index(kWarpSize));
  int64_t count = values.size();
  bool areMany = combiners.size() == 1 && values.size() >= kManyValues &&
                 count <= kWarpSize;
  SmallVector<Value> rooms;
  if (areMany)
    rooms.push_back(addSharedMemory(kernel, {warps, count},
                                    values.front().getType(), b.getLoc()));
  else
    for (Value value : values)
      rooms.push_back(
          addSharedMemory(kernel, {warps}, value.getType(), b.getLoc()));
  auto first = scf::IfOp::create(b, b.equals(lane, 0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    for (auto [i, value] : llvm::enumerate(values))
      if (areMany)
        b.store(value, rooms.front(), {warp, b.index(i)});
      else
        b.store(value, rooms[i], warp);
  }
  gpu::BarrierOp::create(b);
  if (!areMany) {
    for (auto [result, room] : llvm::enumerate(rooms)) {
      values[result] = b.load(room, b.index(0));
      for (int64_t i = 1; i < warps; ++i)
        values[result] =
            combine(b, result, values[result], b.load(room, b.index(i)));
    }
    return values;
  }
  // Were each lane to read them all, they would take most of its registers.
  Value own = b.smaller(lane, b.index(count - 1));
  Value combined = b.load(rooms.front(), {b.index(0), own});
  for (int64_t i = 1; i < warps; ++i)
    combined =
        combine(b, 0, combined, b.load(rooms.front(), {b.index(i), own}));
  for (auto [i, value] : llvm::enumerate(values))
    value = gpu::ShuffleOp::create(b, combined, (int32_t)i, (int32_t)kWarpSize,
                                   gpu::ShuffleMode::IDX)
                .getShuffleResult();
  return values;
}
