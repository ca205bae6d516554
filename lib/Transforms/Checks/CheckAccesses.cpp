//===- CheckAccesses.cpp - Indices, slices, casts and sizes in range ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops of tensor, memref and bufferization that reach into data or make new
// data, with indices and sizes that show at run time. Out: an aikernel.check in
// front of each for whatever its verifier could not see.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Checks/CheckedSizes.h"
#include "RuntimeChecks.h"
#include "SliceDimensions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Writes the checks of one op in front of it.
class AccessChecker {
public:
  explicit AccessChecker(Operation *op)
      : op(op), builder(op), loc(op->getLoc()) {
    // The terminator of a parallel loop holds nothing but writes.
    if (isa<ParallelCombiningOpInterface>(op))
      builder.setInsertionPoint(op->getParentOp());
  }

  void run() {
    TypeSwitch<Operation *>(op)
        .Case([&](tensor::ExtractOp o) { at(o.getTensor(), o.getIndices()); })
        .Case([&](tensor::InsertOp o) { at(o.getDest(), o.getIndices()); })
        .Case([&](memref::LoadOp o) { at(o.getMemRef(), o.getIndices()); })
        .Case([&](memref::StoreOp o) { at(o.getMemRef(), o.getIndices()); })
        .Case([&](memref::AtomicRMWOp o) { at(o.getMemref(), o.getIndices()); })
        .Case([&](tensor::DimOp o) { dim(o.getSource(), o.getIndex()); })
        .Case([&](memref::DimOp o) { dim(o.getSource(), o.getIndex()); })
        .Case([&](tensor::CastOp o) { cast_(o.getSource(), o.getType()); })
        .Case([&](memref::CastOp o) {
          cast_(o.getSource(), cast<MemRefType>(o.getType()));
        })
        .Case([&](memref::CopyOp o) { same(o.getSource(), o.getTarget()); })
        .Case([&](bufferization::MaterializeInDestinationOp o) {
          same(o.getSource(), o.getDest());
        })
        .Case([&](tensor::ExtractSliceOp o) { slice(o, o.getSource()); })
        .Case([&](memref::SubViewOp o) {
          refuseAmbiguous(o);
          slice(o, o.getSource());
        })
        .Case([&](tensor::InsertSliceOp o) {
          slice(o, o.getDest());
          fills(o.getSource(), o.getMixedSizes(), o.getDroppedDims());
        })
        .Case([&](tensor::ParallelInsertSliceOp o) {
          slice(o, o.getDest());
          fills(o.getSource(), o.getMixedSizes(), o.getDroppedDims());
        })
        .Case([&](tensor::ExpandShapeOp o) {
          expand(o.getSrc(), o.getReassociationIndices(),
                 o.getMixedOutputShape());
        })
        .Case([&](memref::ExpandShapeOp o) {
          expand(o.getSrc(), o.getReassociationIndices(),
                 o.getMixedOutputShape());
        })
        .Case([&](tensor::PadOp o) { pad(o); })
        .Case([&](MemAllocPinnedOp o) { pinned(o); })
        .Case<tensor::EmptyOp, tensor::GenerateOp, tensor::SplatOp,
              memref::AllocOp, bufferization::AllocTensorOp>(
            [&](auto) { newSizes(); });
  }

  /// Whether an error was given instead of a check.
  bool refused = false;

private:
  /// Upstream's ops do not take such numbers once they are attributes.
  void refuseNegative(ArrayRef<OpFoldResult> numbers, StringRef what) {
    for (auto [dim, number] : llvm::enumerate(numbers))
      if (getConstantIntValue(number).value_or(0) < 0 && !refused) {
        refused = true;
        op->emitError("AIK-E0002: '") << op->getName() << "' has a negative "
                                      << what << " for dimension " << dim;
      }
  }

  /// Of tensors DecomposeForeign has made slices of all dimensions. What a view
  /// leaves out is found by sizes alone here: upstream's own function crashes
  /// where strides do not decide.
  void refuseAmbiguous(memref::SubViewOp view) {
    llvm::SmallBitVector dropped(view.getSourceType().getRank());
    if (auto mask = computeRankReductionMask(view.getStaticSizes(),
                                             view.getType().getShape()))
      for (unsigned dim : *mask)
        dropped.set(dim);
    if (!isAmbiguous(view, dropped))
      return;
    refused = true;
    op->emitError("AIK-E0007: '")
        << op->getName()
        << "' does not say clearly which dimensions it leaves out; take all of "
           "them and reshape";
  }

