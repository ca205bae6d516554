//===- TensorChecks.cpp - Run-time checks of slices and loops -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: slices, elements and loops of a program, with sizes known at run time.
// Out: an aikernel.check in front of each, or at the end of a loop's body.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/TensorChecks.h"
#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Builds the checks of one op, in front of it.
class Checker {
public:
  explicit Checker(Operation *op)
      : b(op->getLoc(), op), place(op->getName().getStringRef()) {
    // Slices of a parallel loop are put into place by its terminator.
    if (isa<tensor::ParallelInsertSliceOp>(op))
      b.setInsertionPoint(op->getParentOp());
  }

  /// Every index that the slice names exists in `tensor`.
  void slice(Value tensor, OffsetSizeAndStrideOpInterface slice) {
    for (auto [dim, offset, size, stride] :
         llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                         slice.getMixedStrides())) {
      auto type = cast<RankedTensorType>(tensor.getType());
      if (isKnownInside(type.getDimSize(dim), offset, size, stride) ||
          isBoundedInside(tensor, dim, offset, size, stride))
        continue;
      Value extent = tensor::DimOp::create(b, tensor, dim);
      require(
          isInside(extent, asValue(offset), asValue(size), stride), AIK_ERANGE,
          "a slice reaches beyond dimension " + Twine(dim) + " of its tensor");
    }
  }

  /// The tensor that is put into a slice has the slice's sizes.
  template <typename InsertOp>
  void source(InsertOp insert) {
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    unsigned sourceDim = 0;
    for (auto [dim, size] : llvm::enumerate(insert.getMixedSizes())) {
      if (dropped.test(dim))
        continue;
      unsigned at = sourceDim++;
      if (!insert.getSourceType().isDynamicDim(at) && getConstantIntValue(size))
        continue;
      Value given = tensor::DimOp::create(b, insert.getSource(), at);
      require(compare(arith::CmpIPredicate::eq, given, asValue(size)),
              AIK_EINVAL,
              "dimension " + Twine(at) +
                  " of the source differs from the slice that it goes to");
    }
  }

  void element(Value tensor, ValueRange indices) {
    auto type = cast<RankedTensorType>(tensor.getType());
    for (auto [dim, index] : llvm::enumerate(indices)) {
      std::optional<int64_t> known = getConstantIntValue(index);
      if (known && !type.isDynamicDim(dim) && *known >= 0 &&
          *known < type.getDimSize(dim))
        continue;
      Value extent = tensor::DimOp::create(b, tensor, dim);
      require(compare(arith::CmpIPredicate::ult, index, extent), AIK_ERANGE,
              "an index is outside dimension " + Twine(dim) + " of its tensor");
    }
  }

private:
  Value asValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(b, predicate, left, right);
  }
  void require(Value ok, int code, const Twine &message) {
    CheckOp::create(b, ok, code, (place + ": " + message).str());
  }

  static bool isKnownInside(int64_t extent, OpFoldResult offset,
                            OpFoldResult size, OpFoldResult stride) {
    std::optional<int64_t> from = getConstantIntValue(offset);
    std::optional<int64_t> count = getConstantIntValue(size);
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (ShapedType::isDynamic(extent) || !from || !count || !step)
      return false;
    int64_t last;
    return *from >= 0 && *from <= extent && *count >= 0 && *step > 0 &&
           !llvm::MulOverflow(*count - 1, *step, last) &&
           (*count == 0 || last < extent - *from);
  }

  /// The same by what loops say of their indices and ops of their sizes.
  bool isBoundedInside(Value tensor, int64_t dim, OpFoldResult offset,
                       OpFoldResult size, OpFoldResult stride) {
    using Bounds = ValueBoundsConstraintSet;
    if (!isConstantIntValue(stride, 1))
      return false;
    AffineExpr from, count;
    bindDims(b.getContext(), from, count);
    Bounds::Variable zero(b.getIndexAttr(0)),
        end(AffineMap::get(2, 0, from + count),
            ArrayRef<Bounds::Variable>{offset, size});
    return Bounds::compare(offset, Bounds::ComparisonOperator::GE, zero) &&
           Bounds::compare(size, Bounds::ComparisonOperator::GE, zero) &&
           Bounds::compare(end, Bounds::ComparisonOperator::LE,
                           Bounds::Variable(tensor, dim));
  }

  /// 0 <= offset <= extent, and the steps from the first index to the last fit
  /// into what is left. No sum of numbers from outside, so nothing wraps.
  Value isInside(Value extent, Value offset, Value size, OpFoldResult stride) {
    Value begins = compare(arith::CmpIPredicate::ule, offset, extent);
    Value left = arith::SubIOp::create(b, extent, offset);
    if (isConstantIntValue(stride, 1))
      return arith::AndIOp::create(
          b, begins, compare(arith::CmpIPredicate::ule, size, left));
    Value one = constant(1), step = asValue(stride);
    Value forward = compare(arith::CmpIPredicate::sgt, step, constant(0));
    // Divide by 1 where the answer is no anyway. One more index starts every
    // `step` elements of what is left.
    Value divisor = arith::SelectOp::create(b, forward, step, one);
    Value steps = arith::CeilDivUIOp::create(b, left, divisor);
    Value fits = compare(arith::CmpIPredicate::ule, size, steps);
    return arith::AndIOp::create(b, arith::AndIOp::create(b, begins, forward),
                                 fits);
  }

  ImplicitLocOpBuilder b;
  StringRef place;
};

/// `next` takes the place of `start` in a loop.
LogicalResult checkCarried(Operation *loop, Operation *yield, unsigned number,
                           Value start, Value next) {
  auto type = dyn_cast<RankedTensorType>(start.getType());
  if (!type || start == next)
    return success();
  OpBuilder builder(yield);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    std::string message =
        (loop->getName().getStringRef() + ": the body changes dimension " +
         Twine(dim) + " of tensor " + Twine(number) + " that the loop carries")
            .str();
    FailureOr<bool> same =
        ValueBoundsConstraintSet::areEqual({start, dim}, {next, dim});
    if (succeeded(same) && !*same)
      return loop->emitError("AIK-E0007: ") << message;
    Value before = tensor::DimOp::create(builder, loop->getLoc(), start, dim);
    Value after = tensor::DimOp::create(builder, loop->getLoc(), next, dim);
    Value ok = arith::CmpIOp::create(builder, loop->getLoc(),
                                     arith::CmpIPredicate::eq, before, after);
    CheckOp::create(builder, loop->getLoc(), ok, AIK_EINVAL, message);
  }
  return success();
}

} // namespace

void aikernel::checkSlices(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::ParallelInsertSliceOp, tensor::ExtractOp, tensor::InsertOp>(
            op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    Checker checker(op);
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
      checker.slice(extract.getSource(), extract);
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      checker.slice(insert.getDest(), insert);
      checker.source(insert);
    } else if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op)) {
      checker.slice(insert.getDest(), insert);
      checker.source(insert);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      checker.element(extract.getTensor(), extract.getIndices());
    } else if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      checker.element(insert.getDest(), insert.getIndices());
    }
  }
}

LogicalResult aikernel::checkLoops(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    auto check = [&](Operation *yield, ValueRange starts, ValueRange nexts) {
      for (auto [number, start, next] : llvm::enumerate(starts, nexts))
        if (failed(checkCarried(op, yield, number, start, next)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    };
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return check(loop.getBody()->getTerminator(), loop.getRegionIterArgs(),
                   loop.getYieldedValues());
    // The arguments of the condition are not visible in the body.
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return check(loop.getYieldOp(), loop.getInits(),
                   loop.getYieldOp().getResults());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
