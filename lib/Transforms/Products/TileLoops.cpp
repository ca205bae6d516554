//===- TileLoops.cpp - Loops over register tiles --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function of two packed operands and a row of the instruction
// table. Out: its body.
//
//   for each block of the sum                     (its panels stay in L1, L2)
//     for each panel of columns      (which the first rows pack, if need be)
//       for each panel of rows
//         C += register tile over the block
//
// Where a panel in parts has numbers that are too large for it, its tiles are
// multiplied number by number.
// In the last block an epilogue takes the sums, if there is one.
//
//===----------------------------------------------------------------------===//

#include "TileLoops.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "PanelRequests.h"
#include "Tiles/MatrixViews.h"
#include "Tiles/NumberParts.h"
#include "Tiles/RegisterTiles.h"
#include "Tiles/TileRegisters.h"
#include "WaitingSums.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

class TileLoopsEmitter {
public:
  TileLoopsEmitter(func::FuncOp function, const MatrixInstruction &instruction,
                   TileTraffic traffic, TileEpilogue *epilogue)
      : b(function), op(instruction), tile(b, instruction), epilogue(epilogue),
        fewRowsStream(traffic.fewRowsStream),
        panelsOfRows(traffic.panelsOfRows), ownPanel(traffic.ownPanel) {
    left = function.getArgument(0);
    right = function.getArgument(1);
    depth = function.getArgument(2);
    overwrite = function.getArgument(3);
    result = function.getArgument(4);
    if (epilogue)
      epilogue->setOperands(function.getArguments().drop_front(5));
    isContiguous =
        cast<MemRefType>(result.getType()).getStridesAndOffset().first[1] == 1;
    rows = op.rows;
    columns = op.columns();
    lanes = op.lanes();
    isInPlace = cast<MemRefType>(left.getType()).getRank() == 2;
    if (!isInPlace)
      stepsOfBlock = memref::DimOp::create(b, left, 2);
    else if (ownPanel)
      stepsOfBlock = b.index(ownPanel.getDimSize(0));
    else
      stepsOfBlock = memref::DimOp::create(b, right, 2);
    if (op.parts > 1)
      stepsOfBlock = arith::DivUIOp::create(b, stepsOfBlock, b.index(op.parts));
    if (traffic.asksAhead)
      ahead.emplace(b, op, left, right, result);
  }

  void emit() {
    edge = memref::AllocaOp::create(
        b, MemRefType::get({rows, columns}, tile.rowVector().getElementType()),
        b.getI64IntegerAttr(64));
    if (op.accumulators == Accumulators::Tiles && epilogue && isContiguous)
      waiting.emplace(b, op, *epilogue, ahead.has_value());
    if (ownPanel)
      packed = memref::AllocaOp::create(b, ownPanel, b.getI64IntegerAttr(64));
    if (op.leftIsUnsigned)
      starts = memref::AllocaOp::create(
          b, MemRefType::get({columns}, tile.rowVector().getElementType()),
          b.getI64IntegerAttr(64));
    Value sizeM = memref::DimOp::create(b, result, 0);
    Value sizeN = memref::DimOp::create(b, result, 1);
    Value steps = b.ceilDiv(depth, op.depth);
    // An empty sum still writes its zeros.
    Value blocks = arith::MaxSIOp::create(
        b, arith::CeilDivUIOp::create(b, steps, stepsOfBlock), b.index(1));
    b.loop(blocks, 1, [&](Value block) {
      Value before = b.times(block, stepsOfBlock);
      Value here = b.smaller(stepsOfBlock, b.minus(steps, before));
      isFirst = arith::AndIOp::create(b, overwrite, b.equals(block, 0));
      isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                     b.plus(block, 1), blocks);
      Value rowsHaveLarge;
      if (op.parts > 1)
        rowsHaveLarge = leftHasLarge(block, sizeM);
      b.loop(sizeN, columns, [&](Value n) {
        Value width = b.smaller(b.index(columns), b.minus(sizeN, n));
        Value rightPanel = packed ? packed : panelOf(right, block, n, columns);
        Value firstRow = b.index(0);
        if (ownPanel)
          firstRow = startColumns(leftAt(block, before, firstRow), before, here,
                                  n, width, sizeM);
        if (ahead)
          ahead->startPanel(block, blocks, n);
        if (op.leftIsUnsigned)
          tile.writeStarts(rightPanel, here, starts);
        auto forEachTile = [&](function_ref<void(Value, Value, Value)> body) {
          b.loop(firstRow, sizeM, rows, [&](Value m) {
            Value leftPanel = leftAt(block, before, m);
            body(leftPanel, m, b.smaller(b.index(rows), b.minus(sizeM, m)));
          });
        };
        auto tiles = [&] {
          forEachTile([&](Value leftPanel, Value m, Value height) {
            emitTile(leftPanel, rightPanel, here, m, height, n, width);
          });
          if (waiting)
            finishLast(sizeM, n, width);
        };
        if (op.parts == 1)
          return tiles();
        Value isLarge = arith::OrIOp::create(
            b, rowsHaveLarge,
            panelHasLarge(b, rightPanel, op.depth / op.rightDepth()));
        b.choose(
            isLarge,
            [&] {
              forEachTile([&](Value leftPanel, Value m, Value height) {
                multiplyNumbers(b, op, leftPanel, rightPanel, here, edge);
                addEdge(m, height, n, width);
              });
            },
            tiles);
      });
    });
    func::ReturnOp::create(b);
  }

