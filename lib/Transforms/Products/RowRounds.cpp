//===- RowRounds.cpp - Rows that are packed just before their tiles -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a parallel loop over the tiles of a product, and what packs its rows.
// Out: both in rounds of rows, which use the same memory:
//
//   pack_panels %a outs %p ; scf.forall (%m, %n) = (0, 0) to (M, N) {
//     packed_product %p[%m / 32], ... }
//   ==>  scf.for %r = 0 to M step (256 * threads) {
//          pack_panels %a[%r to %end] outs %p ;
//          scf.forall (%m, %n) = (%r, 0) to (%end, N) {
//            packed_product %p[(%m - %r) / 32], ... } }
//
// What a thread packs is about what it reads where the source lies along the
// sum: its share of a loop is the same part of the rows in either. A last round
// that would be shorter is joined to the one before; where the number of
// threads is not known there is one round.
//
//===----------------------------------------------------------------------===//

#include "RowRounds.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "PackedSource.h"
#include "Tiles/MatrixInstructions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace aikernel;

/// Rows of a round for each thread: with sums of a few thousand steps one that
/// is alone has them in L2. If they take no more bytes than this, it is worth
/// it for several threads to wait for each other after each round.
static constexpr int64_t kRowsOfThread = 256;
static constexpr int64_t kBytesThatStay = 1 << 20;
/// With fewer bytes on the right a round would be too short to be shared.
static constexpr int64_t kFewestRightBytes = 1 << 20;

static bool isLarge(ShapedType right) {
  return right.hasStaticShape() &&
         right.getNumElements() * right.getElementTypeBitWidth() / 8 >
             kFewestRightBytes;
}

/// The buffer of packed columns behind what a tile reads of it.
static ShapedType allColumnsOf(PackedProductOp product) {
  Value right = product.getRhs();
  while (auto part = right.getDefiningOp<memref::SubViewOp>())
    right = part.getSource();
  return cast<ShapedType>(right.getType());
}

/// Which dimension of the loop goes along the panels that a tile reads, if it
/// begins at the panel of the tile's first row.
static std::optional<unsigned> dimAlong(memref::SubViewOp part,
                                        scf::ForallOp loop, int64_t panelRows) {
  SmallVector<OpFoldResult> offsets = part.getMixedOffsets();
  for (auto [i, offset] : llvm::enumerate(offsets))
    if (i != 1 && getConstantIntValue(offset) != 0)
      return std::nullopt;
  auto panel = dyn_cast<Value>(offsets[1]);
  auto apply = panel ? panel.getDefiningOp<affine::AffineApplyOp>()
                     : affine::AffineApplyOp();
  if (!apply || apply.getMapOperands().size() != 1 ||
      apply.getAffineMap().getNumDims() != 1 ||
      apply.getAffineMap().getResult(0) !=
          getAffineDimExpr(0, part.getContext()).floorDiv(panelRows))
    return std::nullopt;
  auto found = llvm::find(loop.getInductionVars(), apply.getMapOperands()[0]);
  if (found == loop.getInductionVars().end())
    return std::nullopt;
  return found - loop.getInductionVars().begin();
}

std::optional<RowRounds> RowRounds::match(PackedProductOp product) {
  RowRounds rounds;
  rounds.loop = product->getParentOfType<scf::ForallOp>();
  rounds.panelRows = product.getPanelRows();
  Value panels = rootOf(product.getLhs());
  auto function = product->getParentOfType<func::FuncOp>();
  const MatrixInstruction *instruction =
      findInstruction(product.getInstruction());
  if (!instruction || !instruction->isOfAVX512() ||
      product.getNumLoops() != 2 || !isLarge(allColumnsOf(product)) ||
      !rounds.loop || rounds.loop->getParentOfType<scf::ForallOp>() ||
      !function->hasAttr(kEntryAttrName) ||
      !panels.getDefiningOp<memref::AllocOp>())
    return std::nullopt;
  for (Operation *user : panels.getUsers()) {
    if (isa<memref::DeallocOp>(user))
      continue;
    if (auto packing = dyn_cast<PackPanelsOp>(user);
        packing && !rounds.packing && packing.getDest() == panels)
      rounds.packing = packing;
    else if (auto part = dyn_cast<memref::SubViewOp>(user);
             part && rounds.loop->isProperAncestor(part))
      rounds.parts.push_back(part);
    else
      return std::nullopt;
  }
  if (!rounds.packing || rounds.parts.empty() ||
      rounds.packing->getBlock() != rounds.loop->getBlock() ||
      !rounds.packing->isBeforeInBlock(rounds.loop) ||
      !staysUnchanged(rootOf(rounds.packing.getSource()), rounds.packing,
                      rounds.loop))
    return std::nullopt;
  std::optional<unsigned> dim =
      dimAlong(rounds.parts.front(), rounds.loop, rounds.panelRows);
  if (!dim || llvm::any_of(rounds.parts, [&](memref::SubViewOp part) {
        return dimAlong(part, rounds.loop, rounds.panelRows) != dim;
      }))
    return std::nullopt;
  rounds.rowDim = *dim;
  std::optional<int64_t> step =
      getConstantIntValue(rounds.loop.getMixedStep()[*dim]);
  std::optional<int64_t> rows =
      getConstantIntValue(rounds.loop.getMixedUpperBound()[*dim]);
  if (getConstantIntValue(rounds.loop.getMixedLowerBound()[*dim]) != 0 ||
      !step || *step % rounds.panelRows != 0 || (rows && *rows <= *step))
    return std::nullopt;
  rounds.tileRows = *step;
  // What a row takes, packed.
  auto packed = cast<ShapedType>(rounds.packing.getDest().getType());
  if (packed.getRank() != 5 || packed.isDynamicDim(0) ||
      packed.isDynamicDim(2) || packed.isDynamicDim(4))
    return std::nullopt;
  return rounds;
}

