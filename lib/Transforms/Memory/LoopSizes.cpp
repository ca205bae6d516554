//===- LoopSizes.cpp - Where a tensor that a loop carries started ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a value. Out: its initial value, if a loop carries it.
//
//===----------------------------------------------------------------------===//

#include "LoopSizes.h"
#include "AIKernel/Dialect/AIKernel/AIKernelInterfaces.h"
#include "DestinationChain.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace aikernel;

Value aikernel::handedOver(Value value, scf::WhileOp &loop) {
  if (auto result = dyn_cast<OpResult>(value)) {
    loop = dyn_cast<scf::WhileOp>(result.getOwner());
    return loop ? loop.getConditionOp().getArgs()[result.getResultNumber()]
                : Value();
  }
  auto argument = cast<BlockArgument>(value);
  loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop || argument.getOwner() != loop.getAfterBody())
    return {};
  return loop.getConditionOp().getArgs()[argument.getArgNumber()];
}

Value aikernel::startOfCarried(Value carried) {
  scf::WhileOp loop;
  if (Value handed = handedOver(carried, loop)) {
    auto argument = dyn_cast<BlockArgument>(handed);
    bool isCarried = argument && argument.getOwner() == loop.getBeforeBody();
    return isCarried ? startOfCarried(handed) : Value();
  }
  if (auto result = dyn_cast<OpResult>(carried)) {
    auto counted = dyn_cast<scf::ForOp>(result.getOwner());
    return counted ? counted.getTiedLoopInit(result)->get() : Value();
  }
  auto argument = cast<BlockArgument>(carried);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto counted = dyn_cast<scf::ForOp>(parent)) {
    OpOperand *init = counted.getTiedLoopInit(argument);
    return init ? init->get() : Value();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return loop.getInits()[argument.getArgNumber()];
  return {};
}

namespace {

/// One dimension of one tensor.
struct Place {
  Value tensor;
  int64_t dim = 0;
};

/// Where an op of the vocabulary takes a size of its result from.
std::optional<Place> placeByContract(ShapeContractOpInterface op,
                                     const Place &place) {
  ShapeContract contract = op.getShapeContract();
  for (const TensorRole &result : contract.results) {
    if (result.value != place.tensor)
      continue;
    for (const TensorRole &operand : contract.operands)
      for (auto [dim, role] : llvm::enumerate(operand.dims))
        if (role.size == result.dims[place.dim].size && !role.broadcast)
          return Place{operand.value, static_cast<int64_t>(dim)};
  }
  return std::nullopt;
}

/// A place of the same size, one op earlier.
std::optional<Place> stepBack(const Place &place) {
  if (Value start = startOfCarried(place.tensor))
    return Place{start, place.dim};
  Operation *op = place.tensor.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (Value operand = elementwiseOperand(op))
    return Place{operand, place.dim};
  if (auto vocabulary = dyn_cast<ShapeContractOpInterface>(op))
    return placeByContract(vocabulary, place);
  // Memory that is reshaped, maybe in a branch, has other sizes.
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, scf::IfOp>(op))
    return std::nullopt;
  Value destination = destinationOf(place.tensor);
  if (!destination)
    return std::nullopt;
  return Place{destination, place.dim};
}

/// The size operand of an op that makes a tensor of a given size.
Value givenSize(OpBuilder &builder, const Place &place) {
  if (!cast<RankedTensorType>(place.tensor.getType()).isDynamicDim(place.dim))
    return {};
  Operation *op = place.tensor.getDefiningOp();
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return empty.getDynamicSize(place.dim);
  if (auto alloc = dyn_cast_or_null<bufferization::AllocTensorOp>(op))
    return alloc.getCopy() ? Value() : alloc.getDynamicSize(builder, place.dim);
  return {};
}

} // namespace

Value aikernel::elementwiseOperand(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return {};
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      return operand;
  return {};
}

