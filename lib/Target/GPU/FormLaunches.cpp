//===- FormLaunches.cpp - What touches tensors becomes kernels ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: bufferized functions whose memory is planned; those that run or prepare
// have tensors in the device's memory.
// Out: these functions only compute sizes and launch; what they did is in the
// kernels of a gpu.module, still in structured ops of a whole block, and once
// more in a twin of each kernel for the host.
//
//   scf.forall (%i) in (%n) { body }
//   ==>  gpu.launch_func @device::@f_0 blocks in (%n, 1, 1) ...
//
// An scf.forall is a grid of one block per iteration, a product or attention
// with a schedule one of blocks that take tiles in turn. A structured op alone
// is spread over as many threads as it has elements. All else that writes
// tensors, loops with it, runs in one block. What only reads tensors, for a
// size or an offset, is done again in each kernel that needs it. Commands
// become launches where they are recorded.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/Tile/TileOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "GridWriter.h"
#include "InlineCommands.h"
#include "WorkspaceBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"

#define DEBUG_TYPE "aik-form-launches"

namespace aikernel {
#define GEN_PASS_DEF_FORMLAUNCHESPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

enum class Effect {
  None,    // computes with sizes and addresses
  Reads,   // reads tensors; done where, and as often as, it is needed
  Grid,    // a launch of its own
  Block,   // writes tensors: a launch of one block
  Control, // the host's control flow around launches
};

bool isLaunchWorthy(Operation *op) {
  return isa<scf::ForallOp, linalg::LinalgOp, tile::ProductOp,
             tile::AttentionOp>(op);
}

bool readsTensors(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && !isOnHost(load.getMemRef());
}

bool writesTensors(Operation *op) {
  return isa<memref::StoreOp, linalg::LinalgOp, tile::ProductOp,
             tile::AttentionOp, LaneProductOp, AttentionPartOp, ReferenceCallOp,
             memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op);
}

/// Few sums of many elements: the threads of a block share each of them, a grid
/// would leave it to one thread.
bool isForOneBlock(linalg::LinalgOp op) {
  int64_t sums = 1;
  for (auto [extent, iterator] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::parallel)
      sums = ShapedType::isDynamic(extent) ? kThreadsPerBlock : sums * extent;
  return op.getNumReductionLoops() > 0 && sums < kThreadsPerBlock;
}

Effect effectOf(Operation *op) {
  if (isLaunchWorthy(op))
    return Effect::Grid;
  bool writes = false, launches = false, reads = false;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (inner != op && isLaunchWorthy(inner)) {
      launches = writes = true;
      return WalkResult::skip();
    }
    writes |= writesTensors(inner);
    reads |= readsTensors(inner);
    return WalkResult::advance();
  });
  if (!writes)
    return reads ? Effect::Reads : Effect::None;
  return launches && !reads ? Effect::Control : Effect::Block;
}

class LaunchFormer final : GridWriter {
public:
  using GridWriter::GridWriter;

  LogicalResult run(func::FuncOp function) {
    this->function = function;
    if (failed(inlineCommands(function, inlined)))
      return failure();
    structureCopies();
    return visit(function.getBody().front());
  }

