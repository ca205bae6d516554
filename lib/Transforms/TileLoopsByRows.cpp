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
//   for each block of the sum
//     for each panel of rows                      (which stays in L1)
//       for each panel of columns                 (which come from L2)
//         C += register tile over the block
//
// Rows that are not packed lie apart and are slow to come from L2, so here it
// is they that stay, and the packed columns that go by.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/LoopBuilder.h"
#include "AIKernel/Transforms/MatrixViews.h"
#include "AIKernel/Transforms/TileLoops.h"
#include "WaitingSums.h"

using namespace mlir;
using namespace aikernel;

namespace {

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
      waiting.emplace(b, op, *epilogue);
    }
  }

  void emit() {
    Value sizeM = memref::DimOp::create(b, result, 0);
    Value sizeN = memref::DimOp::create(b, result, 1);
    Value stepsOfBlock = b.ceilDiv(memref::DimOp::create(b, right, 2),
                                   op.depth / op.rightDepth());
    Value steps = b.ceilDiv(depth, op.depth);
    Value blocks = arith::CeilDivUIOp::create(b, steps, stepsOfBlock);
    b.loop(blocks, 1, [&](Value block) {
      Value before = b.times(block, stepsOfBlock);
      Value here = b.smaller(stepsOfBlock, b.minus(steps, before));
      Value isFirst = arith::AndIOp::create(b, overwrite, b.equals(block, 0));
      Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                           b.plus(block, 1), blocks);
      b.loop(sizeM, op.rows, [&](Value m) {
        b.loop(sizeN, op.columns(), [&](Value n) {
          Value number = numberAt(n);
          Value panel = panelAt(b, b.getLoc(), right, block, number);
          TileRegisters::Operand rows = rowsAt(m, block, before);
          b.choose(
              isFirst,
              [&] { emitTile(rows, panel, here, m, n, isLast, false); },
              [&] { emitTile(rows, panel, here, m, n, isLast, true); });
        });
        if (waiting)
          b.choose(
              isLast,
              [&] {
                Value n = b.minus(sizeN, b.index(op.columns()));
                waiting->finish({numberAt(n), m, n});
              },
              [] {});
      });
    });
    func::ReturnOp::create(b);
  }

private:
  /// Of the panel of columns that begins there.
  Value numberAt(Value n) {
    return arith::DivUIOp::create(b, n, b.index(op.columns()));
  }

  TileRegisters::Operand rowsAt(Value m, Value block, Value firstStep) {
    if (cast<MemRefType>(left.getType()).getRank() == 2)
      return registers.rowsThatStay({left, m, b.times(firstStep, op.depth)});
    Value panel = arith::DivUIOp::create(b, m, b.index(op.rows));
    return registers.panelThatStays(panelAt(b, b.getLoc(), left, block, panel));
  }

  void emitTile(const TileRegisters::Operand &rows, Value panel, Value steps,
                Value m, Value n, Value isLast, bool adds) {
    TileRegisters::Place inResult{result, m, n};
    auto multiplyTo = [&](const TileRegisters::Place &to,
                          function_ref<void(Value)> beside) {
      registers.multiply(rows, registers.rightThatGoesBy(panel), steps, op.rows,
                         adds ? &inResult : nullptr, to, /*requests=*/{},
                         beside);
    };
    if (!waiting)
      return multiplyTo(inResult, {});
    b.choose(
        isLast,
        [&] {
          Value before = b.minus(n, b.index(op.columns()));
          waiting->multiply({numberAt(n), m, n},
                            {b.minus(numberAt(n), b.index(1)), m, before},
                            steps, multiplyTo);
        },
        [&] { multiplyTo(inResult, {}); });
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
