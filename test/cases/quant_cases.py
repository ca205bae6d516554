#===- quant_cases.py - Cases of quantized tensors and products -----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Every format: exact values of every byte, stored vectors, extreme scales;
# products with integers (exact in every order of additions) and with random
# data, in f32 and with 8-bit activations; quantizers bit for bit, or by error.
#
#===----------------------------------------------------------------------===#

import numpy as np

from cases import fills, quant_fills
from cases.program import Builder
from cases.quant_vectors import VECTORS
from oracle import quant

BLOCK_FORMATS = [(name,) for name in quant.BLOCKS]
#: (format, has zero points)
KINDS = [(f, False) for f in BLOCK_FORMATS] + [
    (("i4", 32), False), (("i4", 64), True), (("i8", 32), True),
    (("i8", 128), False)]
#: Formats that stand for the others where only the element type differs.
SOME = [KINDS[1], KINDS[7], KINDS[8], KINDS[10]]

SHAPES = [  # rows, blocks
    (1, 1), (2, 1), (3, 3), (17, 2), (33, 1), (5, 5)]
EMPTY = [(0, 2), (3, 0), (0, 0)]


def _name(format, zeros):
    return "".join(map(str, format)) + ("z" if zeros else "")


def _mode(dynamic):
    return {True: "dynamic", False: "static"}.get(dynamic, f"any{dynamic}")


def _unknown(dynamic):
    """The sizes that a program does not know: all, none or those named."""
    return {True: "MNKWG", False: ""}.get(dynamic, dynamic)


def _id(*words):
    return ".".join(str(w) for w in words if w)


class _Start:
    """A builder with the sizes of a product, and its packed operands."""

    def __init__(self, op, kind, rows, blocks, words, tier, dynamic,
                 compare=None, left=1):
        self.format, self.zeros = kind
        elements, width = quant.block_of(self.format)
        self.grouped = self.format[0] in quant.GROUPED
        sizes = {"M": left, "N": rows, "K": blocks * elements,
                 "W": blocks * width, "G": blocks}
        self.build = Builder(
            "quant", op, _id(op, _name(*kind), *words, _mode(dynamic), tier),
            tier, sizes, _unknown(dynamic), compare)

    def packed(self, name, fill, lead="N", scales=None, weight=False):
        """The packed operand, and scales and zeros as groups."""
        build = self.build
        q = build.input(name, "i8", f"{lead} W".strip(), fill,
                        "aikernel.weight" if weight else "")
        if not self.grouped:
            return q, {}
        groups = {"scales": build.input(
            "s", scales[0] if scales else "f32", f"{lead} G".strip(),
            scales[1] if scales else fills.given([1.0, 2.0, -1.0, 0.5]),
            "aikernel.weight" if weight else "")}
        if self.zeros:
            groups["zeros"] = build.input("z", "i8", f"{lead} G".strip(),
                                          fills.given([3, -2, 0, -8, 7]))
        return q, groups


def dequantize(kind, rows, blocks, fill, tag, result="f32", tier="exact",
               dynamic=True, lead="N", scales=None):
    start = _Start("dequantize", kind, rows, blocks,
                   [result, f"{rows}x{blocks}", tag], tier, dynamic, "exact",
                   left=2)
    q, groups = start.packed("q", fill(start.format), lead, scales)
    return start.build.done(start.build.op(
        "dequantize", q, groups=groups, result=result, format=start.format))


def gemv(kind, rows, blocks, tier="exact", activations=None, dynamic=True,
         types=("f32", "f32"), x_fill=None, w_fill=None, compare=None, tag="",
         weight=False):
    return _product("quant_gemv", kind, None, rows, blocks, tier, activations,
                    dynamic, types, x_fill, w_fill, compare, tag, weight)


def matmul(kind, left, rows, blocks, tier="exact", activations=None,
           dynamic=True, types=("f32", "f32"), x_fill=None, w_fill=None,
           compare=None, tag="", weight=False):
    return _product("quant_matmul", kind, left, rows, blocks, tier,
                    activations, dynamic, types, x_fill, w_fill, compare, tag,
                    weight)


