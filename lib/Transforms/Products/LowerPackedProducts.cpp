//===- LowerPackedProducts.cpp - Packed products to register tiles --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.pack_panels and aikernel.packed_product on memrefs.
// Out: packing as parallel loops over pieces, products as loops over their
// batches; both call functions that serve operands of all sizes. An elementwise
// op that alone reads a product is done in the product's function. A left
// operand that can be read as it is is not packed; in tile registers, where it
// is not worth it otherwise, only if its rows begin at lines of the cache:
//
//   pack_panels %a outs %p ; packed_product %p, %q outs %c
//   ==>  scf.if (not aligned) { pack } ;
//        scf.if (aligned) { tiles of %a, %q } else { tiles of %p, %q }
//
// Rows that many columns go by are packed just before their tiles
// (RowRounds.h), and columns that few rows go by in these (ColumnsInPlace.h).
// Threads multiply the columns that they have packed (ColumnShares.h).
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "ColumnShares.h"
#include "ColumnsInPlace.h"
#include "PackingLoops.h"
#include "RowRounds.h"
#include "RowsInPlace.h"
#include "TileLoops.h"
#include "Tiles/MatrixViews.h"
#include "Tiles/SharedFunctions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "aik-lower-packed-products"

namespace aikernel {
#define GEN_PASS_DEF_LOWERPACKEDPRODUCTSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Packing shuffles vectors, and for SVE vectors of known sizes LLVM knows few
/// shuffles: most go through memory, element by element.
unsigned shufflingBits(ModuleOp module) {
  TargetAttr target = getTarget(module);
  return target && target.getVscale() ? 128 : getVectorBits(module);
}

/// A packed operand up to this size is taken to be in L2 when it is read.
constexpr int64_t kNearBytes = 1 << 20;

/// Do the panels, of all tiles together, leave L2 before they are read?
bool areFar(Value panels) {
  while (auto part = panels.getDefiningOp<memref::SubViewOp>())
    panels = part.getSource();
  auto type = cast<MemRefType>(panels.getType());
  return !type.hasStaticShape() ||
         type.getNumElements() * type.getElementTypeBitWidth() / 8 > kNearBytes;
}

/// Above so many panels of rows one panel of columns is multiplied for so long
/// that the next one comes by itself.
constexpr int64_t kFewPanelsOfRows = 8;

TileTraffic trafficOf(PackedProductOp op, const MatrixInstruction &instruction,
                      OpFoldResult rows) {
  TileTraffic traffic;
  if (!areFar(op.getRhs()))
    return traffic;
  traffic.asksAhead = instruction.accumulators == Accumulators::Tiles;
  WeightStreams streams = instruction.weightStreams();
  if (traffic.asksAhead || streams.bytesAhead == 0)
    return traffic;
  std::optional<int64_t> known = getConstantIntValue(rows);
  traffic.fewRowsStream = !known || *known <= instruction.rows;
  // The hardware follows one stream from panel to panel by itself.
  if (!known || streams.count == 1)
    return traffic;
  int64_t panels = llvm::divideCeil(*known, instruction.rows);
  traffic.panelsOfRows = panels > kFewPanelsOfRows ? 0 : panels;
  return traffic;
}

/// Replaces the two ops by loops and calls of the functions they need.
class Lowering {
public:
  explicit Lowering(ModuleOp module)
      : b(module.getLoc(), module.getContext()),
        vectorBits(shufflingBits(module)), functions(module) {}

  void lower(PackPanelsOp op, const RowsInPlace *inPlace,
             const ColumnShares *shares) {
    if (inPlace && !inPlace->haveToBeAligned())
      return op.erase();
    b.setInsertionPoint(op);
    b.setLoc(op.getLoc());
    if (inPlace)
      enterElse(areAligned(b, op.getSource()));
    emitPackingLoops(b, functions, op, vectorBits, shares);
  }

