//===- CarryInPlace.cpp - Loops carry tensors in one place ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions on tensors, just before bufferization.
// Out: the same, with every tensor that an scf.for carries written into the
// memory that it came in:
//
//   scf.for iter_args(%a) { %y = ... ; scf.yield %y }
//   ==>  scf.yield (bufferization.materialize_in_destination %y in %a)
//
// Memory is planned once per function, so a loop may not carry a buffer that
// one of its iterations made: the next iteration would read and write the same
// memory. For a value that was updated in place all along the copy is one of a
// buffer onto itself, which Vectorize drops.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/DestinationChain.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#define DEBUG_TYPE "aik-carry-in-place"

namespace aikernel {
#define GEN_PASS_DEF_CARRYINPLACEPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

void carryInPlace(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  OpBuilder builder(yield);
  Location loc = loop.getLoc();
  SmallVector<unsigned> written;
  for (auto [index, operand] : llvm::enumerate(yield->getOpOperands())) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    Value carried = loop.getRegionIterArg(index);
    if (!type || operand.get() == carried)
      continue;
    Value start = startOfDestinationChain(operand.get());
    written.push_back(index);
    // Another carried value must be read before it is written.
    if (start != carried && !isFreshTensor(start))
      operand.set(bufferization::AllocTensorOp::create(
          builder, loc, type, /*dynamicSizes=*/ValueRange{},
          /*copy=*/operand.get()));
  }
  for (unsigned index : written) {
    Value carried = loop.getRegionIterArg(index);
    auto write = bufferization::MaterializeInDestinationOp::create(
        builder, loc, carried.getType(), yield.getOperand(index), carried);
    yield->setOperand(index, write.getResult());
  }
}

struct CarryInPlacePass
    : aikernel::impl::CarryInPlacePassBase<CarryInPlacePass> {
  using CarryInPlacePassBase::CarryInPlacePassBase;

  void runOnOperation() override {
    getOperation()->walk([](scf::ForOp loop) { carryInPlace(loop); });
  }
};

} // namespace
