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
#include "FragmentWeights.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace aikernel;

/// The number that row `row` of packed weights has in column `column`.
static Value packedElement(ImplicitLocOpBuilder &b, tile::ProductOp op,
                           Value row, Value column) {
  auto x = cast<MemRefType>(op.getLhs().getType());
  auto out = cast<MemRefType>(op.getOut().getType());
  FragmentWeights layout{out.getDimSize(1) / FragmentWeights::kRows,
                         x.getDimSize(1) / FragmentWeights::kGroup};
  auto at = [&](AffineExpr place) -> Value {
    return affine::expandAffineExpr(b, b.getLoc(), place, {row, column}, {});
  };
  auto load = [&](Value memref, AffineMap place) -> Value {
    Value indices[] = {at(place.getResult(0)), at(place.getResult(1))};
    return memref::LoadOp::create(b, memref, indices);
  };
  Type word = b.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 32);
  };
  Value byte = arith::ExtUIOp::create(
      b, word, load(op.getRhs(), layout.getCodePlace(b.getContext())));
  // Of rows r and r + kHighRow the second has the high half.
  AffineExpr dim = b.getAffineDimExpr(0);
  Value shift = arith::IndexCastOp::create(
      b, word, at((dim.floorDiv(FragmentWeights::kHighRow) % 2) * 4));
  Value code = arith::AndIOp::create(b, arith::ShRUIOp::create(b, byte, shift),
                                     constant(15));
  Value number =
      arith::SubIOp::create(b, code, constant(FragmentWeights::kOffset));
  Value scale = load(op.getExtras()[0], layout.getScalePlace(b.getContext()));
  return arith::MulFOp::create(
      b, arith::SIToFPOp::create(b, b.getF32Type(), number), scale);
}

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
  Value columns = size(op.getOut(), 1 - op.getOutRowDim());
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
  Value right = op.getPacked()
                    ? packedElement(b, op, column, k)
                    : element(op.getRhs(), k, column, op.getRhsTransposed());
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
    if (op.getPacked())
      break;
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
