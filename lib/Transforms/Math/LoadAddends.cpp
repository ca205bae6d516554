//===- LoadAddends.cpp - Constants that NEON adds to come from memory -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: x * y + c on vectors of f32 that take several registers of NEON, rounded
// once, c being a constant. Out: for every eight registers the instructions
//   ldr q0, [c]
//   fmla v0.4s, v8.4s, v16.4s     // eight times, with other registers
// as one llvm.inline_asm: LLVM would keep c in a register and copy it for each
// fmla, which overwrites what it adds to, and would compute one register after
// the other, so that a core waits for its own results. What was loaded before
// and is used after is loaded again, and needs no register in between.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/MathPasses.h"
#include "ExpandMathEmitter.h"
#include "Tiles/NeonAssembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "aik-load-addends"

namespace aikernel {
#define GEN_PASS_DEF_LOADADDENDSPASS
#include "AIKernel/Transforms/MathPasses.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

//===----------------------------------------------------------------------===//
// The sums
//===----------------------------------------------------------------------===//

/// Lanes of a register.
constexpr int64_t kLanes = 4;
/// As many as hide the latency of an fmla: two start per cycle and take four.
constexpr int64_t kRegistersAtOnce = 8;

using Values = SmallVector<Value>;

/// x * y + addend.
struct MultiplyAdd {
  Operation *op;
  Value x, y;
  FloatAttr addend;
};

/// The element that a constant vector repeats.
FloatAttr repeated(Value value) {
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat))
             ? splat.getSplatValue<FloatAttr>()
             : FloatAttr();
}

bool takesSeveralRegisters(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32() && vector.getRank() == 1 &&
         !vector.isScalable() && vector.getDimSize(0) % kLanes == 0 &&
         vector.getDimSize(0) > kLanes;
}

std::optional<MultiplyAdd> match(Operation *op) {
  MultiplyAdd found{op, {}, {}, {}};
  if (auto fma = dyn_cast<math::FmaOp>(op)) {
    found.x = fma.getA(), found.y = fma.getB();
    found.addend = repeated(fma.getC());
  } else if (auto sum = aikernel::expandmath::matchMultiplyAdd(op);
             sum && op->getOperand(0).hasOneUse()) {
    found.x = sum->x, found.y = sum->y;
    found.addend = repeated(sum->z);
  }
  if (!found.addend || !takesSeveralRegisters(op->getResult(0).getType()))
    return std::nullopt;
  // A constant factor, then one whose last use this is, comes second.
  if (repeated(found.x) || (!repeated(found.y) && found.x.hasOneUse()))
    std::swap(found.x, found.y);
  return found;
}

//===----------------------------------------------------------------------===//
// The assembly
//===----------------------------------------------------------------------===//

/// Vectors as what they are in registers.
class Registers {
public:
  Values &of(ImplicitLocOpBuilder &b, Value vector) {
    Values &parts = known[vector];
    // There, so that other users may come first.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(vector);
    for (int64_t i = kLanes * parts.size(), e = lengthOf(vector); i < e;
         i += kLanes)
      parts.push_back(
          vector::ExtractStridedSliceOp::create(b, vector, {i}, {kLanes}, {1}));
    return parts;
  }
  Value join(ImplicitLocOpBuilder &b, VectorType type, const Values &parts) {
    Value whole = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (auto [i, part] : llvm::enumerate(parts))
      whole = vector::InsertStridedSliceOp::create(
          b, part, whole, {static_cast<int64_t>(i) * kLanes}, {1});
    known[whole] = parts;
    return whole;
  }
  /// Another vector may come to be where this one was.
  void forget(Value vector) { known.erase(vector); }

private:
  static int64_t lengthOf(Value vector) {
    return cast<VectorType>(vector.getType()).getDimSize(0);
  }
  llvm::DenseMap<Value, Values> known;
};

/// x[i] * y[i] + addend. If this is the last use of y, the result i + 1 takes
/// the register of y[i].
Values multiplyAdd(ImplicitLocOpBuilder &b, ArrayRef<Value> x,
                   ArrayRef<Value> y, FloatAttr addend, bool isLast) {
  aikernel::NeonAssembly block(b, cast<VectorType>(x.front().getType()));
  size_t count = x.size();
  block.addResults(count);
  for (Value value : x)
    block.addInput(value);
  for (auto [i, value] : llvm::enumerate(y))
    if (isLast && i + 1 < count)
      block.addInput(value, /*result=*/i + 1);
    else
      block.addInput(value);
  size_t constant = block.addConstant(addend);
  for (size_t i = 0; i < count; ++i) {
    block.load(i, constant);
    block.multiplyAdd(i, count + i, 2 * count + i);
  }
  return block.finish(count);
}

