#===- attention_cases.py - Cases of attention ----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Head counts, lengths and every option alone and together, in both layouts; the
# rows that see nothing; and the data that no query may see, which is NaN here.
#
#===----------------------------------------------------------------------===#

import numpy as np

from cases import fills
from cases.program import Builder

#: B, Hq, Hkv, Sq, Skv, D, Dv
SHAPES = [
    (1, 1, 1, 1, 1, 1, 1), (1, 2, 1, 3, 5, 4, 4), (2, 4, 2, 7, 7, 8, 8),
    (1, 4, 4, 16, 16, 16, 16), (1, 2, 2, 17, 33, 8, 8),
    (2, 8, 2, 5, 65, 16, 16), (1, 3, 1, 9, 9, 64, 64),
    (1, 2, 1, 12, 31, 7, 5), (1, 1, 1, 64, 64, 32, 32),
    (1, 2, 2, 65, 129, 16, 24), (3, 4, 1, 1, 17, 8, 8),
    (1, 8, 8, 1, 128, 64, 64), (1, 2, 1, 2, 257, 8, 8),
]
WHOLE = "BHGSTDE"


def attention(dtype, shape, tier="bounded", dynamic="", tag="", layout=None,
              mask=None, mask_type=None, mask_fill=None, kv_len=None,
              sinks=False, lse=False, v_fill=None, k_fill=None, **attributes):
    b, hq, hkv, sq, skv, d, dv = shape
    sizes = {"B": b, "H": hq, "G": hkv, "S": sq, "T": skv, "D": d, "E": dv}
    mode = "static" if not dynamic else \
        "dynamic" if set(dynamic) == set(WHOLE) else "dyn" + dynamic
    options = [f"{k}{'' if v is True else v}" for k, v in attributes.items()
               if v is not None and v is not False]
    options += ["mask" + mask.replace(" ", "") + (mask_type or "")] \
        if mask else []
    options += ["kvlen"] if kv_len is not None else []
    options += [w for w, on in (("sinks", sinks), ("lse", lse)) if on]
    words = ["attention", dtype, "-".join(map(str, shape)), layout or "",
             "+".join(options), tag, mode, tier]
    build = Builder("attention", "attention", ".".join(w for w in words if w),
                    tier, sizes, dynamic, "bounded")
    order = (lambda h, s: f"{s} {h}") if layout == "bshd" else \
        (lambda h, s: f"{h} {s}")
    q = build.input("q", dtype, f"B {order('H', 'S')} D", fills.normal())
    k = build.input("k", dtype, f"B {order('G', 'T')} D",
                    k_fill or fills.normal())
    v = build.input("v", dtype, f"B {order('G', 'T')} E",
                    v_fill or fills.normal())
    groups = {}
    if mask:
        groups["mask"] = build.input("m", mask_type or dtype, mask,
                                     mask_fill or fills.normal())
    if kv_len is not None:
        groups["kv_len"] = build.input("n", "i32", "B", fills.given(kv_len))
    if sinks:
        groups["sinks"] = build.input("s", "f32", "H", fills.normal())
    results = build.op("attention", q, k, v, results=2 if lse else 1,
                       groups=groups, layout=layout, **attributes)
    return build.done(*(results if lse else [results]))


def _hidden(per_batch):
    """Normal rows, NaN in those past kv_len (of bhsd tensors)."""
    def fill(rng, shape, dtype):
        values = rng.normal(size=shape)
        for batch, length in enumerate(np.resize(per_batch, shape[0])):
            values[batch, :, length:] = np.nan
        return values
    return fill


def _positive(rng, shape, dtype):
    """Averages of these stay large against the error of a long sum."""
    return np.abs(rng.normal(size=shape))


def _blocked(rng, shape, dtype):
    """An additive mask of 0 and -inf whose first row hides everything."""
    values = np.where(rng.random(shape) < 0.4, -np.inf, 0.0)
    values[..., 0, :] = -np.inf
    return values


