#===- norm_cases.py - Cases of the normalization family ------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# rms_norm, layer_norm, l2_norm and softmax: lengths around vector and tile
# sizes, rows that are constant, far from zero, huge, infinite or all -inf.
#
#===----------------------------------------------------------------------===#

import numpy as np

from cases import fills
from cases.program import Builder

TYPES = ("f32", "bf16", "f16", "f64")
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 63, 64, 65, 127, 128,
           129, 255, 257)
# On CPUs each of f32 is read while the one before is written.
LONG_ROWS = (37, 1037)
# One row, which has no index.
VECTORS = ((33, "X"), (5, ""), (64, ""), (1000, ""))


def _id(*words):
    return ".".join(str(w) for w in words if w)


def _mode(dynamic, letters):
    if not dynamic:
        return "static"
    return "dynamic" if set(dynamic) == set(letters) else "dyn" + dynamic


def norm(op, dtype, shape, tier="bounded", dynamic="", fill=None, eps=1e-5,
         weights=None, tag=""):
    letters = "XYZW"[:len(shape)]
    last = letters[-1]
    weights = weights or dtype
    size = "x".join(map(str, shape))
    build = Builder("norm", op,
                    _id(op, dtype, "" if weights == dtype else "g" + weights,
                        size, tag, _mode(dynamic, letters), tier),
                    tier, dict(zip(letters, shape)), dynamic, "bounded")
    operands = [build.input("x", dtype, " ".join(letters),
                            fill or fills.normal()),
                build.input("gamma", weights, last, fills.uniform(0.5, 1.5))]
    if op == "layer_norm":
        operands.append(build.input("beta", weights, last, fills.normal(0.5)))
    return build.done(build.op(op, *operands, eps=eps))


def l2_norm(dtype, shape, tier="bounded", dynamic="", fill=None, eps=1e-12,
            tag="", compare="bounded"):
    letters = "XYZW"[:len(shape)]
    size = "x".join(map(str, shape))
    build = Builder("norm", "l2_norm",
                    _id("l2_norm", dtype, size, tag, _mode(dynamic, letters),
                        tier),
                    tier, dict(zip(letters, shape)), dynamic, compare)
    x = build.input("x", dtype, " ".join(letters), fill or fills.normal())
    return build.done(build.op("l2_norm", x, eps=eps))


def softmax(dtype, shape, axis=None, tier="bounded", dynamic="", fill=None,
            tag=""):
    letters = "XYZW"[:len(shape)]
    size = "x".join(map(str, shape))
    build = Builder("norm", "softmax",
                    _id("softmax", dtype, size,
                        "" if axis is None else f"axis{axis}", tag,
                        _mode(dynamic, letters), tier),
                    tier, dict(zip(letters, shape)), dynamic, "bounded")
    x = build.input("x", dtype, " ".join(letters), fill or fills.normal(2.0))
    return build.done(build.op("softmax", x, axis=axis))


def _rows(*rows):
    """A tensor whose rows are these functions of (rng, length)."""
    def fill(rng, shape, dtype):
        return np.stack([np.broadcast_to(rows[i % len(rows)](rng, shape[-1]),
                                         shape[-1:])
                         for i in range(shape[0])])
    return fill


def _one(values):
    def row(rng, n):
        x = rng.normal(size=n)
        x[:len(values)] = values[:n]
        return x
    return row


_AWKWARD = _rows(lambda rng, n: 0.0, lambda rng, n: 3.0,
                 lambda rng, n: rng.normal(50.0, 1.0, n),
                 lambda rng, n: rng.normal(0.0, 1e-3, n),
                 lambda rng, n: rng.normal(0.0, 100.0, n))
_SPECIAL = _rows(lambda rng, n: rng.normal(size=n), _one([np.nan]),
                 _one([np.inf]), _one([-np.inf]), _one([np.inf, -np.inf]))
_SOFTMAX_SPECIAL = _rows(
    lambda rng, n: rng.normal(size=n), lambda rng, n: -np.inf,
    _one([-np.inf]), _one([np.inf]), _one([np.nan]), lambda rng, n: 1e4,
    lambda rng, n: np.arange(n) * -20.0, lambda rng, n: np.arange(n) * 11.0)


def _powers(rng, shape, dtype):
    """Rows of +-2^k whose length is a power of two as well, when the number
    of elements is a power of 4: every step is exact in every type."""
    exponents = rng.integers(-4, 5, shape[:-1] + (1,))
    return rng.choice([-1.0, 1.0], shape) * 2.0 ** exponents


def _lonely(rng, shape, dtype):
    """One element per row, at any place: its sign is left of it."""
    x = np.zeros(shape)
    place = rng.integers(0, shape[-1], shape[:-1] + (1,))
    np.put_along_axis(x, place, rng.choice([-3.0, 5.0, 0.75],
                                           place.shape), -1)
    return x


#: Lengths left and right of eps = 0.5, and rows of zeros.
_AROUND_EPS = _rows(lambda rng, n: 0.0,
                    lambda rng, n: 0.4 / np.sqrt(n),
                    lambda rng, n: 0.6 / np.sqrt(n),
                    lambda rng, n: rng.normal(0.0, 1e-3, n),
                    lambda rng, n: rng.normal(0.0, 10.0, n))
#: Squares near both ends of what f32 holds; f16 ends earlier.
_FAR = _rows(lambda rng, n: rng.normal(0.0, 1e-4, n),
             lambda rng, n: rng.normal(0.0, 1e4, n))
_FARTHER = _rows(lambda rng, n: rng.normal(0.0, 1e-15, n),
                 lambda rng, n: rng.normal(0.0, 1e15, n))


