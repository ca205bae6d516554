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
#include "AIKernel/Transforms/Entries.h"
#include "BufferRoot.h"
#include "CooperativeProduct.h"
#include "InlineCommands.h"
#include "KernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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

#include <cmath>

#define DEBUG_TYPE "aik-form-launches"

namespace aikernel {
#define GEN_PASS_DEF_FORMLAUNCHESPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Elements that a thread of a spread op computes.
constexpr int64_t kElementsPerThread = 8;
/// Blocks of an op whose size only the device knows.
constexpr int64_t kBlocksOfUnknown = 256;
/// A grid is never larger; threads then compute more.
constexpr int64_t kMostSpreadBlocks = 1 << 16;

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

class LaunchFormer final : KernelWriter {
public:
  using KernelWriter::KernelWriter;

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
        writes.push_back({Value(), /*isChosen=*/true, op});
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
      noteWrites(op);
      if (auto loop = dyn_cast<scf::ForallOp>(op)) {
        if (failed(formGrid(loop, *reads)))
          return failure();
      } else if (auto structured = dyn_cast<linalg::LinalgOp>(op);
                 structured && !isForOneBlock(structured)) {
        formSpread(structured, *reads);
      } else if (auto product = dyn_cast<tile::ProductOp>(op)) {
        formProduct(product);
      } else if (auto attention = dyn_cast<tile::AttentionOp>(op)) {
        formAttention(attention);
      } else {
        formBlock(op, *reads);
      }
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

  bool dependsOnDevice(Operation *op) {
    bool depends = llvm::any_of(
        op->getOperands(), [&](Value value) { return isFromDevice(value); });
    SetVector<Value> used;
    getUsedValuesDefinedAbove(op->getRegions(), used);
    return depends ||
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
        return mayChangeAfter(read, rootOf(load.getMemRef()))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
      if (kept.wasInterrupted() || read->getBlock() != op->getBlock())
        return needsOnHost(op);
    }
    return ordered;
  }

  /// Has a launch behind it, maybe one in a loop, written what it reads?
  bool mayChangeAfter(Operation *read, Value root) {
    return llvm::any_of(writes, [&](const Write &write) {
      Operation *launch =
          read->getBlock()->findAncestorOpInBlock(*write.launch);
      return launch && read->isBeforeInBlock(launch) &&
             (write.root == root || write.isChosen || isChosen(root));
    });
  }

  /// Launches take the place of what they do, so positions stay comparable.
  void noteWrites(Operation *op) {
    auto note = [&](Value root) { written.push_back({root, isChosen(root)}); };
    op->walk([&](Operation *inner) {
      if (auto store = dyn_cast<memref::StoreOp>(inner))
        note(rootOf(store.getMemRef()));
      else if (isa<linalg::LinalgOp, LaneProductOp, tile::AttentionOp>(inner))
        for (Value init :
             cast<DestinationStyleOpInterface>(inner).getDpsInits())
          note(rootOf(init));
      else if (auto product = dyn_cast<tile::ProductOp>(inner))
        note(rootOf(product.getOut()));
      else if (auto call = dyn_cast<ReferenceCallOp>(inner))
        for (Value output : call.getOutputs())
          note(rootOf(output));
      else if (auto part = dyn_cast<AttentionPartOp>(inner))
        for (Value output : part.getOutputs())
          note(rootOf(output));
    });
  }

  //===--------------------------------------------------------------------===//
  // The kinds of launches
  //===--------------------------------------------------------------------===//

