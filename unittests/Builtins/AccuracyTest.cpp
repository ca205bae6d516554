//===- AccuracyTest.cpp - How far the math functions are from the truth ---===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the C library's long double functions (113 bits on AArch64, 64 on
// x86-64) for f64, and its f64 functions for f32: every power of two and its
// neighbours, random numbers where a function is interesting, random bits, and
// special values. Prints the ulp table of lib/Builtins/README.md. An argument
// multiplies the number of samples.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "Harness.h"

#include <cstdlib>

using namespace harness;

namespace {

/// Error of `got` in units in the last place of T at the exact value.
template <typename T, typename Exact>
double ulpError(T got, Exact exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) && std::isnan(exact) ? 0 : 1e300;
  Exact largest = Limits::max();
  if (std::isinf(got) && std::isinf((T)exact) && (got > 0) == (exact > 0))
    return 0;
  if (std::isinf(exact))
    return 1e300;
  Exact value = got;
  if (std::isinf(got)) // as if the next number after the largest
    value = std::copysign(largest * (1 + (Exact)Limits::epsilon() / 2), got);
  int exponent = exact == 0 ? Limits::min_exponent : std::ilogb(exact) + 1;
  if (exponent < Limits::min_exponent)
    exponent = Limits::min_exponent;
  if (exponent > Limits::max_exponent)
    exponent = Limits::max_exponent;
  Exact ulp = std::ldexp((Exact)1, exponent - Limits::digits);
  return (double)(std::fabs(value - exact) / ulp);
}

template <typename T>
struct Worst {
  double error = 0;
  T x = 0, y = 0;
  long samples = 0;
  void take(double candidate, T atX, T atY = 0) {
    ++samples;
    if (candidate > error) {
      error = candidate;
      x = atX;
      y = atY;
    }
  }
  void report(const char *name, double limit) {
    std::printf("| `%s` | %.3f | %a, %a | %ld |\n", name, error, (double)x,
                (double)y, samples);
    check(error <= limit, "%s: %.3f ulp at %a, %a", name, error, (double)x,
          (double)y);
  }
};

const double specials[] = {0.0,
                           -0.0,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           1.0,
                           -1.0,
                           0x1p-1074,
                           -0x1p-1074,
                           0x1p-1022,
                           0.5,
                           -0.5,
                           2.0,
                           -2.0,
                           3.0,
                           -3.0,
                           0x1p53,
                           -0x1p53,
                           0x1p53 - 1,
                           1 - 0x1p53,
                           0x1.fffffffffffffp1023,
                           -0x1.fffffffffffffp1023};

/// Special values agree in kind: NaN, infinity, zero with its sign.
bool sameKind(double got, double expected) {
  if (std::isnan(expected) || std::isinf(expected) || expected == 0)
    return same(got, expected);
  return std::isfinite(got) &&
         std::fabs(got - expected) <= 0x1p-51 * std::fabs(expected) + 0x1p-1073;
}

/// Multiplies the number of random samples.
int effort = 1;

void testDouble(const char *name, double (*f)(double),
                long double (*exact)(long double), double (*ours)(double),
                double low, double high) {
  for (double x : specials)
    check(sameKind(f(x), ours(x)), "%s(%a) = %a, expected %a", name, x, f(x),
          ours(x));
  Worst<double> worst;
  auto sample = [&](double x) { worst.take(ulpError(f(x), exact(x)), x); };
  for (int e = -1074; e <= 1023; ++e) {
    double power = std::ldexp(1.0, e);
    double around[] = {power, std::nextafter(power, 0), 1.5 * power};
    for (double x : around) {
      sample(x);
      sample(-x);
    }
  }
  Random random(1);
  for (int i = 0; i < 12000 * effort; ++i)
    sample(random.uniform(low, high));
  for (int i = 0; i < 3000 * effort; ++i)
    sample(bitCast<double>(random.bits()));
  for (int i = 0; i < 3000 * effort; ++i)
    sample(random.uniform(-2, 2));
  worst.report(name, 1.0);
}

void testSingle(const char *name, float (*f)(float), double (*exact)(double),
                double low, double high) {
  for (double x : specials)
    check(std::isnan(exact((float)x)) == std::isnan(f((float)x)), "%s(%a) = %a",
          name, x, (double)f((float)x));
  Worst<float> worst;
  auto sample = [&](float x) { worst.take(ulpError(f(x), exact(x)), x); };
  for (uint32_t e = 0; e < 255; ++e)
    for (uint32_t fraction : {0u, 1u, 0x7fffffu, 0x400000u}) {
      sample(bitCast<float>(e << 23 | fraction));
      sample(-bitCast<float>(e << 23 | fraction));
    }
  Random random(2);
  for (int i = 0; i < 50000 * effort; ++i) {
    sample((float)random.uniform(low, high));
    sample(bitCast<float>((uint32_t)random.bits()));
  }
  worst.report(name, 0.51);
}

