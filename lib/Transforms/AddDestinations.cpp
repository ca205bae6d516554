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
// Arguments are read-only unless donated. Empty-tensor elimination later lets
// the last op of a result write straight into its destination. A donated
// argument may be updated in place; when the caller gave result n the same
// memory, nothing is copied at the end.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Transforms/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// The results that some argument was donated for.
llvm::SmallDenseSet<int64_t> donatedResults(func::FuncOp function) {
  llvm::SmallDenseSet<int64_t> results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto donate = function.getArgAttrOfType<IntegerAttr>(i, kDonateAttr))
      results.insert(donate.getInt());
  return results;
}

void takeBuffers(func::FuncOp function, OpBuilder &builder) {
  Block &body = function.getBody().front();
  builder.setInsertionPointToStart(&body);
  for (BlockArgument argument : body.getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor)
      continue;
    bool writable = !!function.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), kDonateAttr);
    argument.setType(bufferOf(tensor));
    auto asTensor = bufferization::ToTensorOp::create(
        builder, argument.getLoc(), tensor, argument, /*restrict=*/true,
        writable);
    argument.replaceAllUsesExcept(asTensor, asTensor);
  }
}

/// Writes a result that may already be where it belongs.
void copyUnlessSame(OpBuilder &builder, Location loc, Value value,
                    Value destination) {
  Value source = bufferization::ToBufferOp::create(
      builder, loc, destination.getType(), value);
  Value from =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, source);
  Value to =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, destination);
  Value differ = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       from, to);
  auto guard = scf::IfOp::create(builder, loc, differ);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  memref::CopyOp::create(builder, loc, source, destination);
}

void returnThroughBuffers(func::FuncOp function, OpBuilder &builder) {
  Block &body = function.getBody().front();
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  auto donated = donatedResults(function);
  SmallVector<Value> results = llvm::to_vector(ret.getOperands());
  for (auto [index, result] : llvm::enumerate(results)) {
    Value destination =
        body.addArgument(bufferOf(result.getType()), result.getLoc());
    builder.setInsertionPoint(ret);
    if (!isa<RankedTensorType>(result.getType()))
      memref::StoreOp::create(builder, ret.getLoc(), result, destination);
    else if (donated.contains(index))
      copyUnlessSame(builder, ret.getLoc(), result, destination);
    else
      bufferization::MaterializeInDestinationOp::create(
          builder, ret.getLoc(), /*result=*/Type(), result, destination,
          /*restrict=*/true, /*writable=*/true);
  }
  unsigned firstResult = body.getNumArguments() - results.size();
  ret->setOperands({});
  SmallVector<Attribute> argAttrs;
  for (unsigned i = 0; i < body.getNumArguments(); ++i) {
    DictionaryAttr old =
        i < firstResult ? function.getArgAttrDict(i) : DictionaryAttr();
    NamedAttrList attrs(old ? old : builder.getDictionaryAttr({}));
    if (i >= firstResult)
      attrs.set(kResultAttrName, builder.getI64IntegerAttr(i - firstResult));
    attrs.erase(kDonateAttr);
    argAttrs.push_back(attrs.getDictionary(builder.getContext()));
  }
  function.setAllResultAttrs(ArrayRef<Attribute>{});
  function.setType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), {}));
  function.setAllArgAttrs(argAttrs);
}

struct AddDestinationsPass
    : aikernel::impl::AddDestinationsPassBase<AddDestinationsPass> {
  using AddDestinationsPassBase::AddDestinationsPassBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(kEntryAttrName))
        continue;
      takeBuffers(function, builder);
      returnThroughBuffers(function, builder);
    }
  }
};

} // namespace