  void require(Value ok, int code, const Twine &what) {
    CheckOp::create(builder, loc, ok, code,
                    (op->getName().getStringRef() + ": " + what).str());
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value value(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  Value both(Value a, Value b) {
    return builder.createOrFold<arith::AndIOp>(loc, a, b);
  }
  Value either(Value a, Value b) {
    return builder.createOrFold<arith::OrIOp>(loc, a, b);
  }

  /// As unsigned numbers negative indices are too large.
  void at(Value shaped, ValueRange indices) {
    for (auto [dim, index] : llvm::enumerate(indices))
      require(compare(arith::CmpIPredicate::ult, index,
                      sizeOf(builder, loc, shaped, dim)),
              AIK_ERANGE,
              "index " + Twine(dim) +
                  " is negative or not below the size of "
                  "dimension " +
                  Twine(dim));
  }

  void dim(Value shaped, Value index) {
    int64_t rank = cast<ShapedType>(shaped.getType()).getRank();
    require(compare(arith::CmpIPredicate::ult, index, constant(rank)),
            AIK_ERANGE, "there is no dimension of this number");
  }

  void cast_(Value source, ShapedType target) {
    auto type = cast<ShapedType>(source.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && !target.isDynamicDim(dim))
        require(compare(arith::CmpIPredicate::eq,
                        sizeOf(builder, loc, source, dim),
                        constant(target.getDimSize(dim))),
                AIK_EINVAL,
                "dimension " + Twine(dim) + " is not " +
                    Twine(target.getDimSize(dim)));
  }

  void same(Value source, Value target) {
    int64_t rank = cast<ShapedType>(source.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      require(compare(arith::CmpIPredicate::eq,
                      sizeOf(builder, loc, source, dim),
                      sizeOf(builder, loc, target, dim)),
              AIK_EINVAL,
              "dimension " + Twine(dim) +
                  " of the source differs from the "
                  "target's");
  }

  /// The last element of a slice lies inside. Nothing is added or multiplied
  /// that could wrap; an empty slice may start at the end.
  void slice(OffsetSizeAndStrideOpInterface slice, Value shaped) {
    refuseNegative(slice.getMixedOffsets(), "offset");
    refuseNegative(slice.getMixedSizes(), "size");
    refuseNegative(slice.getMixedStrides(), "stride");
    for (auto [dim, offset, size, stride] :
         llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                         slice.getMixedStrides())) {
      Value from = value(offset), count = value(size), by = value(stride);
      Value end = sizeOf(builder, loc, shaped, dim);
      Value starts = compare(arith::CmpIPredicate::ule, from, end);
      Value rest = builder.createOrFold<arith::SubIOp>(loc, end, from);
      Value fits;
      if (isConstantIntValue(stride, 1)) {
        fits = compare(arith::CmpIPredicate::ule, count, rest);
      } else {
        Value one = constant(1), zero = constant(0);
        Value step = builder.createOrFold<arith::MaxSIOp>(loc, by, one);
        Value up = builder.createOrFold<arith::SubIOp>(loc, rest, one);
        Value steps = builder.createOrFold<arith::DivUIOp>(loc, up, step);
        Value last = builder.createOrFold<arith::SubIOp>(loc, count, one);
        fits = both(compare(arith::CmpIPredicate::ne, rest, zero),
                    compare(arith::CmpIPredicate::ule, last, steps));
        fits = both(fits, compare(arith::CmpIPredicate::sge, by, one));
        fits = both(fits, compare(arith::CmpIPredicate::sge, count, zero));
        fits = either(fits, compare(arith::CmpIPredicate::eq, count, zero));
      }
      require(both(starts, fits), AIK_ERANGE,
              "the slice reaches out of dimension " + Twine(dim));
    }
  }

  /// What is inserted has the sizes of the slice.
  void fills(Value source, ArrayRef<OpFoldResult> sizes,
             const llvm::SmallBitVector &dropped) {
    int64_t dim = 0;
    for (auto [index, size] : llvm::enumerate(sizes)) {
      if (dropped.test(index))
        continue;
      require(compare(arith::CmpIPredicate::eq,
                      sizeOf(builder, loc, source, dim), value(size)),
              AIK_EINVAL,
              "dimension " + Twine(dim) +
                  " of the source differs from the "
                  "slice's size");
      ++dim;
    }
  }

  void expand(Value source, ArrayRef<ReassociationIndices> groups,
              ArrayRef<OpFoldResult> shape) {
    for (auto [dim, group] : llvm::enumerate(groups)) {
      CheckedSize product = CheckedSize::constant(builder, loc, 1);
      bool known = true;
      for (int64_t index : group) {
        known &= getConstantIntValue(shape[index]).has_value();
        product.multiply(builder, loc, value(shape[index]));
      }
      auto type = cast<ShapedType>(source.getType());
      if (known && !type.isDynamicDim(dim))
        continue; // the verifier has multiplied
      Value equal = compare(arith::CmpIPredicate::eq, product.size,
                            sizeOf(builder, loc, source, dim));
      require(both(equal, product.isTrue), AIK_EINVAL,
              "the new sizes do not multiply to dimension " + Twine(dim));
    }
  }

  void pad(tensor::PadOp pad) {
    auto type = cast<ShapedType>(pad.getType());
    SmallVector<OpFoldResult> lows = pad.getMixedLowPad();
    SmallVector<OpFoldResult> highs = pad.getMixedHighPad();
    refuseNegative(lows, "padding");
    refuseNegative(highs, "padding");
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Value low = value(lows[dim]), high = value(highs[dim]);
      Value most = constant(kMaxBytes);
      Value sane = both(compare(arith::CmpIPredicate::ule, low, most),
                        compare(arith::CmpIPredicate::ule, high, most));
      require(sane, AIK_EINVAL,
              "the padding of dimension " + Twine(dim) +
                  " is negative or too "
                  "large");
      if (type.isDynamicDim(dim))
        continue;
      Value size = sizeOf(builder, loc, pad.getSource(), dim);
      size = builder.createOrFold<arith::AddIOp>(loc, size, low);
      size = builder.createOrFold<arith::AddIOp>(loc, size, high);
      require(compare(arith::CmpIPredicate::eq, size,
                      constant(type.getDimSize(dim))),
              AIK_EINVAL,
              "dimension " + Twine(dim) + " is not " +
                  Twine(type.getDimSize(dim)) + " after padding");
    }
  }

  /// Asked of the runtime as they are, not planned.
  void pinned(MemAllocPinnedOp alloc) {
    newSizes();
    auto type = cast<MemRefType>(alloc.getMemory().getType());
    CheckedSize bytes = CheckedSize::constant(
        builder, loc, bytesPerElement(type.getElementType()).value_or(8));
    unsigned next = 0;
    for (int64_t size : type.getShape())
      bytes.multiply(builder, loc,
                     ShapedType::isDynamic(size)
                         ? alloc.getDynamicSizes()[next++]
                         : constant(size));
    require(bytes.isTrue, AIK_EINVAL, "the memory is too large");
  }

  /// The bytes of all together are checked where memory is planned.
  void newSizes() {
    for (Value size : op->getOperands()) {
      if (!size.getType().isIndex())
        continue;
      refuseNegative(OpFoldResult(size), "size");
      require(compare(arith::CmpIPredicate::ule, size, constant(kMaxBytes)),
              AIK_EINVAL, "a size is negative or too large");
    }
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
};

/// The loop whose position `index` is, as the end of its range.
std::optional<OpFoldResult> endOfRange(Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  if (!argument)
    return std::nullopt;
  auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  if (!loop)
    return std::nullopt;
  auto ivs = loop.getLoopInductionVars();
  auto lowers = loop.getLoopLowerBounds();
  auto uppers = loop.getLoopUpperBounds();
  auto steps = loop.getLoopSteps();
  if (!ivs || !lowers || !uppers || !steps)
    return std::nullopt;
  for (auto [iv, lower, upper, step] :
       llvm::zip(*ivs, *lowers, *uppers, *steps)) {
    if (iv != index)
      continue;
    std::optional<int64_t> from = getConstantIntValue(lower);
    std::optional<int64_t> by = getConstantIntValue(step);
    // A step beyond the end must not wrap.
    if (!from || !by || *from < 0 || *by < 1 || *by > kMaxBytes)
      return std::nullopt;
    return upper;
  }
  return std::nullopt;
}

/// The size of the loop that a linalg.index counts.
bool isLoopSize(linalg::IndexOp index, Value size) {
  auto op = dyn_cast<linalg::LinalgOp>(index->getParentOp());
  if (!op)
    return false;
  int64_t loop = index.getDim();
  int64_t known = op.getStaticLoopRanges()[loop];
  if (std::optional<int64_t> limit = getConstantIntValue(size))
    return !ShapedType::isDynamic(known) && known <= *limit;
  auto dim = size.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> position = dim ? dim.getConstantIndex() : std::nullopt;
  if (!position)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.get() != dim.getSource())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(*position));
    if (expr && expr.getPosition() == loop)
      return true;
  }
  return false;
}

} // namespace

LogicalResult aikernel::checkAccesses(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    AccessChecker checker(op);
    checker.run();
    if (checker.refused)
      return failure();
  }
  return success();
}

void aikernel::dropProvenChecks(func::FuncOp function) {
  SmallVector<CheckOp> proven;
  function.walk([&](CheckOp check) {
    auto compare = check.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
      return;
    Value index = compare.getLhs(), size = compare.getRhs();
    if (std::optional<OpFoldResult> end = endOfRange(index)) {
      std::optional<int64_t> last = getConstantIntValue(*end);
      std::optional<int64_t> limit = getConstantIntValue(size);
      if (last && limit ? *last <= *limit : end->dyn_cast<Value>() == size)
        proven.push_back(check);
    } else if (auto position = index.getDefiningOp<linalg::IndexOp>()) {
      if (isLoopSize(position, size))
        proven.push_back(check);
    }
  });
  for (CheckOp check : proven) {
    Operation *compare = check.getCondition().getDefiningOp();
    check.erase();
    if (compare->use_empty())
      compare->erase();
  }
}