def _plain():
    for dtype in ("f32", "bf16", "f16"):
        for shape in SHAPES:
            yield attention(dtype, shape, dynamic=WHOLE)
            yield attention(dtype, shape, dynamic=WHOLE, causal=True)
        for shape in SHAPES[1:8]:
            yield attention(dtype, shape)
            yield attention(dtype, shape, causal=True, layout="bshd")
        for shape in (SHAPES[4], SHAPES[5], SHAPES[10]):
            yield attention(dtype, shape, dynamic="BST", causal=True)
            yield attention(dtype, shape, dynamic="ST", layout="bshd")
    for shape in SHAPES[:6]:
        yield attention("f64", shape, dynamic=WHOLE)
        yield attention("f64", shape, causal=True)


def _options():
    small, wide = (2, 4, 2, 7, 13, 8, 8), (1, 2, 1, 33, 65, 16, 16)
    for dtype in ("f32", "bf16", "f16"):
        for shape in (small, wide):
            for dynamic in ("", WHOLE):
                for layout in (None, "bshd"):
                    common = dict(dynamic=dynamic, layout=layout)
                    yield attention(dtype, shape, scale=0.5, **common)
                    yield attention(dtype, shape, softcap=2.0, **common)
                    yield attention(dtype, shape, causal=True, window=4,
                                    **common)
                    yield attention(dtype, shape, sinks=True, **common)
                    yield attention(dtype, shape, lse=True, causal=True,
                                    **common)
                    yield attention(dtype, shape, mask="B H S T", **common)
                    yield attention(dtype, shape, mask="1 1 S T",
                                    mask_type="f32", causal=True, **common)
                    lengths = [9, 13] if shape == small else [45]
                    yield attention(dtype, shape, kv_len=lengths,
                                    causal=True, **common)
                    yield attention(dtype, shape, kv_len=lengths, sinks=True,
                                    lse=True, causal=True, window=3,
                                    softcap=5.0, scale=0.7, mask="1 H 1 T",
                                    **common)


def _masks():
    shape = (2, 4, 2, 5, 9, 8, 8)
    for mask in ("1 1 1 1", "B 1 1 T", "1 H S T", "B 1 S T", "1 1 S 1",
                 "B H S T"):
        for dynamic in ("", WHOLE):
            yield attention("f32", shape, mask=mask, dynamic=dynamic)
    for dtype in ("f32", "bf16"):
        for dynamic in ("", WHOLE):
            yield attention(dtype, shape, "edge", dynamic, mask="1 1 S T",
                            mask_fill=_blocked, lse=True, tag="blocked")
            yield attention(dtype, shape, "edge", dynamic, mask="B H S T",
                            mask_fill=_blocked, sinks=True, lse=True,
                            tag="blocked")


def _decode():
    """One query against a cache: Sq = 1, kv_len below Skv."""
    for dtype in ("f32", "bf16", "f16"):
        for length in (1, 2, 7, 16, 33, 63, 64):
            yield attention(dtype, (2, 4, 2, 1, 64, 16, 16), dynamic="T",
                            kv_len=[length, 64], causal=True,
                            tag=f"len{length}")
        yield attention(dtype, (1, 8, 1, 1, 96, 64, 64), kv_len=[50],
                        layout="bshd", causal=True)
        yield attention(dtype, (1, 8, 2, 1, 96, 32, 32), kv_len=[96],
                        window=16, causal=True, dynamic=WHOLE)
        yield attention(dtype, (1, 4, 1, 4, 40, 16, 16), kv_len=[20],
                        causal=True, dynamic="BST", tag="speculative")


