//===- RowSoftmax.cpp - The maximum, exponentials and their sum -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the ops of a row program. Out: those of a softmax.
//
//===----------------------------------------------------------------------===//

#include "RowSoftmax.h"
#include "RowEmitter.h"
#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace aikernel;

/// One reduction by `Combiner`, to one number.
template <typename Combiner>
static bool isReductionBy(const RowOp &row) {
  linalg::LinalgOp op = row.op;
  SmallVector<Operation *> found;
  return row.reduces && op.getNumDpsInits() == 1 &&
         matchReduction(op.getRegionOutputArgs(), 0, found) &&
         found.size() == 1 && isa<Combiner>(found.front());
}

static Value resultOf(const RowOp &row) {
  linalg::LinalgOp op = row.op;
  return op.getDpsInits().front();
}

/// Is the value the argument, or zero in place of an infinite one?
static bool isArgumentOrZero(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  auto select = value.getDefiningOp<arith::SelectOp>();
  return select && select.getFalseValue() == argument &&
         matchPattern(select.getTrueValue(), m_AnyZeroFloat()) &&
         select.getCondition().getDefiningOp<arith::CmpFOp>();
}

/// The op that yields exp(x - m) for the maximum `m`.
static math::ExpOp findExponential(const RowOp &row, Value maximum) {
  linalg::LinalgOp op = row.op;
  if (!row.hasColumns || row.reduces || op.getNumDpsInits() != 1)
    return {};
  auto exp = op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<math::ExpOp>();
  auto difference =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!difference)
    return {};
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() == maximum &&
        row.shapes[input->getOperandNumber()] == RowShape::PerRow &&
        isArgumentOrZero(difference.getRhs(),
                         op.getMatchingBlockArgument(input)))
      return exp;
  return {};
}

/// The number starts as minus infinity: the thread's own maximum is all there
/// is.
static bool startsAsLeast(const RowOp &maximum, ArrayRef<RowOp> ops) {
  for (const RowOp *row = &maximum; row-- != ops.begin();) {
    linalg::LinalgOp op = row->op;
    if (!llvm::is_contained(op.getDpsInits(), resultOf(maximum)))
      continue;
    auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
    return fill && matchPattern(fill.getInputs()[0], m_NegInfFloat());
  }
  return false;
}

/// Nobody else asks for the maximum: threads do not know it.
static bool isForgotten(const RowOp &exponentials, Value maximum,
                        ArrayRef<RowOp> ops) {
  for (const RowOp *row = &exponentials + 1; row != ops.end(); ++row) {
    linalg::LinalgOp op = row->op;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == maximum && op.payloadUsesValueFromOperand(&operand))
        return false;
    if (llvm::is_contained(op.getDpsInits(), maximum))
      return true; // another number from here on
  }
  return isWholeScratch(maximum);
}

/// The sum of the elements as they are.
static bool isPlainSum(linalg::LinalgOp op) {
  Operation *sum =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  return sum && sum->getNumOperands() == 2 &&
         llvm::all_of(sum->getOperands(), llvm::IsaPred<BlockArgument>);
}

std::optional<RowSoftmax> RowSoftmax::find(ArrayRef<RowOp> ops) {
  for (const RowOp &maximum : ops) {
    if (!isReductionBy<arith::MaximumFOp>(maximum))
      continue;
    // The next op that has columns computes the exponentials, the one after it
    // sums them up; numbers in between are fills.
    const RowOp *next[2] = {};
    unsigned count = 0;
    for (const RowOp *row = &maximum + 1; row != ops.end() && count < 2; ++row)
      if (row->hasColumns)
        next[count++] = row;
      else if (linalg::LinalgOp op = row->op;
               !isa<linalg::FillOp>(op.getOperation()))
        break;
    if (count < 2 || !isReductionBy<arith::AddFOp>(*next[1]))
      continue;
    math::ExpOp exp = findExponential(*next[0], resultOf(maximum));
    linalg::LinalgOp sum = next[1]->op;
    if (exp && exp.getType().isF32() && sum.getNumDpsInputs() == 1 &&
        sum.getDpsInputs().front() == resultOf(*next[0]) && isPlainSum(sum) &&
        isWholeScratch(resultOf(*next[0])) && startsAsLeast(maximum, ops) &&
        isForgotten(*next[0], resultOf(maximum), ops))
      return RowSoftmax{&maximum, next[0], next[1], exp};
  }
  return std::nullopt;
}

arith::MulFOp RowSoftmax::findOnlyUse(ArrayRef<RowOp> ops) const {
  arith::MulFOp found;
  for (const RowOp *row = sum + 1; row != ops.end(); ++row) {
    linalg::LinalgOp op = row->op;
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() != resultOf(*exponentials))
        continue;
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      auto product = argument.hasOneUse()
                         ? dyn_cast<arith::MulFOp>(*argument.user_begin())
                         : arith::MulFOp();
      if (found || !product || product.getLhs() != argument)
        return {};
      // The other factor must not have columns.
      SetVector<Operation *> slice;
      BackwardSliceOptions options;
      options.omitBlockArguments = true;
      (void)getBackwardSlice(product.getRhs(), &slice, options);
      SetVector<Value> used;
      used.insert(product.getRhs());
      for (Operation *inner : slice)
        used.insert(inner->operand_begin(), inner->operand_end());
      for (OpOperand &other : op->getOpOperands())
        if (row->shapes[other.getOperandNumber()] != RowShape::PerRow &&
            used.contains(op.getMatchingBlockArgument(&other)))
          return {};
      found = product;
    }
  }
  return found;
}

Value RowSoftmax::factor(LoopBuilder &b, Value from, Value to) const {
  // Both may be infinite.
  Value same = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, from, to);
  Value difference = arith::SubFOp::create(b, from, to);
  OperationState state(b.getLoc(), exp->getName(), difference,
                       difference.getType(), exp->getAttrs());
  Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
  return arith::SelectOp::create(b, same, one, b.create(state)->getResult(0));
}
