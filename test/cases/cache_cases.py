#===- cache_cases.py - Cases of kv_append --------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Bits are moved, so every case is exact: random bit patterns, NaN payloads
# included, in every type a cache can have; donated to the result and not.
#
#===----------------------------------------------------------------------===#

from cases import fills
from cases.program import Builder

#: B, H, Smax, S, D and the positions
SHAPES = [
    ((1, 1, 1, 1, 1), [0]), ((1, 2, 8, 1, 4), [3]), ((2, 2, 8, 3, 5), [0, 5]),
    ((3, 1, 16, 1, 16), [0, 7, 15]), ((2, 4, 17, 16, 8), [1, 0]),
    ((1, 3, 33, 7, 64), [26]), ((2, 1, 5, 5, 3), [0, 0]),
    ((4, 2, 64, 4, 12), [0, 1, 59, 60]), ((1, 2, 9, 2, 65), [7]),
]
EMPTY = [((2, 2, 8, 0, 4), [0, 8]), ((0, 2, 8, 1, 4), []),
         ((1, 0, 8, 1, 4), [3]), ((2, 2, 4, 1, 0), [0, 3])]
WHOLE = "BHTSD"


def append(dtype, shape, positions, tier="exact", dynamic="", layout=None,
           donate=False, tag=""):
    sizes = dict(zip(WHOLE, shape))
    mode = "static" if not dynamic else \
        "dynamic" if set(dynamic) == set(WHOLE) else "dyn" + dynamic
    words = ["kv_append", dtype, "x".join(map(str, shape)),
             "at" + "_".join(map(str, positions)), layout or "",
             "donated" if donate else "", tag, mode, tier]
    build = Builder("cache", "kv_append", ".".join(w for w in words if w),
                    tier, sizes, dynamic, "exact")
    order = (lambda s: f"B {s} H D") if layout == "bshd" else \
        (lambda s: f"B H {s} D")
    cache = build.input("cache", dtype, order("T"), fills.any_bits(),
                        "aikernel.donate = 0 : i64" if donate else "")
    new = build.input("new", dtype, order("S"), fills.any_bits())
    pos = build.input("pos", "i32", "B", fills.given(positions or [0]))
    return build.done(build.op("kv_append", cache, new, pos, layout=layout))


def cases():
    for dtype in ("f32", "bf16", "f16"):
        for shape, positions in SHAPES:
            for layout in (None, "bshd"):
                yield append(dtype, shape, positions, dynamic=WHOLE,
                             layout=layout)
                yield append(dtype, shape, positions, dynamic=WHOLE,
                             layout=layout, donate=True)
        for shape, positions in SHAPES[1:6]:
            yield append(dtype, shape, positions, donate=True)
            yield append(dtype, shape, positions, layout="bshd")
            yield append(dtype, shape, positions, dynamic="S", donate=True)
        for shape, positions in EMPTY:
            yield append(dtype, shape, positions, "edge", WHOLE)
            yield append(dtype, shape, positions, "edge", donate=True)
    for dtype in ("f64",):
        for shape, positions in SHAPES[1:6]:
            yield append(dtype, shape, positions, dynamic=WHOLE, donate=True)
        yield append(dtype, *SHAPES[2])
        yield append(dtype, *SHAPES[7], layout="bshd")