  /// Nobody calls what was inlined.
  void eraseInlined() {
    for (func::FuncOp kernel : inlined)
      if (kernel.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(kernel,
                                           kernel->getParentOfType<ModuleOp>()))
        kernel.erase();
  }

private:
  /// Copies are work as any other.
  void structureCopies() {
    SmallVector<memref::CopyOp> copies;
    function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      builder.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      copy.erase();
    }
  }

  /// Forms the launches of a block of host code. What only reads is left for
  /// those who need it.
  LogicalResult visit(Block &block) {
    // Commands are in a block without one.
    Operation *terminator =
        block.mightHaveTerminator() ? block.getTerminator() : nullptr;
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      if (&op != terminator)
        ops.push_back(&op);
    for (unsigned i = 0; i < ops.size(); ++i) {
      Operation *op = ops[i];
      if (auto commands = dyn_cast<GpuCommandsOp>(op)) {
        for (Block &recorded : commands.getBody())
          if (failed(visit(recorded)))
            return failure();
        continue;
      }
      // What is done here is what was recorded, maybe after a read.
      if (isa<GpuSubmitCommandsOp>(op))
        writes.push_back({{Value(), std::nullopt, /*isChosen=*/true}, op});
      Effect effect = effectOf(op);
      bool needsDevice = dependsOnDevice(op);
      if (effect == Effect::Reads ||
          (effect == Effect::None && needsDevice && !isa<CheckOp>(op))) {
        deviceOps.insert(op);
        continue;
      }
      if (effect == Effect::None && !needsDevice)
        continue;
      if (effect == Effect::Control && !needsDevice) {
        for (Region &region : op->getRegions())
          for (Block &inner : region)
            if (failed(visit(inner)))
              return failure();
        continue;
      }
      if (isa<CheckOp>(op)) {
        FailureOr<SmallVector<Operation *>> checks =
            checksFrom(ArrayRef(ops).drop_front(i));
        if (failed(checks))
          return failure();
        if (checks->size() > 1) {
          DenseSet<Operation *> gone(checks->begin(), checks->end());
          op = ops[i] = putTogether(*checks);
          llvm::erase_if(ops, [&](Operation *other) {
            return other != op && gone.contains(other);
          });
        }
      }
      if (!op->use_empty()) {
        SmallVector<Operation *> together =
            usersOf(ArrayRef(ops).drop_front(i));
        if (llvm::any_of(together, [&](Operation *member) {
              return terminator && uses(terminator, member);
            }))
          return needsOnHost(op);
        DenseSet<Operation *> gone(together.begin(), together.end());
        op = ops[i] = putTogether(together);
        llvm::erase_if(ops, [&](Operation *other) {
          return other != op && gone.contains(other);
        });
      }
      FailureOr<SmallVector<Operation *>> reads = readsFor(op);
      if (failed(reads))
        return failure();
      if (isa<scf::ForallOp>(op) && hasOperandFromDevice(op))
        return needsOnHost(op);
      SmallVector<Place> written = placesOfWrites(op);
      gpu::LaunchFuncOp made = form(op, *reads);
      for (Place place : written)
        writes.push_back({place, made});
    }
    if (terminator && dependsOnDevice(terminator))
      return needsOnHost(terminator);
    for (Operation *op : llvm::reverse(ops))
      if (deviceOps.contains(op) && op->use_empty()) {
        deviceOps.remove(op);
        op->erase();
      }
    return success();
  }

  gpu::LaunchFuncOp form(Operation *op, ArrayRef<Operation *> reads) {
    if (auto loop = dyn_cast<scf::ForallOp>(op))
      return formGrid(loop, reads);
    if (auto product = dyn_cast<tile::ProductOp>(op))
      return formProduct(product);
    if (auto attention = dyn_cast<tile::AttentionOp>(op))
      return formAttention(attention);
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured || isForOneBlock(structured))
      return formBlock(op, reads);
    return formSpread(structured, reads, !hasOperandFromDevice(op));
  }

  static bool uses(Operation *user, Operation *producer) {
    return llvm::any_of(producer->getUsers(), [&](Operation *inner) {
      return user->isAncestor(inner);
    });
  }

  /// The first op, those that use what it gives, and what else happens before
  /// the last of them.
  SmallVector<Operation *> usersOf(ArrayRef<Operation *> ops) {
    SetVector<Operation *> members;
    members.insert(ops.front());
    for (unsigned before = 0; before != members.size();) {
      before = members.size();
      for (Operation *op : ops) {
        if (members.contains(op))
          continue;
        bool isUser = llvm::any_of(
            members, [&](Operation *member) { return uses(op, member); });
        bool isBetween = effectOf(op) != Effect::None &&
                         llvm::any_of(members, [&](Operation *member) {
                           return op->isBeforeInBlock(member);
                         });
        if (isUser || isBetween)
          members.insert(op);
      }
    }
    SmallVector<Operation *> ordered = members.takeVector();
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return ordered;
  }

  /// The first op, a check, and those after it that one kernel can do with it:
  /// all threads see the same, so that the first that fails is the one that is
  /// reported.
  FailureOr<SmallVector<Operation *>> checksFrom(ArrayRef<Operation *> ops) {
    SmallVector<Operation *> checks;
    for (Operation *op : ops) {
      Effect effect = effectOf(op);
      if (!isa<CheckOp>(op)) {
        if (effect != Effect::None && effect != Effect::Reads)
          break;
        if (effect == Effect::Reads || dependsOnDevice(op))
          deviceOps.insert(op);
        continue;
      }
      if (!dependsOnDevice(op))
        break;
      FailureOr<SmallVector<Operation *>> reads = readsFor(op);
      if (failed(reads))
        return failure();
      bool isShared = llvm::any_of(
          *reads, [](Operation *read) { return read->getNumRegions() > 0; });
      if (isShared && !checks.empty())
        break;
      checks.push_back(op);
      if (isShared)
        break;
    }
    return checks;
  }

  /// One op that does what these do.
  Operation *putTogether(ArrayRef<Operation *> ops) {
    builder.setInsertionPointAfter(ops.back());
    Location loc = ops.front()->getLoc();
    auto whole = scf::ExecuteRegionOp::create(builder, loc, TypeRange());
    builder.setInsertionPointToStart(&whole.getRegion().emplaceBlock());
    Operation *end = scf::YieldOp::create(builder, loc);
    for (Operation *op : ops)
      op->moveBefore(end);
    return whole;
  }

  LogicalResult needsOnHost(Operation *op) {
    return op->emitError("AIK-E0015: the program needs on the host what a GPU "
                         "computes");
  }

  bool isFromDevice(Value value) {
    return value.getDefiningOp() && deviceOps.contains(value.getDefiningOp());
  }

  bool hasOperandFromDevice(Operation *op) {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return isFromDevice(value); });
  }

  bool dependsOnDevice(Operation *op) {
    SetVector<Value> used;
    getUsedValuesDefinedAbove(op->getRegions(), used);
    return hasOperandFromDevice(op) ||
           llvm::any_of(used, [&](Value value) { return isFromDevice(value); });
  }

  /// The ops that an op's launch has to do before it, in order.
  FailureOr<SmallVector<Operation *>> readsFor(Operation *op) {
    SetVector<Operation *> needed;
    SmallVector<Operation *> next{op};
    while (!next.empty()) {
      Operation *user = next.pop_back_val();
      SetVector<Value> used(user->operand_begin(), user->operand_end());
      getUsedValuesDefinedAbove(user->getRegions(), used);
      for (Value value : used)
        if (isFromDevice(value) && needed.insert(value.getDefiningOp()))
          next.push_back(value.getDefiningOp());
    }
    SmallVector<Operation *> ordered = needed.takeVector();
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->getBlock() == b->getBlock() ? a->isBeforeInBlock(b)
                                            : a->getBlock() < b->getBlock();
    });
    // What is read later must still be there.
    for (Operation *read : ordered) {
      WalkResult kept = read->walk([&](memref::LoadOp load) {
        return mayChangeAfter(read, Place::of(load.getMemRef()))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
      if (kept.wasInterrupted() || read->getBlock() != op->getBlock())
        return needsOnHost(op);
    }
    return ordered;
  }

  /// What a memref is a part of; its root may be gone when it is compared.
  struct Place {
    Value root;
    std::optional<WorkspaceBytes> bytes;
    bool isChosen; // at run time: it may be any

    static Place of(Value memref) {
      Value root = rootOf(memref);
      return {root, WorkspaceBytes::of(memref), aikernel::isChosen(root)};
    }
    bool mayBe(const Place &other) const {
      return isChosen || other.isChosen ||
             (root == other.root &&
              WorkspaceBytes::mayMeet(bytes, other.bytes));
    }
  };

  /// Has a launch behind it, maybe one in a loop, written what it reads?
  bool mayChangeAfter(Operation *read, const Place &place) {
    return llvm::any_of(writes, [&](const Write &write) {
      Operation *launch =
          read->getBlock()->findAncestorOpInBlock(*write.launch);
      return launch && read->isBeforeInBlock(launch) &&
             write.place.mayBe(place);
    });
  }

  /// Where an op writes. Launches take the place of what they do, so positions
  /// stay comparable.
  static SmallVector<Place> placesOfWrites(Operation *op) {
    SmallVector<Place> written;
    auto note = [&](Value memref) { written.push_back(Place::of(memref)); };
    op->walk([&](Operation *inner) {
      if (auto store = dyn_cast<memref::StoreOp>(inner))
        note(store.getMemRef());
      else if (isa<linalg::LinalgOp, LaneProductOp, tile::AttentionOp>(inner))
        for (Value init :
             cast<DestinationStyleOpInterface>(inner).getDpsInits())
          note(init);
      else if (auto product = dyn_cast<tile::ProductOp>(inner))
        note(product.getOut());
      else if (auto call = dyn_cast<ReferenceCallOp>(inner))
        for (Value output : call.getOutputs())
          note(output);
      else if (auto part = dyn_cast<AttentionPartOp>(inner))
        for (Value output : part.getOutputs())
          note(output);
    });
    return written;
  }

  struct Write {
    Place place;
    Operation *launch;
  };

  /// Ops of the host whose results depend on what is in tensors.
  SetVector<Operation *> deviceOps;
  /// What launches write.
  SmallVector<Write> writes;
  /// Functions that commands launched.
  SetVector<func::FuncOp> inlined;
};

struct FormLaunchesPass
    : aikernel::impl::FormLaunchesPassBase<FormLaunchesPass> {
  using FormLaunchesPassBase::FormLaunchesPassBase;

  void runOnOperation() override {
    LaunchFormer former(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      auto entry = function->getAttrOfType<StringAttr>(kEntryAttrName);
      if (!entry ||
          (entry.getValue() != "run" && entry.getValue() != "prepare"))
        continue;
      if (failed(former.run(function)))
        return signalPassFailure();
    }
    former.eraseInlined();
  }
};

} // namespace
