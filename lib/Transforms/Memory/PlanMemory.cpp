//===- PlanMemory.cpp - One workspace per function ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: bufferized entry functions with memref.alloc for intermediates.
// Out: no allocation left. Each buffer is a view into one workspace argument,
// buffers whose lives do not meet share memory, and `f$workspace` computes the
// size of it all from the arguments' shapes. Where a buffer is as large as a
// result, `f$shape` says how the arguments' shapes decide that.
//
//   %t = memref.alloc(%n) : memref<?xf32>
//   ==>  %t = memref.view %workspace[%offset][%n]
//
// Sizes may be known only at run time: buffers are put into slots, a slot is
// as large as the largest buffer that uses it, and offsets are sums of slots.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Checks/CheckedSizes.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"

#define DEBUG_TYPE "aik-plan-memory"

namespace aikernel {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

constexpr int64_t kAlignment = 64;
/// A position behind all others.
constexpr unsigned kNever = std::numeric_limits<unsigned>::max();

struct Buffer {
  memref::AllocOp alloc;
  unsigned firstUse, lastUse; // positions in the function's block
  unsigned slot = 0;
};

struct Slot {
  unsigned freeFrom;   // position after the last use of its last buffer
  int64_t staticBytes; // -1: known only at run time
  SmallVector<unsigned> buffers;
};

int64_t staticBytes(MemRefType type) {
  std::optional<int64_t> bytes = knownBytes(type);
  if (!type.hasStaticShape() || !bytes)
    return -1;
  return llvm::alignTo(*bytes, kAlignment);
}

class Planner {
public:
  Planner(func::FuncOp function, int64_t apartBytes)
      : function(function), apartBytes(apartBytes),
        block(function.getBody().front()), builder(function.getContext()),
        loc(function.getLoc()) {}

  LogicalResult run() {
    askDonorsForSizes();
    askShapeForSizes();
    if (failed(hoistSizes()))
      return failure();
    measureLives();
    assignSlots();
    emitWorkspaceFunction();
    rewriteBuffers();
    return success();
  }

private:
  /// A result that took over an argument's memory has the argument's sizes,
  /// and f$workspace is asked before there are results.
  void askDonorsForSizes() {
    for (BlockArgument argument : block.getArguments()) {
      auto donor = function.getArgAttrOfType<IntegerAttr>(
          argument.getArgNumber(), kDonorAttrName);
      if (donor)
        argument.replaceUsesWithIf(
            block.getArgument(donor.getInt()),
            [](OpOperand &use) { return isa<memref::DimOp>(use.getOwner()); });
    }
  }

  /// The sizes of the other results are what f$shape computes from the
  /// arguments, here as there.
  void askShapeForSizes() {
    SmallVector<memref::DimOp> dims;
    function.walk([&](memref::DimOp dim) {
      auto argument = dyn_cast<BlockArgument>(dim.getSource());
      if (argument && argument.getOwner() == &block && !isInput(argument) &&
          dim.getConstantIndex())
        dims.push_back(dim);
    });
    auto shape =
        function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
            (function.getSymName() + "$shape").str());
    if (dims.empty() || !shape)
      return;
    builder.setInsertionPointToStart(&block);
    for (memref::DimOp dim : dims)
      if (Value size = sizeFromShape(
              shape, cast<BlockArgument>(dim.getSource()).getArgNumber(),
              *dim.getConstantIndex())) {
        dim.replaceAllUsesWith(size);
        dim.erase();
      }
  }

