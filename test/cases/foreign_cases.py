#===- foreign_cases.py - Cases of ops of linalg that programs bring along ===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Reductions along any dimensions, transposes, products with a vector,
# convolutions and poolings. All data is of integers so small that every order
# of additions gives the same bits, even where sums are kept in 16 bits.
# Destinations start with a number that counts: to begin twice with it, or not
# at all, is noticed.
#
#===----------------------------------------------------------------------===#

import math

import numpy as np

from cases import fills
from cases.program import Builder

LETTERS = "ABCD"
#: All integers up to these are numbers of the type.
LARGEST = {"f16": 2 ** 11, "bf16": 2 ** 8, "i8": 2 ** 7}
#: What sums and products start with.
START = 20
#: Around lengths of vectors and of tiles.
MATRICES = [(1, 1), (3, 4), (5, 31), (33, 64), (64, 100), (100, 3), (4, 513),
            (513, 5)]
#: Rows and columns of a matrix that is multiplied by a vector.
PRODUCTS = [(1, 1), (5, 3), (31, 4), (64, 5), (33, 7), (100, 64), (3, 257),
            (20, 1000)]
#: Size, strides and dilations of windows.
WINDOWS = [((1, 1), (1, 1), (1, 1)), ((3, 3), (1, 1), (1, 1)),
           ((2, 3), (2, 2), (1, 1)), ((3, 2), (1, 2), (2, 1)),
           ((5, 5), (2, 1), (1, 2)), ((3, 5), (2, 2), (2, 2))]


def _start(op, words, dtype, shape, dynamic, tier="exact"):
    """`dynamic`: the letters of unknown sizes, or True for all."""
    letters = LETTERS[:len(shape)]
    dynamic = letters if dynamic is True else dynamic
    mode = "static" if not dynamic else \
        "dynamic" if dynamic == letters else "dyn" + dynamic
    size = "x".join(map(str, shape))
    id = ".".join([op, *words, dtype, size, mode, tier])
    return Builder("foreign", op, id, tier, dict(zip(letters, shape)), dynamic,
                   "exact")


