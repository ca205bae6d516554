//===- PackingLoops.cpp - Loops that pack an operand ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an aikernel.pack_panels on memrefs. Out:
//
//   for each matrix, slice of the sum, group of panels           (in parallel)
//     pack this piece
//
// or, where the source is contiguous along the sum:
//
//   for each matrix, panel, slice of the sum                     (in parallel)
//     pack this piece
//
// The inner loop goes along the source's rows: there are fewer pages to go to
// and fro between. A slice is a block of the sum or a part of one. Where
// threads have shares of the columns (ColumnShares.h), these are the outermost
// loop.
//
//===----------------------------------------------------------------------===//

#include "PackingLoops.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "ColumnShares.h"
#include "PanelPacking.h"
#include "Tiles/MatrixViews.h"
#include "Tiles/NumberParts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace aikernel;

/// Of a source that is contiguous across panels, so much of a row is packed at
/// once: memory is read in its order, and few panels are written by turns. With
/// wide vectors panels are wide, too; what is packed by vectors of 128 bits is
/// written in whole lines, so that many panels cost little.
static int64_t rowBytesAtOnce(unsigned vectorBits) {
  if (vectorBits == 128)
    return 1024;
  return vectorBits == 512 ? 768 : 256;
}

/// Threads share at least so many pieces, unless smaller ones had less than
/// these bytes; as few as the second number where more would be of shorter
/// rows, which costs one thread a percent or two.
static constexpr int64_t kManyPieces = 32;
static constexpr int64_t kFewPieces = 16;
static constexpr int64_t kFewestBytes = 8 << 10;
/// Slices of a block end at lines of the source, and so hold whole squares of
/// vectors.
static constexpr int64_t kLineBits = 512;
/// What an unknown size is taken to be.
static constexpr int64_t kUnknownSize = 1024;

namespace {

class PackingLoops {
public:
  PackingLoops(LoopBuilder &builder, PackPanelsOp packing, unsigned vectorBits,
               const ColumnShares *shares)
      : b(builder), op(packing), vectorBits(vectorBits), shares(shares),
        source(cast<MemRefType>(op.getSource().getType())),
        dest(cast<MemRefType>(op.getDest().getType())), rank(dest.getRank()),
        panelDim(op.getPanelDim()), depthDim(op.getDepthDim()),
        width(dest.getDimSize(rank - 2)), depth(dest.getDimSize(rank - 1)),
        unit(depth * int64_t(op.getStepMultiple())) {
    isAlongSum = source.getStridesAndOffset().first[depthDim] == 1;
    isParallel = op->getParentOfType<func::FuncOp>()->hasAttr(kEntryAttrName) &&
                 !op->getParentOfType<scf::ForallOp>();
    across = width;
    sumOfBlock = stepsOfPacked(dest.getDimSize(rank - 3) / op.getStepMultiple(),
                               op.getParts()) *
                 unit;
    sumAtOnce = sumOfBlock;
    if (!isAlongSum)
      across *=
          std::max<int64_t>(1, rowBytesAtOnce(vectorBits) * 8 /
                                   (width * source.getElementTypeBitWidth()));
    if (isParallel)
      shrink();
    if (shares)
      across = acrossOfShare();
  }

  void emit(SharedFunctions &functions) {
    Location loc = b.getLoc();
    int64_t outer = rank - 5;
    SmallVector<OpFoldResult> counts;
    for (int64_t dim = 0; dim <= outer; ++dim)
      counts.push_back(memref::getMixedSize(b, loc, op.getDest(), dim));
    if (slicesOfBlock() > 1)
      counts.push_back(b.getIndexAttr(slicesOfBlock()));
    if (shares) {
      counts.push_back(b.ceilDiv(shares->widest, across));
      counts.insert(counts.begin(), shares->count);
    } else {
      counts.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, b.getAffineDimExpr(0).ceilDiv(across),
          {memref::getMixedSize(b, loc, op.getSource(), panelDim)}));
    }
    if (isAlongSum)
      std::rotate(counts.begin() + outer, counts.end() - 1, counts.end());
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> ivs = enterLoops(counts);
    if (isAlongSum)
      std::rotate(ivs.begin() + outer, ivs.begin() + outer + 1, ivs.end());
    Value start = b.times(ivs.pop_back_val(), across);
    Value end = memref::DimOp::create(b, loc, op.getSource(), panelDim);
    if (shares) {
      Value share = ivs.front(), first = b.times(share, shares->width);
      end = arith::SelectOp::create(b, isLast(b, *shares, share), end,
                                    b.plus(first, shares->width));
      // All but the widest may have fewer groups.
      start = b.smaller(b.plus(first, start), end);
      ivs.erase(ivs.begin());
    }
    Value slice = slicesOfBlock() > 1 ? ivs.pop_back_val() : b.index(0);
    Value block = ivs.pop_back_val();
    call(functions, ivs, block, slice, start, end);
  }

