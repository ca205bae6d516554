//===- QuantReader.cpp - Scalar code that reads quantized numbers ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a format's description, a row and a block. Out: tensor.extract of the
// bytes that hold an element, and the shifts and masks that take it out.
//
//===----------------------------------------------------------------------===//

#include "QuantReader.h"

using namespace mlir;

namespace aikernel::tolinalg {

static Value indexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value intConstant(ImplicitLocOpBuilder &b, int64_t value,
                         unsigned width = 32) {
  return arith::ConstantIntOp::create(b, value, width);
}

QuantReader::QuantReader(ImplicitLocOpBuilder &b, QuantAttr attribute,
                         Value packed, Value scales, Value zeros)
    : format(getQuantFormat(attribute)), packed(packed), scales(scales),
      zeros(zeros) {
  if (format.values.empty())
    return;
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(format.values.size())}, b.getI8Type());
  values = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int8_t>(format.values)));
}

void QuantReader::setBlock(ValueRange newRow, Value newBlock) {
  row.assign(newRow.begin(), newRow.end());
  block = newBlock;
}

Value QuantReader::extractByte(ImplicitLocOpBuilder &b, Value offset) {
  Value start =
      arith::MulIOp::create(b, block, indexConstant(b, format.blockBytes));
  SmallVector<Value> indices(row);
  indices.push_back(arith::AddIOp::create(b, start, offset));
  return tensor::ExtractOp::create(b, packed, indices);
}

/// The byte at `offset` of the block as an i32 from 0 to 255.
Value QuantReader::buildByte(ImplicitLocOpBuilder &b, Value offset) {
  return arith::ExtUIOp::create(b, b.getI32Type(), extractByte(b, offset));
}

SmallVector<Value> QuantReader::extractBytes(ImplicitLocOpBuilder &b,
                                             unsigned first, unsigned count) {
  SmallVector<Value> bytes;
  for (unsigned i = 0; i < count; ++i)
    bytes.push_back(extractByte(b, indexConstant(b, first + i)));
  return bytes;
}

Value QuantReader::buildField(ImplicitLocOpBuilder &b, const PackedField &field,
                              Value index) {
  return buildFieldRead(b, field, index,
                        [&](Value offset) { return buildByte(b, offset); });
}

/// The f16 of two bytes.
static Value buildHalf(ImplicitLocOpBuilder &b, ValueRange bytes,
                       Type compute) {
  Value low = arith::ExtUIOp::create(b, b.getI16Type(), bytes[0]);
  Value high = arith::ExtUIOp::create(b, b.getI16Type(), bytes[1]);
  high = arith::ShLIOp::create(b, high, intConstant(b, 8, 16));
  Value bits = arith::OrIOp::create(b, low, high);
  Value half = arith::BitcastOp::create(b, b.getF16Type(), bits);
  return convertFloat(b, half, compute);
}

/// 2^(e - 128).
static Value buildExponentScale(ImplicitLocOpBuilder &b, Value byte,
                                Type compute) {
  Value e = arith::ExtUIOp::create(b, b.getI32Type(), byte);
  if (compute.isF64()) {
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), e);
    wide = arith::AddIOp::create(b, wide, intConstant(b, 1023 - 128, 64));
    wide = arith::ShLIOp::create(b, wide, intConstant(b, 52, 64));
    return arith::BitcastOp::create(b, compute, wide);
  }
  return buildPowerScale(b, e);
}

/// The element of `tensor` that belongs to the block.
Value QuantReader::buildGroupElement(ImplicitLocOpBuilder &b, Value tensor) {
  SmallVector<Value> indices(row);
  indices.push_back(block);
  return tensor::ExtractOp::create(b, tensor, indices);
}

Value QuantReader::buildScaleOfBytes(ImplicitLocOpBuilder &b, ValueRange bytes,
                                     Type compute) {
  return bytes.size() == 1 ? buildExponentScale(b, bytes[0], compute)
                           : buildHalf(b, bytes, compute);
}

Value QuantReader::buildScale(ImplicitLocOpBuilder &b, Type compute) {
  if (format.scale == ScaleKind::Operand)
    return convertFloat(b, buildGroupElement(b, scales), compute);
  unsigned count = format.scale == ScaleKind::Half ? 2 : 1;
  return buildScaleOfBytes(b, extractBytes(b, format.scaleByte, count),
                           compute);
}

Value QuantReader::buildMinimumOfBytes(ImplicitLocOpBuilder &b,
                                       ValueRange bytes, Type compute) {
  Value minimum = buildHalf(b, bytes, compute);
  if (format.minimumIsSubtracted)
    minimum = arith::NegFOp::create(b, minimum);
  return minimum;
}

Value QuantReader::buildMinimum(ImplicitLocOpBuilder &b, Type compute) {
  if (!format.minimumByte)
    return {};
  return buildMinimumOfBytes(b, extractBytes(b, *format.minimumByte, 2),
                             compute);
}

Value QuantReader::buildCode(ImplicitLocOpBuilder &b, Value element) {
  Value code = buildField(b, format.codes, element);
  if (values) {
    Value at = arith::IndexCastUIOp::create(b, b.getIndexType(), code);
    Value value = tensor::ExtractOp::create(b, values, at);
    code = arith::ExtSIOp::create(b, b.getI32Type(), value);
  }
  if (zeros) {
    Value zero =
        arith::ExtSIOp::create(b, b.getI32Type(), buildGroupElement(b, zeros));
    code = arith::SubIOp::create(b, code, zero);
  }
  return code;
}

Value QuantReader::buildSubScale(ImplicitLocOpBuilder &b, Value element) {
  if (!format.subScales)
    return {};
  return buildField(b, *format.subScales,
                    divideIndex(b, element, format.subBlockSize));
}

Value QuantReader::buildSubMinimum(ImplicitLocOpBuilder &b, Value element) {
  if (!format.subMinimums)
    return {};
  return buildField(b, *format.subMinimums,
                    divideIndex(b, element, format.subBlockSize));
}

Value QuantReader::buildElement(ImplicitLocOpBuilder &b, ValueRange newRow,
                                Value k, Type compute) {
  setBlock(newRow, divideIndex(b, k, format.blockSize));
  Value element = remainderOfIndex(b, k, format.blockSize);
  auto times = [&](Value factor, Value integer) -> Value {
    if (!integer)
      return factor;
    Value number = arith::SIToFPOp::create(b, compute, integer);
    return arith::MulFOp::create(b, factor, number);
  };
  Value value = times(buildScale(b, compute), buildSubScale(b, element));
  value = times(value, buildCode(b, element));
  if (Value minimum = buildMinimum(b, compute))
    value = arith::AddFOp::create(b, value,
                                  times(minimum, buildSubMinimum(b, element)));
  return value;
}

} // namespace aikernel::tolinalg
