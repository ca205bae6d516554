//===- AddDestinations.cpp - Entries take buffers, in and out -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: entry functions on tensors that return their results.
// Out: entry functions on memrefs with a destination argument per result:
//
//   func @f(%x: tensor<4xf32>) -> tensor<4xf32>
//   ==>  func @f(%x: memref<4xf32>, %out: memref<4xf32> {aikernel.result = 0})
//
// Arguments are read-only. Empty-tensor elimination later lets the last op of a
// result write straight into its destination. An argument that is donated to
// result n lives in that result's memory from the start: when the caller gives
// both the same memory it is updated in place, else it is copied first and
// stays as it was.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "DestinationChain.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "aik-add-destinations"

namespace aikernel {
#define GEN_PASS_DEF_ADDDESTINATIONSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

MemRefType bufferOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return MemRefType::get({}, type);
}

/// Copies unless both are the same memory.
void copyUnlessSame(OpBuilder &builder, Location loc, Value source,
                    Value destination) {
  Value from =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, source);
  Value to =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, destination);
  Value differ =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, from, to);
  auto guard = scf::IfOp::create(builder, loc, differ);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  memref::CopyOp::create(builder, loc, source, destination);
}

class EntryRewriter {
public:
  EntryRewriter(func::FuncOp function)
      : function(function), body(function.getBody().front()),
        builder(function.getContext()) {}

