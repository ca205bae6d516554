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
// An scf.forall is a grid of one block per iteration, a product with a schedule
// one of blocks that take tiles in turn. A structured op alone is spread over
// as many threads as it has elements. All else that writes tensors, loops with
// it, runs in one block. What only reads tensors, for a size or an offset, is
// done again in each kernel that needs it.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/Tile/TileOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Entries.h"
#include "BufferRoot.h"
#include "ProductLoops.h"
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
/// Tables of constants are read in vectors.
constexpr int64_t kTableAlignment = 16;
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
  return isa<scf::ForallOp, linalg::LinalgOp, tile::ProductOp>(op);
}

/// Rank-0 arguments are the host's.
bool isOnHost(Value memref) {
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument || cast<MemRefType>(memref.getType()).getRank() != 0)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function &&
         !function.getArgAttr(argument.getArgNumber(), kResultAttrName);
}

bool readsTensors(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && !isOnHost(load.getMemRef());
}

bool writesTensors(Operation *op) {
  return isa<memref::StoreOp, linalg::LinalgOp, tile::ProductOp, LaneProductOp,
             AttentionPartOp, ReferenceCallOp, memref::AtomicRMWOp,
             memref::GenericAtomicRMWOp>(op);
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

/// Letters that every assembler takes.
std::string plainName(StringRef name) {
  std::string plain;
  for (char c : name)
    plain += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (plain.empty() || llvm::isDigit(plain[0]))
    plain.insert(plain.begin(), '_');
  return plain;
}

class LaunchFormer {
public:
  LaunchFormer(ModuleOp module)
      : module(module), symbols(module), builder(module.getContext()) {}

  LogicalResult run(func::FuncOp function) {
    this->function = function;
    structureCopies();
    return visit(function.getBody().front());
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
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (unsigned i = 0; i < ops.size(); ++i) {
      Operation *op = ops[i];
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
      if (!op->use_empty()) {
        SmallVector<Operation *> together =
            usersOf(ArrayRef(ops).drop_front(i));
        if (llvm::any_of(together, [&](Operation *member) {
              return uses(block.getTerminator(), member);
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
      } else {
        formBlock(op, *reads);
      }
    }
    if (dependsOnDevice(block.getTerminator()))
      return needsOnHost(block.getTerminator());
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
        auto written = lastWrite.find(rootOf(load.getMemRef()));
        bool changed = written != lastWrite.end() &&
                       written->second->getBlock() == read->getBlock() &&
                       read->isBeforeInBlock(written->second);
        return changed ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (kept.wasInterrupted() || read->getBlock() != op->getBlock())
        return needsOnHost(op);
    }
    return ordered;
  }

  /// Launches take the place of what they do, so positions stay comparable.
  void noteWrites(Operation *op) {
    op->walk([&](Operation *inner) {
      if (auto store = dyn_cast<memref::StoreOp>(inner))
        written.push_back(rootOf(store.getMemRef()));
      else if (isa<linalg::LinalgOp, LaneProductOp>(inner))
        for (Value init :
             cast<DestinationStyleOpInterface>(inner).getDpsInits())
          written.push_back(rootOf(init));
      else if (auto product = dyn_cast<tile::ProductOp>(inner))
        written.push_back(rootOf(product.getOut()));
      else if (auto call = dyn_cast<ReferenceCallOp>(inner))
        for (Value output : call.getOutputs())
          written.push_back(rootOf(output));
      else if (auto part = dyn_cast<AttentionPartOp>(inner))
        for (Value output : part.getOutputs())
          written.push_back(rootOf(output));
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
    if (llvm::none_of(op->getOperands(),
                      [&](Value value) { return isFromDevice(value); })) {
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
    Value one = index(op->getLoc(), 1);
    Kernel kernel = start(op, reads, {});
    builder.clone(*op, kernel.values);
    finish(kernel, one, op, reads);
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
    declare(kernel, loc,
            (schedule.getWarpgroups() + 1) * tile::kWarpgroupThreads);
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

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  struct Kernel {
    std::string name;
    gpu::GPUFuncOp device;
    IRMapping values; // of the host, in the device
    SmallVector<Value> captures;
    SmallVector<Value> scalars; // captured as the values that they hold
    unsigned plainCaptures = 0;
    SmallVector<Operation *> constants;
  };

  Value index(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// Narrow scalars travel as words.
  static bool isWord(Type type) {
    return isa<MemRefType, IndexType>(type) || type.isInteger(64);
  }

  Value toWord(Location loc, Value value) {
    Type type = value.getType();
    if (isWord(type))
      return value;
    unsigned bits = type.getIntOrFloatBitWidth();
    Type integer = builder.getIntegerType(bits);
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(builder, loc, integer, value);
    if (bits < 64)
      value = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value);
    return value;
  }

  Value fromWord(Location loc, Value word, Type type) {
    if (isWord(type))
      return word;
    unsigned bits = type.getIntOrFloatBitWidth();
    if (bits < 64)
      word = arith::TruncIOp::create(builder, loc, builder.getIntegerType(bits),
                                     word);
    if (isa<FloatType>(type))
      word = arith::BitcastOp::create(builder, loc, type, word);
    return word;
  }

  SmallVector<Type> wordTypes(const Kernel &kernel) {
    SmallVector<Type> types;
    for (Value value : kernel.captures)
      types.push_back(isWord(value.getType()) ? value.getType()
                                              : builder.getI64Type());
    return types;
  }

  gpu::GPUModuleOp deviceModule() {
    if (auto found = symbols.lookup<gpu::GPUModuleOp>(kDeviceModuleName))
      return found;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto made =
        gpu::GPUModuleOp::create(builder, module.getLoc(), kDeviceModuleName);
    symbols.insert(made);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
    return made;
  }

  /// A kernel that has done `reads`, and what stands for the captures of `op`
  /// in it; the builder is at its end.
  Kernel start(Operation *op, ArrayRef<Operation *> reads,
               const SetVector<Value> &more) {
    Location loc = op->getLoc();
    SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Operation *read : reads) {
      used.insert(read->operand_begin(), read->operand_end());
      getUsedValuesDefinedAbove(read->getRegions(), used);
    }
    used.insert(more.begin(), more.end());
    used.remove_if([&](Value value) { return isFromDevice(value); });
    Kernel kernel;
    for (Value value : used) {
      Operation *def = value.getDefiningOp();
      if (def && (def->hasTrait<OpTrait::ConstantLike>() ||
                  isa<memref::GetGlobalOp>(def)))
        kernel.constants.push_back(def);
      else if (isa<MemRefType>(value.getType()) && isOnHost(value))
        kernel.scalars.push_back(value);
      else
        kernel.captures.push_back(value);
    }
    kernel.plainCaptures = kernel.captures.size();
    for (Value scalar : kernel.scalars)
      kernel.captures.push_back(
          memref::LoadOp::create(builder, loc, scalar, ValueRange()));
    declare(kernel, loc, kThreadsPerBlock);
    fill(loc, kernel, kernel.device.getBody().front().getArguments(), reads,
         kernel.values, /*onDevice=*/true);
    return kernel;
  }

  /// The kernel's function, with a parameter for each capture; the builder is
  /// in it.
  void declare(Kernel &kernel, Location loc, int64_t threads) {
    gpu::GPUModuleOp device = deviceModule();
    kernel.name = plainName(function.getSymName()) + "_" +
                  llvm::utostr(numbers[function]++);
    while (device.lookupSymbol(kernel.name))
      kernel.name += "_";
    builder.setInsertionPointToEnd(device.getBody());
    auto type = builder.getFunctionType(wordTypes(kernel), {});
    kernel.device = gpu::GPUFuncOp::create(builder, loc, kernel.name, type);
    kernel.device->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                           builder.getUnitAttr());
    kernel.device.setKnownBlockSize(
        SmallVector<int32_t>{int32_t(threads), 1, 1});
    builder.setInsertionPointToStart(&kernel.device.getBody().front());
  }

  /// A table of constants is in the memory of who reads it.
  Value tableOnDevice(memref::GetGlobalOp table) {
    gpu::GPUModuleOp device = deviceModule();
    auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                            gpu::AddressSpace::Global);
    MemRefType type = table.getType();
    auto there = MemRefType::get(type.getShape(), type.getElementType(),
                                 MemRefLayoutAttrInterface(), space);
    if (!device.lookupSymbol(table.getName())) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(device.getBody());
      auto original = symbols.lookup<memref::GlobalOp>(table.getName());
      auto copy = cast<memref::GlobalOp>(builder.clone(*original));
      copy.setType(there);
      copy.setAlignment(kTableAlignment);
    }
    Location loc = table.getLoc();
    Value found =
        memref::GetGlobalOp::create(builder, loc, there, table.getName());
    return memref::MemorySpaceCastOp::create(builder, loc, type, found);
  }

  /// The start of a kernel's or a twin's body.
  void fill(Location loc, const Kernel &kernel, ValueRange words,
            ArrayRef<Operation *> reads, IRMapping &values, bool onDevice) {
    for (Operation *constant : kernel.constants) {
      auto table = dyn_cast<memref::GetGlobalOp>(constant);
      if (table && onDevice)
        values.map(table.getResult(), tableOnDevice(table));
      else
        builder.clone(*constant, values);
    }
    mapCaptures(loc, kernel, words, values);
    for (Operation *read : reads)
      builder.clone(*read, values);
  }

  void mapCaptures(Location loc, const Kernel &kernel, ValueRange words,
                   IRMapping &values) {
    for (auto [value, word] : llvm::zip(kernel.captures, words))
      values.map(value, fromWord(loc, word, value.getType()));
    for (auto [number, scalar] : llvm::enumerate(kernel.scalars)) {
      Value held =
          values.lookup(kernel.captures[kernel.plainCaptures + number]);
      Value copy = memref::AllocaOp::create(builder, loc,
                                            cast<MemRefType>(scalar.getType()));
      memref::StoreOp::create(builder, loc, held, copy, ValueRange());
      values.map(scalar, copy);
    }
  }

  /// Ends the kernel, launches it in place of `op`, and makes its twin of that.
  void finish(Kernel &kernel, Value blocks, Operation *op,
              ArrayRef<Operation *> reads) {
    Location loc = op->getLoc();
    gpu::ReturnOp::create(builder, loc);
    formTwin(kernel, op, reads);
    builder.setInsertionPoint(op);
    Value one = index(loc, 1);
    Value threads = index(loc, kernel.device.getKnownBlockSize()->front());
    SmallVector<Value> words;
    for (Value value : kernel.captures)
      words.push_back(toWord(loc, value));
    auto launch = gpu::LaunchFuncOp::create(
        builder, loc, kernel.device, gpu::KernelDim3{blocks, one, one},
        gpu::KernelDim3{threads, one, one},
        /*dynamicSharedMemorySize=*/Value(), words);
    for (Value root : written)
      lastWrite[root] = launch;
    written.clear();
    op->erase();
  }

  void formTwin(Kernel &kernel, Operation *op, ArrayRef<Operation *> reads) {
    Location loc = op->getLoc();
    builder.setInsertionPoint(function);
    auto twin =
        func::FuncOp::create(builder, loc, kernel.name + kTwinSuffix.str(),
                             builder.getFunctionType(wordTypes(kernel), {}));
    twin.setPrivate();
    Block *body = twin.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping values;
    fill(loc, kernel, body->getArguments(), reads, values,
         /*onDevice=*/false);
    Operation *same = builder.clone(*op, values);
    func::ReturnOp::create(builder, loc);
    symbols.insert(twin);
    if (auto product = dyn_cast<tile::ProductOp>(same))
      expandProduct(product);
  }

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  func::FuncOp function;
  DenseMap<Operation *, unsigned> numbers;
  /// Ops of the host whose results depend on what is in tensors.
  SetVector<Operation *> deviceOps;
  /// The launch that wrote a buffer last, and what the next one will write.
  DenseMap<Value, Operation *> lastWrite;
  SmallVector<Value> written;
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
  }
};

} // namespace