def _long():
    """More queries than a chunk, more keys than a block, several strips."""
    for dtype in ("f32", "bf16", "f16"):
        yield attention(dtype, (1, 2, 1, 400, 400, 24, 40), causal=True)
        yield attention(dtype, (1, 1, 1, 70, 300, 64, 64), dynamic="ST",
                        layout="bshd", lse=True)
        yield attention(dtype, (1, 1, 1, 300, 900, 16, 16), causal=True,
                        window=40, softcap=5.0)
        yield attention(dtype, (1, 2, 1, 130, 200, 16, 48), mask="1 1 S T",
                        mask_type="f32", sinks=True, causal=True)
        yield attention(dtype, (2, 2, 2, 60, 200, 16, 16), mask="B H 1 T",
                        dynamic="BST")
        yield attention(dtype, (1, 2, 1, 150, 420, 16, 16), "edge",
                        kv_len=[401], k_fill=_hidden([401]),
                        v_fill=_hidden([401]), causal=True, tag="hidden")
        # Only the last query sees it.
        yield attention(dtype, (1, 1, 1, 40, 140, 16, 16), "edge", causal=True,
                        v_fill=_late_nan, tag="nan")
        yield _faint(dtype, (1, 1, 1, 40, 140, 16, 16))
        yield _faint(dtype, (1, 1, 1, 40, 140, 16, 16), window=100)


def _tiles():
    """Sizes that tiles of matrix instructions do not divide, and features that
    they have schedules for."""
    for dtype in ("bf16", "f16"):
        for width in (64, 96, 128, 256):
            yield attention(dtype, (1, 2, 1, 200, 333, width, width),
                            v_fill=_positive, tag="tile")
            yield attention(dtype, (2, 2, 2, 130, 130, width, width),
                            causal=True, v_fill=_positive, tag="tile")
        for width in (32, 48, 80, 112, 160, 192):
            yield attention(dtype, (1, 2, 1, 200, 333, width, width),
                            causal=dtype == "f16", v_fill=_positive, tag="tile")
        # Too many heads of a key head to be decoded.
        yield attention(dtype, (2, 8, 2, 9, 300, 128, 128), causal=True,
                        v_fill=_positive, tag="tile.few")
        yield attention(dtype, (2, 32, 1, 1, 300, 64, 64), v_fill=_positive,
                        tag="tile.few")
        yield attention(dtype, (1, 2, 1, 1000, 1000, 64, 64), causal=True,
                        v_fill=_positive, tag="tile")
        yield attention(dtype, (1, 32, 8, 70, 300, 64, 64), causal=True,
                        layout="bshd", dynamic="BST", v_fill=_positive, tag="tile")
        yield attention(dtype, (1, 2, 1, 300, 420, 128, 128), causal=True,
                        window=100, softcap=5.0, lse=True, v_fill=_positive, tag="tile")
        yield attention(dtype, (3, 2, 1, 150, 420, 128, 128), "edge",
                        kv_len=[401, 70, 0], k_fill=_hidden([401, 70, 0]),
                        v_fill=_hidden([401, 70, 0]), causal=True, lse=True,
                        tag="tile.hidden")
        yield attention(dtype, (2, 2, 1, 150, 300, 64, 64), "edge",
                        kv_len=[300, 131], k_fill=_hidden([300, 131]),
                        v_fill=_hidden([300, 131]), dynamic="T", tag="tile.hidden")
        # Masks of every shape, one of which hides all from some queries.
        for width, mask, options in (
                (64, "B H S T", {"causal": True, "lse": True}),
                (96, "B 1 1 T", {}), (128, "1 H S 1", {"softcap": 5.0}),
                (64, "1 1 S T", {"causal": True, "window": 70}),
                (48, "B H S T", {"causal": True}), (80, "1 1 S T", {}),
                (112, "B 1 S T", {"softcap": 5.0}), (192, "1 H S T", {}),
                (256, "B H S T", {"causal": True, "lse": True}),
                (256, "1 1 S T", {"softcap": 5.0}),
                (256, "B 1 S T", {"causal": True, "window": 70,
                                  "kv_len": [203, 90]}),
                (128, "S T", {"mask_type": "f32", "dynamic": "BST",
                              "layout": "bshd"})):
            yield attention(dtype, (2, 4, 2, 150, 203, width, width),
                            mask=mask, v_fill=_positive, tag="tile", **options)
        yield attention(dtype, (1, 2, 1, 130, 300, 128, 128), "edge",
                        mask="1 1 S T", mask_fill=_blocked, lse=True,
                        tag="tile.blocked")
    yield attention("bf16", (1, 1, 1, 3333, 3333, 64, 64), causal=True,
                    v_fill=_positive, tag="tile")


