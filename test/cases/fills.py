#===- fills.py - What the inputs of a case hold --------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Each function returns a fill: (rng, shape, dtype) -> float64 values (or
# integers) that the case stores in its element type. Where bits matter, a fill
# returns a tensor that is stored already.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle import dtypes


def ints(limit, low=None):
    """Integers in [-limit, limit] (or [low, limit]): sums stay exact."""
    start = -limit if low is None else low
    return lambda rng, shape, dtype: rng.integers(
        start, limit, shape, endpoint=True).astype(np.float64)


def normal(scale=1.0, mean=0.0):
    return lambda rng, shape, dtype: rng.normal(mean, scale, shape)


def uniform(low, high):
    return lambda rng, shape, dtype: rng.uniform(low, high, shape)


def constant(value):
    return lambda rng, shape, dtype: np.full(shape, value)


def given(values):
    """These values, repeated to fill the shape."""
    values = np.asarray(values)
    return lambda rng, shape, dtype: np.resize(values, shape)


def every_code():
    """All bit patterns of a 16-bit or 8-bit type, in order, NaNs included."""
    def fill(rng, shape, dtype):
        form = dtypes.FLOATS[dtype]
        codes = np.arange(int(np.prod(shape))) % (1 << form.bits)
        return codes.astype(form.code_type).view(form.npy).reshape(shape)
    return fill


def any_bits():
    """Random bit patterns, NaNs with payloads included."""
    def fill(rng, shape, dtype):
        width = dtypes.npy_type(dtype).itemsize
        count = int(np.prod(shape)) * width
        raw = rng.integers(0, 256, count, dtype=np.uint8)
        return raw.view(dtypes.npy_type(dtype)).reshape(shape)
    return fill


def exponent_edges():
    """f32 and f64: around every power of two, both signs, and specials; the
    rest of the tensor is random over the range where functions bend."""
    def fill(rng, shape, dtype):
        form = dtypes.FLOATS[dtype]
        fraction = 1 << form.mantissa_bits
        fields = np.arange(1 << form.exponent_bits, dtype=np.uint64)
        fields = fields[::max(1, len(fields) // 256)]
        ends = np.array([0, 1, fraction // 2, fraction - 1], np.uint64)
        codes = ((fields[:, None] << np.uint64(form.mantissa_bits))
                 | ends[None, :]).reshape(-1)
        codes = np.concatenate([codes, codes | np.uint64(1 << (form.bits - 1))])
        edges = dtypes.decode(codes.astype(form.code_type), dtype)
        count = int(np.prod(shape))
        assert count > len(edges), "make the tensor larger"
        bends = rng.uniform(-12, 12, (count - len(edges)) // 2)
        tails = rng.uniform(-110, 110, count - len(edges) - len(bends))
        return np.concatenate([edges, bends, tails]).reshape(shape)
    return fill


def with_specials(inner, share=0.02, values=(np.nan, np.inf, -np.inf)):
    """`inner` with a share of its elements (at least one) made special."""
    def fill(rng, shape, dtype):
        filled = np.array(inner(rng, shape, dtype), np.float64)
        count = filled.size
        if count:
            places = rng.choice(count, max(1, int(share * count)), False)
            filled.reshape(-1)[places] = np.resize(values, len(places))
        return filled
    return fill


def stored(fill, rng, type):
    """The tensor that goes into the .npy file."""
    values = np.asarray(fill(rng, type.shape, type.dtype))
    if values.dtype == dtypes.npy_type(type.dtype) and \
            values.dtype != np.float64:
        return values
    return dtypes.store(values, type.dtype)
