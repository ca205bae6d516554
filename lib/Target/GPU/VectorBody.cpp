//===- VectorBody.cpp - Some elements of a structured op at once ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an elementwise op on buffers. Out, for one thread:
//
//   for its vectors of 16 bytes: load, compute, store
//
// Where results go along a short loop that nothing read depends on (the two
// halves of what RoPE turns), the thread that has loaded computes all of them.
//
// Sizes and strides that are not known are looked at by the device: when one is
// no multiple of a vector, elements are handled one by one.
//
//===----------------------------------------------------------------------===//

#include "VectorBody.h"
#include "VectorAccess.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace aikernel;

/// Results that a thread computes of what it has loaded once.
static constexpr int64_t kMostRepeats = 4;

bool aikernel::isHeldInRegisters(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() || type.isInteger(8) ||
         type.isInteger(32);
}

std::optional<unsigned> aikernel::repeatedLoop(linalg::LinalgOp op) {
  if (op.getNumLoops() < 2 || op.getNumReductionLoops() != 0)
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isRead = [&](unsigned dim) {
    return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      return op.payloadUsesValueFromOperand(&operand) &&
             op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim);
    });
  };
  unsigned last = op.getNumLoops() - 1;
  if (!isRead(last))
    return std::nullopt;
  for (unsigned dim = 0; dim < last; ++dim)
    if (extents[dim] > 1 && extents[dim] <= kMostRepeats && !isRead(dim))
      return dim;
  return std::nullopt;
}

bool aikernel::worksOnVectors(linalg::LinalgOp op) {
  return llvm::all_of(*op.getBlock(), [](Operation &inner) {
    if (isa<linalg::IndexOp, linalg::YieldOp, arith::ConstantOp>(inner))
      return true;
    return OpTrait::hasElementwiseMappableTraits(&inner) &&
           inner.getNumResults() == 1;
  });
}

Value aikernel::asVector(LoopBuilder &b, Value value, int64_t size) {
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get({size}, value.getType());
  return vector::BroadcastOp::create(b, type, value);
}

Value aikernel::countFrom(LoopBuilder &b, Value start, int64_t size) {
  auto type = VectorType::get({size}, b.getIndexType());
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < size; ++i)
    numbers.push_back(b.getIndexAttr(i));
  Value steps =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
  return arith::AddIOp::create(b, asVector(b, start, size), steps);
}

LoopBuilder::Values
aikernel::emitVectorBody(LoopBuilder &b, Block &body, ArrayRef<Value> operands,
                         int64_t size, function_ref<Value(unsigned)> indexOf) {
  IRMapping values;
  for (auto [argument, operand] : llvm::zip(body.getArguments(), operands))
    if (operand)
      values.map(argument, operand);
  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      values.map(index.getResult(), indexOf(index.getDim()));
      continue;
    }
    if (isa<arith::ConstantOp>(inner)) {
      b.clone(inner, values);
      continue;
    }
    SmallVector<Value> inputs;
    bool isVector = false;
    for (Value operand : inner.getOperands()) {
      inputs.push_back(values.lookupOrDefault(operand));
      isVector |= isa<VectorType>(inputs.back().getType());
    }
    if (isVector)
      for (Value &input : inputs)
        input = asVector(b, input, size);
    Type type = inner.getResult(0).getType();
    if (isVector)
      type = VectorType::get({size}, type);
    OperationState state(b.getLoc(), inner.getName(), inputs, type,
                         inner.getAttrs());
    values.map(inner.getResult(0), b.create(state)->getResult(0));
  }
  LoopBuilder::Values results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(values.lookupOrDefault(value));
  return results;
}

namespace {

class VectorLoop {
public:
  using Values = LoopBuilder::Values;

  VectorLoop(LoopBuilder &b, linalg::LinalgOp op) : b(b), op(op) {}

  /// Is there a vector that all operands allow?
  bool match() {
    if (op.getNumLoops() == 0 || op.getNumReductionLoops() != 0 ||
        !worksOnVectors(op))
      return false;
    int64_t narrowest = kVectorBits;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type)
        continue;
      bool isTable = type.getElementType().isInteger(64);
      if ((!isHeldInRegisters(type.getElementType()) && !isTable) ||
          !isRowOrNumber(operand))
        return false;
      if (goesAlongRow(operand))
        narrowest = std::min<int64_t>(narrowest, type.getElementTypeBitWidth());
    }
    size = kVectorBits / narrowest;
    int64_t extent = op.getStaticLoopRanges().back();
    return size > 1 && (ShapedType::isDynamic(extent) || extent % size == 0) &&
           areAligned();
  }

  void emit(Value first, Value step, function_ref<void()> elementLoop) {
    findExtents();
    Value whole = condition();
    if (!whole)
      return loop(first, step);
    b.choose(whole, [&] { loop(first, step); }, elementLoop);
  }

