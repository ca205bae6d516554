//===- FormKernels.cpp - Outline each fused group into a kernel -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions of linalg (and online attention) ops on tensors.
// Out: the same functions calling isolated kernel functions, one per group of
// ops that one loop nest can compute. The last op of a group is its root,
// marked `aikernel.root = [loops that may be tiled]`.
//
//   %0 = linalg.fill ; %1 = linalg.generic (product) ; %2 = linalg.generic
//   (bias)
//   ==>  %2 = call @f$kernel0(%a, %b, %bias, %empty)
//
// A producer joins the group of its consumer when computing it tile by tile
// costs nothing extra: products and attention are joined by the elementwise ops
// after them, reductions over rows by the elementwise ops around them. What a
// group computes and others need too becomes a further result of the kernel.
// This runs once, before the targets fork: a target may split a kernel into
// several launches, never merge two.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "AIKernel/Transforms/Passes.h"
#include "Memory/SeparateDestinations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#define DEBUG_TYPE "aik-form-kernels"

namespace aikernel {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// A kernel that takes so many steps is not left to one thread.
constexpr int64_t kStepsToShare = 1 << 18;

struct Group {
  Operation *root;
  SmallVector<Operation *> ops; // sorted in program order once complete
  DenseMap<Operation *, LoopsOfRoot> loops;
  SmallVector<Value> escaping; // results needed outside, in program order

  bool contains(Operation *op) const { return loops.count(op); }
  bool has(OpKind kind) const {
    return llvm::any_of(ops, [&](Operation *op) { return kindOf(op) == kind; });
  }
};

bool coversAllLoops(const LoopsOfRoot &loops, unsigned count) {
  llvm::SmallBitVector seen(count);
  for (int loop : loops)
    if (loop >= 0)
      seen.set(loop);
  return seen.all();
}

bool isInit(OpOperand &use) {
  auto dps = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  return dps && dps.isDpsInit(&use);
}

bool usesRowReduction(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    Operation *def = operand.getDefiningOp();
    return def && kindOf(def) == OpKind::RowReduction;
  });
}

/// May `producer` join, given that it is used by `use` inside the group?
bool mayJoin(Operation *producer, OpOperand &use, const LoopsOfRoot &loops,
             const Group &group) {
  OpKind kind = kindOf(producer);
  OpKind consumer = kindOf(use.getOwner());
  unsigned rootLoops = group.loops.find(group.root)->second.size();
  if (isInit(use)) // fills and other starting values
    return kind == OpKind::Elementwise;
  switch (kind) {
  case OpKind::Elementwise:
    // A product reads its operands once per tile of the other side.
    if (consumer == OpKind::Contraction || consumer == OpKind::Attention)
      return false;
    if (readsInit(producer))
      return false;
    if (llvm::is_contained(loops, -1)) // computed again per tile
      return consumer == OpKind::RowReduction || isCheap(producer);
    // A value per row, made from a reduction over the row, costs nothing.
    return coversAllLoops(loops, rootLoops) || isCheap(producer) ||
           group.has(OpKind::RowReduction) || usesRowReduction(producer);
  case OpKind::RowReduction:
    return !group.has(OpKind::Contraction) && !group.has(OpKind::Attention);
  case OpKind::Contraction:
    return consumer == OpKind::Elementwise &&
           !group.has(OpKind::RowReduction) && !group.has(OpKind::Attention) &&
           coversAllLoops(loops, rootLoops);
  case OpKind::Attention:
    return consumer == OpKind::Elementwise &&
           !group.has(OpKind::RowReduction) && !group.has(OpKind::Contraction);
  case OpKind::Other:
    return false;
  }
  return false;
}

/// Results used outside the group stay possible when each tile computes its
/// own part of them, and when the users come after the root.
bool mayEscape(Operation *producer, const LoopsOfRoot &loops,
               const Group &group) {
  for (Operation *user : producer->getUsers()) {
    if (group.contains(user))
      continue;
    Operation *ancestor = group.root->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor || ancestor->isBeforeInBlock(group.root))
      return false;
    if (kindOf(producer) == OpKind::Elementwise) {
      unsigned rootLoops = group.loops.find(group.root)->second.size();
      if (!coversAllLoops(loops, rootLoops))
        return false;
    } else if (kindOf(producer) != OpKind::Attention) {
      return false;
    }
  }
  return true;
}

