//===- TileLoopsByRows.cpp - Loops over tiles, rows first -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function of rows, packed or not, and of packed columns, and a
// row of the instruction table whose sums are tiles. Out: its body.
//
//   for each panel of rows                        (which stays in L1)
//     for each panel of columns                   (which come from L2)
//       C += register tile
//
// Rows that are not packed lie apart and are slow to come from L2, so here it
// is they that stay, and the packed columns that go by. Of long rows, which
// fill L1, every second panel of columns is multiplied from its end: what was
// read last is there still.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "TileLoops.h"
#include "Tiles/MatrixViews.h"
#include "WaitingSums.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Of a panel of rows, 2 KiB each: beside the columns that go by, so many stay
/// in an L1 of 48 KiB.
constexpr int64_t kMostStepsInL1 = 16;

class ByRowsEmitter {
public:
  ByRowsEmitter(func::FuncOp function, const MatrixInstruction &instruction,
                TileEpilogue *epilogue)
      : b(function), op(instruction), registers(b, instruction) {
    left = function.getArgument(0);
    right = function.getArgument(1);
    depth = function.getArgument(2);
    overwrite = function.getArgument(3);
    result = function.getArgument(4);
    if (epilogue) {
      epilogue->setOperands(function.getArguments().drop_front(5));
      waiting.emplace(b, op, *epilogue, /*asksAhead=*/false);
    }
  }

  void emit() {
    Value sizeM = memref::DimOp::create(b, result, 0);
    Value sizeN = memref::DimOp::create(b, result, 1);
    Value steps = b.ceilDiv(depth, op.depth);
    Value areLong = b.compare(arith::CmpIPredicate::ugt, steps, kMostStepsInL1);
    b.loop(sizeM, op.rows, [&](Value m) {
      TileRegisters::Operand rows = rowsAt(m);
      b.loop(sizeN, op.columns(), [&](Value n) {
        Value panel = panelAt(b, b.getLoc(), right, b.index(0), numberAt(n));
        TileRegisters::Operand columns = registers.rightThatGoesBy(panel);
        Value isOdd =
            b.equals(arith::RemUIOp::create(b, numberAt(n), b.index(2)), 1);
        Value isBackwards = arith::AndIOp::create(b, areLong, isOdd);
        emitTile(registers.turned(rows, steps, isBackwards),
                 registers.turned(columns, steps, isBackwards), steps, m, n);
      });
      if (waiting) {
        Value n = b.minus(sizeN, b.index(op.columns()));
        waiting->finish({numberAt(n), m, n});
      }
    });
    func::ReturnOp::create(b);
  }

private:
  /// Of the panel of columns that begins there.
  Value numberAt(Value n) {
    return arith::DivUIOp::create(b, n, b.index(op.columns()));
  }

  TileRegisters::Operand rowsAt(Value m) {
    if (cast<MemRefType>(left.getType()).getRank() == 2)
      return registers.rowsThatStay({left, m, b.index(0)});
    Value panel = arith::DivUIOp::create(b, m, b.index(op.rows));
    return registers.panelThatStays(
        panelAt(b, b.getLoc(), left, b.index(0), panel));
  }

  void emitTile(const TileRegisters::Operand &rows,
                const TileRegisters::Operand &columns, Value steps, Value m,
                Value n) {
    TileRegisters::Place inResult{result, m, n};
    auto multiplyTo = [&](const TileRegisters::Place *from,
                          const TileRegisters::Place &to,
                          function_ref<void(Value)> beside) {
      registers.multiply(rows, columns, steps, op.rows, from, to,
                         /*requests=*/{}, beside);
    };
    if (!waiting)
      return b.choose(
          overwrite, [&] { multiplyTo(nullptr, inResult, {}); },
          [&] { multiplyTo(&inResult, inResult, {}); });
    // What has an epilogue adds to nothing.
    Value number = numberAt(n);
    waiting->multiply(
        {number, m, n},
        {b.minus(number, b.index(1)), m, b.minus(n, b.index(op.columns()))},
        steps,
        [&](const TileRegisters::Place &to, function_ref<void(Value)> beside) {
          multiplyTo(nullptr, to, beside);
        });
  }

  LoopBuilder b;
  const MatrixInstruction &op;
  TileRegisters registers;
  Value left, right, depth, overwrite, result;
  std::optional<WaitingSums> waiting;
};

} // namespace

void aikernel::emitTileLoopsByRows(func::FuncOp function,
                                   const MatrixInstruction &instruction,
                                   TileEpilogue *epilogue) {
  ByRowsEmitter(function, instruction, epilogue).emit();
}
