//===- FreezeAddresses.cpp - Addresses that LLVM takes as they are --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function. Out: frozen addresses in front of its innermost loops.
//
//===----------------------------------------------------------------------===//

#include "FreezeAddresses.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Asking for a line is not writing, though LLVM says so.
static bool onlyReads(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &op : *block) {
      auto *call = dyn_cast<IntrinsicInst>(&op);
      bool asks = call && call->getIntrinsicID() == Intrinsic::prefetch;
      if (op.mayWriteToMemory() && !asks)
        return false;
    }
  return true;
}

namespace {

class Freezer {
public:
  explicit Freezer(Loop &loop)
      : loop(loop), atEntry(loop.getLoopPreheader()->getTerminator()) {}

  void run() {
    for (BasicBlock *block : loop.blocks())
      for (Instruction &op : *block)
        for (Use &use : op.operands())
          if (Value *frozen = freeze(use.get()))
            use.set(frozen);
  }

private:
  /// The address as a frozen one and what is always added to it; null if that
  /// does not make it simpler.
  Value *freeze(Value *address) {
    if (!isa<GetElementPtrInst>(address) || !loop.isLoopInvariant(address))
      return nullptr;
    const DataLayout &layout = atEntry->getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
    Value *start = address->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    auto *sum = dyn_cast<GetElementPtrInst>(start);
    if (!sum || sum->getType()->isVectorTy())
      return nullptr;
    IRBuilder<> b(atEntry);
    if (!frozen.count(sum))
      frozen[sum] = b.CreateFreeze(sum);
    if (!frozen.count(address))
      frozen[address] = b.CreatePtrAdd(frozen[sum], b.getInt(offset));
    return frozen[address];
  }

  Loop &loop;
  Instruction *atEntry;
  DenseMap<Value *, Value *> frozen;
};

} // namespace

void aikernel::freezeAddresses(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->getLoopPreheader() && onlyReads(*loop))
      Freezer(*loop).run();
}
