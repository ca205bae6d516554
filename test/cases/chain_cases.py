#===- chain_cases.py - Cases of several ops in one function --------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# What fusion works on: epilogues, residuals, MLPs, a decode step with its cache
# and whole transformer blocks. Every op's result is rounded as the program
# writes it, and the error models pass errors from op to op.
#
#===----------------------------------------------------------------------===#

from cases import fills
from cases.program import Builder

TYPES = ("f32", "bf16", "f16")


def _start(name, dtype, sizes, dynamic, tier, tag=""):
    mode = "static" if not dynamic else "dyn" + dynamic
    size = "_".join(f"{k}{v}" for k, v in sizes.items())
    id = ".".join(w for w in (name, dtype, size, tag, mode, tier) if w)
    return Builder("chain", name, id, tier, sizes, dynamic)


def _fill(tier, scale=1.0):
    return fills.ints(4) if tier in ("exact", "edge") else fills.normal(scale)


def residual(dtype, sizes, dynamic="", tier="exact", activation=None,
             donate=False):
    """x w + b, activated, plus a residual."""
    build = _start("linear_add", dtype, sizes, dynamic, tier,
                   (activation or "") + ("donated" if donate else ""))
    x = build.input("x", dtype, "M K", _fill(tier))
    w = build.input("w", dtype, "K N", _fill(tier))
    b = build.input("b", dtype, "N", _fill(tier))
    r = build.input("r", dtype, "M N", _fill(tier),
                    "aikernel.donate = 0 : i64" if donate else "")
    y = build.op("linear", x, w, groups={"bias": b}, activation=activation)
    return build.done(build.op("arith.addf", y, r))


def residual_norm(dtype, sizes, dynamic="", norm="rms_norm"):
    """Linear, residual and norm; the sum is a result as well."""
    build = _start(f"linear_add_{norm}", dtype, sizes, dynamic, "bounded")
    x = build.input("x", dtype, "M K", fills.normal())
    w = build.input("w", dtype, "K N", fills.normal(sizes["K"] ** -0.5))
    r = build.input("r", dtype, "M N", fills.normal())
    g = build.input("g", dtype, "N", fills.uniform(0.5, 1.5))
    operands = [g]
    if norm == "layer_norm":
        operands.append(build.input("beta", dtype, "N", fills.normal()))
    h = build.op("arith.addf", build.op("linear", x, w), r)
    return build.done(build.op(norm, h, *operands, eps=1e-5), h)


def products(dtype, sizes, dynamic="", tier="exact"):
    """(A B) C + A D, products that share an operand."""
    build = _start("matmul_chain", dtype, sizes, dynamic, tier)
    a = build.input("a", dtype, "M K", _fill(tier))
    b = build.input("b", dtype, "K N", _fill(tier))
    c = build.input("c", dtype, "N P", _fill(tier))
    d = build.input("d", dtype, "K P", _fill(tier))
    left = build.op("matmul", build.op("matmul", a, b), c)
    return build.done(build.op("arith.addf", left, build.op("matmul", a, d)))


def epilogue(dtype, sizes, dynamic="", tier="exact", op="relu"):
    """matmul, then an elementwise op, times another tensor."""
    build = _start(f"matmul_{op}_mul", dtype, sizes, dynamic, tier)
    a = build.input("a", dtype, "M K", _fill(tier))
    b = build.input("b", dtype, "K N", _fill(tier))
    c = build.input("c", dtype, "M N", _fill(tier))
    y = build.op(op, build.op("matmul", a, b))
    return build.done(build.op("arith.mulf", y, c))


def widened(sizes, dynamic="", tier="exact"):
    """bf16 operands, an f32 residual, a bf16 result."""
    build = _start("matmul_widened", "bf16", sizes, dynamic, tier)
    a = build.input("a", "bf16", "M K", _fill(tier))
    b = build.input("b", "bf16", "K N", _fill(tier))
    r = build.input("r", "f32", "M N", _fill(tier))
    y = build.op("arith.addf", build.op("matmul", a, b, result="f32"), r)
    return build.done(build.op("arith.truncf", y, result="bf16"))


