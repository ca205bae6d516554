//===- VectorPairs.cpp - Even and odd elements of bf16 apart --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a linalg op whose loops aik-vectorize writes. Out: whether all that is
// read and written along the vectors is bf16; and the body of such a loop for
// targets that widen halves of 32-bit words with less effort than words in
// their order:
//
//   %even, %odd = vector.deinterleave (vector.load)
//   ... the body on %even, the body on %odd ...
//   vector.store (vector.interleave)
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Vectors/VectorBodies.h"
#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::vectornest;

/// Is every number along the vectors bf16, of which the body knows only what it
/// is in f32?
bool NestEmitter::isPairable() {
  if (!vectorDim)
    return false;
  auto isBf16 = [](Value buffer) {
    return getElementTypeOrSelf(buffer.getType()).isBF16();
  };
  for (OpOperand &operand : op->getOpOperands()) {
    if (!dependsOnVectorDim(operand))
      continue;
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    auto isWidened = [](Operation *user) {
      return isa<arith::ExtFOp>(user) && user->getResult(0).getType().isF32();
    };
    if (!isBf16(operand.get()) || !llvm::all_of(arg.getUsers(), isWidened))
      return false;
  }
  Block &body = op.getRegion().front();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value yielded = op.getMatchingYieldValue(&init)->get();
    auto rounded = yielded.getDefiningOp<arith::TruncFOp>();
    if (dependsOnVectorDim(init) && (!rounded || rounded->getBlock() != &body ||
                                     !rounded.getIn().getType().isF32()))
      return false;
  }
  return llvm::none_of(body.getOps<linalg::IndexOp>(), [&](linalg::IndexOp i) {
    return i.getDim() == vectorDim;
  });
}

/// emitBody, even elements and odd ones apart.
SmallVector<Value> NestEmitter::emitPairs(unsigned width,
                                          ArrayRef<Value> carried) {
  Block &body = op.getRegion().front();
  int64_t half = width / 2;
  std::array<IRMapping, 2> values;
  unsigned nextCarried = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand) &&
        isCarried(operand.getOperandNumber() - op.getNumDpsInputs())) {
      Value sums = carried[nextCarried++];
      for (int64_t parity : {0, 1})
        values[parity].map(
            arg, vector::ExtractStridedSliceOp::create(
                     builder, loc, sums, {parity * half}, {half}, {1}));
      continue;
    }
    if (arg.use_empty())
      continue;
    Value loaded = loadOperand(operand, width);
    if (!isa<VectorType>(loaded.getType())) {
      values[0].map(arg, loaded);
      values[1].map(arg, loaded);
      continue;
    }
    auto parted = vector::DeinterleaveOp::create(builder, loc, loaded);
    values[0].map(arg, parted.getRes1());
    values[1].map(arg, parted.getRes2());
  }
  emitPrefetches(width);
  for (IRMapping &each : values)
    for (Operation &inner : body.without_terminator())
      cloneAt(inner, half, each);
  SmallVector<Value> newCarried;
  for (auto [index, yielded] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    Value even = splat(builder, loc, values[0].lookupOrDefault(yielded), half);
    Value odd = splat(builder, loc, values[1].lookupOrDefault(yielded), half);
    if (isCarried(index))
      newCarried.push_back(vector::ShuffleOp::create(
          builder, loc, even, odd,
          llvm::to_vector(llvm::seq<int64_t>(0, width))));
    else
      storeResult(index, vector::InterleaveOp::create(builder, loc, even, odd),
                  width);
  }
  return newCarried;
}
