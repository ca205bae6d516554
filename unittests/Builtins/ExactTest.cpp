//===- ExactTest.cpp - Functions whose results have only one right value --===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding to whole numbers, fma, remainder, scaling and choosing, bit for bit
// against the C library (which uses instructions or its own integer code).
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "Harness.h"

using namespace harness;

namespace {

const double specials[] = {0.0,
                           -0.0,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           0.5,
                           -0.5,
                           1.5,
                           -1.5,
                           2.5,
                           -2.5,
                           0.49999999999999994,
                           -0.49999999999999994,
                           0x1p-1074,
                           -0x1p-1074,
                           0x1p-1022,
                           0x1.fffffffffffffp1023,
                           -0x1.fffffffffffffp1023,
                           0x1p51 + 0.5,
                           0x1p52 - 0.5,
                           0x1p52 + 1,
                           -0x1p52 - 1,
                           0x1p53,
                           0x1p62,
                           0x1.fffffep127,
                           0x1p-149,
                           8388607.5,
                           -8388607.5};

double anyDouble(Random &random) { return bitCast<double>(random.bits()); }
float anyFloat(Random &random) {
  return bitCast<float>((uint32_t)random.bits());
}

void testWholeNumbers(const char *name, double (*f)(double),
                      double (*expected)(double), float (*single)(float)) {
  auto test = [&](double x) {
    check(same(f(x), expected(x)), "%s(%a) = %a", name, x, f(x));
    float narrow = (float)x;
    check(same(single(narrow), (float)expected(narrow)), "%sf(%a) = %a", name,
          (double)narrow, (double)single(narrow));
  };
  for (double x : specials)
    test(x);
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    test(random.uniform(-100, 100));
    test((double)random.below(400) / 4 - 50);
    test(anyDouble(random));
    test((double)anyFloat(random));
  }
}

/// rint is roundeven while the rounding mode is the default.
double roundHalfEven(double x) { return std::rint(x); }

void testToIntegers() {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    double x = (double)random.below(4000) / 4 - 500;
    check(aikb_lround(x) == std::lround(x), "lround(%a)", x);
    check(aikb_lrint(x) == std::lrint(x), "lrint(%a)", x);
    check(aikb_llroundf((float)x) == std::llround(x), "llroundf(%a)", x);
    check(aikb_llrintf((float)x) == std::llrint(x), "llrintf(%a)", x);
  }
}

void testFma() {
  auto test = [](double x, double y, double z) {
    double got = aikb_fma(x, y, z), expected = std::fma(x, y, z);
    check(same(got, expected), "fma(%a, %a, %a) = %a, expected %a", x, y, z,
          got, expected);
  };
  for (double x : specials)
    for (double y : specials)
      for (double z : specials)
        test(x, y, z);
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    double x = anyDouble(random), y = anyDouble(random);
    test(x, y, anyDouble(random));
    x = random.uniform(-2, 2);
    y = random.uniform(-2, 2);
    // Near cancellation, and addends at every distance from the product.
    double product = x * y;
    test(x, y, -product);
    test(x, y, std::nextafter(-product, 1e9));
    test(x, y, std::ldexp(random.uniform(-1, 1), (int)random.below(240) - 120));
    // Products and sums that fall among the subnormal numbers.
    double small = std::ldexp(x, -500 - (int)random.below(60));
    double smaller = std::ldexp(y, -500 - (int)random.below(60));
    test(small, smaller, 0x1p-1074 * (double)random.below(100));
    test(small, smaller, -small * smaller);
    test(std::ldexp(x, 511), std::ldexp(y, 512), std::ldexp(product, 1022));
    // Halfway cases: the product ends exactly between two results.
    double odd = 1 + 0x1p-26 * (double)(1 + 2 * random.below(1 << 20));
    test(odd, odd, std::ldexp((double)random.below(8) - 4, -53));
  }
}

