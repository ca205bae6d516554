//===- QuadRounds.cpp - Rounds of NEON's matrix instructions --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two packed panels. Out: the loop over their rounds. A step multiplies
// four left registers, of two rows each, by six right ones, of two columns, in
// blocks of two by two:
//
//           right 0 1   right 2 3   right 4 5
//   left 0 1    1           4           5         before 1: load left 2 3
//   left 2 3    2           3           6         before 2: load right 2 3
//                                                 before 3: the next right 0 1
//                                                 before 4: ask for a line
//                                                 before 5: load right 4 5
//                                                 before 6: the next left 0 1
//
// Sums take 24 registers, so that right 4 5 are where right 2 3 were.
//
//===----------------------------------------------------------------------===//

#include "QuadRounds.h"
#include "NeonAssembly.h"
#include "TileInstructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

static constexpr unsigned kLefts = 4, kRights = 6, kSums = kLefts * kRights;
static constexpr unsigned kRegisterBytes = 16;

/// Rounds of two and four steps were 3 and 7 % slower.
static constexpr unsigned kStepsOfRound = 8;

/// How far ahead of its use the left panel, which streams from L2, is fetched.
/// Without it, or twice as far ahead, rounds were 5 and 8 % slower.
static constexpr unsigned kStepsAhead = 16;

/// An instruction can tell so many bytes.
static constexpr int64_t kMostOffset = 4095 * kRegisterBytes;

/// The registers of a block, as results of it: sums, left and right ones.
static unsigned sumRegister(unsigned left, unsigned right) {
  return left * kRights + right;
}
static unsigned leftRegister(unsigned left) { return kSums + left; }
static unsigned rightRegister(unsigned right) {
  return kSums + kLefts + (right < 4 ? right : right - 2);
}
static constexpr unsigned kRegisters = kSums + kLefts + 4;

/// From one step of a panel to the next, if that is known.
static int64_t bytesOfStep(Value panel) {
  auto type = cast<MemRefType>(panel.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (strides.back() != 1 || ShapedType::isDynamic(strides.front()))
    return 0;
  return strides.front() * type.getElementTypeBitWidth() / 8;
}

QuadRounds::QuadRounds(LoopBuilder &builder,
                       const MatrixInstruction &instruction, Value left,
                       Value right)
    : b(builder), op(instruction), left(left), right(right),
      leftBytes(bytesOfStep(left)), rightBytes(bytesOfStep(right)) {
  sumType = VectorType::get({(int64_t)op.lanes()},
                            elementType(op.accumulator, b.getContext()));
}

bool QuadRounds::canMultiply() const {
  auto isNear = [](int64_t bytes) {
    return bytes > 0 && bytes % kRegisterBytes == 0 &&
           bytes * (kStepsOfRound + kStepsAhead) <= kMostOffset;
  };
  return op.accumulators == Accumulators::Quads && op.vectorBits == 128 &&
         op.rows == 2 * kLefts && op.vectors == kRights && isNear(leftBytes) &&
         isNear(rightBytes);
}

/// What a register of the first step holds.
Value QuadRounds::loadFirst(Value panel, unsigned number) {
  auto element = cast<MemRefType>(panel.getType()).getElementType();
  int64_t count = 2 * op.depth;
  Value loaded =
      vector::LoadOp::create(b, VectorType::get({count}, element), panel,
                             ValueRange{b.index(0), b.index(number * count)});
  return vector::BitCastOp::create(b, sumType, loaded);
}

Value QuadRounds::addressOf(Value panel, int64_t stepBytes, Value step) {
  return arith::IndexCastOp::create(
      b, b.getI64Type(), b.plus(startOf(b, panel), b.times(step, stepBytes)));
}

void QuadRounds::multiplyStep(NeonAssembly &block, unsigned step, bool isLast) {
  auto loadLefts = [&](unsigned first, unsigned step) {
    for (unsigned i : {first, first + 1})
      block.loadFrom(leftRegister(i), leftAddress,
                     step * leftBytes + i * kRegisterBytes);
  };
  auto loadRights = [&](unsigned first, unsigned step) {
    for (unsigned i : {first, first + 1})
      block.loadFrom(rightRegister(i), rightAddress,
                     step * rightBytes + i * kRegisterBytes);
  };
  auto multiply = [&](unsigned firstLeft, unsigned firstRight) {
    for (unsigned r : {firstRight, firstRight + 1})
      for (unsigned l : {firstLeft, firstLeft + 1})
        block.multiplyAddSquares(op, sumRegister(l, r), leftRegister(l),
                                 rightRegister(r));
  };
  loadLefts(2, step);
  multiply(0, 0);
  loadRights(2, step);
  multiply(2, 0);
  if (!isLast)
    loadRights(0, step + 1);
  multiply(2, 2);
  block.prefetch(leftAddress, (step + kStepsAhead) * leftBytes);
  multiply(0, 2);
  loadRights(4, step);
  multiply(0, 4);
  if (!isLast)
    loadLefts(0, step + 1);
  multiply(2, 4);
}

/// `carried` are the sums and the first two left and right registers, and so is
/// what is returned: of the round after this one, if there is one.
QuadRounds::Values QuadRounds::emitRound(Value step, ValueRange carried,
                                         bool isLast) {
  NeonAssembly block(b, sumType);
  block.addResults(kRegisters);
  for (unsigned i = 0; i < kSums; ++i)
    block.addInput(carried[i], i);
  ValueRange operands = carried.drop_front(kSums);
  for (unsigned i : {0, 1}) {
    block.addInput(operands[i], leftRegister(i));
    block.addInput(operands[2 + i], rightRegister(i));
  }
  leftAddress = block.addAddress(addressOf(left, leftBytes, step));
  rightAddress = block.addAddress(addressOf(right, rightBytes, step));
  for (unsigned i = 0; i < kStepsOfRound; ++i)
    multiplyStep(block, i, isLast && i + 1 == kStepsOfRound);
  Values all = block.finish(kRegisters);
  Values next(ArrayRef(all).take_front(kSums));
  if (!isLast)
    next.append({all[leftRegister(0)], all[leftRegister(1)],
                 all[rightRegister(0)], all[rightRegister(1)]});
  return next;
}

QuadRounds::Values QuadRounds::multiply(Value steps, ValueRange sums,
                                        Value &done) {
  done = b.roundDown(steps, kStepsOfRound);
  auto choice =
      scf::IfOp::create(b, TypeRange(sums),
                        b.compare(arith::CmpIPredicate::sgt, done, 0),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, sums);
  b.setInsertionPointToStart(choice.thenBlock());
  Values first(sums);
  for (Value panel : {left, right})
    for (unsigned i : {0, 1})
      first.push_back(loadFirst(panel, i));
  Value last = b.minus(done, b.index(kStepsOfRound));
  Values all = b.loop(b.index(0), last, kStepsOfRound, first,
                      [&](Value step, ValueRange carried) {
                        return emitRound(step, carried, /*isLast=*/false);
                      });
  scf::YieldOp::create(b, emitRound(last, all, /*isLast=*/true));
  return Values(choice.getResults());
}
