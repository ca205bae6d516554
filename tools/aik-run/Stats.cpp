//===- Stats.cpp - Statistics of measurements -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The p-value of Student's t with v degrees of freedom is
// I_{v/(v+t^2)}(v/2, 1/2); the incomplete beta function is evaluated by its
// continued fraction with the modified Lentz method.
//
//===----------------------------------------------------------------------===//

#include "Stats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aikrun {
namespace {

/// The continued fraction of I_x(a, b); converges fast for x < (a+1)/(a+b+2).
double betaFraction(double a, double b, double x) {
  const double tiny = 1e-300;
  auto nonZero = [&](double value) {
    return std::fabs(value) < tiny ? tiny : value;
  };
  double c = 1, d = 1 / nonZero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m < 10000; ++m) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    fraction *= d * c;
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    fraction *= d * c;
    if (std::fabs(d * c - 1) < 1e-15)
      break;
  }
  return fraction;
}

} // namespace

double incompleteBeta(double a, double b, double x) {
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                          a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2))
    return front * betaFraction(a, b, x) / a;
  return 1 - front * betaFraction(b, a, 1 - x) / b;
}

Summary summarize(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  Summary summary;
  size_t n = samples.size();
  summary.count = n;
  summary.min = samples.front();
  summary.max = samples.back();
  summary.median =
      n % 2 ? samples[n / 2] : samples[n / 2 - 1] / 2 + samples[n / 2] / 2;
  double sum = 0;
  for (double sample : samples)
    sum += sample;
  summary.mean = sum / static_cast<double>(n);
  double squares = 0;
  for (double sample : samples)
    squares += (sample - summary.mean) * (sample - summary.mean);
  if (n > 1)
    summary.deviation = std::sqrt(squares / static_cast<double>(n - 1));
  return summary;
}

WelchTest welchTest(const Summary &a, const Summary &b) {
  WelchTest test;
  double na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
  double va = a.deviation * a.deviation / na;
  double vb = b.deviation * b.deviation / nb;
  double difference = b.mean - a.mean;
  if (va + vb == 0) {
    // No spread at all: the means either are the same number or are not.
    test.degrees = na + nb - 2;
    test.p = difference == 0 ? 1 : 0;
    test.t = difference == 0
                 ? 0
                 : std::copysign(std::numeric_limits<double>::infinity(),
                                 difference);
    return test;
  }
  test.t = difference / std::sqrt(va + vb);
  test.degrees =
      (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
  test.p = incompleteBeta(test.degrees / 2, 0.5,
                          test.degrees / (test.degrees + test.t * test.t));
  return test;
}

} // namespace aikrun