void testFmaSingle() {
  auto test = [](float x, float y, float z) {
    float got = aikb_fmaf(x, y, z), expected = std::fma(x, y, z);
    check(same(got, expected), "fmaf(%a, %a, %a) = %a, expected %a", (double)x,
          (double)y, (double)z, (double)got, (double)expected);
  };
  for (double x : specials)
    for (double y : specials)
      for (double z : specials)
        test((float)x, (float)y, (float)z);
  Random random(4);
  for (int i = 0; i < 20000; ++i) {
    float x = (float)random.uniform(-2, 2), y = (float)random.uniform(-2, 2);
    test(anyFloat(random), anyFloat(random), anyFloat(random));
    test(x, y, -(x * y));
    test(x, y, std::ldexp(x, (int)random.below(120) - 60));
    test(std::ldexp(x, -70), std::ldexp(y, -70),
         0x1p-149f * (float)random.below(9));
  }
  // The product lies just off half an ulp of the sum, by less than a double
  // can show: rounding to double first would make it a tie.
  for (int i = 1; i < 500; ++i) {
    float offset = 0x1p-20f * (float)i;
    float sum = 1 + 0x1p-23f * (float)i;
    test((1 + offset) * 0x1p-12f, (1 - offset) * 0x1p-12f, sum);
    test((1 + offset) * 0x1p-12f, (offset - 1) * 0x1p-12f, -sum);
    test((1 + offset) * 0x1p-12f, (offset - 1) * 0x1p-12f, sum);
  }
}

void testRemainder() {
  auto test = [](double x, double y) {
    check(same(aikb_fmod(x, y), std::fmod(x, y)), "fmod(%a, %a) = %a", x, y,
          aikb_fmod(x, y));
    float fx = (float)x, fy = (float)y;
    check(same(aikb_fmodf(fx, fy), std::fmod(fx, fy)), "fmodf(%a, %a)",
          (double)fx, (double)fy);
  };
  for (double x : specials)
    for (double y : specials)
      test(x, y);
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    test(anyDouble(random), anyDouble(random));
    test(random.uniform(-1e6, 1e6), random.uniform(-10, 10));
    test((double)random.below(1000), (double)random.below(30));
    test(anyDouble(random), 0x1p-1074 * (double)(1 + random.below(1000)));
  }
}

void testScaling() {
  Random random(6);
  auto test = [](double x, int n) {
    check(same(aikb_ldexp(x, n), std::ldexp(x, n)), "ldexp(%a, %d)", x, n);
    check(same(aikb_ldexpf((float)x, n), std::ldexp((float)x, n)),
          "ldexpf(%a, %d)", x, n);
    int got = 0, expected = 0;
    double fraction = std::frexp(x, &expected);
    check(same(aikb_frexp(x, &got), fraction) &&
              (got == expected || !std::isfinite(x)),
          "frexp(%a)", x);
    float single = (float)x, singleFraction = std::frexp(single, &expected);
    check(same(aikb_frexpf(single, &got), singleFraction) &&
              (got == expected || !std::isfinite(single)),
          "frexpf(%a)", x);
    double whole, expectedWhole, rest = std::modf(x, &expectedWhole);
    check(same(aikb_modf(x, &whole), rest) && same(whole, expectedWhole),
          "modf(%a)", x);
    float singleWhole, expectedSingleWhole;
    float singleRest = std::modf(single, &expectedSingleWhole);
    check(same(aikb_modff(single, &singleWhole), singleRest) &&
              same(singleWhole, expectedSingleWhole),
          "modff(%a)", x);
  };
  for (double x : specials)
    for (int n : {0, 1, -1, 1023, -1022, -1074, 2000, -2000, 1 << 30,
                  -(1 << 30), INT32_MIN, INT32_MAX})
      test(x, n);
  for (int i = 0; i < 5000; ++i) {
    test(anyDouble(random), (int)random.below(4400) - 2200);
    test(random.uniform(-2, 2), -1070 + (int)random.below(60));
  }
}

/// IEEE 754-2019 minimumNumber and maximumNumber.
void testMinMax() {
  for (double x : specials)
    for (double y : specials) {
      double least = x < y || std::isnan(y) ? x : y;
      double most = x > y || std::isnan(y) ? x : y;
      if (x == y) {
        least = std::signbit(x) ? x : y;
        most = std::signbit(x) ? y : x;
      }
      check(same(aikb_fmin(x, y), least), "fmin(%a, %a)", x, y);
      check(same(aikb_fmax(x, y), most), "fmax(%a, %a)", x, y);
      check(same(aikb_fminf((float)x, (float)y), (float)least), "fminf(%a, %a)",
            x, y);
      check(same(aikb_fmaxf((float)x, (float)y), (float)most), "fmaxf(%a, %a)",
            x, y);
    }
}

} // namespace

int main() {
#define TEST(name)                                                             \
  testWholeNumbers(#name, aikb_##name, std::name, aikb_##name##f);
  EXACT_FUNCTIONS(TEST)
  testWholeNumbers("roundeven", aikb_roundeven, roundHalfEven, aikb_roundevenf);
  testToIntegers();
  testFma();
  testFmaSingle();
  testRemainder();
  testScaling();
  testMinMax();
  return summary();
}