/// The root's loops that may be tiled: each costly op of the group must be
/// split along with them, not computed again per tile.
SmallVector<int64_t> tileableLoops(const Group &group) {
  auto iterators = iteratorTypesOf(group.root);
  SmallVector<int64_t> tileable;
  for (int loop = 0, e = iterators.size(); loop < e; ++loop) {
    if (iterators[loop] != utils::IteratorType::parallel)
      continue;
    bool splitsAll = llvm::all_of(group.ops, [&](Operation *op) {
      return kindOf(op) == OpKind::Elementwise ||
             llvm::is_contained(group.loops.find(op)->second, loop);
    });
    if (splitsAll)
      tileable.push_back(loop);
  }
  return tileable;
}

/// Is there so much to do for the sum or for what is made of it, that threads
/// have to share it? Then a sum that all of the group waits for stays outside.
bool mustBeShared(Operation *sum, Operation *root) {
  return stepsOf(sum).value_or(0) >= kStepsToShare ||
         stepsOf(root).value_or(0) >= kStepsToShare;
}

Group growFrom(Operation *root, const DenseSet<Operation *> &taken) {
  Group group;
  group.root = root;
  LoopsOfRoot identity;
  for (unsigned i = 0, e = loopCountOf(root); i < e; ++i)
    identity.push_back(i);
  group.ops.push_back(root);
  group.loops[root] = identity;
  for (unsigned next = 0; next < group.ops.size(); ++next) {
    for (OpOperand &use : group.ops[next]->getOpOperands()) {
      Operation *producer = use.get().getDefiningOp();
      if (!producer || producer->getBlock() != root->getBlock() ||
          taken.contains(producer) || group.contains(producer) ||
          kindOf(producer) == OpKind::Other)
        continue;
      std::optional<LoopsOfRoot> loops =
          mapThrough(use, group.loops.find(use.getOwner())->second);
      if (!loops || !mayJoin(producer, use, *loops, group) ||
          !mayEscape(producer, *loops, group))
        continue;
      group.ops.push_back(producer);
      group.loops[producer] = *loops;
      if (kindOf(producer) == OpKind::RowReduction &&
          tileableLoops(group).empty() && mustBeShared(producer, root)) {
        group.ops.pop_back();
        group.loops.erase(producer);
      }
    }
  }
  llvm::sort(group.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : group.ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *u) { return !group.contains(u); }))
        group.escaping.push_back(result);
  return group;
}

/// Cheap ops that a kernel computes for itself instead of taking an argument.
bool isCloned(Operation *op) {
  if (!isPure(op) || op->getNumRegions() != 0)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::EmptyOp, tensor::DimOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::CastOp>(op))
    return true;
  return op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
}

class KernelBuilder {
public:
  KernelBuilder(Group &group, func::FuncOp kernel)
      : group(group), kernel(kernel) {}

  /// Fills the kernel and returns the operands of the call.
  SmallVector<Value> build() {
    Block *body = kernel.addEntryBlock();
    OpBuilder inside = OpBuilder::atBlockBegin(body);
    SmallVector<Value> destinations;
    for (Value result : group.escaping)
      if (Operation *empty = startingEmpty(cast<OpResult>(result)))
        if (!values.contains(empty->getResult(0))) {
          destinations.push_back(empty->getResult(0));
          values.map(empty->getResult(0), nullptr);
        }
    // Arguments first, destinations last.
    for (Value destination : destinations)
      values.erase(destination);
    SmallVector<Value> outer;
    DenseSet<Value> reserved(destinations.begin(), destinations.end());
    for (Operation *op : group.ops)
      import(op, reserved, outer, inside);
    for (Value destination : destinations) {
      values.map(destination, body->addArgument(destination.getType(),
                                                destination.getLoc()));
      outer.push_back(destination);
    }
    for (Operation *op : group.ops) {
      Operation *clone = inside.clone(*op, values);
      if (op == group.root)
        clone->setAttr(kRootAttrName,
                       inside.getDenseI64ArrayAttr(tileableLoops(group)));
    }
    SmallVector<Value> results;
    for (Value result : group.escaping)
      results.push_back(values.lookup(result));
    func::ReturnOp::create(inside, group.root->getLoc(), results);
    kernel.setType(FunctionType::get(kernel.getContext(),
                                     body->getArgumentTypes(),
                                     ValueRange(results).getTypes()));
    return outer;
  }

private:
  /// The tensor.empty at the start of the chain of inits behind a result.
  Operation *startingEmpty(OpResult result) {
    Value value = result;
    while (true) {
      Operation *op = value.getDefiningOp();
      if (!op || isa<tensor::EmptyOp>(op))
        return op;
      auto dps = dyn_cast<DestinationStyleOpInterface>(op);
      if (!dps || !group.contains(op))
        return nullptr;
      value = dps.getTiedOpOperand(cast<OpResult>(value))->get();
    }
  }