private:
  /// Has the block of any panel of rows numbers that are too large?
  Value leftHasLarge(Value block, Value sizeM) {
    Value none = arith::ConstantIntOp::create(b, 0, 1);
    return b.loop(b.index(0), sizeM, rows, none,
                  [&](Value m, ValueRange before) -> LoopBuilder::Values {
                    Value panel = panelOf(left, block, m, rows);
                    Value here = panelHasLarge(b, panel, /*together=*/1);
                    return {arith::OrIOp::create(b, before[0], here)};
                  })[0];
  }

  /// memref<steps x width> of the panel that starts at row or column `start`.
  Value panelOf(Value packed, Value block, Value start, int64_t size) {
    Value panel = arith::DivUIOp::create(b, start, b.index(size));
    return panelAt(b, b.getLoc(), packed, block, panel);
  }

  /// The same of rows that are not packed: memref<steps x rows>.
  Value rowsAt(Value m, Value firstStep) {
    SmallVector<OpFoldResult> at{m, firstStep};
    SmallVector<OpFoldResult> sizes{b.getIndexAttr(rows), stepsOfBlock};
    SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
    Value part = memref::SubViewOp::create(b, left, at, sizes, strides);
    return memref::TransposeOp::create(
        b, part,
        AffineMapAttr::get(AffineMap::getPermutationMap(
            ArrayRef<unsigned>{1, 0}, b.getContext())));
  }

  Value leftAt(Value block, Value before, Value m) {
    return isInPlace ? rowsAt(m, before) : panelOf(left, block, m, rows);
  }

  /// Columns that are not packed: a whole panel the first whole tile packs, any
  /// other is packed now. Returns the first row that is not multiplied yet.
  Value startColumns(Value leftPanel, Value before, Value steps, Value n,
                     Value width, Value sizeM) {
    SmallVector<OpFoldResult> at{before, n}, sizes{steps, width};
    SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
    Value unpacked = memref::SubViewOp::create(b, right, at, sizes, strides);
    Value isWhole = arith::AndIOp::create(
        b, b.equals(width, columns),
        b.compare(arith::CmpIPredicate::sge, sizeM, rows));
    b.choose(
        isWhole,
        [&] {
          storeEdge(tile.multiply(leftPanel, packed, steps, rows, starts,
                                  /*requests=*/nullptr, /*isStreamed=*/false,
                                  unpacked),
                    tile.vectorsOfRow());
          addEdge(b.index(0), b.index(rows), n, b.index(columns));
        },
        [&] { packColumns(unpacked, steps, width); });
    return arith::SelectOp::create(b, isWhole, b.index(rows), b.index(0));
  }

  void packColumns(Value unpacked, Value steps, Value width) {
    Type to = ownPanel.getElementType();
    auto move = [&](Value loaded, Value step, Value column) {
      b.store(b.extended(loaded, to), packed, ValueRange{step, column});
    };
    auto vector = VectorType::get({lanes}, to);
    Type from = getElementTypeOrSelf(unpacked);
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(vector));
    Value even = b.roundDown(width, lanes);
    b.loop(steps, 1, [&](Value step) {
      for (int64_t column = 0; column < columns; column += lanes)
        b.store(zeros, packed, ValueRange{step, b.index(column)});
      b.loop(even, lanes, [&](Value column) {
        move(vector::LoadOp::create(b, vector.clone(from), unpacked,
                                    ValueRange{step, column}),
             step, column);
      });
      b.loop(even, width, 1, [&](Value column) {
        move(b.load(unpacked, ValueRange{step, column}), step, column);
      });
    });
  }

  SmallVector<TileRegisters::Request> requestsAt(Value m, Value steps) {
    if (!ahead)
      return {};
    return ahead->ofTile(m, steps);
  }

  void emitTile(Value leftPanel, Value rightPanel, Value steps, Value m,
                Value height, Value n, Value width) {
    if (op.accumulators == Accumulators::Tiles)
      return emitTileRegisters(leftPanel, rightPanel, steps, m, height, n,
                               width);
    auto ragged = [&] {
      auto allRows = [&] {
        SmallVector<unsigned> counts = tile.rowCounts();
        emitRows(counts, leftPanel, rightPanel, steps, height);
      };
      if (op.hasNarrowTiles())
        emitColumns(1, leftPanel, rightPanel, steps, height, width, allRows);
      else
        allRows();
      addEdge(m, height, n, width);
    };
    if (!isContiguous)
      return ragged();
    Value full = arith::AndIOp::create(b, b.equals(height, rows),
                                       b.equals(width, columns));
    b.choose(
        full,
        [&] {
          if (!op.isOfAVX512() || panelsOfRows == 1)
            return emitWhole(leftPanel, rightPanel, steps, m, n, nullptr);
          auto ofRow = [&](Value row, Value vector) {
            askFor(b.plus(m, row), b.plus(n, b.times(vector, lanes)));
          };
          auto inRound = [&](Value round, Value rounds) {
            askForNextPanel(rightPanel, m, round, rounds);
          };
          RegisterTileEmitter::Requests requests{ofRow, inRound};
          // What an epilogue writes lies elsewhere than what is added to.
          if (epilogue)
            requests.ofRow = {};
          if (ownPanel)
            requests.inRound = {};
          emitWhole(leftPanel, rightPanel, steps, m, n, &requests);
        },
        ragged);
  }

  void emitWhole(Value leftPanel, Value rightPanel, Value steps, Value m,
                 Value n, const RegisterTileEmitter::Requests *requests) {
    if (!requests || !requests->ofRow)
      prefetchTile(m, n);
    bool isStreamed = panelsOfRows == 1 || (rows == 1 && fewRowsStream);
    addTile(tile.multiply(leftPanel, rightPanel, steps, rows, starts, requests,
                          isStreamed),
            m, n);
  }

  /// Tile registers add to the result where it is; at its edges they go through
  /// a buffer. So they do where an epilogue reads the sums, a tile later: while
  /// the next rows are multiplied.
  void emitTileRegisters(Value leftPanel, Value rightPanel, Value steps,
                         Value m, Value height, Value n, Value width) {
    TileRegisters registers(b, op);
    TileRegisters::Place inResult{result, m, n};
    TileRegisters::Place inBuffer{edge, b.index(0), b.index(0)};
    auto ragged = [&] {
      Value few = b.compare(arith::CmpIPredicate::sle, height, rows / 2);
      auto compute = [&](int64_t count) {
        registers.multiply(registers.leftPanel(leftPanel),
                           registers.rightPanel(rightPanel), steps, count,
                           /*from=*/nullptr, inBuffer);
      };
      b.choose(few, [&] { compute(rows / 2); }, [&] { compute(rows); });
      addEdge(m, height, n, width);
    };
    if (!isContiguous)
      return ragged();
    auto whole = [&](const TileRegisters::Place *from) {
      auto multiplyTo = [&](const TileRegisters::Place &to,
                            function_ref<void(Value)> beside) {
        registers.multiply(registers.leftPanel(leftPanel),
                           registers.rightPanel(rightPanel), steps, rows, from,
                           to, requestsAt(m, steps), beside);
      };
      if (!epilogue)
        return multiplyTo(inResult, {});
      b.choose(
          isLast,
          [&] {
            waiting->multiply(
                tileAt(m, n), tileAt(b.minus(m, b.index(rows)), n),
                b.times(steps, TileRegisters::kHalves), multiplyTo);
          },
          [&] { multiplyTo(inResult, {}); });
    };
    Value full = arith::AndIOp::create(b, b.equals(height, rows),
                                       b.equals(width, columns));
    b.choose(
        full,
        [&] {
          b.choose(isFirst, [&] { whole(nullptr); }, [&] { whole(&inResult); });
        },
        ragged);
  }

  /// The first rows of a tile, into the edge buffer.
  void computeRows(RegisterTileEmitter &emitter, unsigned count,
                   Value leftPanel, Value rightPanel, Value steps) {
    SmallVector<Value> sums =
        emitter.multiply(leftPanel, rightPanel, steps, count, starts,
                         /*requests=*/nullptr, fewRowsStream);
    storeEdge(sums, emitter.vectorsOfRow());
  }

  void storeEdge(ArrayRef<Value> sums, unsigned perRow) {
    for (auto [position, value] : llvm::enumerate(sums))
      vector::StoreOp::create(b, value, edge,
                              ValueRange{b.index(position / perRow),
                                         b.index(position % perRow * lanes)});
  }

  /// The tile with as few vectors in a row as `width` needs, from `vectors`
  /// on; with all of them, or for one row, `otherwise`.
  void emitColumns(unsigned vectors, Value leftPanel, Value rightPanel,
                   Value steps, Value height, Value width,
                   function_ref<void()> otherwise) {
    if (vectors == op.vectors)
      return otherwise();
    b.choose(
        arith::AndIOp::create(
            b, b.compare(arith::CmpIPredicate::sgt, height, 1),
            b.compare(arith::CmpIPredicate::sle, width, vectors * lanes)),
        [&] {
          MatrixInstruction narrower = op;
          narrower.vectors = vectors;
          RegisterTileEmitter emitter(b, narrower);
          computeRows(emitter, rows, leftPanel, rightPanel, steps);
        },
        [&] {
          emitColumns(vectors + 1, leftPanel, rightPanel, steps, height, width,
                      otherwise);
        });
  }

  /// The lowest tile that has `height` rows, into the edge buffer.
  void emitRows(ArrayRef<unsigned> counts, Value leftPanel, Value rightPanel,
                Value steps, Value height) {
    auto compute = [&](unsigned count) {
      computeRows(tile, count, leftPanel, rightPanel, steps);
    };
    if (counts.size() == 1)
      return compute(counts[0]);
    Value fits = b.compare(arith::CmpIPredicate::sle, height, counts[0]);
    b.choose(
        fits, [&] { compute(counts[0]); },
        [&] {
          emitRows(counts.drop_front(), leftPanel, rightPanel, steps, height);
        });
  }

  Value plus(Value x, Value y) {
    if (isa<FloatType>(getElementTypeOrSelf(x)))
      return arith::AddFOp::create(b, x, y);
    return arith::AddIOp::create(b, x, y);
  }

  /// What was there before, or zero at the first block of an overwritten C.
  Value before(Value loaded) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(loaded.getType()));
    return arith::SelectOp::create(b, isFirst, zero, loaded);
  }

  /// What is written next is on its way while its sums are made; to L2, since
  /// rows far apart drive each other out of L1. Sums in squares are made so
  /// soon that asking takes longer than waiting.
  void prefetchTile(Value m, Value n) {
    if (op.accumulators == Accumulators::Quads)
      return;
    auto prefetch = [&](Value matrix) {
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column : {int64_t(0), columns - 1})
          memref::PrefetchOp::create(
              b, matrix, ValueRange{b.plus(m, row), b.plus(n, column)},
              /*isWrite=*/true, /*localityHint=*/2, /*isDataCache=*/true);
    };
    if (!epilogue)
      return prefetch(result);
    b.choose(
        isLast, [&] { prefetch(epilogue->getResult()); },
        [&] { prefetch(result); });
  }

  /// Into L1, for sums that are about to be done.
  void askFor(Value row, Value column) {
    memref::PrefetchOp::create(b, result, ValueRange{row, column},
                               /*isWrite=*/true, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }

  /// While one panel of columns is multiplied by all rows, the rounds of their
  /// tiles ask for the next one, which may have to come from L3, bit by bit;
  /// for a few rows, from memory and nearly all of it.
  void askForNextPanel(Value panel, Value m, Value round, Value rounds) {
    int64_t width = cast<MemRefType>(panel.getType()).getDimSize(1);
    Value tiles = b.ceilDiv(memref::DimOp::create(b, result, 0), rows);
    Value share = arith::CeilDivUIOp::create(b, b.times(stepsOfBlock, width),
                                             b.times(tiles, rounds));
    Value tilesBefore = arith::DivUIOp::create(b, m, b.index(rows));
    Value before = b.times(b.plus(b.times(tilesBefore, rounds), round), share);
    int64_t lines = 1;
    if (panelsOfRows)
      lines = llvm::divideCeil(tile.columnLinesOfRound(), panelsOfRows);
    for (int64_t line = 0; line < lines; ++line)
      memref::PrefetchOp::create(
          b, panel,
          ValueRange{stepsOfBlock,
                     b.plus(before, line * tile.elementsOfLine())},
          /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  }

  void addTile(ArrayRef<Value> sums, Value m, Value n) {
    unsigned perRow = tile.vectorsOfRow();
    SmallVector<Value> atRow, atColumn;
    for (int64_t row = 0; row < rows; ++row)
      atRow.push_back(b.plus(m, row));
    for (unsigned v = 0; v < perRow; ++v)
      atColumn.push_back(b.plus(n, v * lanes));
    auto where = [&](unsigned position) {
      return SmallVector<Value>{atRow[position / perRow],
                                atColumn[position % perRow]};
    };
    auto forEach = [&](function_ref<void(Value, ValueRange)> body) {
      for (auto [position, sum] : llvm::enumerate(sums))
        body(sum, where(position));
    };
    auto addWith = [&](function_ref<void(Value, ValueRange)> put) {
      // What C held before is not waited for.
      b.choose(
          isFirst, [&] { forEach(put); },
          [&] {
            forEach([&](Value sum, ValueRange at) {
              put(plus(vector::LoadOp::create(b, tile.rowVector(), result, at),
                       sum),
                  at);
            });
          });
    };
    auto store = [&] {
      addWith([&](Value sum, ValueRange at) { b.store(sum, result, at); });
    };
    if (!epilogue)
      return store();
    auto finish = [&] {
      TileEpilogue::ReadColumns known =
          epilogue->readColumns(b, atColumn, lanes);
      addWith([&](Value sum, ValueRange at) {
        epilogue->emit(b, sum, at[0], at[1], &known);
      });
    };
    b.choose(isLast, finish, store);
  }

  /// A tile of a panel of columns.
  WaitingSums::Tile tileAt(Value m, Value n) {
    return {arith::DivUIOp::create(b, m, b.index(rows)), m, n};
  }

  /// The last whole tile of a panel of columns has none after it.
  void finishLast(Value sizeM, Value n, Value width) {
    Value whole = b.roundDown(sizeM, rows);
    Value waits = arith::AndIOp::create(
        b, isLast,
        arith::AndIOp::create(b, b.equals(width, columns),
                              b.compare(arith::CmpIPredicate::ugt, whole, 0)));
    b.choose(
        waits,
        [&] { waiting->finish(tileAt(b.minus(whole, b.index(rows)), n)); },
        [] {});
  }

  /// Vectors as far as the rows have them, then single elements.
  void addEdge(Value m, Value height, Value n, Value width) {
    Value vectors = b.index(0);
    if (isContiguous)
      vectors = b.roundDown(width, lanes);
    b.loop(height, 1, [&](Value row) {
      if (isContiguous)
        b.loop(vectors, lanes, [&](Value column) {
          addEdgeAt(row, column, m, n, tile.rowVector());
        });
      b.loop(vectors, width, 1, [&](Value column) {
        addEdgeAt(row, column, m, n, tile.rowVector().getElementType());
      });
    });
  }

  void addEdgeAt(Value row, Value column, Value m, Value n, Type type) {
    auto load = [&](Value matrix, ValueRange at) -> Value {
      if (auto vector = dyn_cast<VectorType>(type))
        return vector::LoadOp::create(b, vector, matrix, at);
      return b.load(matrix, at);
    };
    SmallVector<Value> where{b.plus(m, row), b.plus(n, column)};
    Value total =
        plus(before(load(result, where)), load(edge, ValueRange{row, column}));
    auto store = [&] { b.store(total, result, where); };
    if (!epilogue)
      return store();
    b.choose(
        isLast, [&] { epilogue->emit(b, total, where[0], where[1]); }, store);
  }

  LoopBuilder b;
  const MatrixInstruction &op;
  RegisterTileEmitter tile;
  TileEpilogue *epilogue;
  bool isContiguous, isInPlace, fewRowsStream;
  int64_t rows, columns, lanes, panelsOfRows;
  MemRefType ownPanel;
  Value left, right, depth, overwrite, result, stepsOfBlock, edge, starts,
      isFirst, isLast;
  /// The panel of columns that are not packed.
  Value packed;
  /// For tile registers: sums that an epilogue has not read yet.
  std::optional<WaitingSums> waiting;
  /// For tile registers that ask for panels ahead.
  std::optional<PanelRequests> ahead;
};

} // namespace

void aikernel::emitTileLoops(func::FuncOp function,
                             const MatrixInstruction &instruction,
                             TileTraffic traffic, TileEpilogue *epilogue) {
  TileLoopsEmitter(function, instruction, traffic, epilogue).emit();
}
