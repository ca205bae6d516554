//===- ShapeContract.cpp - What follows from a shape contract, except tiling
//===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op's statement of its sizes. Out: one sentence for the first
// disagreement, conditions for what only shows at run time, and the sizes of
// its results.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;

namespace {
/// One dimension of one operand or result.
struct Occurrence {
  const TensorRole *tensor;
  unsigned dim;

  bool isBroadcast() const { return tensor->dims[dim].broadcast; }
  int64_t getStaticSize() const { return tensor->getType().getDimSize(dim); }
  bool isStatic() const { return !tensor->getType().isDynamicDim(dim); }
};
} // namespace

static SmallVector<Occurrence> collectOccurrences(const ShapeContract &contract,
                                                  unsigned size,
                                                  bool withResults) {
  SmallVector<Occurrence> occurrences;
  auto collect = [&](const TensorRole &tensor) {
    for (auto [dim, role] : llvm::enumerate(tensor.dims))
      if (role.size == size)
        occurrences.push_back({&tensor, static_cast<unsigned>(dim)});
  };
  llvm::for_each(contract.operands, collect);
  if (withResults)
    llvm::for_each(contract.results, collect);
  return occurrences;
}

/// "operand 'b' has size 64 in dimension 0 (K)".
static std::string describeSize(const ShapeContract &contract, Occurrence at) {
  return at.tensor->describe() + " has size " +
         std::to_string(at.getStaticSize()) + " in dimension " +
         std::to_string(at.dim) + " (" +
         contract.sizes[at.tensor->dims[at.dim].size].name + ")";
}

/// "dimension 0 (K) of operand 'b'".
static std::string describeDim(const ShapeContract &contract, Occurrence at) {
  return "dimension " + std::to_string(at.dim) + " (" +
         contract.sizes[at.tensor->dims[at.dim].size].name + ") of " +
         at.tensor->describe();
}

static LogicalResult verifyTensor(Operation *op, const TensorRole &tensor) {
  RankedTensorType type = tensor.getType();
  if (type.getRank() > AIK_MAX_RANK)
    return op->emitOpError()
           << tensor.describe() << " has rank " << type.getRank()
           << " but the largest rank is " << AIK_MAX_RANK;
  if (type.getEncoding())
    return op->emitOpError() << tensor.describe() << " has the encoding "
                             << type.getEncoding() << " but must have none";
  if (type.getRank() != static_cast<int64_t>(tensor.dims.size()))
    return op->emitOpError()
           << tensor.describe() << " has rank " << type.getRank()
           << " but must have rank " << tensor.dims.size();
  return success();
}

/// A broadcast 1 says nothing about the size.
static bool decidesSize(Occurrence at) {
  return at.isStatic() && !(at.isBroadcast() && at.getStaticSize() == 1);
}

/// The occurrences of one size agree where they are known.
static LogicalResult verifySize(Operation *op, const ShapeContract &contract,
                                unsigned size) {
  SmallVector<Occurrence> all = collectOccurrences(contract, size, true);
  std::optional<Occurrence> reference;
  for (Occurrence at : all) {
    if (!decidesSize(at))
      continue;
    if (!reference) {
      reference = at;
      continue;
    }
    if (at.getStaticSize() != reference->getStaticSize())
      return op->emitOpError() << describeSize(contract, at) << " but "
                               << describeSize(contract, *reference)
                               << (at.isBroadcast() || reference->isBroadcast()
                                       ? ", and neither is 1"
                                       : "");
  }
  // A result that only broadcast operands decide is 1 when all of them are.
  bool allOne = llvm::all_of(all, [](Occurrence at) {
    return at.tensor->isResult ||
           (at.isBroadcast() && at.isStatic() && at.getStaticSize() == 1);
  });
  bool hasOperand =
      llvm::any_of(all, [](Occurrence at) { return !at.tensor->isResult; });
  if (allOne && hasOperand && reference && reference->getStaticSize() != 1)
    return op->emitOpError() << describeSize(contract, *reference) << " but "
                             << describeSize(contract, all.front());
  return success();
}