def _parts():
    """f32 that tile registers multiply as sums of three bf16 numbers, and
    numbers that are too large for it, in keys, values and hidden rows."""
    common = {"v_fill": _positive, "tag": "parts"}
    for width in (32, 64, 80, 128, 256):
        yield attention("f32", (1, 2, 1, 70, 300, width, width), lse=True,
                        **common)
        yield attention("f32", (2, 2, 2, 130, 130, width, width), causal=True,
                        **common)
    yield attention("f32", (1, 4, 2, 400, 410, 64, 96), causal=True,
                    layout="bshd", dynamic="BST", **common)
    yield attention("f32", (1, 2, 1, 300, 420, 64, 64), causal=True, window=100,
                    softcap=5.0, lse=True, **common)
    yield attention("f32", (2, 4, 2, 60, 203, 64, 64), mask="B H S T",
                    causal=True, sinks=True, **common)
    yield attention("f32", (3, 2, 1, 50, 420, 64, 64), "edge",
                    kv_len=[401, 70, 0], k_fill=_hidden([401, 70, 0]),
                    v_fill=_hidden([401, 70, 0]), causal=True, lse=True,
                    tag="parts.hidden")
    yield attention("f32", (1, 1, 1, 40, 300, 64, 64), "edge", causal=True,
                    v_fill=_late_nan, tag="parts.nan")
    yield attention("f32", (1, 1, 1, 70, 300, 64, 64), "edge", mask="1 1 S T",
                    mask_fill=_blocked, tag="parts.blocked")
    for causal in (False, True):
        yield attention("f32", (1, 2, 1, 70, 200, 64, 64), causal=causal,
                        v_fill=fills.normal(1e30), tag="parts.values")
        yield attention("f32", (1, 2, 1, 70, 200, 64, 64), causal=causal,
                        k_fill=fills.normal(1e19), scale=1e-19, lse=True,
                        tag="parts.keys")


def _passed_over():
    """Tiles of 192 queries, which unknown numbers of them get: blocks that some
    of a tile's three parts do not see, parts without queries, more tiles than
    there are blocks of threads, and queries that see no key at all."""
    for dtype in ("bf16", "f16"):
        for width in (64, 128):
            common = {"dynamic": "ST", "v_fill": _positive, "tag": "tile.parts"}
            yield attention(dtype, (2, 40, 8, 330, 330, width, width),
                            causal=True, **common)
            yield attention(dtype, (1, 4, 2, 193, 450, width, width),
                            causal=True, lse=True, **common)
            yield attention(dtype, (1, 2, 1, 257, 333, width, width), lse=True,
                            **common)
            yield attention(dtype, (1, 2, 1, 300, 100, width, width),
                            causal=True, lse=True, **common)
            yield attention(dtype, (1, 2, 1, 180, 333, width, width),
                            causal=True, window=50, **common)
            # Scores that are small beside the cap.
            yield attention(dtype, (1, 2, 1, 260, 420, width, width),
                            softcap=50.0, **common)
            yield attention(dtype, (1, 2, 1, 260, 420, width, width),
                            causal=True, softcap=30.0, **common)
        yield attention(dtype, (3, 2, 1, 193, 420, 128, 128), "edge",
                        kv_len=[401, 70, 0], k_fill=_hidden([401, 70, 0]),
                        v_fill=_hidden([401, 70, 0]), causal=True, lse=True,
                        dynamic="ST", tag="tile.parts.hidden")
        yield attention(dtype, (2, 2, 1, 193, 300, 64, 64), "edge",
                        kv_len=[300, 131], k_fill=_hidden([300, 131]),
                        v_fill=_hidden([300, 131]), dynamic="ST",
                        tag="tile.parts.hidden")
        yield attention(dtype, (1, 2, 1, 193, 203, 128, 128), causal=True,
                        mask="1 H S T", dynamic="ST", v_fill=_positive,
                        tag="tile.parts")