def _product(op, kind, left, rows, blocks, tier, activations, dynamic, types,
             x_fill, w_fill, compare, tag, weight):
    shape = f"{rows}x{blocks}" if left is None else f"{left}x{rows}x{blocks}"
    start = _Start(op, kind, rows, blocks,
                   ["-".join(types), activations, shape, tag], tier, dynamic,
                   compare, left or 1)
    format, bounded = start.format, tier == "bounded"
    if bounded:
        x_fill = x_fill or fills.normal()
        w_fill = w_fill or quant_fills.spread(format)
    elif activations == "q8":
        x_fill = x_fill or quant_fills.whole(format)
    x = start.build.input("x", types[0], "K" if left is None else "M K",
                          x_fill or fills.ints(3))
    scales = ("f16", fills.normal(1 / 16)) if bounded else None
    w, groups = start.packed("w", w_fill or quant_fills.small(format), "N",
                             scales, weight)
    return start.build.done(start.build.op(
        op, x, w, groups=groups, result=types[1], format=format,
        activations=activations))


def gated(op, kind, left, rows, blocks, types=("f32", "f32")):
    """Gate and up with the same x, and what follows in the same kernel."""
    shape = f"{rows}x{blocks}" if left is None else f"{left}x{rows}x{blocks}"
    start = _Start(op, kind, rows, blocks,
                   ["-".join(types), "q8", shape, "gated"], "bounded", False,
                   None, left or 1)
    build = start.build
    x = build.input("x", types[0], "K" if left is None else "M K",
                    fills.normal())
    sides = []
    for name in ("gate", "up"):
        w, _ = start.packed(name, quant_fills.spread(start.format), "N",
                            weight=True)
        sides.append(build.op(op, x, w, groups={}, result=types[1],
                              format=start.format, activations="q8"))
    residual = build.input("r", types[1], "N" if left is None else "M N",
                           fills.normal())
    return build.done(build.op("arith.addf", build.op("swiglu", *sides),
                               residual))


def quantize(kind, rows, blocks, fill, tag, dtype="f32", tier="exact",
             dynamic=True, scales="f32", lead="N"):
    long = kind[0][0] in quant.LONG
    start = _Start("quantize", kind, rows, blocks,
                   [dtype, f"{rows}x{blocks}", tag], tier, dynamic,
                   "quality" if long and rows * blocks else "exact", left=2)
    x = start.build.input("x", dtype, f"{lead} K".strip(), fill)
    results = ("i8",)
    if start.grouped:
        results += (scales, "i8") if start.zeros else (scales,)
    made = start.build.op("quantize", x, result=results, results=len(results),
                          format=start.format)
    return start.build.done(*([made] if len(results) == 1 else made))


def int8(m, k, n, tier="exact", dynamic=True, rows=False, columns=False,
         zeros="", result="f32", scale="f32", transpose=False, tag=""):
    """`rows`, `columns`: a scale (and zero point) for each, else one."""
    words = ["int8_matmul", scale, result, f"{m}x{k}x{n}",
             "rows" if rows else "", "columns" if columns else "",
             "z" + zeros if zeros else "", "tb" if transpose else "", tag,
             _mode(dynamic), tier]
    build = Builder("quant", "int8_matmul", _id(*words), tier,
                    {"M": m, "K": k, "N": n, "P": m if rows else 1,
                     "R": n if columns else 1},
                    "MKNPR" if dynamic else "")
    scales = fills.given([1.0, 0.5, -2.0, 4.0]) if tier != "bounded" \
        else fills.normal()
    left, right = ("P" if rows else "1"), ("R" if columns else "1")
    if dynamic:
        left, right = "P", "R"
    sa = build.input("sa", scale, left, scales)
    sb = build.input("sb", scale, right, scales)
    limit = 127 if tier == "bounded" else 9
    a = build.input("a", "i8", "M K", fills.ints(limit, -limit - 1))
    b = build.input("b", "i8", "N K" if transpose else "K N",
                    fills.ints(limit, -limit - 1))
    groups = {}
    if "a" in zeros:
        groups["zero_a"] = build.input("za", "i8", left,
                                       fills.given([3, -128, 127, 0]))
    if "b" in zeros:
        groups["zero_b"] = build.input("zb", "i8", right,
                                       fills.given([-5, 127, -128]))
    return build.done(build.op("int8_matmul", a, b, sa, sb, result=result,
                               groups=groups, transpose_b=transpose))


# The table.