  /// Repeats what f$shape does for one size of the result behind an argument.
  Value sizeFromShape(func::FuncOp shape, unsigned argument, int64_t dim) {
    // f$shape has one result per dimension of each result of f.
    int64_t number = dim;
    for (unsigned i = 0; i < argument; ++i)
      if (function.getArgAttr(i, kResultAttrName))
        number += cast<MemRefType>(function.getArgumentTypes()[i]).getRank();
    Block &source = shape.getBody().front();
    IRMapping values;
    Value stored;
    for (auto [i, asked] : llvm::enumerate(source.getArguments())) {
      auto result = shape.getArgAttrOfType<IntegerAttr>(i, kResultAttrName);
      if (!result)
        values.map(asked, block.getArgument(i));
      else if (result.getInt() == number && asked.hasOneUse())
        if (auto store = dyn_cast<memref::StoreOp>(*asked.user_begin()))
          stored = store.getValue();
    }
    if (!stored)
      return {};
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    if (stored.getDefiningOp() &&
        failed(getBackwardSlice(stored, &slice, options)))
      return {};
    for (Operation *op : slice)
      builder.clone(*op, values);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      values.lookup(stored));
  }

  /// Allocations move to the top of the function, after the pure size
  /// computations that they need.
  LogicalResult hoistSizes() {
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    Operation *anchor = nullptr;
    DenseSet<Operation *> moved;
    auto moveUp = [&](Operation *op) {
      if (!moved.insert(op).second)
        return;
      if (anchor)
        op->moveAfter(anchor);
      else
        op->moveBefore(&block, block.begin());
      anchor = op;
    };
    for (memref::AllocOp alloc : allocs) {
      SetVector<Operation *> slice;
      BackwardSliceOptions options;
      options.omitBlockArguments = true;
      for (Value size : alloc.getDynamicSizes()) {
        options.inclusive = true;
        if (size.getDefiningOp() &&
            failed(getBackwardSlice(size, &slice, options)))
          return failure();
      }
      for (Operation *op : slice) {
        // Integer divisions are guarded: they can be done at any time.
        bool movable = isPure(op) || isa<memref::DimOp>(op) ||
                       isa<arith::ArithDialect>(op->getDialect());
        bool fromArguments = llvm::all_of(op->getOperands(), [&](Value v) {
          auto argument = dyn_cast<BlockArgument>(v);
          return argument ? isInput(argument)
                          : slice.contains(v.getDefiningOp());
        });
        if (!movable || !fromArguments || op->getNumRegions() != 0)
          return alloc.emitError(
              "AIK-E0007: the size of an intermediate buffer depends "
              "on data, not only on argument shapes");
      }
      for (Operation *op : slice)
        moveUp(op);
      buffers.push_back({alloc, 0, 0});
    }
    for (Buffer &buffer : buffers)
      moveUp(buffer.alloc);
    sizesEnd = anchor;
    return success();
  }

  bool isInput(BlockArgument argument) {
    return argument.getOwner() == &block &&
           !function.getArgAttr(argument.getArgNumber(), kResultAttrName);
  }

  void measureLives() {
    DenseMap<Operation *, unsigned> position;
    unsigned next = 0;
    for (Operation &op : block)
      position[&op] = next++;
    BufferViewFlowAnalysis aliases(function);
    for (Buffer &buffer : buffers) {
      buffer.firstUse = next;
      buffer.lastUse = 0;
      for (Value alias : aliases.resolve(buffer.alloc.getMemref()))
        for (Operation *user : alias.getUsers()) {
          unsigned at = position[block.findAncestorOpInBlock(*user)];
          buffer.firstUse = std::min(buffer.firstUse, at);
          buffer.lastUse = std::max(buffer.lastUse, at);
        }
    }
  }

  /// Buffers in the order of their first use; each takes the free slot whose
  /// size fits best, or a new one. Small ones may be told to have their own.
  void assignSlots() {
    SmallVector<unsigned> order;
    for (unsigned i = 0; i < buffers.size(); ++i)
      order.push_back(i);
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      return buffers[a].firstUse < buffers[b].firstUse;
    });
    for (unsigned index : order) {
      Buffer &buffer = buffers[index];
      int64_t bytes = staticBytes(buffer.alloc.getType());
      bool isApart = bytes >= 0 && bytes <= apartBytes;
      std::optional<unsigned> best;
      int64_t bestWaste = 0;
      for (auto [i, slot] : llvm::enumerate(slots)) {
        if (slot.freeFrom > buffer.firstUse || isApart ||
            (slot.staticBytes < 0) != (bytes < 0))
          continue;
        int64_t waste = std::abs(slot.staticBytes - bytes);
        if (!best || waste < bestWaste) {
          best = i;
          bestWaste = waste;
        }
      }
      if (!best) {
        best = slots.size();
        slots.push_back({0, bytes, {}});
      }
      Slot &slot = slots[*best];
      slot.freeFrom = isApart ? kNever : buffer.lastUse + 1;
      slot.staticBytes = std::max(slot.staticBytes, bytes);
      slot.buffers.push_back(index);
      buffer.slot = *best;
    }
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// Bytes of a buffer, rounded up to the alignment.
  CheckedSize bytesOf(memref::AllocOp alloc, IRMapping *values) {
    MemRefType type = alloc.getType();
    int64_t known = staticBytes(type);
    if (known >= 0)
      return CheckedSize::constant(builder, loc, known);
    CheckedSize bytes =
        CheckedSize::constant(builder, loc, knownBytes(type).value_or(-1));
    for (Value size : alloc.getDynamicSizes())
      if (values)
        bytes.multiply(builder, loc, values->lookupOrDefault(size));
      else // f$workspace has refused sizes that wrap
        bytes.size = arith::MulIOp::create(builder, loc, bytes.size, size);
    Value up = arith::AddIOp::create(builder, loc, bytes.size,
                                     constant(kAlignment - 1));
    bytes.size = arith::AndIOp::create(builder, loc, up, constant(-kAlignment));
    return bytes;
  }

  /// Offsets of all slots and, last, the size of the workspace.
  SmallVector<CheckedSize> emitOffsets(IRMapping *values) {
    SmallVector<CheckedSize> offsets;
    CheckedSize offset = CheckedSize::constant(builder, loc, 0);
    for (Slot &slot : slots) {
      offsets.push_back(offset);
      std::optional<CheckedSize> largest;
      for (unsigned index : slot.buffers) {
        CheckedSize bytes = bytesOf(buffers[index].alloc, values);
        if (largest) {
          bytes.size = builder.createOrFold<arith::MaxUIOp>(loc, largest->size,
                                                            bytes.size);
          bytes.isTrue = builder.createOrFold<arith::AndIOp>(
              loc, largest->isTrue, bytes.isTrue);
        }
        largest = bytes;
      }
      offset.add(builder, loc, *largest);
    }
    offsets.push_back(offset);
    return offsets;
  }

  void emitWorkspaceFunction() {
    builder.setInsertionPointAfter(function);
    SmallVector<Type> types;
    SmallVector<Attribute> attrs;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (function.getArgAttr(i, kResultAttrName))
        break;
      types.push_back(function.getArgumentTypes()[i]);
      NamedAttrList role;
      if (Attribute prepared = function.getArgAttr(i, kPreparedAttrName))
        role.set(kPreparedAttrName, prepared);
      attrs.push_back(role.getDictionary(builder.getContext()));
    }
    unsigned inputs = types.size();
    types.push_back(MemRefType::get({}, builder.getI64Type()));
    attrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kResultAttrName, builder.getI64IntegerAttr(0))));
    auto sizes = func::FuncOp::create(
        builder, loc, (function.getSymName() + "$workspace").str(),
        builder.getFunctionType(types, {}));
    sizes->setAttr(kEntryAttrName, builder.getStringAttr("workspace"));
    sizes.setAllArgAttrs(attrs);
    Block *body = sizes.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping values;
    for (unsigned i = 0; i < inputs; ++i)
      values.map(block.getArgument(i), body->getArgument(i));
    if (sizesEnd)
      for (Operation &op : block) {
        if (!isa<memref::AllocOp>(op))
          builder.clone(op, values);
        if (&op == sizesEnd)
          break;
      }
    CheckedSize bytes = emitOffsets(&values).back();
    CheckOp::create(builder, loc, bytes.isTrue, AIK_ENOMEM,
                    "the intermediate results of these sizes take more than "
                    "2^48 bytes");
    Value total = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             bytes.size);
    memref::StoreOp::create(builder, loc, total, body->getArgument(inputs));
    func::ReturnOp::create(builder, loc);
  }

  void rewriteBuffers() {
    Value workspace = block.addArgument(
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()), loc);
    SmallVector<Attribute> attrs;
    for (unsigned i = 0; i + 1 < block.getNumArguments(); ++i) {
      DictionaryAttr dict = function.getArgAttrDict(i);
      attrs.push_back(dict ? dict : builder.getDictionaryAttr({}));
    }
    attrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kWorkspaceAttrName, builder.getUnitAttr())));
    function.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
    function.setAllArgAttrs(attrs);
    if (buffers.empty())
      return;
    builder.setInsertionPointAfter(sizesEnd);
    SmallVector<CheckedSize> offsets = emitOffsets(nullptr);
    for (Buffer &buffer : buffers) {
      Value view = memref::ViewOp::create(
          builder, buffer.alloc.getLoc(), buffer.alloc.getType(), workspace,
          offsets[buffer.slot].size, buffer.alloc.getDynamicSizes());
      buffer.alloc.replaceAllUsesWith(view);
    }
    for (Buffer &buffer : buffers)
      buffer.alloc.erase();
  }

  func::FuncOp function;
  int64_t apartBytes;
  Block &block;
  OpBuilder builder;
  Location loc;
  Operation *sizesEnd = nullptr;
  SmallVector<Buffer> buffers;
  SmallVector<Slot> slots;
};

struct PlanMemoryPass : aikernel::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      auto entry = function->getAttrOfType<StringAttr>(kEntryAttrName);
      if (entry && entry.getValue() == "run" &&
          failed(Planner(function, apartBytes).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