Value RowRounds::rowsOfRound(LoopBuilder &b, Value allRows) {
  ArrayRef<int64_t> panels =
      cast<ShapedType>(packing.getDest().getType()).getShape();
  int64_t rowBytes = panels[0] * panels[2] * panels[4] *
                     getElementTypeOrSelf(packing.getDest().getType())
                         .getIntOrFloatBitWidth() /
                     8;
  int64_t ofThread = std::max<int64_t>(1, kRowsOfThread / tileRows) * tileRows;
  Value env = EnvOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  Value threads = entryabi::loadThreads(b, b.getLoc(), env);
  Value isOne = ofThread * rowBytes <= kBytesThatStay
                    ? b.equals(threads, 0)
                    : b.compare(arith::CmpIPredicate::ne, threads, 1);
  return arith::SelectOp::create(b, isOne, b.larger(allRows, b.index(1)),
                                 b.times(threads, ofThread));
}

void RowRounds::apply(IRRewriter &rewriter) {
  LoopBuilder b(loop.getLoc(), loop.getContext());
  b.setInsertionPoint(loop);
  Location loc = b.getLoc();
  SmallVector<OpFoldResult> lower = loop.getMixedLowerBound();
  SmallVector<OpFoldResult> upper = loop.getMixedUpperBound();
  Value all = getValueOrCreateConstantIndexOp(b, loc, upper[rowDim]);
  Value atOnce = rowsOfRound(b, all);
  // A short round would leave threads without work; the last one is longer.
  Value count = b.larger(arith::DivUIOp::create(b, all, atOnce), b.index(1));
  auto rounds = scf::ForOp::create(b, b.index(0), count, b.index(1));
  b.setInsertionPointToStart(rounds.getBody());
  Value next = b.plus(rounds.getInductionVar(), 1);
  Value first = b.times(rounds.getInductionVar(), atOnce);
  Value isLast =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, count);
  Value end = arith::SelectOp::create(b, isLast, all, b.times(next, atOnce));

  auto part = [&](Value memref, unsigned dim, OpFoldResult begin, Value size) {
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memref);
    SmallVector<OpFoldResult> at(sizes.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    at[dim] = begin;
    sizes[dim] = size;
    return memref::SubViewOp::create(b, memref, at, sizes, strides);
  };
  Value height = b.minus(end, first);
  auto rows = part(packing.getSource(), packing.getPanelDim(), first, height);
  auto panels = part(packing.getDest(), 1, b.getIndexAttr(0),
                     b.ceilDiv(height, panelRows));
  PackPanelsOp::create(b, TypeRange(), rows, panels, packing.getPanelDim(),
                       packing.getDepthDim(), packing.getStepMultiple(),
                       packing.getFlipSign(), packing.getParts());
  Value panelsBefore = arith::DivUIOp::create(b, first, b.index(panelRows));

  lower[rowDim] = first;
  upper[rowDim] = end;
  auto inRound = scf::ForallOp::create(b, lower, upper, loop.getMixedStep(),
                                       ValueRange(), loop.getMapping());
  inRound.getRegion().takeBody(loop.getRegion());
  for (memref::SubViewOp view : parts) {
    b.setInsertionPoint(view);
    SmallVector<OpFoldResult> at = view.getMixedOffsets();
    at[1] = b.minus(cast<Value>(at[1]), panelsBefore);
    auto moved =
        memref::SubViewOp::create(b, view.getType(), view.getSource(), at,
                                  view.getMixedSizes(), view.getMixedStrides());
    rewriter.replaceOp(view, moved);
  }
  rewriter.eraseOp(packing);
  rewriter.eraseOp(loop);
}
