#===- check.py - Does everyone compute the same? --------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: a benchmark's inputs and a contender's result. Out: the largest error,
# relative to the largest value. References are plain numpy in f64 on a few rows
# of the result, because whole ones would take longer than the benchmark; the
# rest of it is compared with the first contender's.
#
#===----------------------------------------------------------------------===#

import zlib

import numpy as np

from contenders import widened
import formats
import layers

_LARGEST_FILL = 65521   # a prime: repeated values differ from row to row
_ROWS = 8


def make_inputs(benchmark):
    """{name: stored array}, the same in every run."""
    arrays = {}
    for name, dtype, shape, fill in benchmark.inputs:
        rng = np.random.default_rng(zlib.crc32(
            f"{benchmark.id}/{name}".encode()))
        count = int(np.prod(shape))
        if dtype == "i8" and name.startswith("w"):
            arrays[name] = fill(rng, shape, dtype).view(np.int8)
        elif count <= _LARGEST_FILL:
            arrays[name] = stored(np.asarray(fill(rng, shape, dtype)), dtype)
        else:
            some = stored(np.asarray(fill(rng, (_LARGEST_FILL,), dtype)), dtype)
            arrays[name] = np.resize(some, shape)
    return arrays


def stored(values, dtype):
    """As .npy files hold it; bf16 as uint16, rounded to nearest even."""
    if dtype != "bf16":
        return values.astype({"f32": "f4", "f16": "f2", "i8": "i1",
                              "i32": "i4"}[dtype])
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def _f64(array, rows=slice(None)):
    return widened(array[rows]).astype(np.float64)


def _matmul(bench, rows, a, b):
    return _f64(a, rows) @ _f64(b)


def _linear(bench, rows, x, w):
    return _f64(x, rows) @ _f64(w).T


def _int8_matmul(bench, rows, a, b, scale_a, scale_b):
    return (a[rows].astype(np.float64) @ b.astype(np.float64)) \
        * scale_a[rows, None] * scale_b


def _quantized(bench, rows, x, w):
    values = formats.dequantize(bench.type, w.view(np.uint8))
    return np.atleast_2d(x)[rows].astype(np.float64) @ values.T.astype(
        np.float64)


def _rms_norm(bench, rows, x, gamma):
    x = _f64(x, rows)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * _f64(gamma)


def _layer_norm(bench, rows, x, gamma, beta):
    x = _f64(x, rows)
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) \
        * _f64(gamma) + _f64(beta)


def _softmax(bench, rows, x):
    e = _f64(x, rows)
    e = np.exp(e - e.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _swiglu(bench, rows, gate, up):
    g = _f64(gate, rows)
    return g / (1 + np.exp(-g)) * _f64(up, rows)


def _attention(bench, rows, q, k, v):
    """Rows of all heads, flattened as [heads * length, width]."""
    heads, length, width = (bench.sizes[c] for c in "HSD")
    picked = []
    for row in rows:
        head, position = divmod(int(row), length)
        seen = slice(0, position + 1)
        scores = _f64(k[0, head], seen) @ _f64(q[0, head, position]) \
            / np.sqrt(width)
        weights = np.exp(scores - scores.max())
        picked.append(weights / weights.sum() @ _f64(v[0, head], seen))
    return np.array(picked)


REFERENCES = {
    "matmul": _matmul, "linear": _linear, "int8_matmul": _int8_matmul,
    "quant_gemv": _quantized, "quant_matmul": _quantized,
    "rms_norm": _rms_norm, "layer_norm": _layer_norm, "softmax": _softmax,
    "swiglu": _swiglu, "attention": _attention,
    "copy": lambda bench, rows, x: _f64(x, rows),
    "layer_prefill": layers.prefill, "layer_decode": layers.decode,
}


class Judge:
    """Compares the results of one benchmark; the first one is remembered."""

    def __init__(self, benchmark, arrays):
        self.benchmark, self.first = benchmark, None
        self.rows = self.expected = None
        reference = REFERENCES.get(benchmark.op)
        if reference:
            count = self.row_count()
            self.rows = np.unique(np.linspace(0, count - 1, _ROWS).astype(int))
            self.expected = reference(benchmark, self.rows, **arrays)

    def row_count(self):
        sizes = self.benchmark.sizes
        if self.benchmark.op == "attention":
            return sizes["H"] * sizes["S"]
        if self.benchmark.op.startswith("layer_"):
            return sizes.get("S", 1)
        return sizes.get("M") or sizes["R"]

    def error(self, name, result):
        """(largest relative error, against what); infinite for a wrong shape
        or a value that is not finite."""
        if self.expected is not None:
            width = self.expected.shape[-1]
            if result.size % width or result.size // width <= self.rows[-1]:
                return float("inf"), "shape"
            found = result.reshape(-1, width)[self.rows]
            error = _relative(found, self.expected)
            against = f"f64, {len(self.rows)} rows"
        else:
            error, against = 0.0, "nobody"
        if self.first is None:
            self.first = (name, result)
        else:
            other, values = self.first
            if values.size != result.size:
                return float("inf"), "shape"
            apart = _relative(result.reshape(-1), values.reshape(-1))
            against = f"{against}; {other}" if self.expected is not None \
                else other
            error = max(error, apart)
        return error, against


def _relative(found, expected):
    scale = float(np.abs(expected).max()) or 1.0
    error = float(np.abs(found - expected).max()) / scale
    return error if np.isfinite(error) else float("inf")
