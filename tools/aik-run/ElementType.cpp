//===- ElementType.cpp - The element types that aik-run handles -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small float formats are described by their exponent and mantissa widths
// and converted by integer arithmetic, so that every machine agrees.
//
//===----------------------------------------------------------------------===//

#include "ElementType.h"

#include "Error.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace aikrun {
namespace {

constexpr int64_t int64Low = std::numeric_limits<int64_t>::min();
constexpr int64_t int64High = std::numeric_limits<int64_t>::max();

const ElementType types[] = {
    {AIK_F32, "f32", 4, 'f', true, 0, 0, 2e-5, 2e-5},
    {AIK_F64, "f64", 8, 'f', true, 0, 0, 1e-11, 1e-11},
    {AIK_F16, "f16", 2, 'f', true, 0, 0, 4e-3, 4e-3},
    {AIK_BF16, "bf16", 2, 'u', true, 0, 0, 2e-2, 2e-2},
    {AIK_F8E4M3FN, "f8E4M3FN", 1, 'u', true, 0, 0, 0.13, 0.07},
    {AIK_F8E5M2, "f8E5M2", 1, 'u', true, 0, 0, 0.26, 0.13},
    {AIK_I8, "i8", 1, 'i', false, -128, 127, 0, 0},
    {AIK_U8, "u8", 1, 'u', false, 0, 255, 0, 0},
    {AIK_I16, "i16", 2, 'i', false, -32768, 32767, 0, 0},
    {AIK_I32, "i32", 4, 'i', false, -2147483647 - 1, 2147483647, 0, 0},
    {AIK_I64, "i64", 8, 'i', false, int64Low, int64High, 0, 0},
    {AIK_BOOL, "i1", 1, 'b', false, 0, 1, 0, 0},
};

/// A float format of at most 16 bits.
struct SmallFloat {
  int exponentBits, mantissaBits;
  bool hasInfinity; // else the all-ones pattern alone is NaN (the FN kind)
};

SmallFloat smallFloat(uint32_t dtype) {
  switch (dtype) {
  case AIK_F16:
    return {5, 10, true};
  case AIK_BF16:
    return {8, 7, true};
  case AIK_F8E4M3FN:
    return {4, 3, false};
  default:
    return {5, 2, true};
  }
}

uint32_t loadBits(const void *data, uint32_t size) {
  uint32_t bits = 0; // little endian, as both hosts are
  std::memcpy(&bits, data, size);
  return bits;
}

double decodeSmall(SmallFloat format, uint32_t bits) {
  int m = format.mantissaBits, e = format.exponentBits;
  uint32_t mantissa = bits & ((1u << m) - 1);
  uint32_t exponent = (bits >> m) & ((1u << e) - 1);
  bool negative = (bits >> (m + e)) & 1;
  uint32_t top = (1u << e) - 1;
  int bias = (1 << (e - 1)) - 1;
  double value;
  if (exponent == top && format.hasInfinity)
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (exponent == top && mantissa == (1u << m) - 1)
    value = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(double(mantissa), 1 - bias - m);
  else
    value = std::ldexp(double(mantissa + (1u << m)), int(exponent) - bias - m);
  return negative ? -value : value;
}

uint32_t encodeSmall(SmallFloat format, double value) {
  int m = format.mantissaBits, e = format.exponentBits;
  uint32_t sign = std::signbit(value) ? 1u << (m + e) : 0;
  uint32_t top = (1u << e) - 1;
  uint32_t infinity =
      format.hasInfinity ? top << m : (top << m) | ((1u << m) - 1);
  if (std::isnan(value))
    return sign |
           (format.hasInfinity ? (top << m) | (1u << (m - 1)) : infinity);
  int bias = (1 << (e - 1)) - 1;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int exponent = std::ilogb(magnitude);
  int scale = (exponent < 1 - bias ? 1 - bias : exponent) - m;
  // In units of the last place; nearbyint rounds to even by default.
  double units = std::nearbyint(std::ldexp(magnitude, -scale));
  // A carry out of the mantissa moves into the exponent by itself.
  uint64_t bits = uint64_t(scale + m + bias - 1) * (1u << m) + uint64_t(units);
  return sign | (bits >= infinity ? infinity : uint32_t(bits));
}

/// Float bits as an integer that orders like the values.
int64_t orderedBits(const ElementType &type, const void *data) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, type.size);
  uint64_t sign = uint64_t(1) << (type.size * 8 - 1);
  int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

} // namespace

const ElementType *elementType(uint32_t dtype) {
  for (const ElementType &type : types)
    if (type.dtype == dtype)
      return &type;
  return nullptr;
}

double loadDouble(const ElementType &type, const void *data) {
  switch (type.dtype) {
  case AIK_F32: {
    float value;
    std::memcpy(&value, data, sizeof value);
    return value;
  }
  case AIK_F64: {
    double value;
    std::memcpy(&value, data, sizeof value);
    return value;
  }
  case AIK_F16:
  case AIK_BF16:
  case AIK_F8E4M3FN:
  case AIK_F8E5M2:
    return decodeSmall(smallFloat(type.dtype), loadBits(data, type.size));
  }
  return static_cast<double>(loadInteger(type, data));
}

int64_t loadInteger(const ElementType &type, const void *data) {
  switch (type.dtype) {
  case AIK_I8:
    return static_cast<int8_t>(loadBits(data, 1));
  case AIK_I16:
    return static_cast<int16_t>(loadBits(data, 2));
  case AIK_I32:
    return static_cast<int32_t>(loadBits(data, 4));
  case AIK_I64: {
    int64_t value;
    std::memcpy(&value, data, sizeof value);
    return value;
  }
  }
  return loadBits(data, type.size);
}

void storeDouble(const ElementType &type, double value, void *data) {
  switch (type.dtype) {
  case AIK_F32: {
    float narrow = static_cast<float>(value);
    std::memcpy(data, &narrow, sizeof narrow);
    return;
  }
  case AIK_F64:
    std::memcpy(data, &value, sizeof value);
    return;
  case AIK_F16:
  case AIK_BF16:
  case AIK_F8E4M3FN:
  case AIK_F8E5M2: {
    uint32_t bits = encodeSmall(smallFloat(type.dtype), value);
    std::memcpy(data, &bits, type.size);
    return;
  }
  }
  storeInteger(type, static_cast<int64_t>(value), data);
}

void storeInteger(const ElementType &type, int64_t value, void *data) {
  if (type.isFloat)
    return storeDouble(type, static_cast<double>(value), data);
  std::memcpy(data, &value, type.size);
}

uint64_t ulpDistance(const ElementType &type, const void *a, const void *b) {
  int64_t left = orderedBits(type, a), right = orderedBits(type, b);
  return left > right ? uint64_t(left) - uint64_t(right)
                      : uint64_t(right) - uint64_t(left);
}

std::string elementText(const ElementType &type, const void *data) {
  if (!type.isFloat)
    return std::to_string(loadInteger(type, data));
  int digits = type.dtype == AIK_F64 ? 17 : type.dtype == AIK_F32 ? 9 : 5;
  return format("%.*g", digits, loadDouble(type, data));
}

} // namespace aikrun