private:
  int64_t slicesOfBlock() const {
    return llvm::divideCeil(sumOfBlock, sumAtOnce);
  }

  static int64_t sizeOf(MemRefType type, int64_t dim) {
    return type.isDynamicDim(dim) ? kUnknownSize : type.getDimSize(dim);
  }

  int64_t pieces() const {
    int64_t count = llvm::divideCeil(sizeOf(source, panelDim), across);
    for (int64_t dim = 0; dim < rank - 5; ++dim)
      count *= sizeOf(dest, dim);
    return count * llvm::divideCeil(sizeOf(source, depthDim), sumAtOnce);
  }

  bool mayHalve(int64_t wanted) const {
    int64_t numbers = std::min(across, sizeOf(source, panelDim)) *
                      std::min(sumAtOnce, sizeOf(source, depthDim));
    return pieces() < wanted &&
           numbers * source.getElementTypeBitWidth() / 8 >= 2 * kFewestBytes;
  }

  /// Of numbers in parts a block is one slice: its largest are kept beside it.
  void shrink() {
    int64_t multiple =
        std::lcm(unit, kLineBits / source.getElementTypeBitWidth());
    while (op.getParts() == 1 && mayHalve(kManyPieces) &&
           sumAtOnce >= 2 * multiple)
      sumAtOnce = llvm::alignTo(sumAtOnce / 2, multiple);
    while (mayHalve(kFewPieces) && across >= 2 * width)
      across = llvm::alignTo(across / 2, width);
  }

  /// Groups of about the same size, as many as the widest share has of
  /// `across`.
  int64_t acrossOfShare() const {
    int64_t columns = shares->widestOfSeveral;
    return llvm::alignTo(
        llvm::divideCeil(columns, llvm::divideCeil(columns, across)), width);
  }

  SmallVector<Value> enterLoops(ArrayRef<OpFoldResult> counts) {
    SmallVector<Value> ivs;
    if (isParallel) {
      auto loop = scf::ForallOp::create(b, b.getLoc(), counts, ValueRange{},
                                        /*mapping=*/std::nullopt);
      b.setInsertionPoint(loop.getTerminator());
      llvm::append_range(ivs, loop.getInductionVars());
      return ivs;
    }
    for (OpFoldResult count : counts) {
      auto loop = scf::ForOp::create(
          b, b.getLoc(), b.index(0),
          getValueOrCreateConstantIndexOp(b, b.getLoc(), count), b.index(1));
      b.setInsertionPointToStart(loop.getBody());
      ivs.push_back(loop.getInductionVar());
    }
    return ivs;
  }

  /// Packs a group of panels, a slice of a block, of the matrix at `outer`. The
  /// group has the rows or columns from `start` on, but none from `end` on.
  void call(SharedFunctions &functions, ArrayRef<Value> outer, Value block,
            Value slice, Value start, Value end) {
    Location loc = b.getLoc();
    Value inBlock = b.times(slice, sumAtOnce);
    Value here =
        b.smaller(b.index(sumAtOnce), b.minus(b.index(sumOfBlock), inBlock));
    Value sumStart = b.plus(b.times(block, sumOfBlock), inBlock);
    Value sumLeft =
        b.minus(memref::DimOp::create(b, op.getSource(), depthDim), sumStart);
    Value height = b.smaller(b.index(across), b.minus(end, start));

    // The rows of these panels as a matrix [rows, sum].
    SmallVector<OpFoldResult> at(source.getRank());
    unsigned next = 0;
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      if (dim != panelDim && dim != depthDim)
        at[dim] = outer[next++];
    at[panelDim] = start;
    at[depthDim] = sumStart;
    Value matrix =
        viewAsMatrix(b, loc, op.getSource(), at, {panelDim, depthDim},
                     {height, b.smaller(here, b.larger(sumLeft, b.index(0)))});
    SmallVector<OpFoldResult> to(outer.begin(), outer.end());
    Value panel = arith::DivUIOp::create(b, start, b.index(width));
    to.append({block, panel, b.times(slice, sumAtOnce / depth),
               b.getIndexAttr(0), b.getIndexAttr(0)});
    Value packed = viewPanels(b, loc, op.getDest(), to);
    PanelForm form{depth, int64_t(op.getStepMultiple()), op.getFlipSign(),
                   int64_t(op.getParts()), vectorBits};
    Attribute variant = b.getI64ArrayAttr(
        {form.depth, form.stepMultiple, form.flipSign ? 1 : 0, form.parts});
    functions.call(b, loc, "aik$pack", {matrix, packed}, variant,
                   [&](func::FuncOp made) { emitPanelPacking(made, form); });
  }

  LoopBuilder &b;
  PackPanelsOp op;
  unsigned vectorBits;
  const ColumnShares *shares;
  MemRefType source, dest;
  int64_t rank, panelDim, depthDim, width, depth, unit;
  bool isAlongSum, isParallel;
  int64_t sumOfBlock;
  /// Of a piece: rows or columns of the source, numbers of the sum.
  int64_t across, sumAtOnce;
};

} // namespace

void aikernel::emitPackingLoops(LoopBuilder &b, SharedFunctions &functions,
                                PackPanelsOp op, unsigned vectorBits,
                                const ColumnShares *shares) {
  PackingLoops(b, op, vectorBits, shares).emit(functions);
  op.erase();
}