def _long_decode():
    """Few queries: several parts of the keys, groups of any number of rows."""
    for dtype in ("f32", "bf16", "f16"):
        yield attention(dtype, (1, 8, 2, 1, 1300, 64, 64), kv_len=[1100],
                        causal=True, v_fill=_positive)
        yield attention(dtype, (2, 3, 1, 1, 1030, 16, 32), layout="bshd",
                        lse=True, sinks=True, v_fill=_positive)
        yield attention(dtype, (1, 6, 2, 2, 700, 32, 16), dynamic="BT",
                        causal=True, window=600, softcap=4.0, scale=0.3,
                        mask="1 H S T")
        # One query: what is past the last key must not become visible.
        yield attention(dtype, (1, 2, 1, 1, 13, 16, 16), softcap=2.0, lse=True)
        yield attention(dtype, (1, 2, 1, 1, 13, 16, 16), scale=-0.5)
        yield attention(dtype, (1, 2, 1, 1, 13, 16, 16), scale=0.0)
        yield attention(dtype, (1, 4, 1, 4, 600, 16, 16), "edge",
                        kv_len=[70], k_fill=_hidden([70]),
                        v_fill=_hidden([70]), causal=True, tag="hidden")
        yield attention(dtype, (1, 1, 1, 3, 50, 16, 16), "edge", causal=True,
                        v_fill=_late_nan, tag="nan")
        yield _faint(dtype, (1, 2, 1, 3, 50, 16, 16))
        yield _faint(dtype, (1, 1, 1, 4, 50, 16, 16), window=40)
        yield attention(dtype, (2, 2, 1, 1, 600, 16, 16), "edge",
                        kv_len=[0, 520], lse=True, tag="len0")
    # What a GPU's matrix instruction sees differently: two sets of rows, loads
    # of other lengths, and more features than fit beside the next keys.
    yield attention("bf16", (1, 32, 2, 1, 300, 128, 128), sinks=True,
                    v_fill=_positive)
    yield attention("bf16", (2, 4, 2, 1, 200, 80, 96), dynamic="T",
                    v_fill=_positive)
    yield attention("f16", (1, 2, 2, 1, 260, 256, 256), kv_len=[250],
                    v_fill=_positive)


def _any_queries():
    """Few queries of a program that does not know how many there are."""
    for dtype in ("f32", "bf16", "f16"):
        yield attention(dtype, (1, 8, 2, 1, 1300, 64, 64), dynamic="S",
                        kv_len=[1100], causal=True, v_fill=_positive)
        yield attention(dtype, (2, 3, 1, 1, 1030, 16, 32), layout="bshd",
                        lse=True, sinks=True, dynamic="ST", v_fill=_positive)
        yield attention(dtype, (1, 6, 2, 2, 700, 32, 16), dynamic="BST",
                        causal=True, window=600, softcap=4.0, scale=0.3,
                        mask="1 H S T")
        yield attention(dtype, (1, 2, 1, 1, 13, 16, 16), softcap=2.0, lse=True,
                        dynamic="S")
        yield attention(dtype, (1, 2, 1, 3, 13, 16, 16), scale=-0.5,
                        dynamic="S")
        yield attention(dtype, (2, 2, 2, 5, 130, 32, 48), causal=True,
                        dynamic="S")
        yield attention(dtype, (1, 4, 1, 4, 600, 16, 16), "edge",
                        kv_len=[70], k_fill=_hidden([70]),
                        v_fill=_hidden([70]), causal=True, tag="hidden",
                        dynamic="S")
        yield attention(dtype, (1, 1, 1, 3, 50, 16, 16), "edge", causal=True,
                        v_fill=_late_nan, tag="nan", dynamic="S")
        yield _faint(dtype, (1, 2, 1, 3, 50, 16, 16), "S")
        yield attention(dtype, (2, 2, 1, 1, 600, 16, 16), "edge",
                        kv_len=[0, 520], lse=True, tag="len0", dynamic="S")


