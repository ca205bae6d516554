//===- PackedSource.cpp - What an operand was before it was packed --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the panels that a product reads. Out: what they were packed of.
//
//===----------------------------------------------------------------------===//

#include "PackedSource.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace aikernel;

/// Every op that uses the memory of `root`, or nothing if some cannot be known.
static std::optional<SmallVector<Operation *>> usersOf(Value root) {
  SmallVector<Operation *> users;
  SmallVector<Value> names{root};
  while (!names.empty()) {
    Value name = names.pop_back_val();
    for (Operation *user : name.getUsers()) {
      if (auto view = dyn_cast<ViewLikeOpInterface>(user);
          view && view.getViewSource() == name)
        llvm::append_range(names, user->getResults());
      else if (llvm::any_of(user->getResultTypes(),
                            llvm::IsaPred<MemRefType>) ||
               user->hasTrait<OpTrait::IsTerminator>())
        return std::nullopt;
      else
        users.push_back(user);
    }
  }
  return users;
}

static bool mayWrite(Operation *op, Value root) {
  if (isMemoryEffectFree(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [&](const MemoryEffects::EffectInstance &effect) {
    return !isa<MemoryEffects::Read>(effect.getEffect()) &&
           (!effect.getValue() || rootOf(effect.getValue()) == root);
  });
}

/// Has the memory no other name than this one and views of it? What an op has
/// chosen has others, and an argument that is donated is a result too.
static bool isNamedOnce(Value root) {
  if (root.getDefiningOp<memref::AllocOp>() ||
      root.getDefiningOp<memref::AllocaOp>())
    return true;
  auto argument = dyn_cast<BlockArgument>(root);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  if (!function)
    return false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto donor = function.getArgAttrOfType<IntegerAttr>(i, kDonorAttrName);
    if (donor && donor.getInt() == argument.getArgNumber())
      return false;
  }
  return true;
}

bool aikernel::staysUnchanged(Value root, Operation *begin, Operation *end) {
  if (!isNamedOnce(root))
    return false;
  std::optional<SmallVector<Operation *>> users = usersOf(root);
  return users && llvm::none_of(*users, [&](Operation *user) {
           Operation *here = begin->getBlock()->findAncestorOpInBlock(*user);
           return here && begin->isBeforeInBlock(here) &&
                  !end->isBeforeInBlock(here) && mayWrite(user, root);
         });
}

/// Are these whole panels, from some panel on?
static bool isOfPanels(memref::SubViewOp part) {
  for (auto [i, offset] : llvm::enumerate(part.getMixedOffsets()))
    if (i != 1 && getConstantIntValue(offset) != 0)
      return false;
  return part.getDroppedDims().none() &&
         areAllConstantIntValue(part.getMixedStrides(), 1);
}

/// When the product is done, in the block of what packs its operand: an op that
/// alone reads the product is done with it.
static Operation *endOf(PackedProductOp product, Block *block) {
  Operation *end = block->findAncestorOpInBlock(*product);
  if (end != product)
    return end;
  std::optional<SmallVector<Operation *>> users =
      usersOf(rootOf(product.getOut()));
  if (!users)
    return nullptr;
  for (Operation *user : *users)
    if (Operation *here = block->findAncestorOpInBlock(*user);
        here && end->isBeforeInBlock(here))
      end = here;
  return end;
}

std::optional<PackedSource> PackedSource::of(Value panels) {
  PackedSource source;
  while (auto part = panels.getDefiningOp<memref::SubViewOp>()) {
    if (!isOfPanels(part))
      return std::nullopt;
    source.parts.push_back(part);
    panels = part.getSource();
  }
  std::optional<SmallVector<Operation *>> users = usersOf(panels);
  if (!users || !panels.getDefiningOp())
    return std::nullopt;
  for (Operation *user : *users)
    if (auto packing = dyn_cast<PackPanelsOp>(user); packing && !source.packing)
      source.packing = packing;
    else if (auto reader = dyn_cast<PackedProductOp>(user))
      source.readers.push_back(reader);
    else if (!isa<memref::DeallocOp>(user))
      return std::nullopt;
  if (!source.packing || source.packing.getDest() != panels)
    return std::nullopt;
  source.matrix = source.packing.getSource();
  return source;
}

bool PackedSource::staysUntilDone(PackedProductOp product) const {
  PackPanelsOp begin = packing;
  Operation *end = endOf(product, begin->getBlock());
  return end && begin->isBeforeInBlock(end) &&
         staysUnchanged(rootOf(matrix), begin, end);
}

OpFoldResult PackedSource::startOfPanels(LoopBuilder &b, int64_t width) const {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  OpFoldResult panel = b.getIndexAttr(0);
  for (memref::SubViewOp part : parts)
    panel = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 + d1, {panel, part.getMixedOffsets()[1]});
  return affine::makeComposedFoldedAffineApply(b, b.getLoc(), d0 * width,
                                               {panel});
}
