//===- MergeLaunches.cpp - Kernels that do not need each other are one ----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions that launch kernels, and kernels that say what a thread does.
// Out: fewer launches. Each is done as early as what it needs allows, and those
// that come out at the same time are the blocks of one grid:
//
//   launch @f_0 blocks in (%n)       launch @f_0 blocks in (%n + %m)
//   launch @f_1 blocks in (%m)  ==>    if block < %n { f_0 } else { f_1 }
//
// What needs a launch are those that touch the same bytes, one of the two
// writing. A check is needed by all that could go astray without it and by all
// that writes what the caller sees; the first one that fails is still the one
// that is reported (LowerChecks). What the host launches on a condition (copies
// into memory that was not donated) stays alone and comes before the others of
// its time. Kernels with clusters, tensor maps or dynamic shared memory are
// left as they are.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "KernelAccesses.h"
#include "KernelWriter.h"
#include "SharedMemory.h"
#include "WorkspaceBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "aik-merge-launches"

namespace aikernel {
#define GEN_PASS_DEF_MERGELAUNCHESPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

using Group = MutableArrayRef<gpu::LaunchFuncOp>;

/// Words of parameters: every driver takes 4096 bytes. LowerLaunches adds two.
constexpr unsigned kMostWords = 4096 / 8 - 2;

/// May the two be the same memory? Results are apart from all else but what was
/// donated to them.
bool mayMeet(Value a, Value b) {
  Value root = rootOf(a), other = rootOf(b);
  if (isChosen(root) || isChosen(other))
    return true;
  if (root == other)
    return WorkspaceBytes::mayMeet(WorkspaceBytes::of(a),
                                   WorkspaceBytes::of(b));
  auto isDonated = [](Value result, Value donor) {
    auto to = dyn_cast<BlockArgument>(result);
    auto from = dyn_cast<BlockArgument>(donor);
    if (!to || !from)
      return false;
    auto function = cast<FunctionOpInterface>(to.getOwner()->getParentOp());
    auto number = function.getArgAttrOfType<IntegerAttr>(to.getArgNumber(),
                                                         kDonorAttrName);
    return number && number.getInt() == from.getArgNumber();
  };
  return isDonated(root, other) || isDonated(other, root);
}

bool isWorkspace(Value memref) {
  auto argument = dyn_cast<BlockArgument>(rootOf(memref));
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  return function &&
         function.getArgAttr(argument.getArgNumber(), kWorkspaceAttrName);
}

/// A launch, or what the host launches on a condition.
struct Step {
  Operation *op = nullptr;
  SmallVector<Value> reads, writes;
  bool checks = false;
  /// Nothing happens that a check should have prevented.
  bool isHarmless = true;
  /// What it may be merged with says the same of its launches; null: with
  /// nothing.
  Attribute kind;
  unsigned time = 0;

  void add(gpu::LaunchFuncOp launch, gpu::GPUFuncOp kernel) {
    for (auto [operand, argument] :
         llvm::zip(launch.getKernelOperands(), kernel.getArguments())) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      bool isRead = isOnlyLoaded(argument);
      (isRead ? reads : writes).push_back(operand);
      isHarmless &= isRead || isWorkspace(operand);
    }
    checks |= kernel.walk([](CheckOp) { return WalkResult::interrupt(); })
                  .wasInterrupted();
    isHarmless = isHarmless && hasKnownAddresses(kernel);
  }

  bool needs(const Step &earlier) const {
    auto meet = [](ArrayRef<Value> as, ArrayRef<Value> bs) {
      return llvm::any_of(as, [&](Value a) {
        return llvm::any_of(bs, [&](Value b) { return mayMeet(a, b); });
      });
    };
    return (earlier.checks && !isHarmless) || meet(earlier.writes, reads) ||
           meet(earlier.writes, writes) || meet(earlier.reads, writes);
  }

  /// The time at which it can be done; conditions come before launches.
  void setTime(ArrayRef<Step> before) {
    for (const Step &earlier : before) {
      bool isBefore = isa<scf::IfOp>(earlier.op);
      if (needs(earlier))
        time = std::max(time, earlier.time + (isBefore ? 0 : 1));
      else if (checks && earlier.checks)
        time = std::max(time, earlier.time);
    }
  }
};

