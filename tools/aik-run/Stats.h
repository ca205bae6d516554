//===- Stats.h - Statistics of measurements -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Samples go in; a summary, or the verdict of Welch's t-test on two sets of
// samples, comes out.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_STATS_H
#define AIK_RUN_STATS_H

#include <cstddef>
#include <vector>

namespace aikrun {

struct Summary {
  size_t count = 0;
  double median = 0, mean = 0, min = 0, max = 0;
  double deviation = 0; // of the sample: divided by count - 1
};

/// `samples` must not be empty.
Summary summarize(std::vector<double> samples);

struct WelchTest {
  double t = 0;
  double degrees = 0;
  double p = 1; // two-sided
};

/// Both need at least two samples.
WelchTest welchTest(const Summary &a, const Summary &b);

/// The regularized incomplete beta function I_x(a, b), for a, b > 0 and x in
/// [0, 1].
double incompleteBeta(double a, double b, double x);

} // namespace aikrun

#endif // AIK_RUN_STATS_H