/// A size that groups another divides it.
static LogicalResult verifyGroups(Operation *op, const ShapeContract &contract,
                                  unsigned size) {
  auto firstStatic = [&](unsigned index) -> std::optional<Occurrence> {
    for (Occurrence at : collectOccurrences(contract, index, false))
      if (decidesSize(at))
        return at;
    return std::nullopt;
  };
  std::optional<Occurrence> groups = firstStatic(size);
  std::optional<Occurrence> whole = firstStatic(*contract.sizes[size].groupsOf);
  if (!groups || !whole)
    return success();
  int64_t divisor = groups->getStaticSize(), number = whole->getStaticSize();
  if (divisor == 0 ? number != 0 : number % divisor != 0)
    return op->emitOpError()
           << describeSize(contract, *whole) << ", which is not a multiple of "
           << divisor << ": " << describeSize(contract, *groups);
  return success();
}

/// The first occurrence whose size is known, results included.
static std::optional<Occurrence> findStatic(const ShapeContract &contract,
                                            unsigned size) {
  for (Occurrence at : collectOccurrences(contract, size, true))
    if (at.isStatic())
      return at;
  return std::nullopt;
}

/// An earlier size that is in proportion to the same one as `size`, which
/// decides where that one is in no operand.
static std::optional<unsigned> findSibling(const ShapeContract &contract,
                                           unsigned size) {
  unsigned other = contract.sizes[size].ratio->other;
  for (unsigned i = 0; i != size; ++i)
    if (contract.sizes[i].ratio && contract.sizes[i].ratio->other == other &&
        !collectOccurrences(contract, i, false).empty())
      return i;
  return std::nullopt;
}

/// Two sizes stand for the same number of units of a third one.
static LogicalResult
verifySiblings(Operation *op, const ShapeContract &contract, unsigned size) {
  std::optional<unsigned> sibling = findSibling(contract, size);
  if (!sibling)
    return success();
  std::optional<Occurrence> part = findStatic(contract, size);
  std::optional<Occurrence> known = findStatic(contract, *sibling);
  if (!part || !known)
    return success();
  SizeRatio own = *contract.sizes[size].ratio;
  SizeRatio theirs = *contract.sizes[*sibling].ratio;
  uint64_t elements = uint64_t(part->getStaticSize() / own.per) * own.unit;
  if (elements == uint64_t(known->getStaticSize() / theirs.per) * theirs.unit)
    return success();
  return op->emitOpError() << describeSize(contract, *part) << " but "
                           << describeSize(contract, *known)
                           << ", which does not go with it";
}

/// A size in proportion to another has it where both are known.
static LogicalResult verifyRatio(Operation *op, const ShapeContract &contract,
                                 unsigned size) {
  SizeRatio ratio = *contract.sizes[size].ratio;
  std::optional<Occurrence> part = findStatic(contract, size);
  std::optional<Occurrence> whole = findStatic(contract, ratio.other);
  auto verifyMultiple = [&](Occurrence at, int64_t unit) -> LogicalResult {
    if (at.getStaticSize() % unit == 0)
      return success();
    return op->emitOpError() << describeSize(contract, at)
                             << ", which is not a multiple of " << unit;
  };
  if ((whole && failed(verifyMultiple(*whole, ratio.unit))) ||
      (part && failed(verifyMultiple(*part, ratio.per))))
    return failure();
  if (!whole)
    return verifySiblings(op, contract, size);
  if (!part)
    return success();
  int64_t units = whole->getStaticSize() / ratio.unit;
  if (units != part->getStaticSize() / ratio.per)
    return op->emitOpError()
           << describeSize(contract, *part) << " but "
           << describeSize(contract, *whole) << ", which takes "
           << static_cast<uint64_t>(units) * static_cast<uint64_t>(ratio.per);
  return success();
}

