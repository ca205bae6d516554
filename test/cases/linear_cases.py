#===- linear_cases.py - Cases of matmul and linear -----------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Integer inputs for the exact tier (every partial sum is an integer below 2^24,
# so every order of additions gives the same bits), normal ones for the bounded
# tier. Shapes surround the tile sizes kernels like: 4, 8, 12, 16, 64, 128, 256.
#
#===----------------------------------------------------------------------===#

import numpy as np

from cases import fills
from cases.program import Builder

SHAPES = [  # M, K, N
    (1, 1, 1), (1, 7, 1), (2, 3, 2), (3, 5, 7), (4, 4, 4), (5, 4, 3),
    (7, 8, 9), (8, 8, 8), (8, 12, 16), (9, 13, 17), (11, 12, 13), (12, 16, 8),
    (15, 16, 17), (16, 16, 16), (17, 31, 15), (31, 17, 33), (63, 64, 65),
    (64, 64, 64), (65, 63, 66), (127, 128, 129), (128, 256, 64), (129, 257, 5),
    (1, 256, 257), (257, 3, 1), (1, 64, 64), (2, 127, 3), (13, 97, 11),
    (13, 809, 11),  # several blocks of the packed sum
]
EMPTY = [(0, 5, 3), (3, 0, 5), (3, 5, 0), (0, 0, 0),
         (70, 0, 40)]  # whole tiles of empty sums
STATIC = [(1, 1, 1), (3, 5, 7), (8, 12, 16), (9, 13, 17), (16, 16, 16),
          (31, 17, 33), (64, 64, 64), (1, 64, 65), (65, 63, 66)]

MAIN = [("f32", "f32", "f32"), ("bf16", "bf16", "bf16"),
        ("bf16", "bf16", "f32"), ("f16", "f16", "f16"), ("f16", "f16", "f32"),
        ("f64", "f64", "f64")]
MIXED = [("bf16", "f32", "f32"), ("f32", "bf16", "f32"), ("f16", "f32", "f32"),
         ("f32", "f16", "f16"), ("f32", "f32", "bf16"), ("f32", "f32", "f16"),
         ("f16", "bf16", "f32"), ("bf16", "bf16", "f16")]
EIGHT = [("f8E4M3FN", "f8E4M3FN", "f32"), ("f8E5M2", "f8E5M2", "f32"),
         ("f8E4M3FN", "f8E5M2", "bf16"), ("f8E5M2", "f8E4M3FN", "f16"),
         ("f8E4M3FN", "bf16", "bf16"), ("f16", "f8E4M3FN", "f16")]

#: Integers this large keep products exact and make f16 sums overflow 2048.
_LIMITS = {"f8E4M3FN": 8, "f8E5M2": 4}


def _fill(tier, dtype):
    if tier == "bounded":
        return fills.normal()
    return fills.ints(_LIMITS.get(dtype, 12))


def _mode(dynamic, whole):
    if not dynamic:
        return "static"
    return "dynamic" if set(dynamic) == set(whole) else "dyn" + dynamic


def matmul(types, shape, tier="exact", dynamic="", flags="", a_fill=None,
           b_fill=None, compare=None, tag="", fast=False):
    a, b, c = types
    m, k, n = shape
    ta, tb = "a" in flags, "b" in flags
    words = ["matmul", "-".join(types), f"{m}x{k}x{n}",
             "t" + flags if flags else "", "fast" if fast else "",
             _mode(dynamic, "MKN"), tag, tier]
    build = Builder("linear", "matmul", ".".join(w for w in words if w), tier,
                    {"M": m, "K": k, "N": n}, dynamic, compare)
    left = build.input("a", a, "K M" if ta else "M K",
                       a_fill or _fill(tier, a))
    right = build.input("b", b, "N K" if tb else "K N",
                        b_fill or _fill(tier, b))
    return build.done(build.op("matmul", left, right, result=c,
                               transpose_a=ta, transpose_b=tb, fast=fast))


