//===- QuantFields.cpp - Scalar code that reads a packed field ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the planes of a field and an index. Out: loads of the bytes that hold the
// number, and the shifts and masks that take it out.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/QuantFields.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace aikernel;

static Value indexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value intConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Value aikernel::divideIndex(ImplicitLocOpBuilder &b, Value index,
                            int64_t divisor) {
  if (divisor == 1)
    return index;
  return arith::DivUIOp::create(b, index, indexConstant(b, divisor));
}

Value aikernel::remainderOfIndex(ImplicitLocOpBuilder &b, Value index,
                                 int64_t divisor) {
  if (divisor == 1)
    return indexConstant(b, 0);
  return arith::RemUIOp::create(b, index, indexConstant(b, divisor));
}

/// start + the sum of the index's digits, each times its `step`.
static Value buildPlace(ImplicitLocOpBuilder &b, const BitPlane &plane,
                        Value index, unsigned start,
                        unsigned IndexDigit::*step) {
  Value place;
  for (const IndexDigit &digit : plane.digits) {
    if (digit.*step == 0)
      continue;
    Value number =
        remainderOfIndex(b, divideIndex(b, index, digit.step), digit.count);
    if (digit.*step != 1)
      number = arith::MulIOp::create(b, number, indexConstant(b, digit.*step));
    place =
        place ? arith::AddIOp::create(b, place, number).getResult() : number;
  }
  if (!place)
    return indexConstant(b, start);
  if (start == 0)
    return place;
  return arith::AddIOp::create(b, place, indexConstant(b, start));
}

Value aikernel::buildFieldRead(ImplicitLocOpBuilder &b,
                               const PackedField &field, Value index,
                               LoadByteFn loadByte) {
  Value number;
  for (const BitPlane &plane : field.planes) {
    Value bits =
        loadByte(buildPlace(b, plane, index, plane.byte, &IndexDigit::bytes));
    if (plane.bits != 8) {
      Value shift =
          buildPlace(b, plane, index, plane.shift, &IndexDigit::shift);
      shift = arith::IndexCastOp::create(b, b.getI32Type(), shift);
      bits = arith::ShRUIOp::create(b, bits, shift);
      bits =
          arith::AndIOp::create(b, bits, intConstant(b, (1 << plane.bits) - 1));
    }
    if (plane.position != 0)
      bits = arith::ShLIOp::create(b, bits, intConstant(b, plane.position));
    number = number ? arith::OrIOp::create(b, number, bits).getResult() : bits;
  }
  if (field.isSigned) {
    Value unused = intConstant(b, 32 - field.getWidth());
    number = arith::ShLIOp::create(b, number, unused);
    number = arith::ShRSIOp::create(b, number, unused);
  }
  if (field.offset != 0)
    number = arith::SubIOp::create(b, number, intConstant(b, field.offset));
  return number;
}

Value aikernel::buildPowerScale(ImplicitLocOpBuilder &b, Value e) {
  Value subnormal = arith::ShLIOp::create(b, intConstant(b, 1 << 21), e);
  Value normal = arith::SubIOp::create(b, e, intConstant(b, 1));
  normal = arith::ShLIOp::create(b, normal, intConstant(b, 23));
  Value isSmall =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, e, intConstant(b, 2));
  Value bits = arith::SelectOp::create(b, isSmall, subnormal, normal);
  return arith::BitcastOp::create(b, b.getF32Type(), bits);
}
