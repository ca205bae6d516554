//===- OverlapLaunches.cpp - Kernels begin before others have ended -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions that launch several kernels, and kernels that say what a thread
// does, for sm_90. Out: kernels that may begin while those before them run:
//
//   let the next kernel begin
//   what touches nothing but shared memory and what no kernel writes
//   load weights                     the first of what no kernel writes
//   wait until all before have ended and what they wrote can be seen
//   all else
//
// Kernels that do nothing once a check has failed find that out first of all,
// so they wait at their start.
//
// So nothing that another kernel might still read or write is touched before
// the wait. As every kernel of the function waits, the end of one implies that
// of all before it. The runtime orders the first launch of a run behind all
// that was there before (AIK_KERNEL_OVERLAPS), so weights that something else
// has written are there, too.
//
//===----------------------------------------------------------------------===//

#include "../GPU/KernelAccesses.h"
#include "../GPU/Processor.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#define DEBUG_TYPE "aik-overlap-launches"

namespace aikernel {
#define GEN_PASS_DEF_OVERLAPLAUNCHESPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Registers of a thread for what it loads first.
constexpr int64_t kMostWords = 64;

/// The arguments of a function that none of its kernels writes: no results, no
/// workspace, nothing that was donated to a result, and kernels that have them
/// only load.
SetVector<Value> unwrittenArguments(func::FuncOp function,
                                    ArrayRef<gpu::LaunchFuncOp> launches,
                                    SymbolTable &kernels) {
  SetVector<Value> found;
  llvm::SmallDenseSet<int64_t> donors;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (auto donor =
            function.getArgAttrOfType<IntegerAttr>(number, kDonorAttrName))
      donors.insert(donor.getInt());
  }
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (isa<MemRefType>(argument.getType()) && !donors.contains(number) &&
        !function.getArgAttr(number, kResultAttrName) &&
        !function.getArgAttr(number, kWorkspaceAttrName))
      found.insert(argument);
  }
  for (gpu::LaunchFuncOp launch : launches) {
    auto kernel = kernels.lookup<gpu::GPUFuncOp>(launch.getKernelName());
    for (auto [operand, argument] :
         llvm::zip(launch.getKernelOperands(), kernel.getArguments()))
      if (isa<MemRefType>(operand.getType()) && !isOnlyLoaded(argument)) {
        if (isChosen(rootOf(operand)))
          return {};
        found.remove(rootOf(operand));
      }
  }
  return found;
}

/// Adds an op, and those that give its operands, to `ops` where they can be
/// done at the start of the kernel: they compute and nothing else.
bool addWithOperands(Operation *op, Block &body, SetVector<Operation *> &ops) {
  if (ops.contains(op))
    return true;
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def)
      continue;
    if (def->getBlock() != &body || def->getNumRegions() != 0 || !isPure(def) ||
        !addWithOperands(def, body, ops))
      return false;
  }
  ops.insert(op);
  return true;
}

/// Words of a value; none where it is not made of whole words.
int64_t wordsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat())
    return 0;
  int64_t bits =
      element.getIntOrFloatBitWidth() * (vector ? vector.getNumElements() : 1);
  return bits % 32 == 0 && (vector || element.isInteger(32)) ? bits / 32 : 0;
}