  void lower(PackedProductOp op, const RowsInPlace *inPlace,
             const ColumnsInPlace *ownColumns, const ColumnShares *shares) {
    std::optional<TileEpilogue> epilogue = TileEpilogue::match(op);
    b.setInsertionPoint(epilogue ? epilogue->getOp() : op);
    Location loc = op.getLoc();
    b.setLoc(loc);
    const MatrixInstruction *instruction = findInstruction(op.getInstruction());
    AffineMap outMap = op.getOutMap();
    unsigned loops = op.getNumLoops();
    SmallVector<OpFoldResult> extents(loops);
    for (auto [dim, expr] : llvm::enumerate(outMap.getResults()))
      extents[cast<AffineDimExpr>(expr).getPosition()] =
          memref::getMixedSize(b, loc, op.getOut(), dim);
    SmallVector<OpFoldResult> ivs(loops, b.getIndexAttr(0));
    OpFoldResult firstPanel = b.getIndexAttr(0);
    if (shares) {
      ivs.back() = shares->start;
      extents.back() = shares->extent;
      firstPanel = Value(arith::DivUIOp::create(b, shares->start,
                                                b.index(op.getPanelColumns())));
    }
    for (unsigned dim = 0; dim + 2 < loops; ++dim) {
      auto loop = scf::ForOp::create(
          b, loc, b.index(0),
          getValueOrCreateConstantIndexOp(b, loc, extents[dim]), b.index(1));
      b.setInsertionPointToStart(loop.getBody());
      ivs[dim] = loop.getInductionVar();
    }
    auto packedAt = [&](Value operand, AffineMap map, OpFoldResult panel) {
      SmallVector<OpFoldResult> at;
      for (AffineExpr expr : map.getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        at.push_back(dim ? ivs[dim.getPosition()]
                         : OpFoldResult(b.getIndexAttr(
                               cast<AffineConstantExpr>(expr).getValue())));
      }
      at.append(5, b.getIndexAttr(0));
      at[at.size() - 4] = panel;
      return viewPanels(b, loc, operand, at);
    };
    Value left = packedAt(op.getLhs(), op.getLhsMap(), b.getIndexAttr(0));
    Value right = packedAt(op.getRhs(), op.getRhsMap(), firstPanel);
    SmallVector<OpFoldResult> at(loops);
    int64_t rowDim = 0, columnDim = 0;
    for (auto [dim, expr] : llvm::enumerate(outMap.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      at[dim] = ivs[loop];
      if (loop == loops - 2)
        rowDim = dim;
      if (loop == loops - 1)
        columnDim = dim;
    }
    Value out = viewAsMatrix(b, loc, op.getOut(), at, {rowDim, columnDim},
                             {extents[loops - 2], extents[loops - 1]});
    Value overwrite =
        arith::ConstantIntOp::create(b, loc, op.getOverwrite(), /*width=*/1);
    SmallVector<Value> operands{left, right, op.getDepth(), overwrite, out};
    Attribute variant = op.getInstructionAttr();
    if (epilogue) {
      llvm::append_range(operands,
                         epilogue->viewOperands(
                             b, ivs, {extents[loops - 2], extents[loops - 1]}));
      variant = b.getArrayAttr({variant, epilogue->getVariant()});
    }
    if (goesByRows(op)) {
      variant = b.getArrayAttr({variant, b.getStringAttr("by rows")});
      auto callByRows = [&](Value rows) {
        operands[0] = rows;
        functions.call(b, loc, "aik$tiles", operands, variant,
                       [&](func::FuncOp made) {
                         emitTileLoopsByRows(made, *instruction,
                                             epilogue ? &*epilogue : nullptr);
                       });
      };
      if (inPlace) {
        Value rows = inPlace->view(b, op);
        b.choose(
            areAligned(b, inPlace->getSource()), [&] { callByRows(rows); },
            [&] { callByRows(left); });
      } else {
        callByRows(left);
      }
      return finish(op, epilogue);
    }
    // Rows that lie equally far apart everywhere need few addresses in a tile.
    int64_t rowsApart = 0;
    if (inPlace) {
      operands[0] = inPlace->view(b, op);
      rowsApart = cast<MemRefType>(inPlace->getSource().getType())
                      .getStridesAndOffset()
                      .first[0];
    }
    TileTraffic traffic;
    int64_t stepsOfPanel = 0;
    if (ownColumns) {
      operands[1] = ownColumns->view(b, op);
      traffic.ownPanel = panelOfColumns(op);
      stepsOfPanel = traffic.ownPanel.getDimSize(0);
    } else {
      traffic = trafficOf(op, *instruction, extents[loops - 2]);
    }
    variant = b.getArrayAttr({variant, b.getI64IntegerAttr(rowsApart),
                              b.getI64IntegerAttr(stepsOfPanel),
                              b.getBoolAttr(traffic.asksAhead),
                              b.getBoolAttr(traffic.fewRowsStream),
                              b.getI64IntegerAttr(traffic.panelsOfRows)});
    functions.call(b, loc, "aik$tiles", operands, variant,
                   [&](func::FuncOp made) {
                     emitTileLoops(made, *instruction, traffic,
                                   epilogue ? &*epilogue : nullptr);
                   });
    finish(op, epilogue);
  }

private:
  static void finish(PackedProductOp op,
                     std::optional<TileEpilogue> &epilogue) {
    op.erase();
    if (epilogue)
      epilogue->getOp().erase();
  }

  /// What comes next is done if `condition` does not hold.
  void enterElse(Value condition) {
    auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.elseBlock());
  }

