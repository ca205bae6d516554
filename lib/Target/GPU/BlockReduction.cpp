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

using namespace mlir;
using namespace aikernel;

std::optional<BlockReduction> BlockReduction::match(StructuredBody &body) {
  std::optional<ThreadReduction> reduction =
      ThreadReduction::match(body.getOp());
  if (!reduction)
    return std::nullopt;
  return BlockReduction(body, std::move(*reduction));
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
    LoopBuilder::Values partial =
        b.loop(lane, points, group, reduction.neutral(b),
               [&](Value point, ValueRange carried) {
                 body.setReduction(b, point, ivs);
                 return body.compute(b, ivs, carried);
               });
    partial = reduction.acrossThreads(b, kernel, partial, thread, group);
    // The next element uses the same rooms.
    if (group == threads)
      gpu::BarrierOp::create(b);
    auto one = scf::IfOp::create(b, b.equals(lane, 0));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(one.thenBlock());
    LoopBuilder::Values before = body.loadResults(b, ivs);
    for (auto [result, value] : llvm::enumerate(partial))
      value = reduction.combine(b, result, before[result], value);
    body.storeResults(b, ivs, partial);
  });
}
