//===- BuildEntries.cpp - f$shape and f$cost beside every public function -===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: public functions on tensors, with their run-time checks in place.
// Out: each marked as the entry "run", and two more functions beside it:
//
//   func @f$shape(args) -> (i64 ...)    the sizes of all result dims in order
//   func @f$cost(args) -> (i64, i64)    arithmetic and bytes moved
//
// Both are copies of f that return sizes instead of tensors; shape
// reification and dead code elimination then leave only the size computation.
// Checks that look at data stay in f alone: f$shape may be called before the
// data exists. The signature of f is recorded on the module for the metadata.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelInterfaces.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"

#define DEBUG_TYPE "aik-build-entries"

namespace aikernel {
#define GEN_PASS_DEF_BUILDENTRIESPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

bool looksOnlyAtSizes(CheckOp check) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  // The size of a tensor is known whatever is in it.
  options.filter = [](Operation *op) {
    return !isa_and_nonnull<tensor::DimOp, memref::DimOp>(op);
  };
  // Loops are not run just to know sizes.
  if (!isa<func::FuncOp>(check->getParentOp()) ||
      !check.getCondition().getDefiningOp())
    return false;
  if (failed(getBackwardSlice(check.getCondition(), &slice, options)))
    return false;
  return llvm::all_of(slice, [](Operation *op) {
    return op->getNumRegions() == 0 &&
           isa<arith::ArithDialect, affine::AffineDialect>(op->getDialect());
  });
}

Value sizeInI64(OpBuilder &builder, Location loc, Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIntOp::create(builder, loc, type.getDimSize(dim), 64);
  Value size = isa<MemRefType>(type)
                   ? Value(memref::DimOp::create(builder, loc, shaped, dim))
                   : Value(tensor::DimOp::create(builder, loc, shaped, dim));
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
}

Value elementsOf(OpBuilder &builder, Location loc, Value value) {
  Value count = arith::ConstantIntOp::create(builder, loc, 1, 64);
  if (auto type = dyn_cast<ShapedType>(value.getType()))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      count = arith::MulIOp::create(builder, loc, count,
                                    sizeInI64(builder, loc, value, dim));
  return count;
}

int64_t bytesPerElement(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat())
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

class EntryBuilder {
public:
  explicit EntryBuilder(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  void buildShape() {
    func::FuncOp shape = cloneAs("shape");
    auto ret = cast<func::ReturnOp>(shape.getBody().back().getTerminator());
    builder.setInsertionPoint(ret);
    SmallVector<Value> sizes;
    for (Value result : ret.getOperands())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          sizes.push_back(sizeInI64(builder, ret.getLoc(), result, dim));
    finish(shape, ret, sizes);
  }

  void buildCost() {
    func::FuncOp cost = cloneAs("cost");
    auto ret = cast<func::ReturnOp>(cost.getBody().back().getTerminator());
    Location loc = ret.getLoc();
    SmallVector<Operation *> ops;
    cost.walk([&](Operation *op) { ops.push_back(op); });
    builder.setInsertionPointToStart(&cost.getBody().front());
    Value flops = arith::ConstantIntOp::create(builder, loc, 0, 64);
    for (Operation *op : ops) {
      if (op->getBlock() != &cost.getBody().front())
        continue;
      builder.setInsertionPoint(ret);
      Value count;
      if (auto known = dyn_cast<CostOpInterface>(op))
        count = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                           known.buildFlops(builder));
      else if (OpTrait::hasElementwiseMappableTraits(op) &&
               op->getNumResults() == 1 &&
               isa<RankedTensorType>(op->getResult(0).getType()) &&
               isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
        count = elementsOf(builder, loc, op->getResult(0));
      else
        continue;
      flops = arith::AddIOp::create(builder, loc, flops, count);
    }
    builder.setInsertionPoint(ret);
    Value bytes = arith::ConstantIntOp::create(builder, loc, 0, 64);
    auto addBytes = [&](Value value) {
      Value size = arith::ConstantIntOp::create(
          builder, loc, bytesPerElement(value.getType()), 64);
      bytes = arith::AddIOp::create(
          builder, loc, bytes,
          arith::MulIOp::create(builder, loc, elementsOf(builder, loc, value),
                                size));
    };
    for (BlockArgument argument : cost.getArguments())
      addBytes(argument);
    for (Value result : ret.getOperands())
      addBytes(result);
    finish(cost, ret, {flops, bytes});
  }

private:
  func::FuncOp cloneAs(StringRef entry) {
    builder.setInsertionPointAfter(function);
    auto clone = cast<func::FuncOp>(builder.clone(*function));
    clone.setSymName((function.getSymName() + "$" + entry).str());
    clone->setAttr(kEntryAttrName, builder.getStringAttr(entry));
    for (unsigned i = 0; i < clone.getNumArguments(); ++i)
      clone.removeArgAttr(i, kDonateAttr);
    SmallVector<Operation *> dropped;
    // One inside a loop would keep the loop alive.
    clone.walk([&](CheckOp check) {
      if (check->getParentOp() != clone || !looksOnlyAtSizes(check))
        dropped.push_back(check);
    });
    for (Operation *op : dropped)
      op->erase();
    return clone;
  }

  void finish(func::FuncOp entry, func::ReturnOp ret, ValueRange results) {
    ret->setOperands(results);
    SmallVector<Attribute> noAttrs(results.size(),
                                   builder.getDictionaryAttr({}));
    entry.setType(FunctionType::get(
        entry.getContext(), entry.getArgumentTypes(), results.getTypes()));
    entry.setAllResultAttrs(noAttrs);
  }

  func::FuncOp function;
  OpBuilder builder;
};

/// Removes what cannot matter to sizes: ops that write to memory or submit
/// work belong to f$run alone.
void eraseSideEffects(func::FuncOp entry) {
  SmallVector<Operation *> ops;
  for (Operation &op : entry.getBody().front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && !isa<CheckOp>(op))
      op->erase();
}

/// Checks of sizes that only the computation itself gives stay in f alone.
void dropChecksOfComputed(func::FuncOp entry) {
  for (auto check : llvm::make_early_inc_range(entry.getOps<CheckOp>())) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    if (failed(getBackwardSlice(check.getCondition(), &slice, options)) ||
        llvm::any_of(slice, [](Operation *op) {
          return !isa<tensor::DimOp, memref::DimOp>(op) &&
                 !isa<arith::ArithDialect, affine::AffineDialect>(
                     op->getDialect());
        }))
      check.erase();
  }
}