private:
  AffineMap mapOf(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand);
  }
  bool goesAlongRow(OpOperand &operand) {
    return mapOf(operand).isFunctionOfDim(op.getNumLoops() - 1);
  }

  /// Indexed by loops, by the last loop in the last place or not at all;
  /// results by the last loop.
  bool isRowOrNumber(OpOperand &operand) {
    AffineMap map = mapOf(operand);
    unsigned last = op.getNumLoops() - 1;
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
        return false;
      if (expr.isFunctionOfDim(last) && position + 1 != map.getNumResults())
        return false;
    }
    if (!goesAlongRow(operand))
      return !op.isDpsInit(&operand);
    auto type = cast<MemRefType>(operand.get().getType());
    return type.getStridesAndOffset().first.back() == 1;
  }

  /// False where an operand is known not to be aligned; those that may be are
  /// noted.
  bool areAligned() {
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type || !goesAlongRow(operand) ||
          alignmentOf(operand.get(), size) == size)
        continue;
      auto [strides, offset] = type.getStridesAndOffset();
      strides.back() = offset;
      for (int64_t number : strides)
        if (!ShapedType::isDynamic(number) && number % size != 0)
          return false;
      unknown.push_back(operand.get());
    }
    return true;
  }

  void findExtents() {
    for (Range range : op.createLoopRanges(b, b.getLoc()))
      extents.push_back(
          getValueOrCreateConstantIndexOp(b, b.getLoc(), range.size));
    repeated = repeatedLoop(op);
  }

  /// What only the device knows; null: nothing.
  Value condition() {
    Values numbers;
    if (!getConstantIntValue(extents.back()))
      numbers.push_back(extents.back());
    for (Value memref : unknown) {
      auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
      numbers.push_back(metadata.getOffset());
      for (Value stride : metadata.getStrides().drop_back())
        numbers.push_back(stride);
    }
    if (numbers.empty())
      return {};
    Value all = numbers.front();
    for (Value number : ArrayRef(numbers).drop_front())
      all = arith::OrIOp::create(b, all, number);
    Value rest = arith::AndIOp::create(b, all, b.index(size - 1));
    return b.equals(rest, 0);
  }

  void loop(Value first, Value step) {
    Value perRow =
        b.createOrFold<arith::DivUIOp>(extents.back(), b.index(size));
    Value total = perRow;
    for (auto [dim, extent] : llvm::enumerate(ArrayRef(extents).drop_back()))
      if (dim != repeated)
        total = b.createOrFold<arith::MulIOp>(total, extent);
    // All threads have one: no loop, so that loads can be done early.
    std::optional<int64_t> all = getConstantIntValue(total);
    if (all && getConstantIntValue(step) == all)
      return emitVector(first, perRow);
    auto loop = scf::ForOp::create(b, first, total, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    emitVector(loop.getInductionVar(), perRow);
  }

  void emitVector(Value number, Value perRow) {
    Values ivs(extents.size(), b.index(0));
    unsigned outermost = repeated == 0u ? 1 : 0;
    for (unsigned dim = extents.size(); dim-- > outermost;) {
      if (dim == repeated)
        continue;
      Value extent = dim + 1 == extents.size() ? perRow : extents[dim];
      ivs[dim] = number;
      if (dim == outermost)
        break;
      ivs[dim] = arith::RemUIOp::create(b, number, extent);
      number = arith::DivUIOp::create(b, number, extent);
    }
    ivs.back() = b.times(ivs.back(), size);
    Values operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(op.payloadUsesValueFromOperand(&operand)
                             ? load(operand, ivs)
                             : Value());
    int64_t times = repeated ? op.getStaticLoopRanges()[*repeated] : 1;
    for (int64_t time = 0; time < times; ++time) {
      if (repeated)
        ivs[*repeated] = b.index(time);
      computeAndStore(operands, ivs);
    }
  }

  void computeAndStore(ArrayRef<Value> operands, ArrayRef<Value> ivs) {
    Values results = emitVectorBody(b, op, operands, size, [&](unsigned dim) {
      return dim + 1 == ivs.size() ? countFrom(b, ivs[dim], size) : ivs[dim];
    });
    for (auto [init, result] : llvm::zip(op.getDpsInitsMutable(), results))
      vector::StoreOp::create(b, asVector(b, result, size), init.get(),
                              indicesOf(init, ivs), /*nontemporal=*/false,
                              alignmentIn(init));
  }

  Values indicesOf(OpOperand &operand, ArrayRef<Value> ivs) {
    Values indices;
    for (AffineExpr expr : mapOf(operand).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        indices.push_back(ivs[dim.getPosition()]);
      else
        indices.push_back(b.index(cast<AffineConstantExpr>(expr).getValue()));
    }
    return indices;
  }

  llvm::MaybeAlign alignmentIn(OpOperand &operand) {
    int64_t bits =
        cast<MemRefType>(operand.get().getType()).getElementTypeBitWidth();
    return llvm::MaybeAlign(std::min(size * bits, kVectorBits) / 8);
  }

  Value load(OpOperand &operand, ArrayRef<Value> ivs) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      return operand.get();
    Values indices = indicesOf(operand, ivs);
    if (!goesAlongRow(operand))
      return b.load(operand.get(), indices);
    return vector::LoadOp::create(
        b, VectorType::get({size}, type.getElementType()), operand.get(),
        indices, /*nontemporal=*/false, alignmentIn(operand));
  }

  LoopBuilder &b;
  linalg::LinalgOp op;
  int64_t size = 0;
  Values extents;
  SmallVector<Value> unknown;
  std::optional<unsigned> repeated;
};

} // namespace

bool aikernel::emitVectorLoop(LoopBuilder &b, linalg::LinalgOp op, Value first,
                              Value step, function_ref<void()> elementLoop) {
  VectorLoop loop(b, op);
  if (!loop.match())
    return false;
  loop.emit(first, step, elementLoop);
  return true;
}
