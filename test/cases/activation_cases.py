#===- activation_cases.py - Cases of the activation family ---------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# All 65,536 inputs of the 16-bit types, every exponent of f32 and f64, and for
# the gated ops random data and the special values in all pairs.
#
#===----------------------------------------------------------------------===#

import numpy as np

from cases import fills
from cases.program import Builder

UNARY = [("relu", None), ("gelu", None), ("gelu", "tanh"), ("silu", None),
         ("sigmoid", None), ("tanh", None)]
GATED = [("swiglu", None), ("geglu", None), ("geglu", "tanh")]
#: No magnitudes at which silu's tail is subnormal, or gelu's smaller than its
#: absolute error: times a large `up` it would be a question of how an
#: intermediate result is kept.
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0 ** -12,
           -2.0 ** -12, 20.0, -4.0, 3.0, -3.0, 0.5, -0.25, 6.0]


def _id(op, approximate, *words):
    return ".".join([op + ("_" + approximate if approximate else "")]
                    + [str(w) for w in words if w])


def unary(op, approximate, dtype, shape, fill, tier="elementwise", dynamic="",
          tag="", compare="ulp"):
    letters = "XYZW"[:len(shape)]
    mode = "dynamic" if dynamic else "static"
    size = "x".join(map(str, shape)) or "scalar"
    build = Builder("activation", op, _id(op, approximate, dtype, size, tag,
                                          mode, tier),
                    tier, dict(zip(letters, shape)), dynamic, compare)
    x = build.input("x", dtype, " ".join(letters), fill)
    return build.done(build.op(op, x, approximate=approximate))


def gated(op, approximate, dtype, shape, gate, up, tier, dynamic="", tag=""):
    letters = "XYZW"[:len(shape)]
    mode = "dynamic" if dynamic else "static"
    size = "x".join(map(str, shape))
    build = Builder("activation", op, _id(op, approximate, dtype, size, tag,
                                          mode, tier),
                    tier, dict(zip(letters, shape)), dynamic, "ulp")
    g = build.input("gate", dtype, " ".join(letters), gate)
    u = build.input("up", dtype, " ".join(letters), up)
    return build.done(build.op(op, g, u, approximate=approximate))


def _pairs(first):
    """One side of SPECIAL x SPECIAL."""
    grid = np.meshgrid(SPECIAL, SPECIAL, indexing="ij")[0 if first else 1]
    return fills.given(grid.reshape(-1))


def cases():
    # A result that x86 stores past the caches.
    yield unary("relu", None, "f32", (8192, 1024), fills.normal(), tag="large")
    for op, approximate in UNARY:
        for dtype in ("bf16", "f16"):
            for dynamic in ("", "X"):
                yield unary(op, approximate, dtype, (65536,),
                            fills.every_code(), dynamic=dynamic, tag="all")
        for dtype, count in (("f32", 4801), ("f64", 4801)):
            for dynamic in ("", "X"):
                yield unary(op, approximate, dtype, (count,),
                            fills.exponent_edges(), dynamic=dynamic,
                            tag="exponents")
        for dtype in ("f32", "bf16", "f16"):
            for shape in [(1,), (3,), (7,), (17,), (5, 13), (2, 3, 5),
                          (2, 3, 1, 9), (129,)]:
                yield unary(op, approximate, dtype, shape, fills.normal(3.0),
                            dynamic="XYZW"[:len(shape)])
            for shape in [(0,), (4, 0), (0, 3)]:
                yield unary(op, approximate, dtype, shape, fills.normal(),
                            "edge", "XYZW"[:len(shape)])
            yield unary(op, approximate, dtype, (3, 31), fills.normal(3.0))
            yield unary(op, approximate, dtype, (), fills.normal(3.0), "edge",
                        tag="rank0")
    for op, approximate in GATED:
        for dtype in ("f32", "bf16", "f16", "f64"):
            for shape in [(1, 1), (3, 5), (16, 16), (7, 65)]:
                yield gated(op, approximate, dtype, shape, fills.normal(2.0),
                            fills.normal(), "elementwise", "XY")
            for shape in [(4, 12), (5, 33)]:
                yield gated(op, approximate, dtype, shape, fills.normal(2.0),
                            fills.normal(), "elementwise")
            yield gated(op, approximate, dtype, (2, 3, 19), fills.normal(2.0),
                        fills.normal(), "elementwise", "XYZ")
            yield gated(op, approximate, dtype, (256,), _pairs(True),
                        _pairs(False), "edge", "X", tag="special")
            yield gated(op, approximate, dtype, (256,), _pairs(True),
                        _pairs(False), "edge", tag="special")
            yield gated(op, approximate, dtype, (0, 8), fills.normal(),
                        fills.normal(), "edge", "XY")