struct BuildEntriesPass
    : aikernel::impl::BuildEntriesPassBase<BuildEntriesPass> {
  using BuildEntriesPassBase::BuildEntriesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(&getContext());
    SmallVector<Attribute> signatures;
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (!function.isPublic() || function.isExternal() ||
          function->hasAttr(kEntryAttrName))
        continue;
      signatures.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("name", function.getSymNameAttr()),
           builder.getNamedAttr("type",
                                TypeAttr::get(function.getFunctionType())),
           builder.getNamedAttr("args", argAttrs(function, builder)),
           builder.getNamedAttr("results", resultAttrs(function, builder))}));
      function->setAttr(kEntryAttrName, builder.getStringAttr("run"));
      EntryBuilder(function).buildShape();
      EntryBuilder(function).buildCost();
    }
    for (auto function : module.getOps<func::FuncOp>()) {
      auto entry = function->getAttrOfType<StringAttr>(kEntryAttrName);
      if (entry && entry.getValue() != "run")
        eraseSideEffects(function);
    }
    // Sizes in terms of arguments, so that the computation itself goes away.
    OpPassManager resolve(ModuleOp::getOperationName());
    resolve.addPass(createResolveSizesPass());
    if (failed(runPipeline(resolve, module)))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>()) {
      auto entry = function->getAttrOfType<StringAttr>(kEntryAttrName);
      if (entry && entry.getValue() != "run")
        dropChecksOfComputed(function);
    }
    if (!module->hasAttr(kFunctionsAttrName))
      module->setAttr(kFunctionsAttrName, builder.getArrayAttr(signatures));
  }

private:
  static ArrayAttr resultAttrs(func::FuncOp function, OpBuilder &builder) {
    SmallVector<Attribute> attrs;
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      DictionaryAttr dict = function.getResultAttrDict(i);
      attrs.push_back(dict ? dict : builder.getDictionaryAttr({}));
    }
    return builder.getArrayAttr(attrs);
  }
  static ArrayAttr argAttrs(func::FuncOp function, OpBuilder &builder) {
    SmallVector<Attribute> attrs;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      DictionaryAttr dict = function.getArgAttrDict(i);
      attrs.push_back(dict ? dict : builder.getDictionaryAttr({}));
    }
    return builder.getArrayAttr(attrs);
  }
};

} // namespace