def scores(dtype, sizes, dynamic=""):
    """softmax(A B^T) A': attention by hand, the score matrix rounded."""
    build = _start("matmul_softmax_matmul", dtype, sizes, dynamic, "bounded")
    a = build.input("a", dtype, "M K", fills.normal())
    b = build.input("b", dtype, "N K", fills.normal(0.5))
    c = build.input("c", dtype, "N K", fills.normal())
    p = build.op("softmax", build.op("matmul", a, b, transpose_b=True))
    return build.done(build.op("matmul", p, c))


def mlp(dtype, sizes, dynamic="", gate="swiglu"):
    build = _start(f"{gate}_mlp", dtype, sizes, dynamic, "bounded")
    x = build.input("x", dtype, "M D", fills.normal())
    return build.done(_mlp(build, dtype, x, gate))


def _mlp(build, dtype, x, gate="swiglu"):
    d, f = build.sizes["D"], build.sizes["F"]
    weights = [build.input(n, dtype, s, fills.normal(v ** -0.5),
                           "aikernel.weight")
               for n, s, v in (("wg", "D F", d), ("wu", "D F", d),
                               ("wd", "F D", f))]
    hidden = build.op(gate, build.op("linear", x, weights[0]),
                      build.op("linear", x, weights[1]))
    return build.op("linear", hidden, weights[2])


def decode(dtype, sizes, dynamic="", donate=True):
    """rope on q and the new k, both caches appended, then attention."""
    build = _start("decode_step", dtype, sizes, dynamic, "bounded",
                   "" if donate else "copied")
    gift = "aikernel.donate = {} : i64" if donate else "{}"
    q = build.input("q", dtype, "B S H D", fills.normal())
    k = build.input("k", dtype, "B S G D", fills.normal())
    v = build.input("v", dtype, "B S G D", fills.normal())
    kc = build.input("kc", dtype, "B T G D", fills.normal(),
                     gift.format(1) if donate else "")
    vc = build.input("vc", dtype, "B T G D", fills.normal(),
                     gift.format(2) if donate else "")
    start, step = 5, build.sizes["S"]
    at = build.input("at", "i32", "B", fills.constant(start))
    pos = build.input("pos", "i32", "B S",
                      fills.given([start + i for i in range(step)]))
    n = build.input("n", "i32", "B", fills.constant(start + step))
    turned = [build.op("rope", t, pos, base=1e4, layout="bshd")
              for t in (q, k)]
    keys = build.op("kv_append", kc, turned[1], at, layout="bshd")
    values = build.op("kv_append", vc, v, at, layout="bshd")
    out = build.op("attention", turned[0], keys, values,
                   groups={"kv_len": n}, causal=True, layout="bshd")
    return build.done(out, keys, values)


def block(dtype, sizes, dynamic="", heads=2, kv_heads=1):
    """A whole transformer block: norm, attention with rope, norm, MLP."""
    build = _start("transformer_block", dtype, sizes, dynamic, "bounded",
                   f"h{heads}kv{kv_heads}")
    d = sizes["D"]
    build.sizes["Q"] = d * kv_heads // heads
    x = build.input("x", dtype, "B S D", fills.normal())
    pos = build.input("pos", "i32", "B S", fills.given(range(sizes["S"])))
    g1, g2 = (build.input(n, dtype, "D", fills.uniform(0.5, 1.5),
                          "aikernel.weight") for n in ("g1", "g2"))
    wq, wk, wv, wo = (
        build.input(n, dtype, s, fills.normal(d ** -0.5), "aikernel.weight")
        for n, s in (("wq", "D D"), ("wk", "D Q"), ("wv", "D Q"),
                     ("wo", "D D")))
    h = build.op("rms_norm", x, g1, eps=1e-5)
    q = build.op("expand_heads", build.op("linear", h, wq), heads=heads)
    k = build.op("expand_heads", build.op("linear", h, wk), heads=kv_heads)
    v = build.op("expand_heads", build.op("linear", h, wv), heads=kv_heads)
    q, k = (build.op("rope", t, pos, base=1e4, layout="bshd") for t in (q, k))
    o = build.op("attention", q, k, v, causal=True, layout="bshd")
    o = build.op("linear", build.op("collapse_heads", o), wo)
    x = build.op("arith.addf", x, o)
    h = build.op("rms_norm", x, g2, eps=1e-5)
    return build.done(build.op("arith.addf", x, _mlp(build, dtype, h)))