def batched(types, left, right, sizes, dynamic="", tier="exact", flags=""):
    """`left` and `right` are the batch dims in letters, e.g. "B 1"."""
    ta, tb = "a" in flags, "b" in flags
    name = "_".join(f"{k}{v}" for k, v in sizes.items())
    words = ["matmul", "-".join(types), "batch",
             (left or "none").replace(" ", "") + "-"
             + (right or "none").replace(" ", ""), name,
             "t" + flags if flags else "", _mode(dynamic, sizes), tier]
    build = Builder("linear", "matmul", ".".join(w for w in words if w), tier,
                    sizes, dynamic)
    a = build.input("a", types[0], left + (" K M" if ta else " M K"),
                    _fill(tier, types[0]))
    b = build.input("b", types[1], right + (" N K" if tb else " K N"),
                    _fill(tier, types[1]))
    return build.done(build.op("matmul", a, b, result=types[2],
                               transpose_a=ta, transpose_b=tb))


def linear(types, rows, k, n, tier="exact", dynamic="", bias=True,
           activation=None, transpose=False, tag="", weight=False):
    """`rows`: sizes of the leading dims of x."""
    x, w, y = types
    letters = "RSTU"[:len(rows)]
    sizes = {**dict(zip(letters, rows)), "K": k, "N": n}
    words = ["linear", "-".join(types),
             "x".join(map(str, rows)) + f"x{k}x{n}",
             "bias" if bias else "", activation or "",
             "tb" if transpose else "", _mode(dynamic, sizes), tag, tier]
    build = Builder("linear", "linear", ".".join(v for v in words if v), tier,
                    sizes, dynamic)
    a = build.input("x", x, " ".join(letters) + " K", _fill(tier, x))
    b = build.input("w", w, "N K" if transpose else "K N", _fill(tier, w),
                    "aikernel.weight" if weight else "")
    c = build.input("b", "f32" if x.startswith("f8") else x, "N",
                    _fill(tier, "f32")) if bias else None
    return build.done(build.op("linear", a, b, result=y, groups={"bias": c},
                               activation=activation, transpose_b=transpose))


def _matmuls():
    for types in MAIN:
        for shape in SHAPES + EMPTY:
            tier = "edge" if 0 in shape else "exact"
            yield matmul(types, shape, tier, "MKN")
        yield matmul(types, (64, 0, 40), "edge", "N")
        for shape in STATIC:
            yield matmul(types, shape)
        for shape in [(9, 13, 17), (64, 64, 64), (33, 257, 19), (1, 128, 65)]:
            for dynamic in ("", "MKN"):
                yield matmul(types, shape, "bounded", dynamic)
        for flags in ("a", "b", "ab"):
            for shape in [(5, 7, 3), (16, 12, 8), (17, 33, 65), (1, 64, 31)]:
                yield matmul(types, shape, "exact", "MKN", flags)
            yield matmul(types, (9, 15, 17), "exact", "", flags)
            yield matmul(types, (12, 65, 20), "bounded", "MKN", flags)
        if types[0] == "f64":  # columns that first rows pack, in blocks
            yield matmul(types, (44, 700, 100))
        else:
            yield matmul(types, (7, 64, 33), "exact", "M")
        yield matmul(types, (19, 64, 32), "bounded", "M")
        if types[0] == "bf16":  # all rows in one tile, and the sum by blocks
            for flags in ("", "b"):
                yield matmul(types, (40, 1100, 1630), "exact", "", flags)
        if types[0] in ("bf16", "f32"):  # rows in place on AMX and AVX-512
            for shape in [(256, 96, 64), (288, 736, 160), (512, 512, 96),
                          (264, 800, 250)]:
                yield matmul(types, shape)
            yield linear(types, (256,), 544, 128, activation="relu")
        if types[0] == "bf16":  # rows that are packed in several rounds there
            yield matmul(types, (1240, 264, 2016), "exact",
                         "M" if types[2] == "f32" else "")
        if types[0] == "f32":  # and by blocks of the sum
            yield matmul(types, (1184, 400, 1344), "exact", "", "a")
        yield matmul(types, (0, 5, 3), "edge", "")
        yield matmul(types, (3, 0, 5), "edge", "")
    for types in MIXED + EIGHT:
        for shape in [(1, 1, 1), (5, 7, 9), (16, 16, 16), (17, 33, 15),
                      (8, 64, 12)]:
            yield matmul(types, shape, "exact", "MKN")
        yield matmul(types, (9, 12, 7))
        yield matmul(types, (15, 65, 33), "bounded", "MKN")
        yield matmul(types, (15, 65, 33), "bounded", "", "b")