def _dequantizes():
    for kind in KINDS:
        every = quant_fills.every_byte
        yield dequantize(kind, 256, 2, every, "bytes")
        yield dequantize(kind, 8, 1, every, "bytes", dynamic=False)
        yield dequantize(kind, 256, 1, quant_fills.extreme, "extreme",
                         tier="edge")
        for rows, blocks in SHAPES:
            yield dequantize(kind, rows, blocks, quant_fills.spread, "")
        for rows, blocks in EMPTY:
            yield dequantize(kind, rows, blocks, quant_fills.spread, "",
                             tier="edge")
    for kind in SOME:
        for result in ("f16", "bf16", "f64"):
            yield dequantize(kind, 256, 1, quant_fills.extreme, "extreme",
                             result, "edge")
            yield dequantize(kind, 64, 1, quant_fills.spread, "", result)
        for lead, tag in (("", "vector"), ("M N", "stack")):
            yield dequantize(kind, 3, 2, quant_fills.spread, tag, lead=lead)
            yield dequantize(kind, 3, 2, quant_fills.spread, tag, lead=lead,
                             dynamic=False)
    for kind in KINDS[9:]:
        for dtype in ("f16", "bf16"):
            yield dequantize(kind, 16, 2, quant_fills.spread, "s" + dtype,
                             scales=(dtype, fills.every_code()))
            yield dequantize(kind, 9, 3, quant_fills.spread, "n" + dtype,
                             scales=(dtype, fills.normal()))
    for name, (blocks, _) in VECTORS.items():
        stored = [bytes.fromhex(b) for b in blocks]
        yield dequantize(((name,), False), len(stored), 1,
                         lambda format, s=stored: quant_fills.stored(s),
                         "vector")


def _packed_gemvs(kind):
    """Integers with weights, which are packed sixteen rows at a time."""
    def packed(rows, blocks, tier="exact", tag="weight", **more):
        return gemv(kind, rows, blocks, tier, "q8", False, tag=tag,
                    weight=True, **more)
    for rows, blocks in ((1, 1), (16, 1), (17, 2), (40, 3)):
        yield packed(rows, blocks)
    for rows, blocks in ((5, 4), (32, 1), (49, 2)):
        yield packed(rows, blocks, "bounded")
    yield packed(20, 2, tag="weightlargest", x_fill=quant_fills.whole_largest(),
                 w_fill=quant_fills.largest(kind[0]))
    yield packed(20, 2, "edge", "weightnan",
                 x_fill=fills.with_specials(fills.ints(3)))
    yield packed(3, 0, "edge")
    yield packed(0, 2, "edge")
    for types in (("bf16", "f16"), ("f64", "f32")):
        yield packed(19, 2, "bounded", types=types)


def _gemvs():
    for kind in KINDS:
        for activations in (None, "q8"):
            for rows, blocks in SHAPES:
                if blocks * quant.block_of(kind[0])[0] <= 512:
                    yield gemv(kind, rows, blocks, activations=activations)
            for rows, blocks in EMPTY:
                yield gemv(kind, rows, blocks, "edge", activations)
            long = kind[0][0] in quant.LONG
            for rows, blocks in ((7, 2), (40, 3 if long else 5)):
                yield gemv(kind, rows, blocks, "bounded", activations)
            yield gemv(kind, 9, 2, activations=activations, dynamic=False)
            if kind in SOME:
                yield gemv(kind, 16, 3, "bounded", activations, False,
                           weight=True)
        yield from _packed_gemvs(kind)
        special = fills.with_specials(fills.ints(3))
        yield gemv(kind, 6, 2, "edge", None, x_fill=special, tag="nan")
        yield gemv(kind, 6, 2, "edge", "q8", x_fill=special, tag="nan")
        for number in (np.inf, np.nan):
            one = fills.with_specials(fills.ints(3), 0.0, (number,))
            yield gemv(kind, 3, 1, "edge", "q8", x_fill=one,
                       tag=f"one{number}")
        # Blocks of zeros, and of numbers whose inverse scale overflows.
        for number in (0.0, 1e-38, 1e-44):
            yield gemv(kind, 3, 1, "edge", "q8",
                       x_fill=fills.given([number, 0.0, -number]),
                       tag=f"tiny{number:g}", compare="bounded")
        # Halfway between two integers.
        yield gemv(kind, 5, 2, "edge", "q8", x_fill=fills.given(
            [0.5, -0.5, 1.5, 2.5, -2.5, 127.0, 3.5, 126.5]), tag="ties",
            compare="bounded")
    for kind in SOME:
        for types in (("bf16", "bf16"), ("f16", "f32"), ("f64", "f64"),
                      ("f32", "f16")):
            yield gemv(kind, 9, 2, types=types)
            yield gemv(kind, 9, 2, "bounded", types=types)
            if types[0] != "bf16":      # which cannot hold 127 integers
                yield gemv(kind, 9, 2, activations="q8", types=types)
            yield gemv(kind, 9, 2, "bounded", "q8", types=types)


