//===- ColumnShares.cpp - Columns that threads pack for themselves --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a parallel loop over the panels of rows of a product, which are read
// where they lie, and what packs its columns. Out:
//
//   pack_panels %b outs %q ; scf.forall (%m) in (M) { packed_product %q, ... }
//   ==>  %shares, %width = threads > 1 ? (2, about N / 2) : (1, N)
//        pack_panels %b outs %q                  (share by share)
//        scf.forall (%s, %m) in (%shares, M) {
//          packed_product of %width columns from %s * %width on }
//
// Threads begin with the same parts of loops of the same length, so that the
// share that one has packed is in its cache. All of the columns at once would
// come from other threads' caches, and writing them the next time would have
// to wait until these have forgotten them. One thread is quicker without
// shares, since each reads the rows again.
//
//===----------------------------------------------------------------------===//

#include "ColumnShares.h"
#include "AIKernel/Transforms/Entries.h"
#include "AIKernel/Transforms/EntryABI.h"
#include "AIKernel/Transforms/MatrixInstructions.h"
#include "AIKernel/Transforms/TileEpilogue.h"
#include "PackedSource.h"
#include "RowsInPlace.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kShares = 2;
/// Rows are read once for each share. That takes too long where shares are
/// narrower than these columns, or more rows than so many times the columns
/// there are.
static constexpr int64_t kFewestColumns = 128;
static constexpr int64_t kRowsToColumns = 2;
/// Every other panel of columns goes backwards along the sum. With whole pairs
/// of panels in a share sums have the same bits for any number of threads.
static constexpr int64_t kPanelsAtOnce = 2;
/// Bytes were not seen to gain.
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

std::optional<ColumnShares> ColumnShares::match(PackedProductOp product) {
  auto loop = dyn_cast<scf::ForallOp>(product->getParentOp());
  if (!loop || !goesByRows(product) || !product.getOutMap().isIdentity() ||
      !isa<func::FuncOp>(loop->getParentOp()) ||
      !loop->getParentOp()->hasAttr(kEntryAttrName))
    return std::nullopt;
  std::optional<PackedSource> left = PackedSource::of(product.getLhs());
  std::optional<PackedSource> right = PackedSource::of(product.getRhs());
  if (!left || !right)
    return std::nullopt;
  ColumnShares shares;
  shares.loop = loop;
  shares.packing = right->getPacking();
  shares.columns = cast<MemRefType>(product.getOut().getType()).getDimSize(1);
  shares.narrow = llvm::alignTo(shares.columns / kShares,
                                kPanelsAtOnce * product.getPanelColumns());
  auto rows = cast<MemRefType>(left->getMatrix().getType());
  auto source = cast<MemRefType>(right->getMatrix().getType());
  if (source.getElementTypeBitWidth() != kElementBits ||
      source.getRank() != 2 || shares.packing.getPanelDim() != 1 ||
      source.getDimSize(1) != shares.columns ||
      source.getStridesAndOffset().first[1] != 1 ||
      shares.columns / kShares < kFewestColumns || rows.isDynamicDim(0) ||
      rows.getDimSize(0) > kRowsToColumns * shares.columns ||
      shares.packing->getBlock() != loop->getBlock() ||
      !shares.packing->isBeforeInBlock(loop) || !doesNothingElse(loop, product))
    return std::nullopt;
  return shares;
}

void ColumnShares::apply(IRRewriter &rewriter) {
  LoopBuilder b(loop.getLoc(), loop.getContext());
  b.setInsertionPoint(packing);
  Value env = EnvOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  Value threads = entryabi::loadThreads(b, b.getLoc(), env);
  Value areSeveral = b.compare(arith::CmpIPredicate::ugt, threads, 1);
  auto either = [&](int64_t several, int64_t one) -> Value {
    return arith::SelectOp::create(b, areSeveral, b.index(several),
                                   b.index(one));
  };
  count = either(kShares, 1);
  width = either(narrow, columns);

  b.setInsertionPoint(loop);
  SmallVector<OpFoldResult> lower{b.getIndexAttr(0)}, upper{count},
      step{b.getIndexAttr(1)};
  llvm::append_range(lower, loop.getMixedLowerBound());
  llvm::append_range(upper, loop.getMixedUpperBound());
  llvm::append_range(step, loop.getMixedStep());
  auto ofShares = scf::ForallOp::create(b, lower, upper, step, ValueRange(),
                                        loop.getMapping());
  Block *body = ofShares.getBody();
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), body->getTerminator(),
                             body->getArguments().drop_front());
  rewriter.eraseOp(loop);
  b.setInsertionPointToStart(body);
  start = b.times(body->getArgument(0), width);
  extent = b.smaller(width, b.minus(b.index(columns), start));
}
