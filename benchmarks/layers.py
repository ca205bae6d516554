#===- layers.py - A transformer layer in numpy ----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The reference of whole layers in f64, for a few rows of the result: keys and
# values are needed of every row, all else only of those that are asked for. In:
# the arrays of a benchmark; out: [rows, D].
#
#===----------------------------------------------------------------------===#

import numpy as np

from contenders import widened
import formats

_EPS = 1e-5


def _norm(x, gain):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + _EPS) * gain


def _turned(x, positions, width):
    """Rotary embedding of [rows, heads * width], pairs (i, i + width / 2)."""
    half = width // 2
    angle = positions[:, None] * 1e4 ** (-np.arange(half) / half)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    x = x.reshape(len(x), -1, width)
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def _attended(q, keys, values, seen):
    """q [rows, heads, width]; keys and values [groups, positions, width];
    row i sees the first seen[i] positions."""
    rows, heads, width = q.shape
    out = np.empty_like(q)
    for head in range(heads):
        group = head * len(keys) // heads
        for row in range(rows):
            k = keys[group, :seen[row]]
            scores = k @ q[row, head] / np.sqrt(width)
            weights = np.exp(scores - scores.max())
            out[row, head] = weights / weights.sum() \
                @ values[group, :seen[row]]
    return out.reshape(rows, -1)


def _after_attention(x, o, matrix, g2):
    x = x + o @ matrix("wo")
    h = _norm(x, g2)
    gate = h @ matrix("wg")
    return x + (gate / (1 + np.exp(-gate)) * (h @ matrix("wu"))) @ matrix("wd")


def prefill(bench, rows, x, pos, g1, g2, **weights):
    """Matrices are [K, N]."""
    width = bench.sizes["D"] // bench.sizes["H"]

    def matrix(name):
        return widened(weights[name]).astype(np.float64)
    g1, g2, x = (widened(a).astype(np.float64) for a in (g1, g2, x[0]))
    positions = pos[0].astype(np.float64)
    h = _norm(x, g1)
    keys = _turned(h @ matrix("wk"), positions, width).transpose(1, 0, 2)
    values = (h @ matrix("wv")).reshape(len(x), -1, width).transpose(1, 0, 2)
    q = _turned(h[rows] @ matrix("wq"), positions[rows], width)
    o = _attended(q, keys, values, rows + 1)
    return _after_attention(x[rows], o, matrix, g2)


def decode(bench, rows, x, pos, at, g1, g2, kc, vc, **weights):
    """Matrices are [N, K], in a block format; one row."""
    width = bench.sizes["D"] // bench.sizes["H"]

    def matrix(name):
        return formats.dequantize(bench.type, weights[name].view(
            np.uint8)).astype(np.float64).T
    x, g1, g2 = (a.astype(np.float64) for a in (x, g1, g2))
    positions, place = pos[0].astype(np.float64), int(at[0])
    h = _norm(x, g1)
    keys, values = kc[0].astype(np.float64), vc[0].astype(np.float64)
    keys[:, place] = _turned(h @ matrix("wk"), positions, width)[0]
    values[:, place] = (h @ matrix("wv")).reshape(-1, width)
    q = _turned(h @ matrix("wq"), positions, width)
    o = _attended(q, keys, values, [bench.sizes["T"]])
    return _after_attention(x, o, matrix, g2)