def _gated():
    for kind in (KINDS[0], KINDS[5], KINDS[7], KINDS[8]):
        yield gated("quant_gemv", kind, None, 83, 3)
        yield gated("quant_matmul", kind, 10, 83, 3)
    yield gated("quant_gemv", KINDS[4], None, 40, 2, ("bf16", "bf16"))


def _packed_matmuls(kind):
    """Integers with weights, which are unpacked 1024 or 2048 elements at a
    time."""
    def packed(*sizes, tier="exact", tag="weight", dynamic=False, **more):
        return matmul(kind, *sizes, tier, "q8", dynamic, tag=tag, weight=True,
                      **more)
    several = 2048 // quant.block_of(kind[0])[0] + 1
    for sizes in ((1, 16, 1), (2, 17, 2), (3, 5, 1), (9, 40, 3),
                  (17, 20, several), (32, 21, 2)):
        yield packed(*sizes)
    for sizes in ((4, 33, 2), (8, 16, 1), (11, 19, several),
                  (48, 18, several)):
        yield packed(*sizes, tier="bounded")
    # Rows that are few, though the program does not know it.
    for sizes in ((1, 33, several), (2, 16, 2), (3, 17, several), (4, 20, 1),
                  (5, 19, 2), (20, 36, 2)):
        yield packed(*sizes, dynamic="M")
    for sizes in ((1, 40, 3), (2, 35, several), (4, 17, 3), (33, 16, 2)):
        yield packed(*sizes, tier="bounded", dynamic="M")
    # The sums of the largest codes with the largest integers.
    for left in (3, 8, 20):
        yield packed(left, 20, 2, tag="weightlargest",
                     x_fill=quant_fills.whole_largest(),
                     w_fill=quant_fills.largest(kind[0]))
    if kind[0][0] not in quant.LONG + quant.GROUPED:
        yield packed(9, 236, 1, w_fill=quant_fills.far(kind[0]),
                     tag="weightfar")
    yield packed(9, 20, 2, tier="edge", tag="weightnan",
                 x_fill=fills.with_specials(fills.ints(3)),
                 compare="bounded")
    for empty in ((0, 3, 1), (3, 0, 1), (2, 3, 0)):
        yield packed(*empty, tier="edge")
    yield packed(10, 19, 2, tier="bounded", types=("bf16", "f16"))


def _matmuls():
    for kind in KINDS:
        yield from _packed_matmuls(kind)
        for activations in (None, "q8"):
            for left, rows, blocks in ((1, 3, 2), (2, 17, 1), (9, 5, 2)):
                yield matmul(kind, left, rows, blocks, activations=activations)
            yield matmul(kind, 6, 19, 3, "bounded", activations)
            for empty in ((0, 3, 1), (3, 0, 1), (2, 3, 0)):
                yield matmul(kind, *empty, "edge", activations)
    for kind in SOME:
        for activations in (None, "q8"):
            for left in (1, 3, 5):
                yield matmul(kind, left, 8, 2, activations=activations,
                             dynamic=False)
            yield matmul(kind, 5, 7, 2, "bounded", activations,
                         types=("f16", "f16"))
            yield matmul(kind, 5, 7, 2, "bounded", activations,
                         types=("bf16", "f32"))
    # Sizes that programs of tiles take: rows of W in slabs of 64.
    kind = (("i4", 128), False)
    for types in (("bf16", "bf16"), ("f16", "f16"), ("bf16", "f32")):
        for left, rows, blocks in ((5, 64, 1), (16, 128, 3), (40, 192, 2),
                                   (130, 256, 2)):
            yield matmul(kind, left, rows, blocks, dynamic=False, types=types,
                         tag="tile", weight=True)
        yield matmul(kind, 33, 128, 3, "bounded", dynamic=False, types=types,
                     tag="tile", weight=True)


