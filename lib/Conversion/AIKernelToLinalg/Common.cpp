//===- Common.cpp - What the lowerings share ------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders of tensors, fills, casts, maps and generic ops that every lowering
// in this folder is written with.
//
//===----------------------------------------------------------------------===//

#include "Common.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace aikernel::tolinalg {

RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}
Type elementOf(Value tensor) { return typeOf(tensor).getElementType(); }

Type computeType(TypeRange elements) {
  for (Type element : elements)
    if (element.isF64())
      return element;
  return Float32Type::get(elements.front().getContext());
}

Value convertFloat(ImplicitLocOpBuilder &b, Value x, Type to) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (from < width)
    return arith::ExtFOp::create(b, to, x);
  if (from > width)
    return arith::TruncFOp::create(b, to, x);
  return x;
}

Value floatConstant(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}
Value negativeInfinity(ImplicitLocOpBuilder &b, Type type) {
  auto semantics = &cast<FloatType>(type).getFloatSemantics();
  return arith::ConstantOp::create(
      b, b.getFloatAttr(type, APFloat::getInf(*semantics, /*Negative=*/true)));
}

Sizes sizesOf(ImplicitLocOpBuilder &b, Value tensor) {
  return tensor::getMixedSizes(b, b.getLoc(), tensor);
}

Sizes refineSizes(ImplicitLocOpBuilder &b, Sizes sizes, ShapedType declared) {
  for (auto [size, known] : llvm::zip_equal(sizes, declared.getShape()))
    if (!ShapedType::isDynamic(known))
      size = b.getIndexAttr(known);
  return sizes;
}

Sizes withoutDim(ArrayRef<OpFoldResult> sizes, int64_t dim) {
  Sizes rest(sizes);
  rest.erase(rest.begin() + dim);
  return rest;
}

Value emptyTensor(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                  Type element) {
  return tensor::EmptyOp::create(b, sizes, element);
}

Value filledTensor(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                   Value scalar) {
  Value empty = emptyTensor(b, sizes, scalar.getType());
  return linalg::FillOp::create(b, scalar, empty).getResult(0);
}

Value castTo(ImplicitLocOpBuilder &b, Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  return tensor::CastOp::create(b, type, tensor);
}

Value sizeAsFloat(ImplicitLocOpBuilder &b, OpFoldResult size, Type type) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return floatConstant(b, type, static_cast<double>(*known));
  Value asInteger = arith::IndexCastOp::create(
      b, b.getI64Type(), getValueOrCreateConstantIndexOp(b, b.getLoc(), size));
  return arith::SIToFPOp::create(b, type, asInteger);
}

Sizes resultSizesOf(ImplicitLocOpBuilder &b, ShapeContractOpInterface op,
                    unsigned result) {
  ShapeContract contract = op.getShapeContract();
  Sizes sizes;
  for (DimRole role : contract.results[result].dims)
    sizes.push_back(contract::buildSize(b, b.getLoc(), contract, role.size));
  return refineSizes(b, sizes, contract.results[result].getType());
}

linalg::GenericOp createGeneric(ImplicitLocOpBuilder &b, ValueRange inputs,
                                ValueRange outputs, ArrayRef<AffineMap> maps,
                                ArrayRef<utils::IteratorType> iterators,
                                BodyFn body) {
  return linalg::GenericOp::create(
      b, outputs.getTypes(), inputs, outputs, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, nested);
        linalg::YieldOp::create(inner, body(inner, arguments));
      });
}

Value createElementwise(ImplicitLocOpBuilder &b, ValueRange inputs,
                        ArrayRef<AffineMap> inputMaps,
                        ArrayRef<OpFoldResult> sizes, Type element,
                        BodyFn body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(identityMap(b, sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  Value output = emptyTensor(b, sizes, element);
  return createGeneric(b, inputs, output, maps, iterators, body).getResult(0);
}

AffineMap identityMap(ImplicitLocOpBuilder &b, unsigned rank) {
  return b.getMultiDimIdentityMap(rank);
}

AffineMap mapWithout(ImplicitLocOpBuilder &b, unsigned rank, unsigned dim) {
  return identityMap(b, rank).dropResult(dim);
}

AffineMap mapTo(ImplicitLocOpBuilder &b, unsigned rank,
                ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(b.getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, results, b.getContext());
}

} // namespace aikernel::tolinalg
