//===- TripCounts.cpp - How often parallel loops run ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an scf.forall. Out: the iterations of its loops as values of index type;
// a loop whose end lies before its start has none.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Threads/TripCounts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;

TripCounts aikernel::countTrips(OpBuilder &builder, scf::ForallOp loop) {
  Location loc = loop.getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  TripCounts counts;
  counts.all = index(1);
  for (auto [lower, upper, step] :
       llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                 loop.getMixedStep())) {
    Value lo = getValueOrCreateConstantIndexOp(builder, loc, lower);
    Value hi = getValueOrCreateConstantIndexOp(builder, loc, upper);
    Value by = getValueOrCreateConstantIndexOp(builder, loc, step);
    Value span = builder.createOrFold<arith::SubIOp>(loc, hi, lo);
    Value trips = builder.createOrFold<arith::CeilDivSIOp>(loc, span, by);
    // Two negative counts must not make a positive one.
    trips = builder.createOrFold<arith::MaxSIOp>(loc, trips, index(0));
    counts.lowers.push_back(lo);
    counts.steps.push_back(by);
    counts.trips.push_back(trips);
    counts.all = builder.createOrFold<arith::MulIOp>(loc, counts.all, trips);
  }
  return counts;
}