LogicalResult contract::verify(ShapeContractOpInterface op) {
  ShapeContract contract = op.getShapeContract();
  for (const TensorRole &tensor : contract.operands)
    if (failed(verifyTensor(op, tensor)))
      return failure();
  for (const TensorRole &tensor : contract.results)
    if (failed(verifyTensor(op, tensor)))
      return failure();
  for (unsigned size = 0, e = contract.sizes.size(); size != e; ++size) {
    if (failed(verifySize(op, contract, size)))
      return failure();
    if (contract.sizes[size].groupsOf &&
        failed(verifyGroups(op, contract, size)))
      return failure();
    if (contract.sizes[size].ratio && failed(verifyRatio(op, contract, size)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes as values
//===----------------------------------------------------------------------===//

OpFoldResult contract::buildScaled(OpBuilder &builder, Location loc,
                                   OpFoldResult size, int64_t unit,
                                   int64_t per) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return builder.getIndexAttr(static_cast<int64_t>(
        static_cast<uint64_t>(*known / unit) * static_cast<uint64_t>(per)));
  Value by = arith::ConstantIndexOp::create(builder, loc, unit);
  Value times = arith::ConstantIndexOp::create(builder, loc, per);
  Value units =
      builder.createOrFold<arith::DivUIOp>(loc, cast<Value>(size), by);
  return builder.createOrFold<arith::MulIOp>(loc, units, times);
}

/// A size that no operand has, from one that is in proportion to it.
static OpFoldResult buildByRatio(OpBuilder &builder, Location loc,
                                 const ShapeContract &contract, unsigned size) {
  if (std::optional<SizeRatio> ratio = contract.sizes[size].ratio)
    return contract::buildScaled(
        builder, loc, contract::buildSize(builder, loc, contract, ratio->other),
        ratio->unit, ratio->per);
  for (auto [index, named] : llvm::enumerate(contract.sizes))
    if (named.ratio && named.ratio->other == size &&
        !collectOccurrences(contract, index, false).empty())
      return contract::buildScaled(
          builder, loc, contract::buildSize(builder, loc, contract, index),
          named.ratio->per, named.ratio->unit);
  return {};
}

OpFoldResult contract::buildSize(OpBuilder &builder, Location loc,
                                 const ShapeContract &contract, unsigned size) {
  SmallVector<Occurrence> all = collectOccurrences(contract, size, true);
  for (Occurrence at : all)
    if (at.isStatic() && !(at.isBroadcast() && at.getStaticSize() == 1))
      return builder.getIndexAttr(at.getStaticSize());

  if (collectOccurrences(contract, size, false).empty())
    if (OpFoldResult scaled = buildByRatio(builder, loc, contract, size))
      return scaled;

  // Nothing static: an operand that cannot be broadcast decides; else each
  // operand in turn, where those before it are 1.
  OpFoldResult decided;
  for (Occurrence at : all) {
    if (at.tensor->isResult || (at.isBroadcast() && at.isStatic()))
      continue;
    Value dim = tensor::DimOp::create(builder, loc, at.tensor->value, at.dim);
    if (!at.isBroadcast())
      return dim;
    if (!decided) {
      decided = dim;
      continue;
    }
    Value earlier = cast<Value>(decided);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        earlier, one);
    decided =
        arith::SelectOp::create(builder, loc, isOne, dim, earlier).getResult();
  }
  return decided ? decided : OpFoldResult(builder.getIndexAttr(1));
}

LogicalResult contract::reifyResultShapes(OpBuilder &builder,
                                          ShapeContractOpInterface op,
                                          ReifiedRankedShapedTypeDims &shapes) {
  ShapeContract contract = op.getShapeContract();
  Location loc = op->getLoc();
  for (const TensorRole &result : contract.results) {
    SmallVector<OpFoldResult> shape;
    for (auto [dim, role] : llvm::enumerate(result.dims)) {
      if (!result.getType().isDynamicDim(dim))
        shape.push_back(builder.getIndexAttr(result.getType().getDimSize(dim)));
      else
        shape.push_back(getValueOrCreateConstantIndexOp(
            builder, loc, buildSize(builder, loc, contract, role.size)));
    }
    shapes.push_back(std::move(shape));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Run-time checks
//===----------------------------------------------------------------------===//

static Value compare(OpBuilder &builder, Location loc,
                     arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
}

static Value sizeOf(OpBuilder &builder, Location loc, Occurrence at) {
  if (at.isStatic())
    return arith::ConstantIndexOp::create(builder, loc, at.getStaticSize());
  return tensor::DimOp::create(builder, loc, at.tensor->value, at.dim);
}

static void buildEqualSizeChecks(OpBuilder &builder, Operation *op,
                                 const ShapeContract &contract, unsigned size,
                                 RequireFn require) {
  Location loc = op->getLoc();
  // What the operands say. A dynamic dimension of a result follows them.
  SmallVector<Occurrence> operands;
  for (Occurrence at : collectOccurrences(contract, size, false))
    if (!(at.isBroadcast() && at.isStatic() && at.getStaticSize() == 1))
      operands.push_back(at);
  if (llvm::all_of(operands, [](Occurrence at) { return at.isStatic(); }))
    return;
  ShapeContract operandsOnly = contract;
  operandsOnly.results.clear();
  Value expected = getValueOrCreateConstantIndexOp(
      builder, loc, contract::buildSize(builder, loc, operandsOnly, size));
  Occurrence reference = operands.front();
  for (Occurrence at : operands)
    if (at.isStatic() || (!at.isBroadcast() && reference.isBroadcast())) {
      reference = at;
      if (at.isStatic())
        break;
    }

  auto requireAgreement = [&](Occurrence at, Value ok) {
    require(ok, AIK_EINVAL,
            Twine(op->getName().getStringRef()) + ": " +
                describeDim(contract, at) + " differs from " +
                describeDim(contract, reference) +
                (at.isBroadcast() ? " and is not 1" : ""));
  };
  for (Occurrence at : operands) {
    if (at.isStatic() ||
        (at.tensor == reference.tensor && at.dim == reference.dim))
      continue;
    Value actual = sizeOf(builder, loc, at);
    Value ok =
        compare(builder, loc, arith::CmpIPredicate::eq, actual, expected);
    if (at.isBroadcast()) {
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      Value isOne =
          compare(builder, loc, arith::CmpIPredicate::eq, actual, one);
      ok = builder.createOrFold<arith::OrIOp>(loc, ok, isOne);
    }
    requireAgreement(at, ok);
  }
  if (reference.isStatic())
    return;
  for (Occurrence at : collectOccurrences(contract, size, true))
    if (at.tensor->isResult && at.isStatic())
      requireAgreement(at, compare(builder, loc, arith::CmpIPredicate::eq,
                                   sizeOf(builder, loc, at), expected));
}

static void buildGroupCheck(OpBuilder &builder, Operation *op,
                            const ShapeContract &contract, unsigned size,
                            RequireFn require) {
  Location loc = op->getLoc();
  unsigned wholeSize = *contract.sizes[size].groupsOf;
  OpFoldResult groups = contract::buildSize(builder, loc, contract, size);
  OpFoldResult whole = contract::buildSize(builder, loc, contract, wholeSize);
  if (isa<Attribute>(groups) && isa<Attribute>(whole))
    return;
  Value divisor = getValueOrCreateConstantIndexOp(builder, loc, groups);
  Value number = getValueOrCreateConstantIndexOp(builder, loc, whole);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  // Zero groups hold only zero elements; a remainder by zero is undefined.
  Value safeDivisor = builder.createOrFold<arith::MaxUIOp>(loc, divisor, one);
  Value remainder =
      builder.createOrFold<arith::RemUIOp>(loc, number, safeDivisor);
  Value divides =
      compare(builder, loc, arith::CmpIPredicate::eq, remainder, zero);
  Value hasGroups =
      compare(builder, loc, arith::CmpIPredicate::ne, divisor, zero);
  Value isEmpty = compare(builder, loc, arith::CmpIPredicate::eq, number, zero);
  Value consistent =
      builder.createOrFold<arith::OrIOp>(loc, hasGroups, isEmpty);
  Value ok = builder.createOrFold<arith::AndIOp>(loc, divides, consistent);
  Occurrence wholeAt = collectOccurrences(contract, wholeSize, false).front();
  Occurrence groupsAt = collectOccurrences(contract, size, false).front();
  require(ok, AIK_EINVAL,
          Twine(op->getName().getStringRef()) + ": " +
              describeDim(contract, wholeAt) + " is not a multiple of " +
              describeDim(contract, groupsAt));
}

/// What is known of a size before the op runs: a constant, or an operand's
/// dimension.
static std::optional<Occurrence> findKnown(const ShapeContract &contract,
                                           unsigned size) {
  if (std::optional<Occurrence> at = findStatic(contract, size))
    return at;
  SmallVector<Occurrence> operands = collectOccurrences(contract, size, false);
  if (operands.empty())
    return std::nullopt;
  return operands.front();
}

static void buildRatioCheck(OpBuilder &builder, Operation *op,
                            const ShapeContract &contract, unsigned size,
                            RequireFn require) {
  Location loc = op->getLoc();
  SizeRatio ratio = *contract.sizes[size].ratio;
  std::optional<Occurrence> part = findKnown(contract, size);
  std::optional<Occurrence> whole = findKnown(contract, ratio.other);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto requireMultiple = [&](Occurrence at, int64_t unit) {
    if (at.isStatic() || unit == 1)
      return;
    Value rest = builder.createOrFold<arith::RemUIOp>(
        loc, sizeOf(builder, loc, at), constant(unit));
    require(compare(builder, loc, arith::CmpIPredicate::eq, rest, constant(0)),
            AIK_EINVAL,
            Twine(op->getName().getStringRef()) + ": " +
                describeDim(contract, at) + " is not a multiple of " +
                Twine(unit));
  };
  if (whole)
    requireMultiple(*whole, ratio.unit);
  if (part)
    requireMultiple(*part, ratio.per);
  if (!whole) {
    // Nothing has the other size itself: what was said of it before decides.
    std::optional<unsigned> sibling = findSibling(contract, size);
    std::optional<Occurrence> known =
        sibling ? findKnown(contract, *sibling) : std::nullopt;
    if (!part || !known || (part->isStatic() && known->isStatic()))
      return;
    auto elementsOf = [&](Occurrence at, SizeRatio by) {
      return getValueOrCreateConstantIndexOp(
          builder, loc,
          contract::buildScaled(builder, loc,
                                getAsOpFoldResult(sizeOf(builder, loc, at)),
                                by.per, by.unit));
    };
    Value own = elementsOf(*part, ratio);
    Value theirs = elementsOf(*known, *contract.sizes[*sibling].ratio);
    require(compare(builder, loc, arith::CmpIPredicate::eq, own, theirs),
            AIK_EINVAL,
            Twine(op->getName().getStringRef()) + ": " +
                describeDim(contract, *part) + " does not go with " +
                describeDim(contract, *known));
    return;
  }
  if (!part || (part->isStatic() && whole->isStatic()))
    return;
  Value units = builder.createOrFold<arith::DivUIOp>(
      loc, sizeOf(builder, loc, *whole), constant(ratio.unit));
  Value parts = builder.createOrFold<arith::DivUIOp>(
      loc, sizeOf(builder, loc, *part), constant(ratio.per));
  require(compare(builder, loc, arith::CmpIPredicate::eq, units, parts),
          AIK_EINVAL,
          Twine(op->getName().getStringRef()) + ": " +
              describeDim(contract, *part) + " is not " + Twine(ratio.per) +
              " for each " + Twine(ratio.unit) + " of " +
              describeDim(contract, *whole));
}

void contract::buildSizeChecks(OpBuilder &builder, ShapeContractOpInterface op,
                               RequireFn require) {
  ShapeContract contract = op.getShapeContract();
  for (unsigned size = 0, e = contract.sizes.size(); size != e; ++size) {
    buildEqualSizeChecks(builder, op, contract, size, require);
    if (contract.sizes[size].groupsOf)
      buildGroupCheck(builder, op, contract, size, require);
    if (contract.sizes[size].ratio)
      buildRatioCheck(builder, op, contract, size, require);
  }
}