/// Where to ask for a size that is needed in front of an op.
struct SizeSource {
  std::optional<int64_t> known; // a number,
  Place place = {};             // or a dimension of a tensor,
  Value size = {};              // or a value,
  Operation *cloned = nullptr;  // or an op that can be computed earlier

  bool operator==(const SizeSource &other) const {
    return known == other.known && place.tensor == other.place.tensor &&
           place.dim == other.place.dim && size == other.size &&
           cloned == other.cloned;
  }
};

static std::optional<SizeSource> traceOutside(OpBuilder &builder, Operation *op,
                                              Value tensor, int64_t dim) {
  auto isInside = [&](Value value) {
    return op->isAncestor(value.getParentRegion()->getParentOp());
  };
  std::optional<Place> place = Place{tensor, dim};
  while (place) {
    auto type = dyn_cast<RankedTensorType>(place->tensor.getType());
    if (!type)
      return std::nullopt;
    if (!type.isDynamicDim(place->dim))
      return SizeSource{type.getDimSize(place->dim)};
    if (!isInside(place->tensor))
      return SizeSource{std::nullopt, *place};
    Value size = givenSize(builder, *place);
    if (!size) {
      place = stepBack(*place);
      continue;
    }
    if (!isInside(size))
      return SizeSource{std::nullopt, {}, size};
    Operation *maker = size.getDefiningOp();
    if (auto dimOp = dyn_cast_or_null<tensor::DimOp>(maker)) {
      std::optional<int64_t> index = dimOp.getConstantIndex();
      place = index ? std::optional<Place>({dimOp.getSource(), *index})
                    : std::nullopt;
      continue;
    }
    if (maker && isPure(maker) && llvm::none_of(maker->getOperands(), isInside))
      return SizeSource{std::nullopt, {}, {}, maker};
    return std::nullopt;
  }
  return std::nullopt;
}

static Value build(OpBuilder &builder, Location loc, const SizeSource &source) {
  if (source.known)
    return arith::ConstantIndexOp::create(builder, loc, *source.known);
  if (source.place.tensor)
    return tensor::DimOp::create(builder, loc, source.place.tensor,
                                 source.place.dim);
  if (source.size)
    return source.size;
  return builder.clone(*source.cloned)->getResult(0);
}

Value aikernel::sizeOutside(OpBuilder &builder, Operation *loop, Value tensor,
                            int64_t dim) {
  auto source = traceOutside(builder, loop, tensor, dim);
  return source ? build(builder, loop->getLoc(), *source) : Value();
}

/// Of a result of an scf.if: what both branches say.
static std::optional<SizeSource> traceChoice(OpBuilder &builder, Value value,
                                             int64_t dim) {
  auto choice = value.getDefiningOp<scf::IfOp>();
  if (!choice)
    return std::nullopt;
  unsigned number = cast<OpResult>(value).getResultNumber();
  auto trace = [&](scf::YieldOp yield) {
    return traceOutside(builder, choice, yield.getOperand(number), dim);
  };
  auto then = trace(choice.thenYield()), other = trace(choice.elseYield());
  return then && other && *then == *other ? then : std::nullopt;
}

Value aikernel::sizeOfChoice(OpBuilder &builder, OpResult result, int64_t dim) {
  auto source = traceChoice(builder, result, dim);
  return source ? build(builder, result.getLoc(), *source) : Value();
}

Value aikernel::earliestSize(OpBuilder &builder, Location loc, Value tensor,
                             int64_t dim) {
  Place place{tensor, dim};
  while (true) {
    if (Value size = givenSize(builder, place))
      return size;
    std::optional<Place> earlier = stepBack(place);
    if (auto source = traceChoice(builder, place.tensor, place.dim)) {
      if (!source->place.tensor)
        return build(builder, loc, *source);
      earlier = source->place;
    }
    if (!earlier)
      return tensor::DimOp::create(builder, loc, place.tensor, place.dim);
    place = *earlier;
  }
}