def _shared_keys():
    """Query heads whose rows are so few that their keys are packed once."""
    for dtype in ("f32", "bf16", "f16"):
        yield attention(dtype, (1, 8, 2, 5, 700, 64, 64), kv_len=[611],
                        causal=True, v_fill=_positive)
        yield attention(dtype, (2, 6, 2, 9, 300, 16, 32), layout="bshd",
                        lse=True, sinks=True, v_fill=_positive)
        yield attention(dtype, (2, 12, 3, 8, 530, 32, 16), dynamic="BT",
                        causal=True, window=300, softcap=4.0, scale=0.3)
        yield attention(dtype, (1, 4, 2, 32, 600, 48, 80), layout="bshd",
                        dynamic="T", causal=True, lse=True)
        yield attention(dtype, (1, 17, 1, 15, 61, 16, 16), scale=-0.5)
        # One key each, whose score is far below 0 for some.
        yield attention(dtype, (1, 8, 2, 6, 40, 16, 16), causal=True, window=1,
                        scale=30.0)
        yield attention(dtype, (1, 4, 1, 6, 600, 16, 16), "edge", kv_len=[70],
                        k_fill=_hidden([70]), v_fill=_hidden([70]),
                        causal=True, tag="hidden")
        yield attention(dtype, (1, 4, 1, 7, 50, 16, 16), "edge", causal=True,
                        v_fill=_late_nan, tag="nan")
        yield attention(dtype, (2, 4, 1, 8, 600, 16, 16), "edge",
                        kv_len=[0, 520], lse=True, tag="len0")
        # Fewer keys than queries in one batch.
        yield attention(dtype, (2, 8, 2, 6, 40, 32, 32), "edge",
                        kv_len=[3, 40], causal=True, lse=True, sinks=True,
                        layout="bshd", tag="short")