#: Numbers that a quantizer's roundings must get right: halves of steps.
_TIES = fills.given(np.concatenate([
    [127.0], np.arange(-15.5, 16, 1.0), np.arange(-63.5, 64, 4.0), [-127.0]]))
_LARGE = fills.normal(1e6)


def _huge(rng, shape, dtype):
    """Over the whole range of f32, zeros and subnormals included."""
    size = np.exp2(rng.uniform(-149, 127.9, shape))
    return size * rng.choice([-1.0, 1.0, 0.0], shape, p=[0.45, 0.45, 0.1])


def _quantizes():
    for kind in KINDS:
        long = kind[0][0] in quant.LONG
        for rows, blocks in SHAPES:
            yield quantize(kind, rows, blocks, fills.normal(), "")
        for rows, blocks in EMPTY:
            yield quantize(kind, rows, blocks, fills.normal(), "",
                           tier="edge")
        for fill, tag in ((fills.uniform(0.5, 2), "positive"),
                          (fills.constant(0.0), "zeros"),
                          (fills.constant(-3.25), "constant"),
                          (_LARGE, "large"), (fills.normal(1e-6), "small")):
            yield quantize(kind, 4, 2, fill, tag, tier="edge")
        if long:
            continue
        yield quantize(kind, 64, 4, fills.normal(), "many")
        yield quantize(kind, 64, 2, _huge, "huge", tier="edge")
        yield quantize(kind, 5, 4, _TIES, "ties")
        yield quantize(kind, 9, 3, fills.with_specials(fills.normal()),
                       "special", tier="edge")
    for kind in SOME:
        for dtype in ("bf16", "f16", "f64"):
            yield quantize(kind, 5, 2, fills.normal(), "", dtype)
        yield quantize(kind, 4, 2, fills.normal(), "", dynamic=False)
        yield quantize(kind, 3, 2, fills.normal(), "vector", lead="")
        yield quantize(kind, 3, 2, fills.normal(), "stack", lead="M N")
    for kind in KINDS[9:]:
        for scales in ("f16", "bf16"):
            yield quantize(kind, 5, 3, fills.normal(), "s" + scales,
                           scales=scales)


def _int8s():
    for rows, columns, zeros, transpose in (
            (False, False, "", False), (True, False, "", True),
            (False, True, "b", True), (True, True, "ab", False),
            (True, True, "a", True), (False, False, "ab", True)):
        options = dict(rows=rows, columns=columns, zeros=zeros,
                       transpose=transpose)
        for shape in ((1, 1, 1), (3, 5, 7), (16, 64, 17), (33, 100, 4),
                      (1, 256, 33)):
            yield int8(*shape, **options)
        yield int8(8, 33, 9, dynamic=False, **options)
        yield int8(7, 300, 12, "bounded", **options)
        for shape in ((0, 3, 2), (2, 0, 3), (2, 3, 0)):
            yield int8(*shape, "edge", **options)
    # Sizes that programs of tiles take.
    for rows, columns in ((False, False), (True, True), (True, False)):
        for shape in ((16, 128, 64), (33, 272, 48), (130, 400, 136)):
            yield int8(*shape, dynamic=False, rows=rows, columns=columns,
                       transpose=True, result="bf16")
        yield int8(40, 528, 72, "bounded", False, rows, columns,
                   transpose=True)
        yield int8(256, 192, 64, dynamic=False, rows=rows,
                   columns=columns)  # rows in place on AMX
    yield int8(16, 809, 1331, dynamic=False, rows=True)  # larger than a cache
    for result, scale in (("bf16", "f32"), ("f16", "f16"), ("f64", "f32"),
                          ("f32", "bf16")):
        yield int8(5, 40, 6, "bounded", rows=True, columns=True, zeros="ab",
                   result=result, scale=scale)
        yield int8(5, 40, 6, rows=True, result=result, scale=scale)


def cases():
    yield from _dequantizes()
    yield from _gemvs()
    yield from _matmuls()
    yield from _gated()
    yield from _quantizes()
    yield from _int8s()
