//===- ConvertTest.cpp - Narrow float formats, against a search
//------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All values of f16, bf16, f8E4M3FN and f8E5M2 widen to what the format's
// definition says; narrowing is checked at every value, every midpoint between
// neighbours, and the doubles next to those (where rounding twice would show),
// against a binary search for the nearest value. The f8 types and integers go
// through the reference library's loads and stores.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "Harness.h"

#include <vector>

using namespace harness;

namespace {

struct Format {
  const char *name;
  int exponentBits, fractionBits;
  bool hasInfinity;
  double (*widen)(uint16_t);
  uint16_t (*narrow)(double);
  uint16_t (*narrowSingle)(float);
};

uint32_t signBit(const Format &format) {
  return 1u << (format.exponentBits + format.fractionBits);
}

/// The value by the definition: sign, exponent, fraction.
double valueOf(const Format &format, uint32_t bits) {
  int bias = (1 << (format.exponentBits - 1)) - 1;
  int top = (1 << format.exponentBits) - 1;
  int exponent = (int)(bits >> format.fractionBits) & top;
  double fraction = bits & ((1u << format.fractionBits) - 1);
  fraction = std::ldexp(fraction, -format.fractionBits);
  double size = exponent == 0 ? std::ldexp(fraction, 1 - bias)
                              : std::ldexp(1 + fraction, exponent - bias);
  uint32_t magnitude = bits & (signBit(format) - 1);
  if (format.hasInfinity && exponent == top)
    size = fraction != 0 ? NAN : INFINITY;
  if (!format.hasInfinity && magnitude == signBit(format) - 1)
    size = NAN;
  return bits & signBit(format) ? -size : size;
}

/// The nearest value, the even one of two; `values` are 0 ... infinity, or a
/// NaN's place after the largest number.
uint16_t nearest(const std::vector<double> &values, uint32_t signBit,
                 double x) {
  double size = std::fabs(x);
  uint32_t sign = std::signbit(x) ? signBit : 0;
  size_t low = 0, high = values.size() - 1;
  double end = 2 * values[high - 1] - values[high - 2]; // in infinity's place
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    (values[middle] <= size ? low : high) = middle;
  }
  double above = high == values.size() - 1 ? end : values[high];
  if (size >= above)
    return (uint16_t)(sign | high);
  double toLow = size - values[low], toHigh = above - size;
  bool up = toHigh < toLow || (toHigh == toLow && (high & 1) == 0);
  return (uint16_t)(sign | (up ? high : low));
}

void test(const Format &format) {
  std::vector<double> values;
  for (uint32_t bits = 0; bits < 2 * signBit(format); ++bits) {
    double expected = valueOf(format, bits);
    check(same(format.widen((uint16_t)bits), expected),
          "%s 0x%04x widens to %a", format.name, bits,
          format.widen((uint16_t)bits));
    if (bits < signBit(format) && !std::isnan(expected))
      values.push_back(expected);
    if (std::isnan(expected)) {
      uint16_t back = format.narrow(expected);
      check(std::isnan(valueOf(format, back)), "%s NaN", format.name);
    }
  }
  if (!format.hasInfinity)
    values.push_back(NAN);
  auto narrows = [&](double x) {
    uint16_t expected = nearest(values, signBit(format), x);
    check(format.narrow(x) == expected, "%s of %a is 0x%04x, expected 0x%04x",
          format.name, x, format.narrow(x), expected);
    float single = (float)x;
    expected = nearest(values, signBit(format), (double)single);
    check(format.narrowSingle(single) == expected,
          "%s of float %a is 0x%04x, expected 0x%04x", format.name,
          (double)single, format.narrowSingle(single), expected);
  };
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    double next =
        i + 2 == values.size() ? 2 * values[i] - values[i - 1] : values[i + 1];
    double middle = 0.5 * (values[i] + next);
    for (double x : {values[i], middle, std::nextafter(middle, 0),
                     std::nextafter(middle, INFINITY)}) {
      narrows(x);
      narrows(-x);
    }
  }
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    double x = bitCast<double>(random.bits());
    float single = bitCast<float>((uint32_t)random.bits());
    if (!std::isnan(x))
      narrows(x);
    if (!std::isnan(single))
      narrows((double)single);
  }
  narrows(INFINITY);
  narrows(0x1p-1074);
  check(std::isnan(valueOf(format, format.narrowSingle(NAN))), "%s of NaN",
        format.name);
  // A NaN whose payload is only in bits that are cut off stays a NaN.
  check(std::isnan(valueOf(
            format, format.narrow(bitCast<double>(0x7ff0000000000001u)))),
        "%s of a NaN with a small payload", format.name);
}