  LoopBuilder b;
  unsigned vectorBits;
  SharedFunctions functions;
};

/// The operands are packed as the row of the table says.
LogicalResult verify(PackedProductOp op) {
  const MatrixInstruction *row = findInstruction(op.getInstruction());
  if (!row)
    return op.emitError("names the instruction '")
           << op.getInstruction() << "', which is not in the table";
  auto fits = [&](Value operand, int64_t width, int64_t depth) {
    ArrayRef<int64_t> sizes =
        cast<ShapedType>(operand.getType()).getShape().take_back(3);
    int64_t together = row->depth / depth, parts = row->parts;
    return sizes[1] == width && sizes[2] == depth && sizes[0] % together == 0 &&
           (parts == 1 || (sizes[0] / together > parts &&
                           (sizes[0] / together - 1) % parts == 0));
  };
  if (!fits(op.getLhs(), row->rows, row->depth) ||
      !fits(op.getRhs(), row->columns(), row->rightDepth()))
    return op.emitError("is not packed for the instruction '")
           << op.getInstruction() << "'";
  return success();
}

struct LowerPackedProductsPass
    : aikernel::impl::LowerPackedProductsPassBase<LowerPackedProductsPass> {
  using LowerPackedProductsPassBase::LowerPackedProductsPassBase;

  void runOnOperation() override {
    SmallVector<PackedProductOp> products;
    getOperation()->walk([&](PackedProductOp op) { products.push_back(op); });
    for (PackedProductOp op : products)
      if (failed(verify(op)))
        return signalPassFailure();
    // By the product and by what would pack them.
    llvm::SmallDenseMap<Operation *, RowsInPlace> inPlace;
    llvm::SmallDenseMap<Operation *, ColumnsInPlace> ownColumns;
    llvm::SmallDenseSet<Operation *> packsColumns;
    for (PackedProductOp op : products)
      if (std::optional<RowsInPlace> rows = RowsInPlace::match(op)) {
        inPlace.try_emplace(op, *rows);
        inPlace.try_emplace(rows->getPacking(), *rows);
      }
    auto rowsOf = [&](Operation *op) -> const RowsInPlace * {
      auto found = inPlace.find(op);
      return found == inPlace.end() ? nullptr : &found->second;
    };
    IRRewriter rewriter(&getContext());
    for (PackedProductOp op : products)
      if (!inPlace.contains(op))
        if (std::optional<RowRounds> rounds = RowRounds::match(op))
          rounds->apply(rewriter);
    for (PackedProductOp op : products)
      if (std::optional<ColumnsInPlace> columns = ColumnsInPlace::match(op)) {
        ownColumns.try_emplace(op, *columns);
        packsColumns.insert(columns->getPacking());
      }
    // By the product and by what packs them.
    llvm::SmallDenseMap<Operation *, ColumnShares> columnShares;
    for (PackedProductOp op : products)
      if (std::optional<ColumnShares> shares = shareColumns(op, rewriter)) {
        columnShares.try_emplace(op, *shares);
        columnShares.try_emplace(shares->packing, *shares);
      }
    auto sharesOf = [&](Operation *op) -> const ColumnShares * {
      auto found = columnShares.find(op);
      return found == columnShares.end() ? nullptr : &found->second;
    };
    SmallVector<PackPanelsOp> packs;
    getOperation()->walk([&](PackPanelsOp op) { packs.push_back(op); });
    Lowering lowering(getOperation());
    for (PackPanelsOp op : packs)
      if (packsColumns.contains(op))
        op.erase();
      else
        lowering.lower(op, rowsOf(op), sharesOf(op));
    for (PackedProductOp op : products) {
      auto columns = ownColumns.find(op);
      lowering.lower(op, rowsOf(op),
                     columns == ownColumns.end() ? nullptr : &columns->second,
                     sharesOf(op));
    }
  }
};

} // namespace
