//===- CheckArguments.cpp - Requirements that show at run time ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: public functions on tensors. Out: the same with an aikernel.check for
// everything that the verifier could not see: sizes that must agree, positions
// and lengths inside data, slices inside their tensors, loops and donations
// that keep sizes, memory that is freed last, and the dimension facts that
// callers promised. Checks that look only at arguments come first in the
// function, before anything is computed or written; what always holds is
// dropped; what is asked twice is asked once.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Passes.h"
#include "RuntimeChecks.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#define DEBUG_TYPE "aik-check-arguments"

namespace aikernel {
#define GEN_PASS_DEF_CHECKARGUMENTSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// What a dimension fact asks of a size, and the words for the opposite.
struct Fact {
  StringLiteral attribute;
  StringLiteral violation;
};
constexpr Fact kFacts[] = {{kMinAttr, "is smaller than"},
                           {kMaxAttr, "is larger than"},
                           {kMultipleOfAttr, "is not a multiple of"}};

Value buildFact(OpBuilder &builder, Location loc, StringRef attribute,
                Value size, int64_t number) {
  Value limit = arith::ConstantIndexOp::create(builder, loc, number);
  if (attribute == kMinAttr)
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, size,
                                 limit);
  if (attribute == kMaxAttr)
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, size,
                                 limit);
  Value rest = arith::RemUIOp::create(builder, loc, size, limit);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest,
                               zero);
}

/// True for a fact that every size has.
bool saysNothing(StringRef attribute, int64_t number) {
  if (attribute == kMaxAttr)
    return number == -1;
  return attribute == kMinAttr ? number == 0 : number == 1;
}

/// Checks of `min`, `max` and `multiple_of` at the start of `function`.
void checkFacts(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    unsigned index = argument.getArgNumber();
    auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttr);
    std::string who = name ? "'" + name.str() + "'" : std::to_string(index);
    for (const Fact &fact : kFacts) {
      auto numbers =
          function.getArgAttrOfType<DenseI64ArrayAttr>(index, fact.attribute);
      if (!numbers)
        continue;
      for (auto [dim, number] : llvm::enumerate(numbers.asArrayRef())) {
        if (!type.isDynamicDim(dim) || saysNothing(fact.attribute, number))
          continue;
        Value size = tensor::DimOp::create(builder, loc, argument, dim);
        Value ok = buildFact(builder, loc, fact.attribute, size, number);
        CheckOp::create(builder, loc, ok, AIK_EINVAL,
                        ("dimension " + Twine(dim) + " of argument " + who +
                         " " + fact.violation + " " + Twine(number))
                            .str());
      }
    }
  }
}

/// What an argument is donated to has its sizes: it takes over its memory.
void checkDonations(func::FuncOp function) {
  Operation *ret = function.front().getTerminator();
  OpBuilder builder(ret);
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto donate = function.getArgAttrOfType<IntegerAttr>(index, kDonateAttr);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!donate || !type)
      continue;
    Value result = ret->getOperand(donate.getInt());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim) || result == argument)
        continue;
      Location loc = function.getLoc();
      Value size = tensor::DimOp::create(builder, loc, argument, dim);
      Value wanted = tensor::DimOp::create(builder, loc, result, dim);
      Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         size, wanted);
      CheckOp::create(builder, loc, same, AIK_EINVAL,
                      ("dimension " + Twine(dim) + " of argument " +
                       Twine(index) + " differs from that of result " +
                       Twine(donate.getInt()) + ", which it is donated to")
                          .str());
    }
  }
}

/// Checks of every op, in front of it.
void checkOps(func::FuncOp function) {
  SmallVector<RuntimeCheckOpInterface> ops;
  function.walk([&](RuntimeCheckOpInterface op) { ops.push_back(op); });
  for (RuntimeCheckOpInterface op : ops) {
    OpBuilder builder(op);
    op.buildRuntimeChecks(
        builder, [&](Value ok, int code, const Twine &message) {
          CheckOp::create(builder, op->getLoc(), ok, code, message.str());
        });
  }
}

/// What the condition of `check` is computed from, if that is only the
/// function's arguments.
std::optional<SetVector<Operation *>> getArgumentSlice(CheckOp check) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  if (Operation *condition = check.getCondition().getDefiningOp())
    if (failed(getBackwardSlice(condition, &slice, options)))
      return std::nullopt;
  SetVector<Operation *> outer;
  for (Operation *op : slice) {
    Operation *ancestor = check->getBlock()->findAncestorOpInBlock(*op);
    if (!ancestor || !isMemoryEffectFree(ancestor) ||
        isa<RuntimeCheckOpInterface>(op))
      return std::nullopt;
    outer.insert(ancestor);
  }
  return outer;
}

/// Moves checks of arguments, with what they need, to the start.
void hoistChecks(func::FuncOp function) {
  Block &entry = function.front();
  SetVector<Operation *> first;
  for (auto check : entry.getOps<CheckOp>()) {
    std::optional<SetVector<Operation *>> slice = getArgumentSlice(check);
    if (!slice)
      continue;
    SmallVector<Operation *> inOrder(slice->begin(), slice->end());
    llvm::sort(inOrder, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    first.insert(inOrder.begin(), inOrder.end());
    first.insert(check);
  }
  // Each op lands before the next one, so go backwards.
  for (Operation *op : llvm::reverse(first.getArrayRef()))
    op->moveBefore(&entry, entry.begin());
}

/// A condition that was checked before holds.
void dropRepeated(func::FuncOp function) {
  function.walk([](Block *block) {
    DenseSet<Value> known;
    for (auto check : llvm::make_early_inc_range(block->getOps<CheckOp>()))
      if (!known.insert(check.getCondition()).second)
        check.erase();
  });
}

struct CheckArgumentsPass
    : aikernel::impl::CheckArgumentsPassBase<CheckArgumentsPass> {
  using CheckArgumentsPassBase::CheckArgumentsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Calls are inlined: what is private is launched from a queue.
    auto isChecked = [](func::FuncOp function) {
      return !function.isExternal();
    };
    for (auto function : module.getOps<func::FuncOp>())
      if (isChecked(function)) {
        checkArithmetic(function);
        if (failed(checkFrees(function)) || failed(checkLoops(function)))
          return signalPassFailure();
        checkDonations(function);
        checkSharedSizes(function);
        if (failed(checkAccesses(function)))
          return signalPassFailure();
        checkOps(function);
        checkFacts(function);
      }

    // Sizes of intermediates in terms of arguments; equal ones become one
    // value, and a comparison of a value with itself goes away.
    OpPassManager simplify(ModuleOp::getOperationName());
    simplify.addPass(createResolveSizesPass());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    if (failed(runPipeline(simplify, module)))
      return signalPassFailure();

    for (auto function : module.getOps<func::FuncOp>())
      if (isChecked(function)) {
        dropProvenChecks(function);
        hoistChecks(function);
        dropRepeated(function);
      }
  }
};

} // namespace