class LaunchMerger {
public:
  LaunchMerger(ModuleOp module, gpu::GPUModuleOp device)
      : module(module), kernels(device), twins(module), b(module.getContext()) {
  }

  void run(func::FuncOp function) {
    SmallVector<Operation *> ops;
    for (Operation &op : function.getBody().front())
      ops.push_back(&op);
    SmallVector<Step> steps;
    SmallVector<Operation *> sizes;
    for (Operation *op : ops) {
      if (std::optional<Step> step = stepOf(op)) {
        step->setTime(steps);
        steps.push_back(std::move(*step));
      } else if (isSize(op)) {
        if (!steps.empty())
          sizes.push_back(op);
      } else {
        mergeAll(steps, sizes);
        steps.clear();
        sizes.clear();
      }
    }
  }

private:
  /// The host computes with sizes and addresses.
  static bool isSize(Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return isOnHost(load.getMemRef());
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           !op->hasTrait<OpTrait::IsTerminator>();
  }

  gpu::GPUFuncOp kernelOf(gpu::LaunchFuncOp launch) {
    return kernels.lookup<gpu::GPUFuncOp>(launch.getKernelName());
  }

  func::FuncOp twinOf(gpu::GPUFuncOp kernel) {
    return twins.lookup<func::FuncOp>((kernel.getName() + kTwinSuffix).str());
  }

