#===- position_cases.py - Cases of rope ----------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Both styles and layouts, partial rotation, every scaling with the constants of
# real models, and positions up to a million.
#
#===----------------------------------------------------------------------===#

from cases import fills
from cases.program import Builder

SCALINGS = {
    "none": None,
    "linear": ("linear", 4.0),
    "llama3": ("llama3", 8.0, 1.0, 4.0, 8192.0),
    "llama3b": ("llama3", 32.0, 1.0, 4.0, 128.0),
    "yarn": ("yarn", 4.0, 4096.0, 32.0, 1.0, 1.1386294),
    "yarnb": ("yarn", 16.0, 64.0, 32.0, 1.0, 1.2772588),
}


def rope(dtype, shape, tier="bounded", dynamic="", positions=None, base=1e4,
         dim=None, style=None, scaling=None, layout=None, x_fill=None, tag=""):
    """`shape` is B, H, S, D."""
    sizes = dict(zip("BHSD", shape))
    mode = "static" if not dynamic else "dyn" + dynamic
    words = ["rope", dtype, "x".join(map(str, shape)), layout or "",
             style or "", scaling or "", f"dim{dim}" if dim else "",
             f"base{base:g}" if base != 1e4 else "", tag, mode, tier]
    build = Builder("position", "rope", ".".join(w for w in words if w), tier,
                    sizes, dynamic, "bounded")
    x = build.input("x", dtype, "B S H D" if layout == "bshd" else "B H S D",
                    x_fill or fills.normal())
    pos = build.input("pos", "i32", "B S",
                      fills.ints(100, low=0) if positions is None
                      else fills.given(positions))
    return build.done(build.op("rope", x, pos, base=base, dim=dim, style=style,
                               scaling=SCALINGS.get(scaling), layout=layout))


FAR = [0, 1, 2, 1000, 4095, 8191, 65535, 131071, 999999, 1000000]


def cases():
    shapes = [(1, 1, 1, 2), (2, 3, 5, 8), (1, 2, 7, 64), (1, 1, 3, 6),
              (2, 1, 17, 16), (1, 4, 1, 128)]
    for dtype in ("f32", "bf16", "f16", "f64"):
        for shape in shapes:
            for style in (None, "interleaved"):
                yield rope(dtype, shape, dynamic="BHS", style=style)
            yield rope(dtype, shape, layout="bshd")
        for style in (None, "interleaved"):
            for layout in (None, "bshd"):
                for dynamic in ("", "BHS"):
                    yield rope(dtype, (2, 2, 5, 20), dynamic=dynamic,
                               style=style, layout=layout, dim=12)
        yield rope(dtype, (2, 2, 5, 20), dynamic="BHSD", dim=12, tag="anyD")
        for scaling in list(SCALINGS)[1:]:
            for dynamic in ("", "BHS"):
                yield rope(dtype, (1, 2, 10, 32), dynamic=dynamic,
                           scaling=scaling, positions=FAR)
        for base in (1e4, 5e5, 1e6, 10.0):
            yield rope(dtype, (1, 1, 10, 32), dynamic="BHS", base=base,
                       positions=FAR, tag="far")
        yield rope(dtype, (1, 1, 10, 128), "edge", base=5e5, positions=FAR,
                   style="interleaved", scaling="llama3", tag="far")
        yield rope(dtype, (1, 1, 4, 64), "edge", "BHS",
                   positions=[2147483647, 2147483646, 1 << 30, 16777217],
                   tag="limit")
        yield rope(dtype, (1, 2, 4, 8), "edge", positions=[0, 0, 0, 0],
                   tag="zero")
        for dynamic in ("", "BHS"):
            yield rope(dtype, (1, 2, 5, 8), "edge", dynamic,
                       x_fill=fills.with_specials(fills.normal(), 0.05),
                       tag="nan")
            for shape in [(0, 2, 3, 8), (1, 0, 3, 8), (1, 2, 0, 8)]:
                yield rope(dtype, shape, "edge", dynamic, tag="empty")