def _streams():
    """A few rows of weights that are larger than a cache: one panel of rows or
    several, whole or not, and sums of an odd number of steps."""
    for types in MAIN[:5] + MIXED[:3]:
        for rows, activation in [(1, None), (3, "relu"), (6, None), (8, "relu"),
                                 (17, None), (32, "relu")]:
            yield linear(types, (rows,), 809, 1331, activation=activation,
                         transpose=rows % 2 == 0, weight=True, tag="weight")
        yield linear(types, (2,), 809, 1331, dynamic="R", weight=True,
                     tag="weight")
        yield matmul(types, (16, 809, 1331))


def _one_of_each(axis, limit):
    """Zeros and, at a random place along `axis`, one integer up to `limit`."""
    def fill(rng, shape, dtype):
        values = np.zeros(shape)
        where = np.expand_dims(rng.integers(0, shape[axis],
                                            np.delete(shape, axis)), axis)
        size = rng.integers(1, limit, where.shape, endpoint=True)
        np.put_along_axis(values, where,
                          size * rng.choice([-1.0, 1.0], where.shape), axis)
        return values
    return fill


def _parts():
    """f32 that tile registers multiply as sums of three bf16 numbers. With one
    number in each column, and in each row, every product of parts is needed
    for bits of the result: of 24 bits and a sign, and of 13 and 11 bits."""
    f32 = ("f32",) * 3
    whole, sign = fills.ints((1 << 24) - 1), _one_of_each(0, 1)
    for shape in [(64, 32, 64), (65, 33, 66), (97, 100, 70), (130, 809, 80),
                  (300, 768, 97)]:
        m, k, n = shape
        # Of a transposed operand the sum is the other dimension.
        for flags in ("", "a", "b", "ab"):
            of_right = 1 if "b" in flags else 0
            of_left = 0 if "a" in flags else 1
            yield matmul(f32, shape, flags=flags, a_fill=whole, tag="left",
                         b_fill=_one_of_each(of_right, 1))
            yield matmul(f32, shape, flags=flags, b_fill=whole, tag="right",
                         a_fill=_one_of_each(of_left, 1))
        yield matmul(f32, shape, a_fill=fills.ints((1 << 13) - 1), tag="both",
                     b_fill=_one_of_each(0, (1 << 11) - 1))
        yield matmul(f32, shape, "bounded")
        # Near the largest, and the smallest that have all of their bits.
        yield matmul(f32, shape, "bounded", a_fill=fills.normal(1e-24),
                     b_fill=fills.normal(1e12), tag="small")
        yield matmul(f32, shape, "bounded", tag="limit",
                     a_fill=fills.constant(2.4413113629708124e18),
                     b_fill=fills.constant(1.3862e20 / k))
        yield matmul(f32, shape, "bounded", a_fill=fills.normal(1e30),
                     b_fill=fills.normal(1e-30), tag="large")
        yield matmul(f32, shape, "bounded", a_fill=fills.normal(1e-6),
                     b_fill=fills.normal(1e35), tag="larger")
        special = fills.with_specials(fills.ints(4), share=0.001)
        yield matmul(f32, shape, "edge", a_fill=special, tag="left-nan")
        yield matmul(f32, shape, "edge", b_fill=special, tag="right-nan")
        most = np.finfo(np.float32).max
        yield matmul(f32, shape, "exact", b_fill=sign, tag="most",
                     a_fill=fills.given([most, 1.0, -most, 0.5, -3.0, 2.0**63,
                                         2.0**-60]))
        for result in ("bf16", "f16"):
            yield matmul(("f32", "f32", result), shape, a_fill=fills.ints(3),
                         b_fill=fills.ints(3))
        yield matmul(("f32", "f32", "bf16"), shape, "edge", a_fill=special,
                     tag="nan")
        for weight in (False, True):
            if k <= 100:  # the bound of a longer sum says little about gelu
                yield linear(f32, (m,), k, n, "bounded", activation="gelu",
                             transpose=True, weight=weight,
                             tag="weight" if weight else "")
            yield linear(f32, (m,), k, n, activation="relu", weight=weight,
                         tag="weight" if weight else "")
    yield batched(f32, "B", "B", {"B": 2, "M": 70, "K": 40, "N": 65}, "")
    yield batched(f32, "B", "", {"B": 2, "M": 70, "K": 40, "N": 65}, "")