def _l2_norms():
    for dtype in TYPES:
        for n in (1, 4, 16, 64, 256):
            for dynamic in ("", "XY"):
                yield l2_norm(dtype, (9, n), "exact", dynamic, _powers,
                              compare="exact")
        for n in (3, 33):
            for dynamic in ("", "XY"):
                yield l2_norm(dtype, (7, n), "exact", dynamic, _lonely,
                              tag="one", compare="exact")
        for n in LENGTHS:
            yield l2_norm(dtype, (3, n), dynamic="XY")
        for dynamic in ("", "XY"):
            yield l2_norm(dtype, LONG_ROWS, dynamic=dynamic)
        for shape in [(1, 1), (5, 8), (2, 17), (4, 64), (3, 129)]:
            yield l2_norm(dtype, shape)
        yield l2_norm(dtype, (7, 64), dynamic="X")
        yield l2_norm(dtype, (2, 3, 40), dynamic="XY", eps=1e-6)
        yield l2_norm(dtype, (2, 1, 3, 24), dynamic="XYZW", eps=2.5)
        for n, dynamic in VECTORS:
            yield l2_norm(dtype, (n,), dynamic=dynamic, tag="vector")
        far = _FAR if dtype == "f16" else _FARTHER
        for dynamic in ("", "XY"):
            yield l2_norm(dtype, (10, 37), "edge", dynamic, _AROUND_EPS, 0.5,
                          tag="eps")
            yield l2_norm(dtype, (10, 37), "edge", dynamic, _AWKWARD,
                          tag="awkward")
            yield l2_norm(dtype, (6, 29), "edge", dynamic, far, 0.0,
                          tag="far")
            yield l2_norm(dtype, (5, 21), "edge", dynamic, _SPECIAL,
                          tag="nan")
            yield l2_norm(dtype, (3, 11), "edge", dynamic,
                          fills.constant(0.0), tag="zeros", compare="exact")
            yield l2_norm(dtype, (3, 11), "edge", dynamic,
                          fills.constant(0.0), 1e-40, tag="tinyeps",
                          compare="exact")
            yield l2_norm(dtype, (3, 11), "edge", dynamic,
                          fills.constant(0.0), 0.0, tag="noeps",
                          compare="exact")
        for shape in [(0, 8), (4, 0), (0, 0)]:
            yield l2_norm(dtype, shape, "edge", "XY")
        yield l2_norm(dtype, (0, 8), "edge")


def _norms():
    for op in ("rms_norm", "layer_norm"):
        for dtype in TYPES:
            for n in LENGTHS:
                yield norm(op, dtype, (3, n), dynamic="XY")
            for dynamic in ("", "XY"):
                yield norm(op, dtype, LONG_ROWS, dynamic=dynamic)
            for shape in [(1, 1), (5, 8), (2, 17), (4, 64), (3, 129)]:
                yield norm(op, dtype, shape)
            yield norm(op, dtype, (7, 64), dynamic="X")
            yield norm(op, dtype, (2, 3, 40), dynamic="XY", eps=1e-6)
            yield norm(op, dtype, (2, 1, 3, 24), dynamic="XYZW", eps=0.5)
            for n, dynamic in VECTORS:
                yield norm(op, dtype, (n,), dynamic=dynamic, tag="vector")
            for dynamic in ("", "XY"):
                yield norm(op, dtype, (10, 37), "edge", dynamic, _AWKWARD,
                           tag="awkward")
                yield norm(op, dtype, (5, 21), "edge", dynamic, _SPECIAL,
                           tag="nan")
            for shape in [(0, 8), (4, 0), (0, 0)]:
                yield norm(op, dtype, shape, "edge", "XY")
            yield norm(op, dtype, (0, 8), "edge")
        for dtype in ("bf16", "f16"):
            yield norm(op, dtype, (5, 48), weights="f32")
            yield norm(op, dtype, (5, 49), weights="f32", dynamic="XY")


def _softmaxes():
    for dtype in TYPES:
        for n in LENGTHS:
            yield softmax(dtype, (3, n), dynamic="XY")
        for dynamic in ("", "XY"):
            yield softmax(dtype, LONG_ROWS, dynamic=dynamic)
        for shape in [(1, 1), (5, 8), (2, 17), (3, 129)]:
            yield softmax(dtype, shape)
        for axis in (0, 1, 2, -1, -2):
            for dynamic in ("", "XYZ"):
                yield softmax(dtype, (5, 9, 17), axis, dynamic=dynamic)
        yield softmax(dtype, (2, 3, 4, 5), 1, dynamic="XYZW")
        yield softmax(dtype, (2, 3, 4, 5), 1)
        # More columns than a tile has.
        yield softmax(dtype, (33, 513), 0)
        yield softmax(dtype, (3, 37, 129), 1, dynamic="XYZ")
        for n, dynamic in VECTORS:
            yield softmax(dtype, (n,), dynamic=dynamic, tag="vector")
        for dynamic in ("", "XY"):
            yield softmax(dtype, (16, 13), None, "edge", dynamic,
                          _SOFTMAX_SPECIAL, tag="special")
        for shape in [(0, 8), (4, 0), (0, 0)]:
            yield softmax(dtype, shape, None, "edge", "XY")
        yield softmax(dtype, (4, 0), None, "edge")
        yield softmax(dtype, (0, 3), 0, "edge", "XY")
    # A result that x86 stores past the caches, each row beside the next;
    # test/Integration/rows-past-caches.test has more.
    yield softmax("bf16", (4096, 4096), tag="large")


def cases():
    yield from _norms()
    yield from _l2_norms()
    yield from _softmaxes()
