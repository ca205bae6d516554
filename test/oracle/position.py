#===- position.py - Oracle of the position family ------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# rope on float64 arrays. Frequencies are computed to 60 digits and held as
# turns in 64-bit fixed point, round(2^64 f / 2 pi); the angle of a position is
# that constant times the position, modulo one turn, in Python integers.
#
#===----------------------------------------------------------------------===#

from decimal import Decimal, ROUND_HALF_EVEN, localcontext
from functools import lru_cache
import math

import numpy as np

from oracle.attention import to_bhsd

_DIGITS = 60
_TURN = 1 << 64


@lru_cache(maxsize=None)
def _pi():
    """Machin's formula, in integers scaled by 10^70."""
    unit = 10 ** 70

    def arctan_inverse(n):
        total, term, k = 0, unit // n, 0
        while term:
            total += (-term if k & 1 else term) // (2 * k + 1)
            term //= n * n
            k += 1
        return total

    with localcontext() as context:
        context.prec = _DIGITS
        scaled = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
        return Decimal(scaled) / Decimal(unit)


def _llama3(frequency, factor, low, high, context_length):
    """Long waves are slowed by `factor`, short ones kept, a ramp between."""
    rotations = context_length * frequency / (2 * _pi())
    if rotations > high:
        return frequency
    if rotations < low:
        return frequency / factor
    smooth = (rotations - low) / (high - low)
    return (1 - smooth) * frequency / factor + smooth * frequency


def _yarn(frequency, index, dim, base, factor, context_length, beta_fast,
          beta_slow):
    """NTK by parts: the ramp is over pair indices, as in the paper's code."""
    def correction(rotations):
        return (dim * (context_length / (rotations * 2 * _pi())).ln()
                / (2 * base.ln()))

    low = max(math.floor(correction(beta_fast)), 0)
    high = min(math.ceil(correction(beta_slow)), dim - 1)
    span = Decimal(high - low) if high != low else Decimal("0.001")
    ramp = min(max((index - low) / span, Decimal(0)), Decimal(1))
    return frequency / factor * ramp + frequency * (1 - ramp)


@lru_cache(maxsize=None)
def frequencies(base, dim, scaling=("none",)):
    """Radians per position of each pair, as 60-digit decimals."""
    with localcontext() as context:
        context.prec = _DIGITS
        exact = [Decimal(float(p)) for p in scaling[1:]]
        base = Decimal(float(np.float32(base)))
        result = []
        for i in range(dim // 2):
            f = (Decimal(-2 * i) / Decimal(dim) * base.ln()).exp()
            if scaling[0] == "linear":
                f = f / exact[0]
            elif scaling[0] == "llama3":
                f = _llama3(f, *exact)
            elif scaling[0] == "yarn":
                f = _yarn(f, Decimal(i), dim, base, *exact[:4])
            elif scaling[0] != "none":
                raise ValueError(f"unknown rope scaling {scaling[0]}")
            result.append(f)
        return tuple(result)


def magnitude(scaling=("none",)):
    """What cos and sin are multiplied with: yarn's attention factor."""
    if scaling[0] != "yarn":
        return 1.0
    if len(scaling) > 5 and scaling[5] > 0:
        return float(scaling[5])
    return 0.1 * math.log(scaling[1]) + 1.0 if scaling[1] > 1 else 1.0


@lru_cache(maxsize=None)
def turn_constants(base, dim, scaling=("none",)):
    """round(2^64 f / 2 pi) of each pair, as Python integers."""
    with localcontext() as context:
        context.prec = _DIGITS
        return tuple(int((f * _TURN / (2 * _pi())).to_integral_value(
            ROUND_HALF_EVEN)) for f in frequencies(base, dim, scaling))


def angles(pos, base, dim, scaling=("none",)):
    """float64 [*pos.shape, dim/2] in (-pi, pi]: the same for every target."""
    constants = turn_constants(base, dim, scaling)
    result = np.zeros(np.shape(pos) + (dim // 2,))
    for place, position in np.ndenumerate(np.asarray(pos)):
        for i, constant in enumerate(constants):
            turns = (int(position) * constant) % _TURN
            if turns > _TURN // 2:
                turns -= _TURN
            result[place + (i,)] = 2.0 * math.pi * (turns / _TURN)
    return result


def pairs(dim, style):
    """Feature indices (first, second) of each pair."""
    i = np.arange(dim // 2)
    return (i, i + dim // 2) if style == "half" else (2 * i, 2 * i + 1)


def rope(x, pos, base=10000.0, dim=None, style="half", scaling=("none",),
         layout="bhsd"):
    """Turns the pairs of the first `dim` features; the rest pass."""
    x = to_bhsd(x, layout)
    dim = x.shape[3] if dim is None else dim
    angle = angles(pos, base, dim, scaling)[:, None]    # [B,1,S,dim/2]
    cos = np.cos(angle) * magnitude(scaling)
    sin = np.sin(angle) * magnitude(scaling)
    first, second = pairs(dim, style)
    y = np.array(x)
    with np.errstate(invalid="ignore"):
        y[..., first] = x[..., first] * cos - x[..., second] * sin
        y[..., second] = x[..., second] * cos + x[..., first] * sin
    return to_bhsd(y, layout)