def _summed(dtype, count, factor=1):
    """Integers of which `count`, times `factor`, add up to what the type holds:
    where they are many, most are zeros."""
    room = LARGEST.get(dtype, 2 ** 24) // (2 * factor)
    limit = max(1, min(9, room // count))
    share = min(1.0, room / (2 * count * limit))

    def fill(rng, shape, dtype):
        values = rng.integers(-limit, limit, shape, endpoint=True)
        return values * (rng.random(shape) < share)
    return fill


# Reductions.

def reduce(combiner, dtype, shape, dimensions, dynamic="", result=None,
           tier="exact", fill=None):
    build = _start("linalg.reduce",
                   [combiner, "along" + "-".join(map(str, dimensions))],
                   dtype + ("-" + result if result else ""), shape, dynamic,
                   tier)
    count = max(1, math.prod(shape[d] for d in dimensions))
    start = START
    if combiner in ("max", "min"):
        # Near the end of the numbers, which are all left or right of zero.
        start = -12 if combiner == "max" else 12
        fill = fill or (fills.ints(-10, low=-90) if combiner == "max" else
                        fills.ints(90, low=10))
    factor = 9 if combiner == "squares" else 1
    x = build.input("x", dtype, " ".join(LETTERS[:len(shape)]),
                    fill or _summed(result or dtype, count, factor))
    return build.done(build.op("linalg.reduce", x, result=result,
                               dimensions=dimensions, combiner=combiner,
                               start=start))


def _reductions():
    for shape in MATRICES:
        for dimensions in ((0,), (1,), (0, 1)):
            yield reduce("sum", "f32", shape, dimensions, True)
    for dtype in ("f64", "bf16", "f16", "i32"):
        for dimensions in ((0,), (1,)):
            yield reduce("sum", dtype, (5, 31), dimensions, True)
            yield reduce("sum", dtype, (64, 100), dimensions, True)
            yield reduce("sum", dtype, (33, 65), dimensions)
    for shape in [(5, 31), (33, 64), (513, 33), (70, 1000)]:
        for dimensions in ((0,), (1,)):
            yield reduce("sum", "f32", shape, dimensions)
    for combiner in ("max", "min"):
        for dtype in ("f32", "bf16", "i32"):
            for dimensions in ((0,), (1,)):
                yield reduce(combiner, dtype, (33, 100), dimensions)
        special = fills.with_specials(fills.ints(9), share=0.05)
        for dimensions in ((0,), (1,)):
            yield reduce(combiner, "f32", (5, 31), dimensions, True)
            yield reduce(combiner, "f32", (17, 37), dimensions, tier="edge",
                         fill=special)
    for dimensions in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        yield reduce("sum", "f32", (5, 7, 33), dimensions)
        yield reduce("sum", "f32", (4, 33, 100), dimensions, True)
    for dimensions in ((1,), (0, 1), (0, 2)):
        yield reduce("sum", "bf16", (3, 9, 17), dimensions, "AC")
    for dimensions in ((1, 3), (0, 2)):
        yield reduce("max", "f32", (3, 5, 4, 33), dimensions)
        yield reduce("sum", "f16", (2, 5, 3, 31), dimensions, True)
    for dimensions in ((0,), (1,), (0, 1)):
        yield reduce("squares", "f32", (31, 65), dimensions, True)
        yield reduce("squares", "bf16", (17, 33), dimensions, result="f32")
    for shape in [(0, 5), (5, 0)]:
        for dimensions in ((0,), (1,)):
            yield reduce("sum", "f32", shape, dimensions, True, tier="edge")


def _long_reductions():
    """Few results of so many numbers that these are summed in parts."""
    for dtype in ("f32", "f64", "bf16", "i32"):
        yield reduce("sum", dtype, (2 ** 18,), (0,))
    yield reduce("sum", "f32", (512, 513), (0, 1))
    yield reduce("sum", "f32", (2 ** 18 + 7,), (0,))    # a prime
    yield reduce("sum", "f32", (300000,), (0,))
    yield reduce("sum", "f32", (2, 2 ** 17), (0, 1))
    yield reduce("sum", "f32", (2 ** 18, 3), (0,))
    yield reduce("sum", "f32", (3, 2 ** 18), (1,))
    yield reduce("sum", "f32", (40, 3, 6560), (0, 2))
    for combiner in ("max", "min"):
        yield reduce(combiner, "f32", (2 ** 18,), (0,))
        yield reduce(combiner, "i32", (20, 2, 13200), (0, 2))
    yield reduce("squares", "f32", (300000,), (0,))
    yield reduce("squares", "bf16", (600, 2, 450), (0, 2), result="f32")


# x / |x| along some dimensions.

def _of_length(dimensions):
    """A power of four of the numbers of each sum are +-1, times a power of two
    that is the same for the sum; the others are zeros. Every step is exact."""
    def fill(rng, shape, dtype):
        count = math.prod(shape[d] for d in dimensions)
        chosen = 4 ** int(math.log(count, 4) + 1e-9)
        kept = [d for d in range(len(shape)) if d not in dimensions]
        sums = math.prod(shape[d] for d in kept)
        rows = np.zeros((sums, count))
        rows[:, :chosen] = rng.choice([-1.0, 1.0], (sums, chosen))
        rows = rng.permuted(rows, axis=1)
        rows *= 2.0 ** rng.integers(-3, 4, (sums, 1))
        order = kept + list(dimensions)
        return rows.reshape([shape[d] for d in order]).transpose(
            np.argsort(order))
    return fill


def scaled(dtype, shape, dimensions, dynamic=""):
    build = _start("linalg.reduce",
                   ["scaled", "along" + "-".join(map(str, dimensions))], dtype,
                   shape, dynamic)
    x = build.input("x", dtype, " ".join(LETTERS[:len(shape)]),
                    _of_length(dimensions))
    sums = build.op("linalg.reduce", x, dimensions=dimensions,
                    combiner="squares", start=0)
    factors = build.op("spread", x, build.op("math.rsqrt", sums),
                       dimensions=dimensions)
    return build.done(build.op("arith.mulf", x, factors))


def _scaled():
    yield scaled("f32", (2 ** 18,), (0,))
    yield scaled("f32", (300000,), (0,))
    yield scaled("f32", (512, 513), (0, 1))
    for dtype, dynamic in (("f32", ""), ("f32", True), ("bf16", "")):
        yield scaled(dtype, (33, 129), (0,), dynamic)
        yield scaled(dtype, (5, 37, 31), (1,), dynamic)
    yield scaled("f32", (5, 17, 31), (0, 2), True)


# Transposes.

def transpose(dtype, shape, permutation, dynamic=""):
    build = _start("linalg.transpose", ["".join(map(str, permutation))], dtype,
                   shape, dynamic)
    x = build.input("x", dtype, " ".join(LETTERS[:len(shape)]),
                    fills.ints(100))
    return build.done(build.op("transpose", x, permutation=permutation))


def _transposes():
    for dtype in ("f32", "bf16", "f16", "i8"):
        for shape in [(1, 5), (33, 31), (64, 100), (5, 513)]:
            yield transpose(dtype, shape, (1, 0), True)
        yield transpose(dtype, (65, 33), (1, 0))
        yield transpose(dtype, (3, 33, 17), (0, 2, 1))
        yield transpose(dtype, (9, 2, 33), (2, 0, 1), "AC")
    for order in ((1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        yield transpose("f32", (5, 33, 31), order)
        yield transpose("f16", (4, 17, 65), order, True)
    for order in ((0, 2, 1, 3), (0, 3, 1, 2), (0, 2, 3, 1), (3, 1, 2, 0)):
        yield transpose("f32", (2, 5, 9, 33), order)
        yield transpose("i8", (3, 7, 4, 17), order, True)


# Products: A is the number of results, B that of summed products.

def product(op, types, sizes, letters, dynamic="", tag="", start=START):
    """`letters` of both operands; a matrix that is "turned" is what
    linalg.transpose makes of another one."""
    build = _start("linalg." + op, [tag] if tag else [], "-".join(types),
                   sizes, dynamic)
    turned = tag == "turned"
    fill = [fills.ints(4), _summed(types[2], sizes[1], 4)]
    operands = []
    for name, dtype, dims, values in zip("ab", types, letters, fill):
        is_matrix = len(dims.split()) == 2
        if turned and is_matrix:
            dims = " ".join(reversed(dims.split()))
        operand = build.input(name, dtype, dims, values)
        operands.append(build.op("transpose", operand)
                        if turned and is_matrix else operand)
    return build.done(build.op("linalg." + op, *operands, result=types[2],
                               start=start))


MATVEC, VECMAT, DOT = ("A B", "B"), ("B", "B A"), ("B", "B")
MATMUL = ("A B", "B C")


def _products():
    same = [(dtype,) * 3 for dtype in ("f32", "f64", "bf16", "f16")]
    for types in same + [("bf16", "bf16", "f32"), ("i8", "i8", "i32")]:
        shapes = PRODUCTS if types[0] == "f32" else PRODUCTS[2::5]
        for op, letters in (("matvec", MATVEC), ("vecmat", VECMAT)):
            for shape in shapes:
                yield product(op, types, shape, letters, True)
            yield product(op, types, (33, 65), letters)
        yield product("matvec", types, (65, 33), MATVEC, tag="turned")
        yield product("dot", types, (1, 257), DOT)
        yield product("dot", types, (1, 1000), DOT, "B")
    for op, letters in (("matvec", MATVEC), ("vecmat", VECMAT)):
        yield product(op, same[0], (100, 7), letters, "A")
        yield product(op, same[0], (65, 33), letters, True, "turned")
    # These are summed in parts.
    yield product("dot", ("bf16", "bf16", "f32"), (1, 2 ** 18), DOT)
    yield product("matvec", same[0], (3, 2 ** 18), MATVEC)
    yield product("vecmat", same[0], (2, 2 ** 18), VECMAT)
    for types, modes in ((same[0], ("", "ABC")), (same[2], ("",))):
        for dynamic in modes:
            sizes = (33, 65, 3)
            yield product("batch_matmul", types, sizes, ("C 1 B", "C B A"),
                          dynamic, "row")
            yield product("batch_matmul", types, sizes, ("C A B", "C B 1"),
                          dynamic, "column")
            yield product("batch_matvec", types, sizes, ("C A B", "C B"),
                          dynamic)
            yield product("batch_vecmat", types, sizes, ("C B", "C B A"),
                          dynamic)
            yield product("batch_matmul", types, sizes, ("C A B", "C B A"),
                          dynamic)
    # Of sizes that are packed, with edges and without, and of those that are not.
    for types in same + [("bf16", "bf16", "f32"), ("i8", "i8", "i32")]:
        for sizes in ((128, 192, 96), (65, 70, 67), (300, 100, 33), (5, 7, 3)):
            yield product("matmul", types, sizes, MATMUL)
            yield product("matmul", types, sizes, MATMUL, "ABC", "zero", 0)
        yield product("matmul", types, (65, 128, 40), MATMUL, tag="turned")


# Windows.

def windowed(op, types, sizes, letters, window, strides, dilations,
             dynamic="", start=START):
    """`letters` of both operands; H, W and h, w are those of the image and of
    the window."""
    words = ["window" + "x".join(map(str, window)),
             "by" + "x".join(map(str, strides)),
             "apart" + "x".join(map(str, dilations))]
    build = _start("linalg." + op, words, "-".join(types), sizes, dynamic)
    build.sizes.update(H=13, W=18, h=window[0], w=window[1])
    count = math.prod(window) * build.sizes["B"]
    x = build.input("x", types[0], letters[0], fills.ints(4))
    w = build.input("w", types[1], letters[1], _summed(types[2], count, 4))
    return build.done(build.op("linalg." + op, x, w, result=types[2],
                               strides=strides, dilations=dilations,
                               start=start))


CONVOLUTIONS = {
    "conv_2d_nhwc_hwcf": ("A H W B", "h w B C"),
    "conv_2d_nchw_fchw": ("A B H W", "C B h w"),
    "depthwise_conv_2d_nhwc_hwc": ("A H W B", "h w B"),
}


def line(size, window):
    build = _start("linalg.conv_1d", [f"window{window}"], "f32", (size,), "")
    x = build.input("x", "f32", "A", fills.ints(9))
    w = build.input("w", "f32", str(window), fills.ints(9))
    return build.done(build.op("linalg.conv_1d", x, w, start=START))


def _windows():
    f32 = ("f32",) * 3
    for op, letters in CONVOLUTIONS.items():
        images = 3 if "C" in letters[1] else 2
        for steps in WINDOWS:
            yield windowed(op, f32, (2, 3, 5)[:images], letters, *steps)
        for steps in WINDOWS[1::2]:
            yield windowed(op, f32, (1, 33, 16)[:images], letters, *steps,
                           "ABC"[:images])
        for types, steps in zip((("bf16",) * 3, ("f16",) * 3,
                                 ("i8", "i8", "i32")), WINDOWS[1::2]):
            yield windowed(op, types, (1, 8, 17)[:images], letters, *steps)
    letters = ("A H W B", "h w")
    for steps in WINDOWS[1:]:
        yield windowed("pooling_nhwc_sum", f32, (2, 5), letters, *steps)
        yield windowed("pooling_nhwc_max", f32, (2, 5), letters, *steps,
                       start=-1)
        yield windowed("pooling_nhwc_max", ("bf16",) * 3, (1, 33), letters,
                       *steps, "AB", -1)
    for size, window in ((5, 1), (33, 3), (64, 5), (513, 2)):
        yield line(size, window)


def cases():
    yield from _reductions()
    yield from _long_reductions()
    yield from _scaled()
    yield from _transposes()
    yield from _products()
    yield from _windows()
