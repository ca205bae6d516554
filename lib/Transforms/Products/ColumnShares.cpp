//===- ColumnShares.cpp - Columns for threads that pack them --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a parallel loop over the panels of rows of a product, and what packs its
// columns. Out:
//
//   pack_panels %b outs %q ; scf.forall (%m) in (M) { packed_product %q, ... }
//   ==>  %shares, %width = threads > 1 ? (2, about N / 2) : (1, N)
//        pack_panels %b outs %q                  (share by share)
//        scf.forall (%s, %m) in (%shares, M) {
//          packed_product of the columns from %s * %width on }
//
// Of either loop the first half is of the first share, and threads begin with
// the same parts of loops: of two threads each packs what it multiplies, of
// more each multiplies what half of them have packed. All columns would come
// from everybody's caches, and writing them the next time would have to wait
// until these have forgotten them. One thread is quicker without shares, since
// each reads the rows again.
//
//===----------------------------------------------------------------------===//

#include "ColumnShares.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "PackedSource.h"
#include "RowsInPlace.h"
#include "TileEpilogue.h"
#include "Tiles/MatrixInstructions.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kShares = 2;
/// Rows are read once for each share. That takes too long where one is narrower
/// than these columns, or there are more rows than so many times the columns.
static constexpr int64_t kFewestColumns = 128;
static constexpr int64_t kRowsToColumns = 2;
/// Every other panel of columns goes backwards along the sum. With whole pairs
/// of panels before a share sums have the same bits for any number of threads.
static constexpr int64_t kPanelsAtOnce = 2;
/// Of bytes only columns that nobody packs were measured, which lose.
static constexpr int64_t kElementBits = 16;

/// Besides the product and its epilogue, are there only values and memory?
static bool doesNothingElse(scf::ForallOp loop, PackedProductOp product) {
  std::optional<TileEpilogue> epilogue = TileEpilogue::match(product);
  return llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) {
    auto copy = dyn_cast<memref::CopyOp>(op); // bufferization leaves some
    if (copy && copy.getSource() == copy.getTarget())
      return true;
    return &op == product || (epilogue && &op == epilogue->getOp()) ||
           isa<memref::AllocaOp>(op) || isMemoryEffectFree(&op);
  });
}

/// What packs the columns, if they may be shared.
static PackPanelsOp packingToShare(PackedProductOp product,
                                   scf::ForallOp loop) {
  if (!loop || !goesByRows(product) || !product.getOutMap().isIdentity() ||
      !isa<func::FuncOp>(loop->getParentOp()) ||
      !loop->getParentOp()->hasAttr(kEntryAttrName))
    return {};
  std::optional<PackedSource> left = PackedSource::of(product.getLhs());
  std::optional<PackedSource> right = PackedSource::of(product.getRhs());
  if (!left || !right)
    return {};
  PackPanelsOp packing = right->getPacking();
  auto rows = cast<MemRefType>(left->getMatrix().getType());
  auto source = cast<MemRefType>(right->getMatrix().getType());
  int64_t columns = cast<MemRefType>(product.getOut().getType()).getDimSize(1);
  if (source.getElementTypeBitWidth() != kElementBits ||
      source.getRank() != 2 || packing.getPanelDim() != 1 ||
      source.getDimSize(1) != columns ||
      source.getStridesAndOffset().first[1] != 1 || rows.isDynamicDim(0) ||
      rows.getDimSize(0) > kRowsToColumns * columns ||
      packing->getBlock() != loop->getBlock() ||
      !packing->isBeforeInBlock(loop) || !doesNothingElse(loop, product))
    return {};
  return packing;
}

std::optional<ColumnShares> aikernel::shareColumns(PackedProductOp product,
                                                   IRRewriter &rewriter) {
  auto loop = dyn_cast<scf::ForallOp>(product->getParentOp());
  ColumnShares shares;
  shares.packing = packingToShare(product, loop);
  if (!shares.packing)
    return std::nullopt;
  int64_t columns = cast<MemRefType>(product.getOut().getType()).getDimSize(1);
  int64_t ofSeveral = llvm::alignDown(
      columns / kShares, kPanelsAtOnce * product.getPanelColumns());
  if (ofSeveral < kFewestColumns)
    return std::nullopt;
  shares.widestOfSeveral = columns - (kShares - 1) * ofSeveral;

  LoopBuilder b(loop.getLoc(), loop.getContext());
  b.setInsertionPoint(shares.packing);
  Value env = EnvOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  Value threads = entryabi::loadThreads(b, b.getLoc(), env);
  Value areSeveral = b.compare(arith::CmpIPredicate::ugt, threads, 1);
  auto either = [&](int64_t several, int64_t one) -> Value {
    return arith::SelectOp::create(b, areSeveral, b.index(several),
                                   b.index(one));
  };
  shares.count = either(kShares, 1);
  shares.width = either(ofSeveral, columns);
  shares.widest = either(shares.widestOfSeveral, columns);

  b.setInsertionPoint(loop);
  SmallVector<OpFoldResult> lower{b.getIndexAttr(0)}, upper{shares.count},
      step{b.getIndexAttr(1)};
  llvm::append_range(lower, loop.getMixedLowerBound());
  llvm::append_range(upper, loop.getMixedUpperBound());
  llvm::append_range(step, loop.getMixedStep());
  auto ofShares = scf::ForallOp::create(b, lower, upper, step, ValueRange(),
                                        /*mapping=*/std::nullopt);
  Block *body = ofShares.getBody();
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), body->getTerminator(),
                             body->getArguments().drop_front());
  rewriter.eraseOp(loop);
  b.setInsertionPointToStart(body);
  Value share = body->getArgument(0);
  shares.start = b.times(share, shares.width);
  shares.extent = arith::SelectOp::create(b, isLast(b, shares, share),
                                          shares.widest, shares.width);
  return shares;
}

Value aikernel::isLast(LoopBuilder &b, const ColumnShares &shares,
                       Value share) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.plus(share, 1),
                               shares.count);
}
