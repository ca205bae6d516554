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
// Sums take 24 registers, so that right 4 5 are where right 2 3 were. All are
// taken then: sums that came from elsewhere LLVM would take through the stack.
//
//===----------------------------------------------------------------------===//

#include "QuadRounds.h"
#include "NeonAssembly.h"
#include "TileInstructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;

static constexpr unsigned kLefts = 4, kRights = 6, kSums = kLefts * kRights;
static constexpr unsigned kRegisterBytes = 16;

/// How far ahead of its use the left panel, which streams from L2, is fetched.
/// Without it, or twice as far ahead, rounds were 5 and 9 % slower.
static constexpr unsigned kStepsAhead = 16;

/// A request can be so many bytes from an address; loads may be twice as far.
static constexpr int64_t kMostOffset = 4095 * 8;

/// The registers of a block, as results of it: sums, left and right ones.
static unsigned sumRegister(unsigned left, unsigned right) {
  return left * kRights + right;
}
static unsigned leftRegister(unsigned left) { return kSums + left; }
static unsigned rightRegister(unsigned right) {
  return kSums + kLefts + (right < 4 ? right : right - 2);
}
static_assert(kSums + kLefts + 4 == 32, "all registers");

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
           bytes * (kSteps + kStepsAhead) <= kMostOffset;
  };
  return op.accumulators == Accumulators::Quads && op.vectorBits == 128 &&
         op.rows == 2 * kLefts && op.vectors == kRights && isNear(leftBytes) &&
         isNear(rightBytes);
}

void QuadRounds::loadLefts(NeonAssembly &block, unsigned first, unsigned step) {
  for (unsigned i : {first, first + 1})
    block.loadFrom(leftRegister(i), leftAddress,
                   step * leftBytes + i * kRegisterBytes);
}

void QuadRounds::loadRights(NeonAssembly &block, unsigned first,
                            unsigned step) {
  for (unsigned i : {first, first + 1})
    block.loadFrom(rightRegister(i), rightAddress,
                   step * rightBytes + i * kRegisterBytes);
}

void QuadRounds::multiplyStep(NeonAssembly &block, unsigned step, bool isLast) {
  auto multiply = [&](unsigned firstLeft, unsigned firstRight) {
    for (unsigned r : {firstRight, firstRight + 1})
      for (unsigned l : {firstLeft, firstLeft + 1})
        block.multiplyAddSquares(op, sumRegister(l, r), leftRegister(l),
                                 rightRegister(r));
  };
  loadLefts(block, 2, step);
  multiply(0, 0);
  loadRights(block, 2, step);
  multiply(2, 0);
  if (!isLast)
    loadRights(block, 0, step + 1);
  multiply(2, 2);
  block.prefetch(leftAddress, (step + kStepsAhead) * leftBytes);
  multiply(0, 2);
  loadRights(block, 4, step);
  multiply(0, 4);
  if (!isLast)
    loadLefts(block, 0, step + 1);
  multiply(2, 4);
}

/// The last one loads nothing for a next one: behind it may be the end of
/// memory.
void QuadRounds::multiplyRound(NeonAssembly &block, bool isLast) {
  for (unsigned step = 0; step < kSteps; ++step)
    multiplyStep(block, step, isLast && step + 1 == kSteps);
}

QuadRounds::Values QuadRounds::emitRounds(Value count) {
  auto integer = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  NeonAssembly block(b, sumType);
  block.addAllRegisters();
  leftAddress = block.addMovingAddress(integer(startOf(b, left)));
  rightAddress = block.addMovingAddress(integer(startOf(b, right)));
  size_t rounds = block.addCounter(integer(count));
  for (unsigned i = 0; i < kSums; ++i)
    block.clear(i);
  loadLefts(block, 0, 0);
  loadRights(block, 0, 0);
  block.countDownAndLeave(rounds, "last_round");
  block.label("round");
  multiplyRound(block, /*isLast=*/false);
  block.advance(leftAddress, kSteps * leftBytes);
  block.advance(rightAddress, kSteps * rightBytes);
  block.countDownAndRepeat(rounds, "round");
  block.label("last_round");
  multiplyRound(block, /*isLast=*/true);
  return block.finish(kSums);
}

QuadRounds::Values QuadRounds::multiply(Value steps, Value &done) {
  Values sums(kSums, arith::ConstantOp::create(b, b.getZeroAttr(sumType)));
  done = b.roundDown(steps, kSteps);
  auto choice = scf::IfOp::create(b, TypeRange(ValueRange(sums)),
                                  b.compare(arith::CmpIPredicate::sgt, done, 0),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, sums);
  b.setInsertionPointToStart(choice.thenBlock());
  Value count = arith::DivUIOp::create(b, done, b.index(kSteps));
  scf::YieldOp::create(b, emitRounds(count));
  return Values(choice.getResults());
}
