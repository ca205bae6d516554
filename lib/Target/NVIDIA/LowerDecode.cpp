//===- LowerDecode.cpp - Parts of attention as matrix instructions --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels with aikernel.attention_part. Out: what one thread does of it:
// the loop over its warp's keys (DecodeEmitter.cpp), then the sums over warps
// and blocks (DecodeCombination.cpp). DecodeTiles.h says what is in which
// register. Quotients that are rounded afterwards become approximations.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "DecodeEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#define DEBUG_TYPE "aik-lower-decode"

namespace aikernel {
#define GEN_PASS_DEF_LOWERDECODEPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Is all that becomes of the value one of eleven bits or fewer?
bool isRounded(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<arith::SelectOp>(user))
      return isRounded(user->getResult(0));
    return isa<arith::TruncFOp>(user) &&
           getElementTypeOrSelf(user->getResult(0)).getIntOrFloatBitWidth() <=
               16;
  });
}

/// Quotients that are rounded afterwards by the hardware's approximation, which
/// is off by 2^-22 at most: they are the last thing that a head waits for.
void divideRoughly(gpu::GPUFuncOp kernel) {
  kernel.walk([](arith::DivFOp op) {
    if (getElementTypeOrSelf(op.getType()).isF32() && isRounded(op))
      op.setFastmath(op.getFastmath() | arith::FastMathFlags::afn);
  });
}

void lower(AttentionPartOp op) {
  LoopBuilder b(op.getLoc(), op);
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  kernel->setAttr(kHotAttrName, b.getUnitAttr());
  int64_t threads = kernel.getKnownBlockSize()->front();
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value lanes = b.index(kWarpSize);
  DecodeThread where{thread, arith::DivUIOp::create(b, thread, lanes),
                     arith::RemUIOp::create(b, thread, lanes)};
  std::optional<ArrivalCounter> counter;
  Value word;
  if (op.getParts().size() == 4) {
    counter.emplace(b, op.getParts()[3], op.getNumber());
    word = counter->read();
  }
  // The word is there before the first keys are.
  auto prepareCounter = [&] {
    if (!counter)
      return;
    auto first = scf::IfOp::create(b, b.equals(thread, 0));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    counter->prepare(word);
  };
  DecodeTiles tiles(b, op, where.lane);
  WarpSums found =
      emitDecodeLoop(b, op, tiles, where, threads / kWarpSize, prepareCounter);
  emitDecodeCombination(b, op, tiles, where, threads, found,
                        counter ? &*counter : nullptr, kernel);
}

struct LowerDecodePass : aikernel::impl::LowerDecodePassBase<LowerDecodePass> {
  using LowerDecodePassBase::LowerDecodePassBase;

  void runOnOperation() override {
    SmallVector<AttentionPartOp> parts;
    getOperation().walk([&](AttentionPartOp op) { parts.push_back(op); });
    for (AttentionPartOp op : parts) {
      auto accumulators = cast<MemRefType>(op.getParts()[0].getType());
      if (accumulators.getDimSize(1) != 1 && op.getParts().size() < 4) {
        op.emitOpError() << "needs counters: blocks share a head";
        return signalPassFailure();
      }
      auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
      lower(op);
      divideRoughly(kernel);
    }
  }
};

} // namespace
