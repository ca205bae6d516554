//===- PrepareWeights.cpp - Weights are packed once, in f$prepare ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: entry functions on tensors that pack arguments marked `aikernel.weight`.
// Out: a function f$prepare that packs them, and f with the packed weights as
// further arguments.
//
//   func @f(%x, %w {aikernel.weight}) { %p = aikernel.pack_panels %w ... }
//   ==>  func @f(%x, %w, %p {aikernel.prepared = [1, 4096]}) { ... }
//        func @f$prepare(%x, %w) -> (%w, %p)
//
// The storage of a prepared weight holds the weight as it was, if f still
// reads it, and then each packed form; `aikernel.prepared` is the argument that
// it belongs to and its offset in bytes. Only weights of static shape are
// prepared: their storage is known at compile time. Whatever op has the trait
// PacksSource, or the attribute aikernel.packs, is packing.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/WeightAttrs.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "aik-prepare-weights"

namespace aikernel {
#define GEN_PASS_DEF_PREPAREWEIGHTSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

constexpr int64_t kAlignment = 64;

/// A packed form of a weight, and the equal ops that make it.
struct PackedForm {
  RankedTensorType type;
  SmallVector<Operation *> ops;
};

bool isEqualForm(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         a->getResultTypes() == b->getResultTypes();
}

int64_t storageBytes(RankedTensorType type) {
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  return ((bits + 7) / 8 + kAlignment - 1) / kAlignment * kAlignment;
}

bool asksOnlyForSizes(Operation *user) { return isa<tensor::DimOp>(user); }

/// Of what is outside of it and not an operand.
bool usesConstantsOnly(Operation *op) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return llvm::all_of(
      used, [](Value value) { return matchPattern(value, m_Constant()); });
}

class Preparation {
public:
  explicit Preparation(func::FuncOp function)
      : function(function), builder(function.getContext()),
        loc(function.getLoc()) {}

  void run() {
    unsigned inputs = function.getNumArguments();
    for (unsigned i = 0; i < inputs; ++i)
      if (function.getArgAttr(i, kWeightAttr))
        findForms(i);
    if (forms.empty())
      return;
    buildPrepare(inputs);
    takeForms();
  }

private:
  void findForms(unsigned argument) {
    BlockArgument weight = function.getArgument(argument);
    auto type = dyn_cast<RankedTensorType>(weight.getType());
    if (!type || !type.hasStaticShape())
      return;
    SmallVector<PackedForm> found;
    for (Operation *user : weight.getUsers()) {
      bool packs =
          user->hasTrait<PacksSource>() || user->hasAttr(kPacksAttrName);
      if (!packs || user->getNumResults() != 1 ||
          user->getOperand(0) != weight || !usesConstantsOnly(user))
        continue;
      auto packed = cast<RankedTensorType>(user->getResult(0).getType());
      if (!packed.hasStaticShape())
        continue;
      auto *same = llvm::find_if(found, [&](const PackedForm &form) {
        return isEqualForm(form.ops.front(), user);
      });
      if (same == found.end()) {
        found.push_back({packed, {}});
        same = std::prev(found.end());
      }
      // Some read it twice.
      if (!llvm::is_contained(same->ops, user))
        same->ops.push_back(user);
    }
    if (!found.empty())
      forms.push_back({argument, std::move(found)});
  }

  /// Everything that f reads of the weight is one of its packed forms.
  bool isReadPackedOnly(unsigned argument, ArrayRef<PackedForm> found) {
    return llvm::all_of(
        function.getArgument(argument).getUsers(), [&](Operation *user) {
          return asksOnlyForSizes(user) ||
                 llvm::any_of(found, [&](const PackedForm &form) {
                   return llvm::is_contained(form.ops, user);
                 });
        });
  }

  void buildPrepare(unsigned inputs) {
    builder.setInsertionPointAfter(function);
    auto prepare = func::FuncOp::create(
        builder, loc, (function.getSymName() + "$prepare").str(),
        builder.getFunctionType(function.getArgumentTypes(), {}));
    prepare->setAttr(kEntryAttrName, builder.getStringAttr("prepare"));
    Block *body = prepare.addEntryBlock();
    builder.setInsertionPointToStart(body);
    SmallVector<Value> results;
    int64_t bytes = 0;
    auto store = [&](unsigned argument, Value value) {
      places.push_back(builder.getDenseI64ArrayAttr({argument, bytes}));
      results.push_back(value);
      bytes += storageBytes(cast<RankedTensorType>(value.getType()));
    };
    for (auto &[argument, found] : forms) {
      Value weight = body->getArgument(argument);
      // The weight itself comes first: its argument points there.
      unsigned first = places.size();
      if (!isReadPackedOnly(argument, found))
        store(argument, weight);
      for (PackedForm &form : found) {
        Value empty = tensor::EmptyOp::create(
            builder, loc, form.type.getShape(), form.type.getElementType());
        IRMapping sources;
        sources.map(function.getArgument(argument), weight);
        SetVector<Value> constants;
        getUsedValuesDefinedAbove(form.ops.front()->getRegions(), constants);
        for (Value constant : constants)
          builder.clone(*constant.getDefiningOp(), sources);
        auto pack = cast<DestinationStyleOpInterface>(
            builder.clone(*form.ops.front(), sources));
        pack.setDpsInitOperand(0, empty);
        store(argument, pack->getResult(0));
        // Within the weight's own storage.
        int64_t start = places[first].asArrayRef()[1];
        int64_t offset = places.back().asArrayRef()[1] - start;
        offsets.push_back(offset);
      }
    }
    func::ReturnOp::create(builder, loc, results);
    prepare.setType(builder.getFunctionType(function.getArgumentTypes(),
                                            ValueRange(results).getTypes()));
    prepare->setAttr(kPreparedAttrName,
                     builder.getArrayAttr(
                         SmallVector<Attribute>(places.begin(), places.end())));
    prepare->setAttr(kPreparedBytesAttrName, builder.getI64IntegerAttr(bytes));
  }

  void takeForms() {
    unsigned next = 0;
    for (auto &[argument, found] : forms)
      for (PackedForm &form : found) {
        unsigned position = function.getNumArguments();
        auto attrs = builder.getDictionaryAttr(builder.getNamedAttr(
            kPreparedAttrName,
            builder.getDenseI64ArrayAttr({argument, offsets[next++]})));
        (void)function.insertArgument(position, form.type, attrs, loc);
        for (Operation *op : form.ops) {
          op->getResult(0).replaceAllUsesWith(function.getArgument(position));
          op->erase();
        }
      }
  }

  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  SmallVector<std::pair<unsigned, SmallVector<PackedForm>>> forms;
  SmallVector<DenseI64ArrayAttr> places; // of each result of f$prepare
  SmallVector<int64_t> offsets;          // of each form in its weight's storage
};

struct PrepareWeightsPass
    : aikernel::impl::PrepareWeightsPassBase<PrepareWeightsPass> {
  using PrepareWeightsPassBase::PrepareWeightsPassBase;

  void runOnOperation() override {
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      auto entry = function->getAttrOfType<StringAttr>(kEntryAttrName);
      if (entry && entry.getValue() == "run")
        Preparation(function).run();
    }
  }
};

} // namespace
