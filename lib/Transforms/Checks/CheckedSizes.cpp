//===- CheckedSizes.cpp - Products of sizes that do not wrap --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every step stays at or below kMaxBytes or clears the bit; after a step that
// did, later ones may wrap as they like.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Checks/CheckedSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace aikernel;

static Value isSmall(OpBuilder &builder, Location loc, Value size) {
  Value most = arith::ConstantIndexOp::create(builder, loc, kMaxBytes);
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule,
                                             size, most);
}

static Value both(OpBuilder &builder, Location loc, Value a, Value b) {
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

CheckedSize CheckedSize::constant(OpBuilder &builder, Location loc,
                                  int64_t value) {
  return {arith::ConstantIndexOp::create(builder, loc, value),
          arith::ConstantIntOp::create(builder, loc, value <= kMaxBytes, 1)};
}

void CheckedSize::multiply(OpBuilder &builder, Location loc, Value factor) {
  // Of two factors below 2^48 the product takes 96 bits.
  auto product = arith::MulUIExtendedOp::create(builder, loc, size, factor);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value fits = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, product.getHigh(), zero);
  size = product.getLow();
  isTrue = both(builder, loc, isTrue, fits);
  isTrue = both(builder, loc, isTrue, isSmall(builder, loc, size));
}

void CheckedSize::add(OpBuilder &builder, Location loc,
                      const CheckedSize &other) {
  size = builder.createOrFold<arith::AddIOp>(loc, size, other.size);
  isTrue = both(builder, loc, isTrue, other.isTrue);
  isTrue = both(builder, loc, isTrue, isSmall(builder, loc, size));
}

std::optional<int64_t> aikernel::bytesPerElement(Type element) {
  if (element.isIndex())
    return 8;
  if (auto integer = dyn_cast<IntegerType>(element)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return 1;
    if (width == 8 || width == 16 || width == 32 || width == 64)
      return width / 8;
    return std::nullopt;
  }
  if (isa<Float32Type, Float64Type, Float16Type, BFloat16Type, Float8E4M3FNType,
          Float8E5M2Type>(element))
    return element.getIntOrFloatBitWidth() / 8;
  return std::nullopt;
}

std::optional<int64_t> aikernel::knownBytes(ShapedType type) {
  int64_t bytes = bytesPerElement(type.getElementType()).value_or(8);
  bool empty = llvm::is_contained(type.getShape(), 0);
  for (int64_t dim : type.getShape()) {
    if (ShapedType::isDynamic(dim) || dim == 0)
      continue;
    if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > kMaxBytes)
      return std::nullopt;
  }
  return empty ? 0 : bytes;
}