def _tiles():
    """Sizes that programs of tiles take: lines of 16 bytes, sums along the
    rows of both operands, and parts of tiles in every dimension."""
    for types in EIGHT[:4] + [("f8E4M3FN", "f8E4M3FN", "bf16"),
                              ("f8E5M2", "f8E5M2", "f16")]:
        for shape in [(16, 128, 64), (33, 144, 48), (65, 272, 72),
                      (130, 400, 136)]:
            yield matmul(types, shape, flags="b")
        yield matmul(types, (40, 256, 80), dynamic="M", flags="b")
        yield matmul(types, (24, 528, 40), "bounded", flags="b")
        yield matmul(types, (48, 256, 32), "bounded", "M", "b")
    for types in EIGHT[:2]:
        yield matmul(types, (65, 272, 72), flags="b", fast=True)
        yield matmul(types, (48, 256, 32), "bounded", "M", "b", fast=True)
        yield matmul(types, (40, 528, 48), "bounded", "M", "b", fast=True)
    for types in MAIN[:5]:
        for shape in [(33, 72, 48), (130, 200, 136)]:
            yield matmul(types, shape, flags="b")
            yield matmul(types, shape, "bounded", "M", "b")
        if types[0] != "f32":
            yield matmul(types, (24, 136, 72), flags="a")
            yield matmul(types, (72, 80, 40), flags="ab")
    for types in [("f8E4M3FN", "f8E4M3FN", "bf16"), ("f8E5M2", "f8E4M3FN", "f16")]:
        yield linear(types, (33,), 160, 48, transpose=True)
        yield linear(types, (40,), 144, 72, dynamic="R", activation="relu",
                     transpose=True)
        yield linear(types, (2, 20), 272, 64, "bounded", activation="gelu",
                     transpose=True)