def _edges():
    for dtype in ("f32", "bf16", "f16"):
        for dynamic in ("", WHOLE):
            # Nothing past kv_len may be looked at.
            yield attention(dtype, (2, 2, 1, 3, 9, 8, 8), "edge", dynamic,
                            kv_len=[4, 7], k_fill=_hidden([4, 7]),
                            v_fill=_hidden([4, 7]), tag="hidden")
            yield attention(dtype, (2, 2, 1, 3, 40, 8, 8), "edge", dynamic,
                            kv_len=[17, 33], k_fill=_hidden([17, 33]),
                            v_fill=_hidden([17, 33]), causal=True,
                            tag="hidden")
            # Queries that see no key: len 0, len < Sq, Skv < Sq.
            yield attention(dtype, (2, 2, 1, 3, 6, 8, 8), "edge", dynamic,
                            kv_len=[0, 6], lse=True, tag="len0")
            yield attention(dtype, (2, 2, 1, 5, 6, 8, 8), "edge", dynamic,
                            kv_len=[2, 0], causal=True, lse=True, sinks=True,
                            tag="short")
            yield attention(dtype, (1, 2, 1, 9, 4, 8, 8), "edge", dynamic,
                            causal=True, lse=True, tag="fewkeys")
            yield attention(dtype, (1, 2, 2, 6, 6, 8, 8), "edge", dynamic,
                            causal=True, window=1, tag="window1")
            yield attention(dtype, (1, 1, 1, 4, 300, 4, 4), "edge", dynamic,
                            causal=True, window=1000, tag="windowall")
            yield attention(dtype, (1, 2, 1, 5, 5, 8, 8), "edge", dynamic,
                            causal=True, window=2 ** 63 - 2, tag="windowhuge")
    # One block, whose loop over the keys ends where the data says.
    for dtype in ("f32", "f16"):
        for dynamic, lse in (("", False), ("", True), ("T", True)):
            yield attention(dtype, (1, 1, 1, 1, 128, 64, 64), "edge", dynamic,
                            kv_len=[77], lse=lse, tag="alone")
    for shape in [(0, 2, 1, 3, 4, 8, 8), (2, 2, 1, 0, 4, 8, 8),
                  (2, 2, 1, 3, 0, 8, 8), (1, 2, 2, 3, 4, 8, 0)]:
        for dynamic in ("", WHOLE):
            yield attention("f32", shape, "edge", dynamic, tag="empty")
    # The same with groups of several query heads per key head, and without
    # features, where every score is 0: the mean of the visible values.
    for empty in range(7):
        if empty in (1, 2):  # heads
            continue
        shape = tuple(0 if i == empty else size
                      for i, size in enumerate((2, 4, 2, 3, 5, 8, 6)))
        for dynamic in ("", WHOLE):
            yield attention("f32", shape, "edge", dynamic, tag="emptygroup")
            yield attention("f32", shape, "edge", dynamic, causal=True,
                            sinks=True, lse=True, layout="bshd",
                            tag="emptygroup")
    for shape in [(1, 2, 2, 3, 4, 0, 5), (1, 4, 2, 3, 4, 0, 0),
                  (1, 4, 2, 3, 0, 0, 5)]:
        for dynamic in ("", WHOLE, "D"):
            yield attention("bf16", shape, "edge", dynamic, lse=True,
                            tag="nofeatures")
            yield attention("f32", shape, "edge", dynamic, causal=True,
                            tag="nofeatures")
    # NaN in a key or value that is seen reaches the rows that see it.
    for dynamic in ("", WHOLE):
        yield attention("f32", (1, 2, 1, 9, 9, 8, 8), "edge", dynamic,
                        causal=True, v_fill=_late_nan, tag="causalnan")
        yield _faint("f32", (1, 2, 1, 9, 9, 8, 8), dynamic)
        yield _faint("f64", (1, 2, 1, 9, 9, 8, 8), dynamic, window=3)
        # Scores far apart: the maximum must be subtracted.
        yield attention("f32", (1, 2, 1, 9, 30, 8, 8), "edge", dynamic,
                        scale=40.0, lse=True, tag="steep")


def _late_nan(rng, shape, dtype):
    """The last key's value is NaN: with causal only the last query sees it."""
    values = rng.normal(size=shape)
    values[:, :, -1:] = np.nan
    return values


def _faint(dtype, shape, dynamic="", **attributes):
    """The value of a key near the last is NaN. Queries that see it give it the
    weight 0, which is not to hide it: their results are NaN."""
    def mask(rng, shape, dtype):
        values = np.zeros(shape)
        values[..., -2] = -1e4
        return values

    def value(rng, shape, dtype):
        values = rng.normal(size=shape)
        values[:, :, -2] = np.nan
        return values
    return attention(dtype, shape, "edge", dynamic, causal=True, mask="1 1 S T",
                     mask_fill=mask, v_fill=value, tag="faint", **attributes)


def cases():
    yield from _plain()
    yield from _options()
    yield from _masks()
    yield from _decode()
    yield from _long()
    yield from _tiles()
    yield from _parts()
    yield from _passed_over()
    yield from _long_decode()
    yield from _any_queries()
    yield from _shared_keys()
    yield from _edges()