  LogicalResult formGrid(scf::ForallOp loop, ArrayRef<Operation *> reads) {
    for (Value operand : loop->getOperands())
      if (isFromDevice(operand))
        return needsOnHost(loop);
    Location loc = loop.getLoc();
    builder.setInsertionPoint(loop);
    Value zero = index(loc, 0);
    Value blocks = index(loc, 1);
    SmallVector<Value> lowers, steps, trips;
    for (auto [lower, upper, step] :
         llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                   loop.getMixedStep())) {
      Value lo = getValueOrCreateConstantIndexOp(builder, loc, lower);
      Value hi = getValueOrCreateConstantIndexOp(builder, loc, upper);
      Value by = getValueOrCreateConstantIndexOp(builder, loc, step);
      Value span = builder.createOrFold<arith::SubIOp>(loc, hi, lo);
      Value count = builder.createOrFold<arith::CeilDivSIOp>(loc, span, by);
      count = builder.createOrFold<arith::MaxSIOp>(loc, count, zero);
      blocks = builder.createOrFold<arith::MulIOp>(loc, blocks, count);
      lowers.push_back(lo);
      steps.push_back(by);
      trips.push_back(count);
    }
    SetVector<Value> more;
    for (ArrayRef<Value> values :
         {ArrayRef(lowers), ArrayRef(steps), ArrayRef(trips)})
      more.insert(values.begin(), values.end());
    Kernel kernel = start(loop, reads, more);
    IRMapping &values = kernel.values;
    Value rest = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    SmallVector<Value> ivs(trips.size());
    for (int dim = trips.size() - 1; dim >= 0; --dim) {
      Value trip = rest;
      if (dim > 0) {
        Value count = values.lookup(trips[dim]);
        trip = arith::RemUIOp::create(builder, loc, rest, count);
        rest = arith::DivUIOp::create(builder, loc, rest, count);
      }
      Value offset =
          arith::MulIOp::create(builder, loc, trip, values.lookup(steps[dim]));
      ivs[dim] = arith::AddIOp::create(builder, loc, values.lookup(lowers[dim]),
                                       offset);
    }
    values.map(loop.getInductionVars(), ivs);
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, values);
    finish(kernel, blocks, loop, reads);
    return success();
  }

  /// One op over as many threads as it has elements.
  void formSpread(linalg::LinalgOp op, ArrayRef<Operation *> reads) {
    Location loc = op.getLoc();
    builder.setInsertionPoint(op);
    Value blocks = index(loc, kBlocksOfUnknown);
    bool isKnown = llvm::none_of(op.getStaticLoopRanges(), [](int64_t extent) {
      return ShapedType::isDynamic(extent);
    });
    if (isKnown || llvm::none_of(op->getOperands(), [&](Value value) {
          return isFromDevice(value);
        })) {
      Value elements = index(loc, 1);
      for (auto [range, iterator] : llvm::zip(op.createLoopRanges(builder, loc),
                                              op.getIteratorTypesArray()))
        if (iterator == utils::IteratorType::parallel) {
          Value size =
              getValueOrCreateConstantIndexOp(builder, loc, range.size);
          elements = builder.createOrFold<arith::MulIOp>(loc, elements, size);
        }
      Value perBlock = index(loc, kThreadsPerBlock * kElementsPerThread);
      blocks =
          builder.createOrFold<arith::CeilDivSIOp>(loc, elements, perBlock);
      blocks = builder.createOrFold<arith::MinSIOp>(
          loc, blocks, index(loc, kMostSpreadBlocks));
    }
    Kernel kernel = start(op, reads, {});
    builder.clone(*op, kernel.values)
        ->setAttr(kSpreadAttrName, builder.getUnitAttr());
    finish(kernel, blocks, op, reads);
  }

  void formBlock(Operation *op, ArrayRef<Operation *> reads) {
    builder.setInsertionPoint(op);
    int64_t count = blocksOfCheck(op);
    Value blocks = index(op->getLoc(), count);
    Kernel kernel = start(op, reads, {});
    if (auto check = dyn_cast<CheckOp>(op); check && count > 1)
      kernel.values.lookup(check.getCondition())
          .getDefiningOp()
          ->setAttr(kSpreadAttrName, builder.getUnitAttr());
    builder.clone(*op, kernel.values);
    finish(kernel, blocks, op, reads);
  }

  /// A check of many elements is not left to one block.
  static int64_t blocksOfCheck(Operation *op) {
    auto check = dyn_cast<CheckOp>(op);
    auto loop =
        check ? check.getCondition().getDefiningOp<scf::ForOp>() : scf::ForOp();
    int64_t elements = loop ? 1 : 0;
    if (loop)
      loop.walk([&](scf::ForOp inner) {
        std::optional<int64_t> end = getConstantIntValue(inner.getUpperBound());
        elements = end ? elements * *end : 0;
      });
    return std::clamp<int64_t>(llvm::divideCeil(elements, kThreadsPerBlock), 1,
                               kBlocksOfUnknown);
  }

  /// Blocks that take tiles in turn. Matrices are parameters of their own even
  /// where one is given twice: the host makes a tensor map of each.
  void formProduct(tile::ProductOp op) {
    Location loc = op.getLoc();
    builder.setInsertionPoint(op);
    tile::ScheduleAttr schedule = op.getSchedule();
    unsigned rowDim = op.getOutRowDim();
    Value rows =
        memref::DimOp::create(builder, loc, op.getOut(), index(loc, rowDim));
    Value columns = memref::DimOp::create(builder, loc, op.getOut(),
                                          index(loc, 1 - rowDim));
    auto tiles = [&](Value size, int64_t by) {
      return builder.createOrFold<arith::CeilDivSIOp>(loc, size,
                                                      index(loc, by));
    };
    Value clusters = builder.createOrFold<arith::MulIOp>(
        loc, tiles(rows, schedule.getClusterRows()),
        tiles(columns, schedule.getColumns()));
    Value blocks = builder.createOrFold<arith::MulIOp>(
        loc, clusters, index(loc, schedule.getCluster()));
    blocks = builder.createOrFold<arith::MinSIOp>(
        loc, blocks, index(loc, schedule.getBlocks()));
    Kernel kernel;
    kernel.captures.append({op.getLhs(), op.getRhs(), op.getOut(), rows});
    llvm::append_range(kernel.captures, op.getExtras());
    kernel.plainCaptures = kernel.captures.size();
    SetVector<Value> constants;
    getUsedValuesDefinedAbove(op->getRegions(), constants);
    for (Value constant : constants)
      kernel.constants.push_back(constant.getDefiningOp());
    // One of them loads, unless all of them copy.
    int64_t warpgroups = schedule.getWarpgroups() + !isCooperative(schedule);
    declare(kernel, loc, warpgroups * tile::kWarpgroupThreads);
    ValueRange words = kernel.device.getBody().front().getArguments();
    fill(loc, kernel, words, /*reads=*/{}, kernel.values, /*onDevice=*/true);
    auto inside = cast<tile::ProductOp>(builder.clone(*op, kernel.values));
    inside.getLhsMutable().assign(words[0]);
    inside.getRhsMutable().assign(words[1]);
    inside.getOutMutable().assign(words[2]);
    inside.getRowsMutable().assign(words[3]);
    for (auto [operand, word] :
         llvm::zip(inside.getExtrasMutable(), words.drop_front(4)))
      operand.set(word);
    finish(kernel, blocks, op, /*reads=*/{});
  }

  /// Blocks that claim tiles. Again each tensor is a parameter of its own.
  void formAttention(tile::AttentionOp op) {
    Location loc = op.getLoc();
    builder.setInsertionPoint(op);
    tile::AttentionScheduleAttr schedule = op.getSchedule();
    auto size = [&](Value memref, unsigned dim) -> Value {
      return builder.createOrFold<memref::DimOp>(loc, memref, index(loc, dim));
    };
    Value sizes[] = {size(op.getQ(), 0), size(op.getQ(), op.getSequenceDim()),
                     size(op.getK(), op.getSequenceDim())};
    Value tiles = builder.createOrFold<arith::CeilDivSIOp>(
        loc, sizes[1], index(loc, schedule.getRows()));
    for (Value factor : {sizes[0], index(loc, op.getHeads())})
      tiles = builder.createOrFold<arith::MulIOp>(loc, tiles, factor);
    Value blocks = builder.createOrFold<arith::MinSIOp>(
        loc, tiles, index(loc, schedule.getBlocks()));
    if (!getConstantIntValue(sizes[2]))
      blocks = unlessEmpty(op, sizes[2], blocks);
    Kernel kernel;
    op.getSizesMutable().assign(sizes);
    kernel.captures.assign(op->operand_begin(), op->operand_end());
    kernel.plainCaptures = kernel.captures.size();
    declare(kernel, loc,
            (schedule.getWarpgroups() + 1) * tile::kWarpgroupThreads);
    ValueRange words = kernel.device.getBody().front().getArguments();
    fill(loc, kernel, words, /*reads=*/{}, kernel.values, /*onDevice=*/true);
    builder.clone(*op, kernel.values)->setOperands(words);
    finish(kernel, blocks, op, /*reads=*/{});
  }

  /// Nobody sees a key where there is none: no blocks but zeros.
  Value unlessEmpty(tile::AttentionOp op, Value keys, Value blocks) {
    Location loc = op.getLoc();
    Value none = index(loc, 0);
    Value isEmpty = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::eq, keys, none);
    auto branch =
        scf::IfOp::create(builder, loc, isEmpty, /*withElseRegion=*/false);
    SmallVector<std::pair<Value, double>> fills{{op.getOut(), 0.0}};
    for (auto [number, rows] : llvm::enumerate(op.getStatistics()))
      fills.push_back({rows, number == 0 ? -INFINITY : 0.0});
    for (auto [memref, value] : fills) {
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
      Type type = cast<MemRefType>(memref.getType()).getElementType();
      Value constant = arith::ConstantOp::create(
          builder, loc, builder.getFloatAttr(type, value));
      formSpread(linalg::FillOp::create(builder, loc, constant, memref),
                 /*reads=*/{});
    }
    builder.setInsertionPoint(op);
    return arith::SelectOp::create(builder, loc, isEmpty, none, blocks);
  }

  /// Ends the kernel and launches it in place of `op`.
  void finish(Kernel &kernel, Value blocks, Operation *op,
              ArrayRef<Operation *> reads) {
    gpu::LaunchFuncOp made = launch(kernel, blocks, op, reads);
    for (auto [root, isAny] : written)
      writes.push_back({root, isAny, made});
    written.clear();
    op->erase();
  }

  /// Its root may be gone when it is compared.
  struct Write {
    Value root;
    bool isChosen;
    Operation *launch;
  };

  /// Ops of the host whose results depend on what is in tensors.
  SetVector<Operation *> deviceOps;
  /// What launches write, and what the next one will.
  SmallVector<Write> writes;
  SmallVector<std::pair<Value, bool>> written; // roots, and whether chosen
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
