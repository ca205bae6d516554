//===- OpSupport.cpp - What the op families share in verifying and building
//===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op and its shape contract. Out: one sentence for what is wrong with an
// element type or attribute, and values for checks and costs.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace aikernel;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool contains(ElementSet allowed, Type type) {
  switch (allowed) {
  case ElementSet::Float:
    return type.isF64() || type.isF32() || type.isBF16() || type.isF16();
  case ElementSet::Product:
    return contains(ElementSet::Float, type) ||
           isa<Float8E4M3FNType, Float8E5M2Type>(type);
  case ElementSet::Scale:
    return type.isF32() || type.isBF16() || type.isF16();
  case ElementSet::F32:
    return type.isF32();
  case ElementSet::I32:
    return type.isSignlessInteger(32);
  case ElementSet::I8:
    return type.isSignlessInteger(8);
  }
  return false;
}

static StringRef describe(ElementSet allowed) {
  switch (allowed) {
  case ElementSet::Float:
    return "f64, f32, bf16 or f16";
  case ElementSet::Product:
    return "f64, f32, bf16, f16, f8E4M3FN or f8E5M2";
  case ElementSet::Scale:
    return "f32, bf16 or f16";
  case ElementSet::F32:
    return "f32";
  case ElementSet::I32:
    return "i32";
  case ElementSet::I8:
    return "i8";
  }
  return "";
}

LogicalResult aikernel::verifyElementType(Operation *op,
                                          const TensorRole &tensor,
                                          ElementSet allowed) {
  Type type = tensor.getType().getElementType();
  if (contains(allowed, type))
    return success();
  return op->emitOpError() << tensor.describe() << " has element type " << type
                           << " but must have " << describe(allowed);
}

LogicalResult aikernel::verifySameElementType(Operation *op,
                                              const TensorRole &tensor,
                                              const TensorRole &reference) {
  Type type = tensor.getType().getElementType();
  Type expected = reference.getType().getElementType();
  if (type == expected)
    return success();
  return op->emitOpError() << tensor.describe() << " has element type " << type
                           << " but " << reference.describe() << " has "
                           << expected;
}

LogicalResult
aikernel::verifyParameterElementType(Operation *op, const TensorRole &tensor,
                                     const TensorRole &reference) {
  Type type = tensor.getType().getElementType();
  Type expected = reference.getType().getElementType();
  if (type == expected || type.isF32())
    return success();
  return op->emitOpError() << tensor.describe() << " has element type " << type
                           << " but must have f32 or that of "
                           << reference.describe() << ", " << expected;
}

LogicalResult aikernel::verifySameType(Operation *op, const TensorRole &tensor,
                                       const TensorRole &reference) {
  if (tensor.getType() == reference.getType())
    return success();
  return op->emitOpError() << tensor.describe() << " has type "
                           << tensor.getType() << " but "
                           << reference.describe() << " has type "
                           << reference.getType();
}

LogicalResult aikernel::verifyRank(Operation *op, StringRef name, Value value,
                                   int64_t low, int64_t high) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank >= low && rank <= high)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "operand '" << name << "' has rank "
                                  << rank << " but must have rank " << low;
  if (low != high)
    diagnostic << " to " << high;
  return diagnostic;
}

LogicalResult aikernel::verifyEpsilon(Operation *op, const APFloat &eps) {
  if (eps.isFinite() && (eps.isZero() || !eps.isNegative()))
    return success();
  return op->emitOpError() << "attribute 'eps' is " << eps.convertToDouble()
                           << " but must be finite and not negative";
}

//===----------------------------------------------------------------------===//
// Shape contracts
//===----------------------------------------------------------------------===//

SmallVector<DimRole> aikernel::consecutiveRoles(unsigned first,
                                                unsigned count) {
  SmallVector<DimRole> roles;
  for (unsigned i = 0; i != count; ++i)
    roles.push_back({first + i});
  return roles;
}

ShapeContract aikernel::contractOverDims(Value value, int64_t reducedDim) {
  ShapeContract contract;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t dim = 0; dim != rank; ++dim)
    contract.addSize(dim == reducedDim ? "N" : "d" + std::to_string(dim),
                     dim != reducedDim);
  return contract;
}

bool aikernel::isEmptyTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

bool aikernel::isConstantZero(Value value) {
  DenseElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)) ||
      !elements.isSplat() || !isa<FloatType>(elements.getElementType()))
    return false;
  return elements.getSplatValue<APFloat>().isZero();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value aikernel::buildProduct(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> factors) {
  uint64_t constant = 1; // Sizes are hostile: wrap, as the code would.
  Value product;
  for (OpFoldResult factor : factors) {
    if (std::optional<int64_t> known = getConstantIntValue(factor)) {
      constant *= static_cast<uint64_t>(*known);
      continue;
    }
    Value value = cast<Value>(factor);
    product =
        product
            ? arith::MulIOp::create(builder, loc, product, value).getResult()
            : value;
  }
  Value scale = arith::ConstantIndexOp::create(builder, loc, constant);
  if (!product)
    return scale;
  return builder.createOrFold<arith::MulIOp>(loc, product, scale);
}

Value aikernel::buildElementCount(OpBuilder &builder, Location loc, Value value,
                                  int64_t factor) {
  SmallVector<OpFoldResult> factors =
      tensor::getMixedSizes(builder, loc, value);
  factors.push_back(builder.getIndexAttr(factor));
  return buildProduct(builder, loc, factors);
}

Value aikernel::buildForAllElements(
    OpBuilder &builder, Location loc, Value tensor,
    function_ref<Value(OpBuilder &, Value)> holds) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<Value> lower(rank, zero), upper, steps(rank, one);
  for (int64_t dim = 0; dim != rank; ++dim)
    upper.push_back(getValueOrCreateConstantIndexOp(
        builder, loc, tensor::getMixedSize(builder, loc, tensor, dim)));
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, upper, steps, ValueRange{yes},
      [&](OpBuilder &body, Location, ValueRange indices,
          ValueRange soFar) -> scf::ValueVector {
        Value element = tensor::ExtractOp::create(body, loc, tensor, indices);
        Value ok = holds(body, element);
        return {arith::AndIOp::create(body, loc, soFar.front(), ok)};
      });
  return nest.results.front();
}
