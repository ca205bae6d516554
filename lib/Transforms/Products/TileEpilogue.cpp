//===- TileEpilogue.cpp - What becomes of the sums of a register tile -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a packed product on memrefs and the elementwise op behind it.
// Out: the op's body on vectors of the sums of a tile.
//
//===----------------------------------------------------------------------===//

#include "TileEpilogue.h"
#include "AIKernel/Transforms/Vectors/VectorBodies.h"
#include "Tiles/MatrixViews.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace aikernel;

/// Operations on each vector of sums, up to which they are done in the tile.
/// Longer ones have constants and chains of their own: a loop over many rows,
/// several vectors at a time, keeps them in registers and the machine busy.
static constexpr int64_t kShortBody = 8;

static bool isShort(linalg::GenericOp op) {
  int64_t count = 0;
  for (Operation &inner : op.getRegion().front())
    if (isPolynomial(inner))
      return false;
    else if (!isa<arith::ConstantOp>(inner))
      ++count;
  return count <= kShortBody;
}

/// The next op of the block that reads or writes memory.
static Operation *nextOnMemory(Operation *op) {
  do
    op = op->getNextNode();
  while (op && isMemoryEffectFree(op));
  return op;
}

/// Nothing but these two touches what the product writes, and results have
/// another type than sums: for f32 nothing was gained that is worth the code.
static bool consumes(linalg::GenericOp op, PackedProductOp product) {
  Value sums = product.getOut();
  Operation *made = sums.getDefiningOp();
  return isa_and_nonnull<memref::ViewOp, memref::AllocOp, memref::AllocaOp>(
             made) &&
         llvm::all_of(op.getDpsInits(),
                      [&](Value result) {
                        return getElementTypeOrSelf(result) !=
                               getElementTypeOrSelf(sums);
                      }) &&
         llvm::all_of(sums.getUsers(), [&](Operation *user) {
           return user == op || user == product || isMemoryEffectFree(user);
         });
}

/// May elements of the operand be read or written as vectors along the columns?
static bool isUsable(OpOperand &operand, AffineMap map, unsigned columns) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return false;
  Type element = type.getElementType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!element.isIntOrFloat() || element.isInteger(1) ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [expr, stride] : llvm::zip(map.getResults(), strides)) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !seen.insert(dim.getPosition()).second ||
        (dim.getPosition() == columns && stride != 1))
      return false;
  }
  return true;
}

std::optional<TileEpilogue> TileEpilogue::match(PackedProductOp product) {
  auto op = dyn_cast_or_null<linalg::GenericOp>(nextOnMemory(product));
  if (!op || !op.hasPureBufferSemantics() || !product.getOverwrite() ||
      op.getNumLoops() != product.getNumLoops() ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !product.getOutMap().isIdentity() || !consumes(op, product) ||
      !isShort(op))
    return std::nullopt;
  unsigned columns = op.getNumLoops() - 1;
  std::optional<unsigned> sums;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isSums = operand.get() == product.getOut();
    if ((isSums || op.isDpsInit(&operand)) && !map.isIdentity())
      return std::nullopt;
    if (isSums) {
      if (sums)
        return std::nullopt;
      sums = operand.getOperandNumber();
      continue;
    }
    if (!isUsable(operand, map, columns))
      return std::nullopt;
  }
  if (!sums)
    return std::nullopt;
  for (Operation &inner : op.getRegion().front())
    if (isa<linalg::IndexOp>(inner) || !isLanewise(inner) ||
        callsLibrary(inner))
      return std::nullopt;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  for (Value value : captured) {
    Operation *constant = value.getDefiningOp();
    if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
      return std::nullopt;
  }
  OpBuilder b = OpBuilder::atBlockBegin(op.getBody());
  for (Value value : captured) {
    Operation *own = b.clone(*value.getDefiningOp());
    replaceAllUsesInRegionWith(value, own->getResult(0), op.getRegion());
  }
  return TileEpilogue(op, *sums);
}

