//===- PanelRequests.cpp - Panels asked for before they are read ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: loops over the tiles of a product. Out: which lines of which panels each
// tile asks for. Tile registers are so fast that they wait for panels that come
// from L3, and the machine fetches ahead within a page only.
//
//===----------------------------------------------------------------------===//

#include "PanelRequests.h"
#include "Tiles/MatrixViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace aikernel;

/// A round's share of a step of a panel, in lines of each part; so many are
/// asked for in a round at most.
static constexpr int64_t kLinesOfRound = 32 / TileRegisters::kHalves;
static constexpr int64_t kMostRequests = 8 / TileRegisters::kHalves;
/// A block of rows that is read by fewer panels of columns is taken to stay in
/// L2.
static constexpr int64_t kFewPanels = 4;

void PanelRequests::startPanel(Value block, Value blocks, Value n) {
  Value zero = b.index(0), columns = b.index(op.columns());
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       b.plus(block, 1), blocks);
  Value nextBlock = arith::SelectOp::create(b, isLast, zero, b.plus(block, 1));
  Value panel = arith::DivUIOp::create(b, n, columns);
  Value nextPanel = b.plus(panel, 1);
  Value wide = b.ceilDiv(memref::DimOp::create(b, result, 1), op.columns());
  Value tall = b.ceilDiv(memref::DimOp::create(b, result, 0), op.rows);
  Value stays =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, nextPanel, wide);
  Value firstPanel = arith::SelectOp::create(b, isLast, nextPanel, zero);
  nextRight = panelAt(b, b.getLoc(), right,
                      arith::SelectOp::create(b, stays, block, nextBlock),
                      arith::SelectOp::create(b, stays, nextPanel, firstPanel));
  nextLeft = panelAt(b, b.getLoc(), left, nextBlock, zero);
  auto shareOf = [&](Value tiles) -> Value {
    return arith::CeilDivUIOp::create(b, b.index(kLinesOfRound * op.parts),
                                      tiles);
  };
  rightLines = b.smaller(shareOf(tall), b.index(kMostRequests * op.parts));
  Value leaves = arith::AndIOp::create(
      b, b.compare(arith::CmpIPredicate::ugt, blocks, 1),
      b.compare(arith::CmpIPredicate::uge, wide, kFewPanels));
  leftLines = arith::SelectOp::create(b, leaves, shareOf(wide), zero);
  tilesBefore = b.times(panel, tall);
}

SmallVector<TileRegisters::Request> PanelRequests::ofTile(Value m,
                                                          Value steps) {
  Value tile = arith::DivUIOp::create(b, m, b.index(op.rows));
  Value rounds = b.times(steps, TileRegisters::kHalves);
  auto first = [&](Value before, Value lines) {
    return b.times(b.times(before, rounds), lines);
  };
  return {{nextRight, first(tile, rightLines), rightLines},
          {nextLeft, first(b.plus(tilesBefore, tile), leftLines), leftLines}};
}
