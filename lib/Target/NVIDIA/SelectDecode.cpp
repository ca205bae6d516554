//===- SelectDecode.cpp - Which attention is split along its keys ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels whose root is marked. Out: attention with so few rows per key
// head that reading keys and values is the work names the instruction that
// will multiply them, and the kernel's schedule is a block per key head, of
// which aik-split-keys makes several. All other attention is left to
// aik-select-blocks.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "aik-select-decode"

namespace aikernel {
#define GEN_PASS_DEF_SELECTDECODEPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Rows of the instruction's tile.
constexpr int64_t kMostRows = 16;
/// Features that one step of the instruction takes, and as many as a thread
/// can hold sums of: fewer with many rows, or with queries that do not see the
/// same keys.
constexpr int64_t kFeatureMultiple = 16;
constexpr int64_t kMostFeatures = 128;
constexpr int64_t kMostFeaturesOfFewRows = 256;
constexpr int64_t kFewRows = 4;

/// The only attention of a kernel that has no other heavy work.
OnlineAttentionOp onlyAttention(func::FuncOp kernel) {
  OnlineAttentionOp found;
  bool isAlone = !hasEmptyLoop(kernel);
  kernel.walk([&](Operation *op) {
    OpKind kind = kindOf(op);
    isAlone &= kind != OpKind::Contraction && kind != OpKind::RowReduction;
    if (auto attention = dyn_cast<OnlineAttentionOp>(op)) {
      isAlone &= !found;
      found = attention;
    }
  });
  return isAlone ? found : OnlineAttentionOp();
}

bool hasGoodFeatures(Value tensor, int64_t most) {
  int64_t features = cast<ShapedType>(tensor.getType()).getDimSize(3);
  return !ShapedType::isDynamic(features) && features > 0 &&
         features % kFeatureMultiple == 0 && features <= most;
}

/// Keys and values must be in memory as they are: nothing of the kernel
/// computes them. A kernel that returns maximums or sums would attend twice.
bool canDecode(OnlineAttentionOp op) {
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>))
    return false;
  int64_t queries =
      cast<ShapedType>(op.getQ().getType()).getDimSize(op.getSequenceDim());
  int64_t group = op.getConstantGroup();
  if (ShapedType::isDynamic(queries) || group < 1 || queries > kMostRows ||
      group > kMostRows || queries * group > kMostRows)
    return false;
  Type element = getElementTypeOrSelf(op.getQ());
  for (Value tensor : {op.getK(), op.getV()})
    if (!isa<BlockArgument>(tensor) || getElementTypeOrSelf(tensor) != element)
      return false;
  bool isSmall = queries == 1 && group <= kFewRows;
  int64_t most = isSmall ? kMostFeaturesOfFewRows : kMostFeatures;
  return (element.isBF16() || element.isF16()) &&
         op.getScale().getType().isF32() &&
         matchPattern(op.getKeyOffset(), m_Zero()) &&
         matchPattern(op.getHeadOffset(), m_Zero()) &&
         hasGoodFeatures(op.getK(), most) && hasGoodFeatures(op.getV(), most);
}

/// A block for each batch and key head, where the root's loops allow that.
ScheduleAttr blockPerKeyHead(OnlineAttentionOp attention, Operation *root) {
  LoopsOfRoot identity;
  for (unsigned i = 0, e = loopCountOf(root); i < e; ++i)
    identity.push_back(i);
  ArrayRef<int64_t> tileable =
      root->getAttrOfType<DenseI64ArrayAttr>(kRootAttrName).asArrayRef();
  for (OpOperand &use : root->getOpOperands()) {
    if (use.get().getDefiningOp() != attention)
      continue;
    std::optional<LoopsOfRoot> loops = mapThrough(use, identity);
    if (!loops)
      continue;
    int batch = (*loops)[0], head = (*loops)[1];
    if (batch < 0 || head < 0 || !llvm::is_contained(tileable, batch) ||
        !llvm::is_contained(tileable, head))
      continue;
    SmallVector<int64_t> tiles(loopCountOf(root), 0);
    tiles[batch] = 1;
    tiles[head] = attention.getConstantGroup();
    return ScheduleAttr::get(root->getContext(), tiles, 0);
  }
  return {};
}

struct SelectDecodePass
    : aikernel::impl::SelectDecodePassBase<SelectDecodePass> {
  using SelectDecodePassBase::SelectDecodePassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttrName))
        continue;
      OnlineAttentionOp attention = onlyAttention(kernel);
      if (!attention || !canDecode(attention))
        continue;
      kernel.walk([&](Operation *root) {
        if (!root->hasAttr(kRootAttrName) || root->hasAttr(kScheduleAttrName))
          return;
        ScheduleAttr schedule = blockPerKeyHead(attention, root);
        if (!schedule)
          return;
        root->setAttr(kScheduleAttrName, schedule);
        attention.setInstruction("mma.m16n8k16");
        remark::passed(
            root->getLoc(),
            remark::RemarkOpts::name("schedule").category(DEBUG_TYPE))
            << "kernel '" + kernel.getSymName().str() +
                   "': blocks for parts of the keys of each key head";
      });
    }
  }
};

} // namespace
