#===- special.py - erf, erfc and the logistic function in float64 --------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# numpy has no erf. Both functions here are vectorised and good to a few units
# in the last place of a double over their whole range, the far tail of erfc
# included (the self-test holds them against the C library's, through `math`).
#
#===----------------------------------------------------------------------===#

import numpy as np

# Up to here the series is used, from here on the continued fraction.
_SEAM = 2.0
_SERIES_TERMS = 44
_FRACTION_TERMS = 140


def _series(x):
    """erf(x) for 0 <= x < the seam, in the widest type: what 1 - erf loses
    to cancellation, the bits beyond a double make up for.

    2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (2n+1)!!; all terms > 0.
    """
    x = x.astype(np.longdouble)
    term = np.ones_like(x)
    total = np.ones_like(x)
    for n in range(1, _SERIES_TERMS):
        term = term * (2 * x * x) / (2 * n + 1)
        total = total + term
    root_of_pi = np.sqrt(4 * np.arctan(np.longdouble(1)))
    return 2 / root_of_pi * x * np.exp(-x * x) * total


def _fraction(x):
    """erfc(x) for x >= the seam: Laplace's continued fraction, from its far
    end; x^2 is split so that rounding it does not reach the exponential."""
    tail = np.zeros_like(x)
    for n in range(_FRACTION_TERMS, 0, -1):
        tail = (0.5 * n) / (x + tail)
    head = np.ldexp(np.round(np.ldexp(x, 20)), -20)     # head^2 is exact
    square = np.exp(-head * head) * np.exp(-(x - head) * (x + head))
    return square / (np.sqrt(np.pi) * (x + tail))


def _both(x):
    """erf and erfc of |x|."""
    size = np.minimum(np.abs(np.asarray(x, np.float64)), 30.0)
    lower, upper = np.full_like(size, np.nan), np.full_like(size, np.nan)
    near, far = size < _SEAM, size >= _SEAM
    inner = _series(size[near])
    lower[near], upper[near] = inner, 1 - inner
    outer = _fraction(size[far])
    lower[far], upper[far] = 1 - outer, outer
    return lower, upper


def erfc(x):
    upper = _both(x)[1]
    return np.where(x < 0, 2.0 - upper, upper)


def erf(x):
    return np.copysign(_both(x)[0], x)


def sigmoid(x):
    """1 / (1 + exp(-x)), with full relative accuracy on both sides."""
    x = np.asarray(x, np.float64)
    small = np.exp(-np.abs(x))
    return np.where(np.isnan(x), np.nan,
                    np.where(x >= 0, 1.0, small) / (1.0 + small))
