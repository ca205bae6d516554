#===- stats.py - What samples say -----------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: lists of seconds. Out: a summary, the ratio of two lists that were taken
# in rounds, or Welch's t-test on two of them; the t distribution comes from the
# regularized incomplete beta function, which is computed here (the same
# continued fraction as tools/aik-run/Stats.cpp), so that numpy is all the
# driver needs.
#
#===----------------------------------------------------------------------===#

import math
from typing import NamedTuple

#: A difference counts as real below this probability, as in `aik-run compare`.
SIGNIFICANCE = 0.01


class Summary(NamedTuple):
    count: int
    median: float
    mean: float
    best: float
    worst: float
    deviation: float    # of the sample: divided by count - 1


class Welch(NamedTuple):
    t: float
    degrees: float
    p: float            # two-sided


def summarize(samples):
    if not samples:
        raise ValueError("there are no samples")
    ordered = sorted(samples)
    count = len(ordered)
    middle = count // 2
    median = ordered[middle] if count % 2 else \
        (ordered[middle - 1] + ordered[middle]) / 2
    mean = math.fsum(ordered) / count
    squares = math.fsum((x - mean) ** 2 for x in ordered)
    deviation = math.sqrt(squares / (count - 1)) if count > 1 else 0.0
    return Summary(count, median, mean, ordered[0], ordered[-1], deviation)


def quartiles(samples):
    """Between which the middle half lies, as measured."""
    ordered = sorted(samples)
    last = len(ordered) - 1
    return ordered[round(last / 4)], ordered[round(last * 3 / 4)]


def ratio(first, second):
    """How often `first` fits into `second`: the median of what each round
    says, since samples of one round meet the machine in one state."""
    return summarize([b / a for a, b in zip(first, second)]).median


def ratio_interval(first, second, probability=0.95):
    """Between which ratios of rounds the true median lies with at least this
    probability, whatever their distribution; None for too few rounds."""
    ordered = sorted(b / a for a, b in zip(first, second))
    count, outside = len(ordered), 0
    # P(so many heads of `count` coins), as a logarithm; and of fewer.
    exactly, tail = -count * math.log(2), 0.0
    while outside < count:
        tail += math.exp(exactly)
        if tail > (1 - probability) / 2:
            break
        exactly += math.log((count - outside) / (outside + 1))
        outside += 1
    return (ordered[outside - 1], ordered[-outside]) if outside else None


def incomplete_beta(a, b, x):
    """I_x(a, b) for a, b > 0 and x in [0, 1]."""
    if not 0 <= x <= 1:
        raise ValueError("x must lie in [0, 1]")
    if x in (0, 1):
        return float(x)
    # The fraction converges fast below this point; above it, use symmetry.
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x)) / a
    return front * _continued_fraction(a, b, x)


def _continued_fraction(a, b, x):
    """Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 500):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x
                     / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def welch(first, second):
    """Is the mean of `second` another one than that of `first`? t > 0 when
    `second` is larger. None when either has fewer than two samples."""
    if len(first) < 2 or len(second) < 2:
        return None
    a, b = summarize(first), summarize(second)
    va, vb = a.deviation ** 2 / a.count, b.deviation ** 2 / b.count
    difference = b.mean - a.mean
    if va + vb == 0:
        return Welch(math.copysign(math.inf, difference) if difference else 0.0,
                     a.count + b.count - 2, 0.0 if difference else 1.0)
    t = difference / math.sqrt(va + vb)
    degrees = (va + vb) ** 2 / (va ** 2 / (a.count - 1)
                                + vb ** 2 / (b.count - 1))
    return Welch(t, degrees,
                 incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)))