def _batches():
    shapes = [
        ("B", "B", {"B": 3, "M": 5, "K": 7, "N": 9}),
        ("B", "B", {"B": 1, "M": 4, "K": 8, "N": 4}),
        ("B", "B", {"B": 0, "M": 4, "K": 3, "N": 2}),
        ("B", "", {"B": 4, "M": 3, "K": 5, "N": 8}),
        ("", "B", {"B": 4, "M": 3, "K": 5, "N": 8}),
        ("1", "B", {"B": 5, "M": 2, "K": 3, "N": 4}),
        ("B", "1", {"B": 5, "M": 2, "K": 3, "N": 4}),
        ("B C", "B C", {"B": 2, "C": 3, "M": 4, "K": 5, "N": 6}),
        ("B 1", "1 C", {"B": 2, "C": 3, "M": 4, "K": 5, "N": 6}),
        ("B C", "C", {"B": 2, "C": 3, "M": 7, "K": 8, "N": 9}),
        ("C", "B C", {"B": 2, "C": 3, "M": 7, "K": 8, "N": 9}),
        ("B C", "1 1", {"B": 2, "C": 2, "M": 9, "K": 16, "N": 17}),
    ]
    for types in [("f32", "f32", "f32"), ("bf16", "bf16", "f32"),
                  ("f16", "f16", "f16")]:
        for left, right, sizes in shapes:
            tier = "edge" if 0 in sizes.values() else "exact"
            yield batched(types, left, right, sizes, "", tier)
            yield batched(types, left, right, sizes, "".join(sizes), tier)
        # Two dynamic dims of which one turns out to be 1.
        for one, other in ((1, 4), (4, 1), (1, 1), (1, 0)):
            sizes = {"B": one, "C": other, "M": 3, "K": 5, "N": 6}
            yield batched(types, "B", "C", sizes, "BCMKN",
                          "exact" if other else "edge")
        yield batched(types, *shapes[0], tier="bounded")
        yield batched(types, *shapes[7], dynamic="BCMKN", tier="bounded")
        yield batched(types, "B", "B", {"B": 2, "M": 9, "K": 11, "N": 12},
                      flags="ab")
        yield batched(types, "B", "B", {"B": 2, "M": 9, "K": 11, "N": 12},
                      "BMKN", flags="b")


def _vectors():
    """One row or one column, along the rows of the matrix and across them."""
    shapes = [(31, 3), (64, 5), (33, 7), (20, 257), (513, 1000)]
    for types in [MAIN[0], MAIN[1], MAIN[3], MAIN[5]]:
        for n, k in shapes if types[0] == "f32" else shapes[2::2]:
            for flags in ("", "b"):
                yield matmul(types, (1, k, n), "exact", "KN", flags)
            for flags in ("", "a"):
                yield matmul(types, (n, k, 1), "exact", "MK", flags)
        yield matmul(types, (1, 257, 100), "exact", "N")
        yield matmul(types, (1, 65, 33), flags="b")
        yield matmul(types, (33, 65, 1), flags="a")


def _rounding_ties(target):
    """f32 numbers halfway between neighbours of `target`, and beside them;
    overflow and the subnormals of f16 included."""
    def fill(rng, shape, dtype):
        from oracle import dtypes
        form = dtypes.FLOATS[target]
        count = int(np.prod(shape)) // 4
        codes = rng.integers(0, form.infinity_code, count)
        codes[:2] = form.infinity_code - 1, form.infinity_code - 2
        low = dtypes.decode(codes.astype(form.code_type), target)
        step = dtypes.decode((codes + 1).astype(form.code_type), target) - low
        step = np.where(np.isfinite(step), step,
                        2.0 ** (form.bias - form.mantissa_bits))
        middle = low + step / 2
        nudge = np.maximum(np.abs(middle) * 2.0 ** -22, 2.0 ** -140)
        values = np.concatenate([low, middle, middle - nudge, middle + nudge])
        # Subnormal f32 numbers may be flushed by matrix instructions.
        values = np.where(np.abs(values) < 2.0 ** -126, 1.0, values)
        return (values * rng.choice([-1.0, 1.0], values.size)).reshape(shape)
    return fill


