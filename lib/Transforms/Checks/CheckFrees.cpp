//===- CheckFrees.cpp - No use of memory that was given back --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function with aikernel.mem.free. Out: an error for each one that may
// not be the last use of its memory. The rule is simple, and refuses what it
// cannot decide: memory is freed in the block that allocated it, behind
// everything that may look at it or at a view of it. Tensors made from it count
// as views, since they are computed where they are needed; so do commands that
// were submitted, until a wait without a timeout.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "RuntimeChecks.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace aikernel;

namespace {

class FreeChecker {
public:
  explicit FreeChecker(MemFreeOp free) : free(free) {}

  LogicalResult run() {
    auto alloc = free.getMemory().getDefiningOp<MemAllocPinnedOp>();
    if (!alloc || alloc->getBlock() != free->getBlock())
      return free.emitError("AIK-E0007: 'aikernel.mem.free' takes memory of an "
                            "'aikernel.mem.alloc_pinned' in the same block");
    addView(free.getMemory());
    for (size_t next = 0; next < views.size(); ++next)
      for (Operation *user : views[next].getUsers())
        if (failed(checkUser(user)))
          return failure();
    return success();
  }

private:
  LogicalResult refuse(Operation *user, StringRef what) {
    InFlightDiagnostic error = free.emitError(
        "AIK-E0002: 'aikernel.mem.free' gives back memory that ");
    error << what;
    error.attachNote(user->getLoc()) << "here";
    return error;
  }

  LogicalResult checkUser(Operation *user) {
    if (user == free)
      return success();
    Operation *ancestor = free->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor || !ancestor->isBeforeInBlock(free)) {
      if (isa<MemFreeOp>(user))
        return refuse(user, "is freed twice");
      std::string what =
          "'" + user->getName().getStringRef().str() + "' may use afterwards";
      return refuse(user, what);
    }
    if (isa<MemFreeOp>(user))
      return success(); // it is refused on its own account
    if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
      return refuse(user, "is also known by its address");
    if (auto store = dyn_cast<memref::StoreOp>(user))
      if (views.contains(store.getValueToStore()))
        return refuse(user, "is also known where it was stored");
    if (auto submit = dyn_cast<GpuSubmitCommandsOp>(user))
      if (!isAwaited(submit))
        return refuse(user, "submitted commands may still use: nothing waits "
                            "for them without a timeout");
    addResults(user);
    if (auto commands = user->getParentOfType<GpuCommandsOp>())
      addView(commands.getCommands());
    // What a region yields, its op gives; what an op takes, its regions see.
    if (user->hasTrait<OpTrait::IsTerminator>())
      addResults(user->getParentOp());
    addArguments(user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp()
                                                         : user);
    return success();
  }

  bool isAwaited(GpuSubmitCommandsOp submit) {
    return llvm::any_of(submit.getFence().getUsers(), [&](Operation *user) {
      auto wait = dyn_cast<GpuWaitOp>(user);
      return wait && !wait.getTimeout() &&
             wait->getBlock() == submit->getBlock() &&
             free->getBlock()->findAncestorOpInBlock(*wait) &&
             free->getBlock()->findAncestorOpInBlock(*wait)->isBeforeInBlock(
                 free);
    });
  }

  void addResults(Operation *op) {
    for (Value result : op->getResults())
      addView(result);
  }

  void addArguments(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          addView(argument);
  }

  /// A number is a copy; everything else may be a view.
  void addView(Value value) {
    if (!isa<VectorType>(value.getType()) &&
        !value.getType().isIntOrIndexOrFloat())
      views.insert(value);
  }

  MemFreeOp free;
  llvm::SetVector<Value> views;
};

} // namespace

LogicalResult aikernel::checkFrees(func::FuncOp function) {
  WalkResult result = function.walk([](MemFreeOp free) {
    return FreeChecker(free).run().failed() ? WalkResult::interrupt()
                                            : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