/// The body alone: the operands' types are in that of the function.
Attribute TileEpilogue::getVariant() {
  std::string text;
  llvm::raw_string_ostream out(text);
  OpPrintingFlags flags;
  AsmState state(op, flags.useLocalScope().enableDebugInfo(false));
  for (Operation &inner : op.getRegion().front()) {
    inner.print(out, state);
    out << ";";
  }
  return ArrayAttr::get(
      op.getContext(),
      {op.getIndexingMaps(), StringAttr::get(op.getContext(), text)});
}

SmallVector<Value>
TileEpilogue::viewOperands(LoopBuilder &b, ArrayRef<OpFoldResult> loops,
                           std::array<OpFoldResult, 2> sizes) {
  unsigned rows = loops.size() - 2;
  SmallVector<Value> views;
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.getOperandNumber() == sums)
      continue;
    std::array<int64_t, 2> dims{-1, -1};
    SmallVector<OpFoldResult> at;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      at.push_back(dim ? loops[dim.getPosition()]
                       : OpFoldResult(b.getIndexAttr(
                             cast<AffineConstantExpr>(expr).getValue())));
      if (dim && dim.getPosition() >= rows)
        dims[dim.getPosition() - rows] = position;
    }
    views.push_back(
        viewAsMatrix(b, b.getLoc(), operand.get(), at, dims, sizes));
  }
  return views;
}

static SmallVector<int64_t> stridesOf(Value matrix) {
  return cast<MemRefType>(matrix.getType()).getStridesAndOffset().first;
}

/// Of the body, for each matrix.
SmallVector<BlockArgument> TileEpilogue::argumentsOf() {
  SmallVector<BlockArgument> arguments(op.getBody()->getArguments());
  arguments.erase(arguments.begin() + sums);
  return arguments;
}

TileEpilogue::ReadColumns
TileEpilogue::readColumns(LoopBuilder &b, ValueRange columns, int64_t width) {
  ReadColumns known;
  for (auto [matrix, argument] : llvm::zip(matrices, argumentsOf()))
    for (Value column : columns)
      if (!argument.use_empty() && stridesOf(matrix)[0] == 0)
        known[{matrix, column}] = load(b, matrix, Value(), column, width);
  return known;
}

/// Strides of zero are in the type: such an operand is read once for all.
Value TileEpilogue::load(LoopBuilder &b, Value matrix, Value row, Value column,
                         int64_t width) {
  auto type = cast<MemRefType>(matrix.getType());
  SmallVector<int64_t> strides = stridesOf(matrix);
  Value zero = b.index(0);
  SmallVector<Value> where{strides[0] == 0 ? zero : row,
                           strides[1] == 0 ? zero : column};
  if (width == 1 || strides[1] == 0)
    return b.load(matrix, where);
  return vector::LoadOp::create(
      b, VectorType::get({width}, type.getElementType()), matrix, where);
}

void TileEpilogue::emit(LoopBuilder &b, Value value, Value row, Value column,
                        const ReadColumns *known) {
  auto vector = dyn_cast<VectorType>(value.getType());
  int64_t width = vector ? vector.getNumElements() : 1;
  Block &body = op.getRegion().front();
  IRMapping values;
  values.map(body.getArgument(sums), value);
  for (auto [matrix, argument] : llvm::zip(matrices, argumentsOf())) {
    Value read = known ? known->lookup({matrix, column}) : Value();
    if (!argument.use_empty())
      values.map(argument, read ? read : load(b, matrix, row, column, width));
  }
  for (Operation &inner : body.without_terminator())
    cloneScalarOrVector(b, b.getLoc(), inner, width, values);
  for (auto [index, yielded] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    Value result = splat(b, b.getLoc(), values.lookupOrDefault(yielded), width);
    b.store(result, matrices[op.getNumDpsInputs() - 1 + index],
            ValueRange{row, column});
  }
}
