//===- AttentionTiles.cpp - Attention in register tiles -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function of one head's operands and a row of the instruction
// table whose sums are vectors. Out: its body. The powers lie as the left
// operand of P V reads them.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiles.h"
#include "AttentionBlocks.h"
#include "Tiles/RegisterTiles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace aikernel;

namespace {

/// Keys of a block: their scores for a strip stay in L1.
constexpr int64_t kBlockKeys = 128;
/// Queries of a strip: between a few panels and what L1 holds the scores of.
constexpr int64_t kFewestOfStrip = 24;
constexpr int64_t kMostOfStrip = 64;

/// The tile of P V: of the same registers as the table's, but of four thirds of
/// its columns where the features are then whole panels.
MatrixInstruction tileForValues(const MatrixInstruction &row,
                                int64_t features) {
  MatrixInstruction wide = row;
  wide.vectors = row.vectors * 4 / 3;
  wide.rows = row.rows * 3 / 4;
  bool isWhole = row.vectors % 3 == 0 && row.rows % 4 == 0;
  if (isWhole && features % row.columns() != 0 &&
      features % wide.columns() == 0)
    return wide;
  return row;
}

/// Whole panels of columns whose last panel of rows is the fullest.
int64_t chooseStrip(int64_t columns, int64_t rows) {
  int64_t best = 0, bestCost = 0;
  for (int64_t strip = columns; strip <= kMostOfStrip; strip += columns) {
    int64_t cost = (strip + rows - 1) / rows * rows * 1000 / strip;
    if (strip < kFewestOfStrip || (best && cost >= bestCost))
      continue;
    best = strip, bestCost = cost;
  }
  return best;
}

class AttentionInVectors : public AttentionBlocks {
public:
  AttentionInVectors(func::FuncOp function, const AttentionForm &form,
                     const MatrixInstruction &valueRow)
      : AttentionBlocks(function, form, sizesOf(form.instruction, valueRow)),
        valueOp(valueRow), tile(b, op), valueTile(b, valueOp),
        valueColumns(valuePanels * valueOp.columns()) {}

private:
  static Sizes sizesOf(const MatrixInstruction &row,
                       const MatrixInstruction &valueRow) {
    return {chooseStrip(row.columns(), valueRow.rows),
            kBlockKeys,
            std::lcm<int64_t>(row.rows, row.depth),
            row.depth,
            row.depth,
            valueRow.columns()};
  }

  int64_t allocateOperands() override {
    int64_t steps = (form.depth + op.depth - 1) / op.depth;
    packedQ = b.buffer(
        element, {1, chunk / op.columns(), steps, op.columns(), op.depth});
    packedK =
        b.buffer(element, {1, blockKeys / op.rows, steps, op.rows, op.depth});
    sums = b.buffer(b.getF32Type(), {chunk, valueColumns});
    return 1;
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  Values sumAt(Value query, Value feature) override { return {query, feature}; }

  void readSums() override {
    b.loop(count, 1, [&](Value row) {
      copyRow(acc, b.plus(firstQuery, row), sums, row);
    });
  }
  void writeSums() override {
    b.loop(count, 1, [&](Value row) {
      copyRow(sums, row, acc, b.plus(firstQuery, row));
    });
  }
  void copyRow(Value from, Value fromRow, Value to, Value toRow) {
    auto isContiguous = [](Value memref) {
      return cast<MemRefType>(memref.getType())
                 .getStridesAndOffset()
                 .first.back() == 1;
    };
    int64_t whole = 0;
    if (isContiguous(from) && isContiguous(to))
      whole = form.features / lanes * lanes;
    b.loop(b.index(whole), lanes, [&](Value column) {
      b.store(load(floats, from, {fromRow, column}), to, {toRow, column});
    });
    b.loop(b.index(whole), b.index(form.features), 1, [&](Value column) {
      b.store(load(from, {fromRow, column}), to, {toRow, column});
    });
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  void multiplyKeys(Value number, const KeyRange &range) override {
    Value zero = b.index(0), first = b.times(number, strip);
    Value steps = b.index((form.depth + op.depth - 1) / op.depth);
    b.loop(b.index(strip), op.columns(), [&](Value column) {
      Value panel = arith::DivUIOp::create(b, b.plus(first, column),
                                           b.index(op.columns()));
      Value right = panelOf(packedQ, panel, zero);
      b.loop(range.from, range.past, op.rows, [&](Value key) {
        Value left = panelOf(
            packedK, arith::DivUIOp::create(b, key, b.index(op.rows)), zero);
        SmallVector<Value> products =
            tile.multiply(left, right, steps, op.rows, /*starts=*/{});
        unsigned perRow = tile.vectorsOfRow();
        for (auto [number, product] : llvm::enumerate(products))
          b.store(math.mul(product, scales), scores,
                  {b.plus(key, number / perRow),
                   b.plus(column, number % perRow * lanes)});
      });
    });
  }

  void multiplyValues(Value, const KeyRange &range) override {
    int64_t rows = valueOp.rows, whole = strip / rows * rows;
    Value first = quotient(range.from, op.depth);
    Value steps = b.minus(b.ceilDiv(range.past, op.depth), first);
    b.loop(b.index(valueColumns), valueOp.columns(), [&](Value column) {
      Value panel =
          arith::DivUIOp::create(b, column, b.index(valueOp.columns()));
      Value right = panelOf(packedV, panel, first);
      b.loop(b.index(whole), rows, [&](Value row) {
        multiplyTile(right, first, steps, row, column, rows);
      });
      if (whole < strip)
        multiplyTile(right, first, steps, b.index(whole), column,
                     strip - whole);
    });
  }

  void multiplyTile(Value right, Value first, Value steps, Value row,
                    Value column, int64_t rows) {
    Value left = view(powers, {first, b.times(row, op.depth)},
                      {steps, b.getIndexAttr(rows * op.depth)});
    SmallVector<Value> products =
        valueTile.multiply(left, right, steps, rows, /*starts=*/{});
    unsigned perRow = valueTile.vectorsOfRow();
    Value factor;
    for (auto [number, product] : llvm::enumerate(products)) {
      Value inStrip = b.plus(row, number / perRow);
      if (number % perRow == 0)
        factor = broadcast(load(shrinkage, inStrip));
      Values where{b.plus(stripStart, inStrip),
                   b.plus(column, number % perRow * lanes)};
      Value old = load(floats, sums, where);
      b.store(math.multiplyAdd(old, factor, product), sums, where);
    }
  }

  const MatrixInstruction valueOp;
  RegisterTileEmitter tile, valueTile;
  int64_t valueColumns;
};

} // namespace

void aikernel::emitAttentionInVectors(func::FuncOp function,
                                      const AttentionForm &form) {
  AttentionInVectors(function, form,
                     tileForValues(form.instruction, form.features))
      .emit();
}

void aikernel::emitAttention(func::FuncOp function, const AttentionForm &form) {
  if (form.instruction.accumulators == Accumulators::Tiles)
    emitAttentionInTiles(function, form);
  else
    emitAttentionInVectors(function, form);
}