  /// Makes every value that `op` uses available inside the kernel.
  void import(Operation *op, const DenseSet<Value> &reserved,
              SmallVectorImpl<Value> &outer, OpBuilder &inside) {
    SetVector<Value> used(op->operand_begin(), op->operand_end());
    op->walk([&](Operation *nested) {
      for (Value value : nested->getOperands())
        if (!op->isAncestor(value.getParentRegion()->getParentOp()) ||
            value.getParentRegion() == op->getParentRegion())
          used.insert(value);
    });
    for (Value value : used) {
      if (values.contains(value) || reserved.contains(value))
        continue;
      Operation *def = value.getDefiningOp();
      if (def && (def == op || group.contains(def) || op->isAncestor(def)))
        continue;
      if (def && isCloned(def)) {
        import(def, reserved, outer, inside);
        inside.clone(*def, values);
        continue;
      }
      values.map(value, kernel.getBody().front().addArgument(value.getType(),
                                                             value.getLoc()));
      outer.push_back(value);
    }
  }

  Group &group;
  func::FuncOp kernel;
  IRMapping values;
};

struct FormKernelsPass : aikernel::impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || function->hasAttr(kKernelAttrName))
        continue;
      separateDestinations(function);
      unsigned count = 0;
      SmallVector<Block *> blocks;
      function.walk([&](Block *block) {
        // Bodies of linalg ops hold scalars only.
        if (!isa<linalg::LinalgOp>(block->getParentOp()))
          blocks.push_back(block);
      });
      for (Block *block : blocks)
        formKernels(function, *block, count);
    }
  }

private:
  /// Results that start from the same tensor.empty need memory of their own,
  /// and each sum its own zeros: sharing them would tie kernels together.
  static void separateDestinations(func::FuncOp function) {
    auto separate = [&](auto isShared) {
      SmallVector<Operation *> shared;
      function.walk([&](Operation *op) {
        if (isShared(op))
          shared.push_back(op);
      });
      for (Operation *op : shared)
        separateUses(op);
    };
    separate([](Operation *op) {
      return isa<linalg::FillOp>(op) && op->getNumResults() == 1;
    });
    separate([](Operation *op) { return isa<tensor::EmptyOp>(op); });
  }

  void formKernels(func::FuncOp function, Block &block, unsigned &count) {
    // Last ops first: a root is an op that no later group has taken.
    DenseSet<Operation *> taken;
    SmallVector<Group> groups;
    for (Operation &op : llvm::reverse(block)) {
      if (kindOf(&op) == OpKind::Other || taken.contains(&op))
        continue;
      groups.push_back(growFrom(&op, taken));
      taken.insert(groups.back().ops.begin(), groups.back().ops.end());
    }
    IRRewriter rewriter(&getContext());
    for (Group &group : llvm::reverse(groups)) {
      if (group.escaping.empty())
        continue;
      std::string name =
          (function.getSymName() + "$kernel" + Twine(count++)).str();
      rewriter.setInsertionPoint(function);
      auto kernel =
          func::FuncOp::create(rewriter, group.root->getLoc(), name,
                               FunctionType::get(&getContext(), {}, {}));
      kernel.setPrivate();
      kernel->setAttr(kKernelAttrName, rewriter.getUnitAttr());
      SmallVector<Value> operands = KernelBuilder(group, kernel).build();
      rewriter.setInsertionPoint(group.root);
      auto call = func::CallOp::create(rewriter, group.root->getLoc(), kernel,
                                       operands);
      for (auto [old, fresh] : llvm::zip(group.escaping, call.getResults()))
        rewriter.replaceAllUsesWith(old, fresh);
      for (Operation *op : llvm::reverse(group.ops))
        rewriter.eraseOp(op);
    }
  }
};

} // namespace