  void run() {
    auto ret = cast<func::ReturnOp>(body.getTerminator());
    SmallVector<Value> results = llvm::to_vector(ret.getOperands());
    unsigned inputs = body.getNumArguments();
    for (Value result : results)
      body.addArgument(bufferOf(result.getType()), result.getLoc());
    takeBuffers(inputs);
    // Taking buffers may have replaced a result that is an argument.
    returnThroughBuffers(ret, inputs);
    updateSignature(inputs);
  }

private:
  void takeBuffers(unsigned inputs) {
    builder.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments().take_front(inputs)) {
      auto tensor = dyn_cast<RankedTensorType>(argument.getType());
      if (!tensor)
        continue;
      auto donate = function.getArgAttrOfType<IntegerAttr>(
          argument.getArgNumber(), kDonateAttr);
      argument.setType(bufferOf(tensor));
      Value memory = argument;
      Operation *copy = nullptr;
      OpBuilder::InsertionGuard guard(builder);
      if (donate) {
        askArgumentForSizes(argument);
        donors[donate.getInt()] = argument.getArgNumber();
        memory = body.getArgument(inputs + donate.getInt());
        // After the checks of sizes: until then it may not fit.
        builder.setInsertionPoint(firstUserOf(argument));
        copyUnlessSame(builder, argument.getLoc(), argument, memory);
        copy = builder.getInsertionPoint()->getPrevNode();
      }
      auto asTensor = bufferization::ToTensorOp::create(
          builder, argument.getLoc(), tensor, memory, /*restrict=*/true,
          /*writable=*/static_cast<bool>(donate));
      if (donate)
        donated[donate.getInt()] = asTensor;
      argument.replaceUsesWithIf(asTensor, [&](OpOperand &use) {
        return use.getOwner() != asTensor && !isCopyOf(use, copy);
      });
    }
  }

  /// The first op of the function that needs the data of `argument`.
  Operation *firstUserOf(BlockArgument argument) {
    Operation *first = body.getTerminator();
    for (Operation *user : argument.getUsers()) {
      Operation *ancestor = body.findAncestorOpInBlock(*user);
      if (!isa<memref::DimOp>(user) && ancestor->isBeforeInBlock(first))
        first = ancestor;
    }
    return first;
  }

  /// Sizes must stay known from the arguments alone: f$workspace has no
  /// results to ask.
  void askArgumentForSizes(BlockArgument argument) {
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      if (auto dim = dyn_cast<tensor::DimOp>(user)) {
        OpBuilder inside(dim);
        Value size = memref::DimOp::create(inside, dim.getLoc(), argument,
                                           dim.getIndex());
        dim.replaceAllUsesWith(size);
        dim.erase();
      }
  }

  /// Is this use part of the initial copy of a donated argument?
  static bool isCopyOf(OpOperand &use, Operation *copy) {
    return isa<memref::ExtractAlignedPointerAsIndexOp, memref::DimOp>(
               use.getOwner()) ||
           (copy && copy->isAncestor(use.getOwner()));
  }

  /// Donated ones last; of the others, a value before what is made of it in
  /// place.
  SmallVector<unsigned> orderOfResults(func::ReturnOp ret) {
    SmallVector<unsigned> order;
    for (unsigned index = 0; index < ret.getNumOperands(); ++index)
      order.push_back(index);
    auto lengthOfChain = [&](unsigned index) {
      unsigned length = 0;
      for (Value value = ret.getOperand(index); value;
           value = destinationOf(value))
        ++length;
      return length;
    };
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      return std::make_pair(donated.contains(a), lengthOfChain(a)) <
             std::make_pair(donated.contains(b), lengthOfChain(b));
    });
    return order;
  }

  /// Writing a result into its buffer must not change one that is written
  /// later: bufferization may have put both into that buffer, and does not see
  /// the write. Such a later one is kept in memory of its own; where it is made
  /// of the first in place, bufferization does that itself.
  void keepSharedResults(func::ReturnOp ret, ArrayRef<unsigned> order) {
    auto isTensor = [&](unsigned index) {
      return isa<RankedTensorType>(ret.getOperand(index).getType());
    };
    SmallVector<std::pair<unsigned, Value>> kept;
    for (auto [position, later] : llvm::enumerate(order)) {
      Value value = ret.getOperand(later);
      bool isAtRisk =
          isTensor(later) &&
          llvm::any_of(order.take_front(position), [&](unsigned earlier) {
            Value first = ret.getOperand(earlier);
            return isTensor(earlier) && mayShareMemory(first, value) &&
                   !isOnDestinationChain(first, value);
          });
      if (isAtRisk)
        kept.push_back({later, bufferization::AllocTensorOp::create(
                                   builder, ret.getLoc(),
                                   cast<RankedTensorType>(value.getType()),
                                   /*dynamicSizes=*/ValueRange{},
                                   /*copy=*/value)});
    }
    for (auto [index, copy] : kept)
      ret->setOperand(index, copy);
  }

  /// What was computed with more dimensions is written so into the memory of
  /// the result, where their sizes follow from the result's. The view stands at
  /// the start, before all that could write into it.
  void lookThroughCollapses(Value &result, Value &destination) {
    while (auto collapse = result.getDefiningOp<tensor::CollapseShapeOp>()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&body);
      if (Operation *view = destination.getDefiningOp())
        builder.setInsertionPointAfter(view);
      RankedTensorType type = collapse.getSrcType();
      SmallVector<OpFoldResult> sizes;
      for (auto [dim, group] :
           llvm::enumerate(collapse.getReassociationIndices()))
        for (int64_t inner : group) {
          if (!type.isDynamicDim(inner))
            sizes.push_back(builder.getIndexAttr(type.getDimSize(inner)));
          else if (group.size() == 1)
            sizes.push_back(memref::getMixedSize(builder, collapse.getLoc(),
                                                 destination, dim));
          else
            return;
        }
      destination = memref::ExpandShapeOp::create(
          builder, collapse.getLoc(),
          MemRefType::get(type.getShape(), type.getElementType()), destination,
          collapse.getReassociationIndices(), sizes);
      result = collapse.getSrc();
    }
  }

  /// Results of their own first, then those that live in donated memory: what
  /// is donated may still be read by the others.
  void returnThroughBuffers(func::ReturnOp ret, unsigned inputs) {
    builder.setInsertionPoint(ret);
    Location loc = ret.getLoc();
    SmallVector<std::pair<Value, Value>> last;
    SmallVector<unsigned> order = orderOfResults(ret);
    keepSharedResults(ret, order);
    for (unsigned index : order) {
      Value result = ret.getOperand(index);
      Value destination = body.getArgument(inputs + index);
      if (!isa<RankedTensorType>(result.getType())) {
        memref::StoreOp::create(builder, loc, result, destination);
      } else if (!donated.contains(index)) {
        lookThroughCollapses(result, destination);
        bufferization::MaterializeInDestinationOp::create(
            builder, loc, /*result=*/Type(), result, destination,
            /*restrict=*/true, /*writable=*/true);
      } else {
        // Could bufferization put it into memory donated to another result?
        if (!isFreshOrIn(result, donated[index]))
          result = bufferization::AllocTensorOp::create(
              builder, loc, cast<RankedTensorType>(result.getType()),
              /*dynamicSizes=*/ValueRange{}, /*copy=*/result);
        last.push_back({result, destination});
      }
    }
    for (auto [result, destination] : last) {
      Value buffer = bufferization::ToBufferOp::create(
          builder, loc, destination.getType(), result);
      copyUnlessSame(builder, loc, buffer, destination);
    }
    ret->setOperands({});
  }

  void updateSignature(unsigned inputs) {
    SmallVector<Attribute> argAttrs;
    for (unsigned i = 0; i < body.getNumArguments(); ++i) {
      DictionaryAttr old =
          i < inputs ? function.getArgAttrDict(i) : DictionaryAttr();
      NamedAttrList attrs(old ? old : builder.getDictionaryAttr({}));
      if (i >= inputs)
        attrs.set(kResultAttrName, builder.getI64IntegerAttr(i - inputs));
      if (i >= inputs && donors.contains(i - inputs))
        attrs.set(kDonorAttrName,
                  builder.getI64IntegerAttr(donors[i - inputs]));
      attrs.erase(kDonateAttr);
      argAttrs.push_back(attrs.getDictionary(builder.getContext()));
    }
    function.setAllResultAttrs(ArrayRef<Attribute>{});
    function.setType(
        FunctionType::get(function.getContext(), body.getArgumentTypes(), {}));
    function.setAllArgAttrs(argAttrs);
  }

  func::FuncOp function;
  Block &body;
  OpBuilder builder;
  /// By result: the tensor in the memory that was donated to it.
  DenseMap<int64_t, Value> donated;
  /// By result: the number of the argument that was donated to it.
  DenseMap<int64_t, unsigned> donors;
};

struct AddDestinationsPass
    : aikernel::impl::AddDestinationsPassBase<AddDestinationsPass> {
  using AddDestinationsPassBase::AddDestinationsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kEntryAttrName))
        EntryRewriter(function).run();
  }
};

} // namespace