  std::optional<Step> stepOf(Operation *op) {
    Step step;
    step.op = op;
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      step.add(launch, kernelOf(launch));
      step.kind = kindOf(launch);
      return step;
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || branch.getNumResults() != 0)
      return std::nullopt;
    bool hasLaunch = false;
    for (Region &region : branch->getRegions())
      for (Operation &inner : region.getOps()) {
        auto launch = dyn_cast<gpu::LaunchFuncOp>(inner);
        if (launch)
          step.add(launch, kernelOf(launch));
        else if (!isSize(&inner) && !isa<scf::YieldOp>(inner))
          return std::nullopt;
        hasLaunch |= static_cast<bool>(launch);
      }
    return hasLaunch ? std::optional(step) : std::nullopt;
  }

  /// All that a kernel says of its launches, where blocks of other kernels may
  /// stand beside its own.
  Attribute kindOf(gpu::LaunchFuncOp launch) {
    gpu::GPUFuncOp kernel = kernelOf(launch);
    func::FuncOp twin = twinOf(kernel);
    auto uses = SymbolTable::getSymbolUses(kernel, module);
    if (!twin || !twin.getBody().hasOneBlock() ||
        !kernel.getBody().hasOneBlock() || !uses ||
        !llvm::hasSingleElement(*uses) || kernel.getNumPrivateAttributions() ||
        kernel.getKnownClusterSize() || kernel->hasAttr(kSharedBytesAttrName) ||
        kernel->hasAttr(kTensorMapsAttrName) ||
        kernel->hasAttr(kResidentAttrName) || kernel->hasAttr(kHotAttrName) ||
        launch.getDynamicSharedMemorySize() ||
        getConstantIntValue(launch.getGridSizeY()) != 1 ||
        getConstantIntValue(launch.getGridSizeZ()) != 1)
      return {};
    NamedAttrList said(kernel->getAttrs());
    for (StringRef own :
         {StringRef(SymbolTable::getSymbolAttrName()),
          kernel.getFunctionTypeAttrName().getValue(),
          kernel.getWorkgroupAttribAttrsAttrName().getValue(),
          gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName()})
      said.erase(own);
    return said.getDictionary(module.getContext());
  }

  /// Orders steps by their times and makes one launch of those that can be.
  void mergeAll(MutableArrayRef<Step> steps, ArrayRef<Operation *> sizes) {
    SmallVector<SmallVector<gpu::LaunchFuncOp>> groups;
    for (Step &step : steps) {
      if (!step.kind)
        continue;
      auto first = llvm::find_if(steps, [&](Step &other) {
        return other.kind == step.kind && other.time == step.time;
      });
      auto launch = cast<gpu::LaunchFuncOp>(step.op);
      if (&*first == &step)
        groups.push_back({launch});
      else
        llvm::find_if(groups, [&](auto &group) {
          return group.front() == first->op;
        })->push_back(launch);
    }
    llvm::erase_if(groups, [](auto &group) { return group.size() == 1; });
    if (groups.empty())
      return;
    Operation *start = steps.front().op;
    for (Operation *size : sizes)
      size->moveBefore(start);
    SmallVector<Step *> ordered;
    for (Step &step : steps)
      ordered.push_back(&step);
    llvm::sort(ordered, [](Step *a, Step *b) {
      auto keyOf = [](Step *step) {
        return std::tuple(step->time, !isa<scf::IfOp>(step->op), step);
      };
      return keyOf(a) < keyOf(b);
    });
    Block *block = start->getBlock();
    Operation *place = start->getPrevNode();
    for (Step *step : ordered) {
      if (place)
        step->op->moveAfter(place);
      else
        step->op->moveBefore(block, block->begin());
      place = step->op;
    }
    for (Group group : groups)
      mergeInTurns(group);
  }

  /// As many at once as a kernel has room for parameters.
  void mergeInTurns(Group group) {
    while (group.size() > 1) {
      unsigned count = 0, words = 0, bytes = 0;
      for (gpu::LaunchFuncOp launch : group) {
        ++words; // blocks
        for (Value operand : launch.getKernelOperands())
          words += wordsOf(operand.getType());
        bytes += sharedBytesOf(kernelOf(launch));
        if (words > kMostWords || bytes > kSharedBytes)
          break;
        ++count;
      }
      if (count > 1)
        merge(group.take_front(count));
      group = group.drop_front(std::max(1u, count));
    }
  }

  Value index(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  void merge(Group group) {
    gpu::LaunchFuncOp last = group.back();
    Location loc = group.front().getLoc();
    b.setInsertionPoint(last);
    SetVector<Value> operands;
    Value blocks;
    for (gpu::LaunchFuncOp launch : group) {
      Value more = launch.getGridSizeX();
      operands.insert(launch.getKernelOperands().begin(),
                      launch.getKernelOperands().end());
      if (!getConstantIntValue(more))
        operands.insert(more);
      blocks = blocks ? b.createOrFold<arith::AddIOp>(loc, blocks, more) : more;
    }
    std::string name = nameOf(group);
    gpu::GPUFuncOp kernel = mergeKernels(group, name, operands.getArrayRef());
    mergeTwins(group, name, operands.getArrayRef());
    b.setInsertionPoint(last);
    Value one = index(loc, 1);
    gpu::LaunchFuncOp::create(b, loc, kernel, gpu::KernelDim3{blocks, one, one},
                              gpu::KernelDim3{last.getBlockSizeX(), one, one},
                              /*dynamicSharedMemorySize=*/Value(),
                              operands.getArrayRef());
    for (gpu::LaunchFuncOp launch : group) {
      gpu::GPUFuncOp gone = kernelOf(launch);
      twins.erase(twinOf(gone));
      kernels.erase(gone);
      launch.erase();
    }
  }

  /// f_0, f_3 and f_4 together are f_0_3_4.
  std::string nameOf(Group group) {
    std::string name = group.front().getKernelName().str();
    for (gpu::LaunchFuncOp launch : group.drop_front()) {
      StringRef other = launch.getKernelName().getValue();
      name += other.substr(other.rfind('_'));
    }
    while (kernels.lookup(name))
      name += "_";
    return name;
  }

  static SmallVector<Type> typesOf(ArrayRef<Value> values) {
    return llvm::map_to_vector(values,
                               [](Value value) { return value.getType(); });
  }

  gpu::GPUFuncOp mergeKernels(Group group, StringRef name,
                              ArrayRef<Value> operands) {
    gpu::GPUFuncOp first = kernelOf(group.front());
    Location loc = first.getLoc();
    b.setInsertionPoint(first);
    auto kernel = gpu::GPUFuncOp::create(
        b, loc, name, b.getFunctionType(typesOf(operands), {}));
    for (NamedAttribute attribute : cast<DictionaryAttr>(kindOf(group.front())))
      kernel->setAttr(attribute.getName(), attribute.getValue());
    kernels.insert(kernel);
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
    gpu::ReturnOp::create(b, loc);
    for (gpu::LaunchFuncOp launch : group) {
      gpu::GPUFuncOp part = kernelOf(launch);
      IRMapping values;
      for (auto [operand, argument] :
           llvm::zip(launch.getKernelOperands(), part.getArguments()))
        values.map(argument, kernel.getArgument(positionOf(operand, operands)));
      shareRooms(part, kernel, values);
      b.setInsertionPoint(b.getInsertionBlock()->getTerminator());
      Value count;
      if (std::optional<int64_t> known =
              getConstantIntValue(launch.getGridSizeX()))
        count = index(loc, *known);
      else
        count = kernel.getArgument(positionOf(launch.getGridSizeX(), operands));
      if (launch == group.back()) {
        fill(part, block, count, values);
        break;
      }
      Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           block, count);
      auto branch = scf::IfOp::create(b, loc, isHere, /*withElseRegion=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      fill(part, block, count, values);
      b.setInsertionPointToStart(branch.elseBlock());
      block = arith::SubIOp::create(b, loc, block, count);
    }
    return kernel;
  }

  static unsigned positionOf(Value operand, ArrayRef<Value> operands) {
    return llvm::find(operands, operand) - operands.begin();
  }

  /// Buffers of the same type are in the same place: a block needs one of them.
  void shareRooms(gpu::GPUFuncOp part, gpu::GPUFuncOp kernel,
                  IRMapping &values) {
    SmallVector<Value> taken;
    for (BlockArgument room : part.getWorkgroupAttributions()) {
      Value found;
      for (BlockArgument other : kernel.getWorkgroupAttributions())
        if (!found && other.getType() == room.getType() &&
            !llvm::is_contained(taken, other))
          found = other;
      if (!found) {
        auto type = cast<MemRefType>(room.getType());
        found = addSharedMemory(kernel, type.getShape(), type.getElementType(),
                                room.getLoc());
      }
      taken.push_back(found);
      values.map(room, found);
    }
  }

  /// What a block of `part` does, as that of this number among so many.
  void fill(gpu::GPUFuncOp part, Value block, Value count, IRMapping &values) {
    part.walk([&](Operation *op) {
      auto own = dyn_cast<gpu::BlockIdOp>(op);
      auto all = dyn_cast<gpu::GridDimOp>(op);
      if (own && own.getDimension() == gpu::Dimension::x)
        values.map(own.getResult(), block);
      if (all && all.getDimension() == gpu::Dimension::x)
        values.map(all.getResult(), count);
    });
    for (Operation &op : part.getBody().front().without_terminator())
      if (!llvm::all_of(op.getResults(),
                        [&](Value value) { return values.contains(value); }) ||
          op.getNumResults() == 0)
        b.clone(op, values);
  }

  /// One after the other.
  void mergeTwins(Group group, StringRef name, ArrayRef<Value> operands) {
    func::FuncOp first = twinOf(kernelOf(group.front()));
    b.setInsertionPoint(first);
    auto twin =
        func::FuncOp::create(b, first.getLoc(), (name + kTwinSuffix).str(),
                             b.getFunctionType(typesOf(operands), {}));
    twin.setPrivate();
    twins.insert(twin);
    b.setInsertionPointToStart(twin.addEntryBlock());
    for (gpu::LaunchFuncOp launch : group) {
      func::FuncOp part = twinOf(kernelOf(launch));
      IRMapping values;
      for (auto [operand, argument] :
           llvm::zip(launch.getKernelOperands(), part.getArguments()))
        values.map(argument, twin.getArgument(positionOf(operand, operands)));
      for (Operation &op : part.getBody().front().without_terminator())
        b.clone(op, values);
    }
    func::ReturnOp::create(b, first.getLoc());
  }

  ModuleOp module;
  SymbolTable kernels, twins;
  OpBuilder b;
};

struct MergeLaunchesPass
    : aikernel::impl::MergeLaunchesPassBase<MergeLaunchesPass> {
  using MergeLaunchesPassBase::MergeLaunchesPassBase;

  void runOnOperation() override {
    auto device =
        getOperation().lookupSymbol<gpu::GPUModuleOp>(kDeviceModuleName);
    if (!device)
      return;
    LaunchMerger merger(getOperation(), device);
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (auto entry = function->getAttrOfType<StringAttr>(kEntryAttrName);
          entry && (entry.getValue() == "run" || entry.getValue() == "prepare"))
        merger.run(function);
  }
};

} // namespace