/// x[i] * factor + addend.
Values multiplyAdd(ImplicitLocOpBuilder &b, ArrayRef<Value> x, FloatAttr factor,
                   FloatAttr addend) {
  aikernel::NeonAssembly block(b, cast<VectorType>(x.front().getType()));
  size_t count = x.size();
  block.addResults(count + 1);
  for (Value value : x)
    block.addInput(value);
  size_t factors = block.addConstant(factor);
  size_t constant = block.addConstant(addend);
  block.load(count, factors);
  for (size_t i = 0; i < count; ++i) {
    block.load(i, constant);
    block.multiplyAdd(i, count + 1 + i, count);
  }
  return block.finish(count);
}

void expand(const MultiplyAdd &sum, Registers &registers) {
  ImplicitLocOpBuilder b(sum.op->getLoc(), sum.op);
  FloatAttr factor = repeated(sum.y);
  Values x = registers.of(b, sum.x), y;
  if (!factor)
    y = registers.of(b, sum.y);
  Values parts;
  for (size_t i = 0; i < x.size(); i += kRegistersAtOnce) {
    size_t count = std::min<size_t>(kRegistersAtOnce, x.size() - i);
    ArrayRef<Value> some = ArrayRef(x).slice(i, count);
    llvm::append_range(
        parts, factor ? multiplyAdd(b, some, factor, sum.addend)
                      : multiplyAdd(b, some, ArrayRef(y).slice(i, count),
                                    sum.addend, sum.y.hasOneUse()));
  }
  auto type = cast<VectorType>(sum.op->getResult(0).getType());
  Value result = sum.op->getResult(0);
  result.replaceAllUsesWith(registers.join(b, type, parts));
  registers.forget(result);
  sum.op->erase();
}

//===----------------------------------------------------------------------===//
// Loads that are repeated
//===----------------------------------------------------------------------===//

bool mayWriteOrFree(Operation &op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return !isMemoryEffectFree(&op) &&
         (!effects || effects.hasEffect<MemoryEffects::Write>() ||
          effects.hasEffect<MemoryEffects::Free>());
}

using Operations = SmallPtrSet<Operation *, 32>;

/// Writes one of `loads`, or one instruction on them and constants, once more
/// before `user`. Gives null for anything else.
Value repeat(Value value, Operation *user, const Operations &loads) {
  Operation *op = value.getDefiningOp();
  OpBuilder b(user);
  if (loads.contains(op))
    return b.clone(*op)->getResult(0);
  if (!isa_and_nonnull<arith::CmpFOp, math::AbsFOp>(op))
    return {};
  IRMapping again;
  for (Value operand : op->getOperands()) {
    if (matchPattern(operand, m_Constant()))
      continue;
    if (!loads.contains(operand.getDefiningOp()))
      return {};
    again.map(operand, repeat(operand, user, loads));
  }
  return b.clone(*op, again)->getResult(0);
}

/// Repeats the loads before `sum` for what comes after it, up to the first
/// store.
void repeatLoads(Operation *sum) {
  Block *block = sum->getBlock();
  Operations loads;
  for (Operation &op : llvm::make_range(block->begin(), sum->getIterator())) {
    if (isa<vector::LoadOp>(op))
      loads.insert(&op);
    if (mayWriteOrFree(op))
      loads.clear();
  }
  auto after = std::next(sum->getIterator());
  for (Operation &op : llvm::make_range(after, block->end())) {
    for (OpOperand &operand : op.getOpOperands())
      if (Value again = repeat(operand.get(), &op, loads))
        operand.set(again);
    if (mayWriteOrFree(op))
      return;
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct LoadAddends : aikernel::impl::LoadAddendsPassBase<LoadAddends> {
  void runOnOperation() override {
    if (!aikernel::hasOnlyNeon(getOperation()))
      return;
    SmallVector<Operation *> candidates;
    getOperation()->walk([&](Operation *op) {
      if (isa<math::FmaOp, arith::AddFOp>(op))
        candidates.push_back(op);
    });
    SmallPtrSet<Block *, 8> known;
    for (Operation *op : candidates)
      if (match(op) && known.insert(op->getBlock()).second)
        repeatLoads(op);
    Registers registers;
    for (Operation *op : candidates)
      if (std::optional<MultiplyAdd> sum = match(op))
        expand(*sum, registers);
  }
};

} // namespace