def _edges():
    for target in ("bf16", "f16"):
        for dynamic in ("", "MKN"):
            yield matmul(("f32", "f32", target), (2048, 1, 1), "edge", dynamic,
                         a_fill=_rounding_ties(target),
                         b_fill=fills.constant(1.0), tag="ties")
    for dtype in ("f8E4M3FN", "f8E5M2"):
        for dynamic in ("", "MKN"):
            yield matmul((dtype, dtype, "f32"), (256, 1, 1), "edge", dynamic,
                         a_fill=fills.every_code(),
                         b_fill=fills.constant(1.0), tag="codes")
            yield matmul(("f32", dtype, "f32"), (1, 1, 256), "edge", dynamic,
                         a_fill=fills.constant(1.0),
                         b_fill=fills.every_code(), tag="codes")
    for types in [("f32", "f32", "f32"), ("bf16", "bf16", "f32"),
                  ("f16", "f16", "f16"), ("f64", "f64", "f64")]:
        special = fills.with_specials(fills.ints(4))
        for shape in [(9, 13, 17), (16, 16, 16), (5, 64, 33)]:
            for dynamic in ("", "MKN"):
                yield matmul(types, shape, "edge", dynamic, a_fill=special,
                             tag="nan")
        yield matmul(types, (12, 8, 15), "edge", "MKN", b_fill=special,
                     tag="nan")
    # Large sums: an accumulator narrower than f32 would lose bits here.
    for types in [("bf16", "bf16", "f32"), ("f16", "f16", "f32"),
                  ("f32", "f32", "f32")]:
        large = fills.ints(128, low=64)
        for dynamic in ("", "MKN"):
            yield matmul(types, (3, 512, 5), "exact", dynamic, a_fill=large,
                         b_fill=large, tag="large")
    # f16 results beyond 65504 are infinite.
    yield matmul(("f16", "f16", "f16"), (4, 64, 5), "edge", "MKN",
                 a_fill=fills.ints(128, low=30), b_fill=fills.ints(60, low=30),
                 tag="overflow")


def _linears():
    float_types = [("f32",) * 3, ("bf16",) * 3, ("f16",) * 3,
                   ("f64",) * 3, ("bf16", "bf16", "f32"),
                   ("f8E4M3FN", "f8E4M3FN", "bf16")]
    shapes = [((1,), 1, 1), ((3,), 5, 7), ((4,), 8, 12), ((17,), 33, 15),
              ((1,), 64, 65), ((63,), 16, 17), ((2, 3), 8, 16),
              ((2, 1, 5), 12, 9), ((5, 13), 31, 64), ((128,), 16, 4)]
    for types in float_types:
        for rows, k, n in shapes:
            whole = "RSTU"[:len(rows)] + "KN"
            yield linear(types, rows, k, n, dynamic=whole)
        for rows, k, n in shapes[1::2]:
            yield linear(types, rows, k, n)
            yield linear(types, rows, k, n, bias=False, transpose=True)
            whole = "RSTU"[:len(rows)] + "KN"
            yield linear(types, rows, k, n, dynamic=whole, transpose=True)
        yield linear(types, (9,), 16, 12, activation="relu")
        yield linear(types, (9,), 17, 13, dynamic="RKN", activation="relu")
        yield linear(types, (9,), 17, 13, dynamic="RKN", activation="none")
        for activation in (None, "relu", "gelu", "gelu_tanh", "silu"):
            yield linear(types, (7,), 32, 24, "bounded", "",
                         activation=activation)
            yield linear(types, (2, 9), 65, 33, "bounded", "RS",
                         activation=activation, transpose=True)
            yield linear(types, (13,), 24, 17, "bounded", "RKN",
                         activation=activation,
                         bias=activation in (None, "silu"))
        for rows, k, n in [((0,), 4, 3), ((2, 0), 4, 3), ((3,), 0, 5),
                           ((3,), 5, 0)]:
            whole = "RSTU"[:len(rows)] + "KN"
            yield linear(types, rows, k, n, "edge", whole)
            yield linear(types, rows, k, n, "edge", "")
    for types in [("f32",) * 3, ("bf16",) * 3]:
        for rows, k, n in shapes[2:6]:
            yield linear(types, rows, k, n, dynamic="R", weight=True,
                         tag="weight")
            yield linear(types, rows, k, n, dynamic="R", weight=True,
                         transpose=True, tag="weight")


def cases():
    yield from _matmuls()
    yield from _streams()
    yield from _parts()
    yield from _tiles()
    yield from _batches()
    yield from _vectors()
    yield from _edges()
    yield from _linears()
