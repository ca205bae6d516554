#===- byte_sums.py - Sums of 8-bit floats by matrix instructions ---------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The instructions of sm_90 (`kept` = 13) add 32 products and the sum so far at
# once. All are shifted to the largest exponent among them, where that of a
# product is the sum of its factors' exponents (those of subnormals the least),
# and cut to `kept` bits behind it; the cut numbers are added exactly, and the sum
# is cut to `kept` bits behind its own first one. What this computes is what an
# H200 gave, bit for bit (docs/Rationale.md).
#
# In: two exact matrices [*, M, K] and [*, K, N]. Out: the sums that such
# instructions give, and how far from the exact ones they can be.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass

import numpy as np

from oracle import dtypes

#: Products of one instruction.
STEP = 32
#: Products after which sums are added in f32, unless the op is `fast`.
CHAIN = 128
_NONE = -9999   # the exponent of 0


@dataclass(frozen=True)
class Sums:
    """How the products of two types are added."""
    kept: int
    types: tuple

    def exponents(self, operand, number):
        """Those of operand 0 or 1."""
        least = 1 - dtypes.FLOATS[self.types[number]].bias
        return np.where(operand == 0, _NONE,
                        np.maximum(_exponent(operand), least))


def _chains(a, b, sums, fast):
    """The products of each chain of instructions, [*, M, N, up to CHAIN], and
    their exponents as the instructions see them."""
    terms = a.shape[-1]
    length = terms if fast else CHAIN
    b = np.swapaxes(b, -1, -2)
    for first in range(0, terms, length):
        left = a[..., :, None, first:first + length]
        right = b[..., None, :, first:first + length]
        exponents = sums.exponents(left, 0) + sums.exponents(right, 1)
        yield left * right, np.maximum(exponents, _NONE)


def _cut(value, exponent, kept):
    unit = np.ldexp(1.0, np.maximum(exponent, -900) - kept)
    return np.trunc(value / unit) * unit


def _exponent(value):
    # frexp's fractions are below 1.
    return np.where(value == 0, _NONE, np.frexp(value)[1] - 1)


def product(a, b, sums, fast=False):
    """The product as f32, chain after chain."""
    kept = sums.kept
    total = np.zeros(np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
                     + (a.shape[-2], b.shape[-1]), np.float32)
    for products, exponents in _chains(a, b, sums, fast):
        partial = np.zeros(products.shape[:-1])
        for first in range(0, products.shape[-1], STEP):
            part = products[..., first:first + STEP]
            top = np.maximum(exponents[..., first:first + STEP].max(-1),
                             _exponent(partial))
            partial = (_cut(part, top[..., None], kept).sum(-1)
                       + _cut(partial, top, kept))
            partial = _cut(partial, _exponent(partial), kept)
        total = total + partial.astype(np.float32)
    return total


def _lost(products, exponents, reach, unit, exact=np.inf):
    """What cuts can take in a chain whose partial sums are at most `reach`:
    less than q = unit M from each number, where M is the largest of the powers
    of the exponents in its step and of `reach`, and no more than the number;
    nothing from products of `exact` q or more."""
    lost = 0.0
    for first in range(0, products.shape[-1], STEP):
        sizes = np.abs(products[..., first:first + STEP])
        powers = np.ldexp(1.0, exponents[..., first:first + STEP].max(-1))
        q = (unit * np.maximum(powers, reach))[..., None]
        cut = np.where(sizes < exact * q, np.minimum(sizes, q), 0.0)
        lost = lost + cut.sum(-1) + q[..., 0] + unit * reach
    return lost


def bound(a, b, sums, fast=False):
    """The largest error of all chains together, without what adding them in
    f32 loses.

    Products of 8-bit floats have at most six bits behind the leading one of
    their exponent and are below four times its power: one that is cut is below
    2^7 q. Sums so far are partial sums of the chain: in order, at most the
    largest of them; of a `fast` chain, of which blocks may take the steps in
    another order, at most twice the difference between the largest and the
    least. They are themselves off by the error E of the chain, which takes
    (32 + 1 + 1) 2^-kept E per step more, and so is at most what would be lost
    without it divided by 1 - 34 steps 2^-kept.
    """
    unit = 2.0 ** -sums.kept
    total = 0.0
    for products, exponents in _chains(a, b, sums, fast):
        starts = range(0, products.shape[-1], STEP)
        partial = np.cumsum(np.stack(
            [products[..., s:s + STEP].sum(-1) for s in starts], -1), -1)
        reach = np.abs(partial).max(-1)
        if fast:
            reach = 2 * (np.maximum(partial.max(-1), 0)
                         - np.minimum(partial.min(-1), 0))
        growth = (STEP + 2) * len(starts) * unit
        if growth >= 1:
            return np.full(reach.shape, np.inf)
        crude = _lost(products, exponents, reach, unit) / (1 - growth)
        total = total + _lost(products, exponents, reach + crude, unit,
                              2.0 ** 7)
    return total