void testPow() {
  for (double x : specials)
    for (double y : specials)
      check(sameKind(aikb_pow(x, y), std::pow(x, y)),
            "pow(%a, %a) = %a, expected %a", x, y, aikb_pow(x, y),
            std::pow(x, y));
  Worst<double> worst;
  auto sample = [&](double x, double y) {
    worst.take(ulpError(aikb_pow(x, y), powl(x, y)), x, y);
  };
  Random random(3);
  for (int i = 0; i < 8000 * effort; ++i) {
    sample(random.uniform(0, 10), random.uniform(-30, 30));
    double x = bitCast<double>(random.bits() & ~(UINT64_C(1) << 63));
    sample(x, random.uniform(-1, 1));
    // The whole range of results: y ln x in [-750, 720].
    if (std::isfinite(x) && x > 0)
      sample(x, random.uniform(-750, 720) / std::log(x));
    double nearOne = 1 + random.uniform(-0x1p-10, 0x1p-10);
    sample(nearOne, random.uniform(-750, 720) / std::log(nearOne));
    sample(random.uniform(-10, 0), (double)random.below(300) - 150);
  }
  worst.report("pow", 1.0);
  Worst<float> worstSingle;
  for (int i = 0; i < 50000 * effort; ++i) {
    float x = (float)random.uniform(0, 20), y = (float)random.uniform(-30, 30);
    worstSingle.take(ulpError(aikb_powf(x, y), std::pow((double)x, (double)y)),
                     x, y);
  }
  worstSingle.report("powf", 0.51);
}

void testAtan2() {
  for (double y : specials)
    for (double x : specials)
      check(sameKind(aikb_atan2(y, x), std::atan2(y, x)),
            "atan2(%a, %a) = %a, expected %a", y, x, aikb_atan2(y, x),
            std::atan2(y, x));
  Worst<double> worst;
  Random random(4);
  auto sample = [&](double y, double x) {
    worst.take(ulpError(aikb_atan2(y, x), atan2l(y, x)), y, x);
  };
  for (int i = 0; i < 8000 * effort; ++i) {
    double x = bitCast<double>(random.bits());
    sample(random.uniform(-3, 3), random.uniform(-3, 3));
    sample(x * random.uniform(-3, 3), x);
    sample(bitCast<double>(random.bits()), x);
  }
  worst.report("atan2", 1.0);
}

/// Whole powers agree with repeated multiplication in higher precision.
void testPowi() {
  Worst<double> worst;
  for (int n = -40; n <= 40; ++n)
    for (double x : {1.5, -0.75, 3.0, 10.0, 0.1})
      worst.take(ulpError(aikb___powidf2(x, n), powl(x, n)), x, n);
  worst.report("__powidf2", 1.0);
  check(aikb___powisf2(2, -3) == 0.125f, "__powisf2(2, -3)");
  check(aikb___powidf2(1, INT32_MIN) == 1, "__powidf2 of the least integer");
}

void testSinCosTogether() {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    double x = random.uniform(-1e6, 1e6), s, c;
    aikb_sincos(x, &s, &c);
    check(same(s, aikb_sin(x)) && same(c, aikb_cos(x)), "sincos(%a)", x);
    float sf, cf;
    aikb_sincosf((float)x, &sf, &cf);
    check(same(sf, aikb_sinf((float)x)) && same(cf, aikb_cosf((float)x)),
          "sincosf(%a)", x);
  }
  // The doubles closest to a multiple of pi/2, near and far.
  Worst<double> worst;
  for (double x :
       {0x1.921fb54442d18p0, 0x1.6ac5b262ca1ffp849, 0x1.921fb54442d18p20,
        5.3193726483265414e255, 1e22, 0x1.6c6cbc45dc8dep5,
        0x1.fffffffffffffp1023, 0x1p19, 0x1.8p52, 6.283185307179586e5}) {
    worst.take(ulpError(aikb_sin(x), sinl(x)), x);
    worst.take(ulpError(aikb_cos(x), cosl(x)), x);
    worst.take(ulpError(aikb_tan(x), tanl(x)), x);
  }
  worst.report("sin, cos, tan near multiples of pi/2", 1.0);
}

double glibcExp10(double x) { return (double)exp10l(x); }

} // namespace

int main(int argc, char **argv) {
  if (argc > 1)
    effort = std::atoi(argv[1]);
  std::printf("| function | worst ulp | at | samples |\n|---|---|---|---|\n");
#define TEST(name, low, high)                                                  \
  testDouble(#name, aikb_##name, name##l, std::name, low, high);               \
  testSingle(#name "f", aikb_##name##f, std::name, low, high)
  TEST(exp, -746, 710);
  TEST(exp2, -1076, 1025);
  testDouble("exp10", aikb_exp10, exp10l, glibcExp10, -324, 309);
  testSingle("exp10f", aikb_exp10f, glibcExp10, -46, 39);
  TEST(expm1, -40, 710);
  TEST(log, 0, 4);
  TEST(log2, 0, 4);
  TEST(log10, 0, 4);
  TEST(log1p, -1, 4);
  TEST(sin, -100, 100);
  TEST(cos, -1e6, 1e6);
  TEST(tan, -100, 100);
  TEST(asin, -1, 1);
  TEST(acos, -1, 1);
  TEST(atan, -10, 10);
  TEST(sinh, -711, 711);
  TEST(cosh, -711, 711);
  TEST(tanh, -20, 20);
  TEST(asinh, -20, 20);
  TEST(acosh, 1, 20);
  TEST(atanh, -1, 1);
  TEST(cbrt, -100, 100);
  TEST(erf, -6, 6);
  TEST(erfc, -6, 27.3);
  testPow();
  testAtan2();
  testPowi();
  testSinCosTogether();
  return summary();
}
