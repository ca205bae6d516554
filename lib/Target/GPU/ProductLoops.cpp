//===- ProductLoops.cpp - Products as plain loops -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aik_tile.product on memrefs. Out: loops over rows, columns and the sum,
// and over parts of the sum where it is split.
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

void aikernel::expandProduct(tile::ProductOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto size = [&](Value memref, unsigned dim) -> Value {
    return memref::DimOp::create(b, memref, index(dim));
  };
  Value zero = index(0), one = index(1);
  Type sums = op.getBody().front().getArgument(0).getType();
  Value nothing = arith::ConstantOp::create(b, b.getZeroAttr(sums));
  Value rows = size(op.getLhs(), op.getLhsRowDim());
  Value columns = size(op.getRhs(), op.getRhsColumnDim());
  Value depth = size(op.getLhs(), 1 - op.getLhsRowDim());
  Value firstRow = zero, from = zero, to = depth;
  if (int64_t parts = op.getSchedule().getStoredParts(); parts > 1) {
    auto byPart = scf::ForOp::create(b, zero, index(parts), one);
    b.setInsertionPointToStart(byPart.getBody());
    Value part = byPart.getInductionVar();
    firstRow = arith::MulIOp::create(b, part, index(op.getRowsOfPart()));
    Value length = index(op.getStepsOfPart() * op.getSchedule().getDepth());
    from = arith::MulIOp::create(b, part, length);
    to = arith::MinUIOp::create(b, arith::AddIOp::create(b, from, length),
                                depth);
  }
  auto element = [&](Value memref, Value row, Value column,
                     bool transposed) -> Value {
    Value indices[] = {transposed ? column : row, transposed ? row : column};
    Value narrow = memref::LoadOp::create(b, memref, indices);
    if (sums.isInteger())
      return arith::ExtSIOp::create(b, sums, narrow);
    if (narrow.getType() == sums)
      return narrow;
    return arith::ExtFOp::create(b, sums, narrow);
  };
  auto byRow = scf::ForOp::create(b, zero, rows, one);
  b.setInsertionPointToStart(byRow.getBody());
  Value row = byRow.getInductionVar();
  auto byColumn = scf::ForOp::create(b, zero, columns, one);
  b.setInsertionPointToStart(byColumn.getBody());
  Value column = byColumn.getInductionVar();
  auto sum = scf::ForOp::create(b, from, to, one, nothing);
  b.setInsertionPointToStart(sum.getBody());
  Value k = sum.getInductionVar();
  Value left = element(op.getLhs(), row, k, op.getLhsTransposed());
  Value right = element(op.getRhs(), k, column, op.getRhsTransposed());
  Value before = sum.getRegionIterArg(0), next;
  if (sums.isInteger())
    next =
        arith::AddIOp::create(b, before, arith::MulIOp::create(b, left, right));
  else
    next =
        arith::AddFOp::create(b, before, arith::MulFOp::create(b, left, right));
  scf::YieldOp::create(b, next);
  b.setInsertionPointAfter(sum);
  IRMapping values;
  Block &body = op.getBody().front();
  values.map(body.getArgument(0), sum.getResult(0));
  for (auto [number, extra] : llvm::enumerate(op.getExtras())) {
    auto map = cast<AffineMapAttr>(op.getExtraMaps()[number]).getValue();
    SmallVector<Value> indices;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      indices.push_back(!dim ? zero : dim.getPosition() == 0 ? row : column);
    }
    values.map(body.getArgument(number + 1),
               memref::LoadOp::create(b, extra, indices));
  }
  for (Operation &each : body.without_terminator())
    b.clone(each, values);
  Value result = values.lookupOrDefault(body.getTerminator()->getOperand(0));
  Value below = arith::AddIOp::create(b, firstRow, row);
  Value at[] = {op.getOutTransposed() ? column : below,
                op.getOutTransposed() ? below : column};
  memref::StoreOp::create(b, result, op.getOut(), at);
  op.erase();
}