def _trivial():
    """Functions that compute nothing or return a value twice."""
    for dynamic in ("", "MN"):
        build = _start("identity", "f32", {"M": 3, "N": 5}, dynamic, "edge")
        yield build.done(build.input("x", "f32", "M N", fills.any_bits()))
        build = _start("twice", "f32", {"M": 3, "N": 5}, dynamic, "edge")
        x = build.input("x", "f32", "M N", fills.ints(9))
        y = build.op("relu", x)
        yield build.done(y, y, x)
        build = _start("unused", "f32", {"M": 3, "N": 5}, dynamic, "edge")
        x = build.input("x", "f32", "M N", fills.ints(9))
        build.input("idle", "bf16", "N M", fills.ints(9))
        yield build.done(build.op("arith.subf", x, x))


def cases():
    plain = [{"M": 1, "K": 1, "N": 1}, {"M": 5, "K": 7, "N": 9},
             {"M": 16, "K": 16, "N": 16}, {"M": 17, "K": 33, "N": 65}]
    for dtype in TYPES:
        for sizes in plain:
            for dynamic in ("", "MKN"):
                yield residual(dtype, sizes, dynamic)
                yield residual(dtype, sizes, dynamic, activation="relu")
                # Once with columns that first rows pack, in several blocks.
                yield epilogue(dtype, {"M": 44, "K": 1300, "N": 100}
                               if sizes["M"] == 16 and not dynamic else sizes,
                               dynamic)
                yield products(dtype, {**sizes, "P": 6}, dynamic)
        for dynamic in ("", "MKN"):
            sizes = {"M": 9, "K": 24, "N": 20}
            yield residual(dtype, sizes, dynamic, donate=True)
            yield residual(dtype, {"M": 0, "K": 4, "N": 3}, dynamic, "edge")
            for activation in ("gelu", "silu"):
                yield residual(dtype, sizes, dynamic, "bounded", activation)
            for op in ("gelu", "silu", "sigmoid", "tanh"):
                yield epilogue(dtype, sizes, dynamic, "bounded", op)
            for norm in ("rms_norm", "layer_norm"):
                yield residual_norm(dtype, sizes, dynamic, norm)
                yield residual_norm(dtype, {"M": 33, "K": 8, "N": 64},
                                    dynamic, norm)
            yield products(dtype, {**sizes, "P": 5}, dynamic, "bounded")
            yield scores(dtype, sizes, dynamic)
        for dynamic in ("", "M", "MDF"):
            for gate in ("swiglu", "geglu"):
                yield mlp(dtype, {"M": 7, "D": 16, "F": 40}, dynamic, gate)
                yield mlp(dtype, {"M": 33, "D": 12, "F": 17}, dynamic, gate)
        for dynamic in ("", "S", "BST"):
            yield decode(dtype, {"B": 2, "S": 1, "T": 12, "H": 4, "G": 2,
                                 "D": 8}, dynamic)
            yield decode(dtype, {"B": 1, "S": 4, "T": 33, "H": 2, "G": 1,
                                 "D": 16}, dynamic)
        yield decode(dtype, {"B": 2, "S": 3, "T": 12, "H": 4, "G": 2, "D": 8},
                     "BST", donate=False)
        for dynamic in ("", "S", "BS"):
            yield block(dtype, {"B": 1, "S": 7, "D": 16, "F": 24}, dynamic)
            yield block(dtype, {"B": 2, "S": 17, "D": 32, "F": 48}, dynamic,
                        4, 2)
    for sizes in plain:
        yield widened(sizes)
        yield widened(sizes, "MKN")
        yield widened(sizes, "MKN", "bounded")
    yield from _trivial()