/// Does it write nothing but shared memory?
bool leavesMemoryAlone(Operation &op, gpu::GPUFuncOp kernel) {
  WalkResult found = op.walk([&](Operation *inner) {
    Value written;
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      written = store.getMemRef();
    else if (auto store = dyn_cast<vector::StoreOp>(inner))
      written = store.getBase();
    bool isShared =
        written &&
        llvm::is_contained(kernel.getWorkgroupAttributions(), rootOf(written));
    return isShared || loadedFrom(inner) ||
                   inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   isMemoryEffectFree(inner)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !found.wasInterrupted();
}

/// Loads that every thread does whatever happens, as the first of the kernel,
/// with what their addresses are computed from: before the wait, and after it
/// but before all else.
struct FirstLoads {
  FirstLoads(gpu::GPUFuncOp kernel, Operation *start,
             const DenseSet<Value> &unwritten) {
    Block &body = kernel.getBody().front();
    int64_t left = kMostWords;
    for (Operation &op : llvm::make_range(start->getIterator(), body.end())) {
      if (!leavesMemoryAlone(op, kernel))
        break;
      Value memref = loadedFrom(&op);
      int64_t words = memref ? wordsOf(op.getResult(0).getType()) : 0;
      SetVector<Operation *> with;
      if (words == 0 || words > left ||
          llvm::is_contained(kernel.getWorkgroupAttributions(),
                             rootOf(memref)) ||
          !addWithOperands(&op, body, with))
        continue;
      left -= words;
      bool isEarly = unwritten.contains(rootOf(memref));
      (isEarly ? early : late).insert(with.begin(), with.end());
      (isEarly ? earlyLoads : lateLoads).push_back(&op);
    }
  }

  SetVector<Operation *> early, late;
  SmallVector<Operation *> earlyLoads, lateLoads;
};

/// A statement that what was loaded goes through, as words: so the loads stay
/// before it, and what they give is not taken apart until it is needed.
class Statement {
public:
  Statement(OpBuilder &b, Location loc, StringRef text, StringRef clobbers,
            ArrayRef<Operation *> loads)
      : b(b), loc(loc) {
    for (Operation *load : loads) {
      takeWords(load->getResult(0));
      taken.push_back(words.size());
    }
    std::string constraints;
    for (size_t i = 0; i < words.size(); ++i)
      constraints += "=r,";
    for (size_t i = 0; i < words.size(); ++i)
      constraints += llvm::utostr(i) + ",";
    constraints += clobbers;
    if (clobbers.empty() && !constraints.empty())
      constraints.pop_back();
    Type i32 = b.getI32Type(), result;
    if (words.size() == 1)
      result = i32;
    else if (!words.empty())
      result = LLVM::LLVMStructType::getLiteral(
          b.getContext(), SmallVector<Type>(words.size(), i32));
    asmOp = LLVM::InlineAsmOp::create(
        b, loc, result ? TypeRange(result) : TypeRange(), words, text,
        constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
        /*operand_attrs=*/ArrayAttr());
    SmallVector<Value> after;
    for (size_t i = 0; i < words.size(); ++i)
      after.push_back(words.size() == 1 ? asmOp.getResult(0)
                                        : LLVM::ExtractValueOp::create(
                                              b, loc, asmOp.getResult(0),
                                              ArrayRef<int64_t>{int64_t(i)})
                                              .getResult());
    size_t first = 0;
    for (auto [load, end] : llvm::zip(loads, taken)) {
      giveBack(load->getResult(0), ArrayRef(after).slice(first, end - first));
      first = end;
    }
  }

  LLVM::InlineAsmOp asmOp;

private:
  void takeWords(Value loaded) {
    auto vector = dyn_cast<VectorType>(loaded.getType());
    if (!vector) {
      words.push_back(loaded);
      return;
    }
    int64_t count = wordsOf(vector);
    Value asWords = vector::BitCastOp::create(
        b, loc, VectorType::get({count}, b.getI32Type()), loaded);
    own.insert(asWords.getDefiningOp());
    for (int64_t i = 0; i < count; ++i)
      words.push_back(
          vector::ExtractOp::create(b, loc, asWords, ArrayRef<int64_t>{i}));
  }

  /// Users put the words together themselves: what LLVM passes from block to
  /// block are words then, not elements.
  void giveBack(Value loaded, ArrayRef<Value> after) {
    for (OpOperand &use : llvm::make_early_inc_range(loaded.getUses())) {
      Operation *user = use.getOwner();
      if (user == asmOp || own.contains(user))
        continue;
      auto vector = dyn_cast<VectorType>(loaded.getType());
      if (!vector) {
        use.set(after.front());
        continue;
      }
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(user);
      Value whole = vector::FromElementsOp::create(
          b, loc, VectorType::get({int64_t(after.size())}, b.getI32Type()),
          after);
      use.set(vector::BitCastOp::create(b, loc, vector, whole));
    }
  }

  OpBuilder &b;
  Location loc;
  SmallVector<Value> words;
  SmallVector<size_t> taken; // words up to the end of each load
  DenseSet<Operation *> own;
};

/// Does it touch no memory but what is shared, and what no kernel writes?
bool isIndependent(Operation &op, gpu::GPUFuncOp kernel,
                   const DenseSet<Value> &unwritten) {
  WalkResult found = op.walk([&](Operation *inner) {
    Value touched = loadedFrom(inner);
    bool isLoad = static_cast<bool>(touched);
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      touched = store.getMemRef();
    else if (auto store = dyn_cast<vector::StoreOp>(inner))
      touched = store.getBase();
    if (touched) {
      Value root = rootOf(touched);
      return llvm::is_contained(kernel.getWorkgroupAttributions(), root) ||
                     (isLoad && unwritten.contains(root))
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    }
    bool touchesNothing =
        inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(inner) ||
        isa<gpu::BarrierOp, gpu::ShuffleOp, NVVM::MmaOp, NVVM::VoteSyncOp,
            NVVM::PermuteOp>(inner);
    return touchesNothing ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !found.wasInterrupted();
}

void overlap(gpu::GPUFuncOp kernel, const DenseSet<Value> &unwritten,
             bool watchesStatus) {
  Block &body = kernel.getBody().front();
  Operation *start = &body.front();
  while (!watchesStatus && start != body.getTerminator() &&
         isIndependent(*start, kernel, unwritten))
    start = start->getNextNode();
  FirstLoads first(kernel, start, unwritten);
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Location loc = kernel.getLoc();
  Statement(b, loc, "griddepcontrol.launch_dependents;", "", {});
  b.setInsertionPoint(start);
  auto move = [&](const SetVector<Operation *> &ops) {
    SmallVector<Operation *> ordered;
    for (Operation &op : llvm::make_range(start->getIterator(), body.end()))
      if (ops.contains(&op))
        ordered.push_back(&op);
    for (Operation *op : ordered) {
      if (op == start)
        start = op->getNextNode();
      op->moveBefore(&body, b.getInsertionPoint());
      b.setInsertionPointAfter(op);
    }
  };
  move(first.early);
  // LLVM's intrinsic does not touch memory, so that loads would be moved over
  // it; this does.
  Statement wait(b, loc, "griddepcontrol.wait;", "~{memory}", first.earlyLoads);
  first.late.set_subtract(first.early);
  move(first.late);
  Statement asked(b, loc, "", "", first.lateLoads);
  asked.asmOp->setAttr(kAwaitsAttrName, b.getUnitAttr());
  kernel->setAttr(kOverlapsAttrName, b.getUnitAttr());
}

struct OverlapLaunchesPass
    : aikernel::impl::OverlapLaunchesPassBase<OverlapLaunchesPass> {
  using OverlapLaunchesPassBase::OverlapLaunchesPassBase;

  void runOnOperation() override {
    auto device =
        getOperation().lookupSymbol<gpu::GPUModuleOp>(kDeviceModuleName);
    if (!getProcessor(getTarget(getOperation())).hasWarpgroups || !device)
      return;
    SymbolTable kernels(device);
    watchesStatus = device.walk([](CheckOp) { return WalkResult::interrupt(); })
                        .wasInterrupted();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto entry = function->getAttrOfType<StringAttr>(kEntryAttrName);
      if (!entry || entry.getValue() != "run")
        continue;
      SmallVector<gpu::LaunchFuncOp> launches;
      function.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
      // A kernel alone has none of its own to overlap.
      if (launches.size() > 1)
        overlapAll(function, launches, kernels);
    }
  }

private:
  bool watchesStatus = false;

  void overlapAll(func::FuncOp function, ArrayRef<gpu::LaunchFuncOp> launches,
                  SymbolTable &kernels) {
    SetVector<Value> weights = unwrittenArguments(function, launches, kernels);
    for (gpu::LaunchFuncOp launch : launches) {
      auto kernel = kernels.lookup<gpu::GPUFuncOp>(launch.getKernelName());
      if (kernel->hasAttr(kOverlapsAttrName))
        continue;
      DenseSet<Value> unwritten;
      for (auto [operand, argument] :
           llvm::zip(launch.getKernelOperands(), kernel.getArguments()))
        if (isa<MemRefType>(operand.getType()) &&
            weights.contains(rootOf(operand)))
          unwritten.insert(argument);
      overlap(kernel, unwritten, watchesStatus);
    }
  }
};

} // namespace