/// One element through the reference library.
double load(uint32_t dtype, const void *data) {
  aik_tensor tensor = {const_cast<void *>(data), dtype, 0, {}, {}};
  double value;
  aikb_aik_ref_load_row(&tensor, 0, 0, 1, &value);
  return value;
}
template <typename T>
T store(uint32_t dtype, double value) {
  T result;
  aik_tensor tensor = {&result, dtype, 0, {}, {}};
  aikb_aik_ref_store_row(&tensor, 0, 0, 1, &value);
  return result;
}

/// Test hooks for a type whose conversions only the reference library has.
template <uint32_t dtype, typename T>
Format throughReference(const char *name, int exponentBits, int fractionBits,
                        bool hasInfinity) {
  return {name,
          exponentBits,
          fractionBits,
          hasInfinity,
          [](uint16_t x) {
            T bits = (T)x;
            return load(dtype, &bits);
          },
          [](double x) { return (uint16_t)store<T>(dtype, x); },
          [](float x) { return (uint16_t)store<T>(dtype, x); }};
}

/// Halves to even, saturated, NaN to 0.
template <typename T>
void testInteger(const char *name, uint32_t dtype) {
  using Limits = std::numeric_limits<T>;
  const struct {
    double value;
    T expected;
  } cases[] = {{0.5, 0},
               {1.5, 2},
               {2.5, 2},
               {-0.0, 0},
               {100.49, 100},
               {NAN, 0},
               {1e30, Limits::max()},
               {-1e30, Limits::min()},
               {INFINITY, Limits::max()},
               {-INFINITY, Limits::min()},
               {(double)Limits::max(), Limits::max()},
               {(double)Limits::max() + 1, Limits::max()},
               {(double)Limits::min(), Limits::min()}};
  for (auto &c : cases)
    check(store<T>(dtype, c.value) == c.expected, "%s of %g", name, c.value);
  for (T x : {Limits::min(), Limits::max(), (T)0, (T)7})
    check(load(dtype, &x) == (double)x, "%s loads %g", name, (double)x);
}

} // namespace

int main() {
  test({"f16", 5, 10, true,
        [](uint16_t x) {
          return (double)aikb___extendhfsf2(bitCast<_Float16>(x));
        },
        [](double x) { return bitCast<uint16_t>(aikb___truncdfhf2(x)); },
        [](float x) { return bitCast<uint16_t>(aikb___truncsfhf2(x)); }});
  test({"bf16", 8, 7, true,
        [](uint16_t x) {
          return (double)aikb___extendbfsf2(bitCast<__bf16>(x));
        },
        [](double x) { return bitCast<uint16_t>(aikb___truncdfbf2(x)); },
        [](float x) { return bitCast<uint16_t>(aikb___truncsfbf2(x)); }});
  test(throughReference<AIK_F16, uint16_t>("f16 element", 5, 10, true));
  test(throughReference<AIK_BF16, uint16_t>("bf16 element", 8, 7, true));
  test(throughReference<AIK_F8E5M2, uint8_t>("f8E5M2", 5, 2, true));
  test(throughReference<AIK_F8E4M3FN, uint8_t>("f8E4M3FN", 4, 3, false));
  testInteger<int8_t>("i8", AIK_I8);
  testInteger<uint8_t>("u8", AIK_U8);
  testInteger<int16_t>("i16", AIK_I16);
  testInteger<int32_t>("i32", AIK_I32);
  testInteger<int64_t>("i64", AIK_I64);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    _Float16 x = bitCast<_Float16>((uint16_t)bits);
    check(same(aikb___extendhfdf2(x), (double)aikb___extendhfsf2(x)),
          "__extendhfdf2 of 0x%04x", bits);
  }
  return summary();
}
