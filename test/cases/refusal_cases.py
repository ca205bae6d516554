#===- refusal_cases.py - Calls that must come back as an error -----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Disagreements that only a run can see: dimensions of dynamic tensors, a full
# cache, a length out of range. Each must give an error and a sentence, never a
# wild read or write; `fails` is what the sentence must mention.
#
#===----------------------------------------------------------------------===#

from cases import fills, quant_fills
from cases.attention_cases import WHOLE, attention
from cases.cache_cases import append
from cases.program import Builder


def _start(op, name, sizes, family):
    return Builder(family, op, f"refused.{op}.{name}", "edge", sizes,
                   "".join(sizes))


def _refused(case, mentions):
    case.fails = mentions
    return case


def _matmuls():
    for name, a, b, sizes in [
            ("inner", "M K", "L N", {"M": 3, "K": 5, "L": 6, "N": 2}),
            ("inner_one", "M K", "L N", {"M": 3, "K": 5, "L": 1, "N": 2}),
            ("inner_empty", "M K", "L N", {"M": 3, "K": 0, "L": 4, "N": 2}),
            ("batch", "B M K", "C K N",
             {"B": 2, "C": 3, "M": 3, "K": 5, "N": 2})]:
        build = _start("matmul", name, sizes, "linear")
        left = build.input("a", "f32", a, fills.ints(3))
        right = build.input("b", "f32", b, fills.ints(3))
        yield _refused(build.done(build.op("matmul", left, right)), "matmul")


def _linears():
    for name, x, w, b, sizes in [
            ("inner", "M K", "L N", "N", {"M": 3, "K": 5, "L": 6, "N": 2}),
            ("bias", "M K", "K N", "O", {"M": 3, "K": 5, "O": 3, "N": 2})]:
        build = _start("linear", name, sizes, "linear")
        operands = [build.input("x", "bf16", x, fills.ints(3)),
                    build.input("w", "bf16", w, fills.ints(3))]
        bias = build.input("b", "bf16", b, fills.ints(3))
        yield _refused(build.done(build.op("linear", *operands,
                                           groups={"bias": bias})), "linear")


def _elementwise():
    for op in ("swiglu", "arith.addf"):
        for name, up, sizes in [
                ("columns", "M L", {"M": 3, "N": 5, "L": 4}),
                ("rows", "L N", {"M": 3, "N": 5, "L": 2})]:
            build = _start(op, name, sizes, "activation")
            gate = build.input("gate", "f32", "M N", fills.normal())
            other = build.input("up", "f32", up, fills.normal())
            yield _refused(build.done(build.op(op, gate, other)),
                           op.split(".")[-1])


def _norms():
    for op, extra in (("rms_norm", 0), ("layer_norm", 1)):
        for length in (4, 6, 1):
            sizes = {"M": 3, "N": 5, "L": length}
            build = _start(op, f"gamma{length}", sizes, "norm")
            operands = [build.input("x", "f32", "M N", fills.normal()),
                        build.input("g", "f32", "L", fills.normal())]
            if extra:
                operands.append(build.input("b", "f32", "N", fills.normal()))
            yield _refused(build.done(build.op(op, *operands, eps=1e-5)), op)


def _attentions():
    base = {"B": 2, "C": 2, "H": 4, "G": 2, "I": 2, "S": 3, "T": 5, "U": 5,
            "D": 8, "F": 8, "E": 8, "J": 2}
    for name, change in [("batch", {"C": 3}), ("heads", {"G": 3, "I": 3}),
                         ("vheads", {"I": 1}), ("keys", {"U": 4}),
                         ("features", {"F": 7}), ("lengths", {"J": 3}),
                         ("nokvheads", {"G": 0, "I": 0})]:
        build = _start("attention", name, {**base, **change}, "attention")
        q = build.input("q", "f32", "B H S D", fills.normal())
        k = build.input("k", "f32", "C G T F", fills.normal())
        v = build.input("v", "f32", "C I U E", fills.normal())
        n = build.input("n", "i32", "J", fills.constant(2))
        yield _refused(build.done(build.op("attention", q, k, v,
                                           groups={"kv_len": n})),
                       "attention")
    for name, lengths in [("negative", [3, -1]), ("long", [3, 6]),
                          ("huge", [2147483647, 1])]:
        case = attention("f32", (2, 2, 1, 3, 5, 8, 8), "edge", WHOLE,
                         kv_len=lengths, causal=True, tag="refused" + name)
        yield _refused(case, "kv_len")
    for mask, size in (("mask", {"T": 4}), ("maskrows", {"S": 2})):
        sizes = {"B": 1, "H": 2, "S": 3, "T": 5, "D": 8,
                 "P": size.get("S", 3), "R": size.get("T", 5)}
        build = _start("attention", mask, sizes, "attention")
        q = build.input("q", "f32", "B H S D", fills.normal())
        k = build.input("k", "f32", "B H T D", fills.normal())
        v = build.input("v", "f32", "B H T D", fills.normal())
        m = build.input("m", "f32", "1 1 P R", fills.normal())
        yield _refused(build.done(build.op("attention", q, k, v,
                                           groups={"mask": m})), "mask")


def _ropes():
    for name, positions, sizes in [
            ("positions", "B L", {"B": 2, "H": 1, "S": 3, "L": 4}),
            ("batch", "L S", {"B": 2, "H": 1, "S": 3, "L": 1})]:
        build = _start("rope", name, sizes, "position")
        x = build.input("x", "f32", "B H S 8", fills.normal())
        pos = build.input("pos", "i32", positions, fills.constant(3))
        yield _refused(build.done(build.op("rope", x, pos, base=1e4)), "rope")


def _appends():
    for name, shape, positions in [
            ("negative", (2, 2, 8, 1, 4), [0, -1]),
            ("full", (2, 2, 8, 1, 4), [7, 8]),
            ("over", (2, 2, 8, 3, 4), [6, 0]),
            ("huge", (1, 2, 8, 2, 4), [2147483647]),
            ("least", (1, 2, 8, 2, 4), [-2147483648]),
            ("longer", (1, 2, 4, 5, 4), [0])]:
        for dynamic in ("", "BHTSD"):
            for donate in (False, True):
                if name == "longer" and not dynamic:
                    continue        # the verifier sees this one
                case = append("f32", shape, positions, "edge", dynamic,
                              donate=donate, tag="refused" + name)
                yield _refused(case, "kv_append")


def _quants():
    q4 = ("q4_0",)
    for name, sizes in [("bytes", {"N": 3, "W": 35}),
                        ("halfblock", {"N": 3, "W": 9})]:
        build = _start("dequantize", name, sizes, "quant")
        q = build.input("q", "i8", "N W", quant_fills.any_bytes())
        yield _refused(build.done(build.op("dequantize", q, format=q4,
                                           result="f32")),
                       "dequantize.*multiple of 18")
    for name, sizes, mentions in [
            ("groups", {"N": 3, "W": 16, "G": 2}, "groups"),
            ("rows", {"N": 3, "W": 16, "G": 1, "R": 2}, "d0")]:
        build = _start("dequantize", name, sizes, "quant")
        q = build.input("q", "i8", "N W", quant_fills.any_bytes())
        s = build.input("s", "f32", "R G" if "R" in sizes else "N G",
                        fills.normal())
        yield _refused(build.done(build.op(
            "dequantize", q, groups={"scales": s}, format=("i4", 32),
            result="f32")), f"dequantize.*{mentions}")
    for name, format, size in [("block", q4, 33), ("long", ("q6_k",), 128),
                               ("group", ("i8", 64), 96)]:
        build = _start("quantize", name, {"M": 2, "K": size}, "quant")
        x = build.input("x", "f32", "M K", fills.normal())
        grouped = format[0] == "i8"
        made = build.op("quantize", x, format=format,
                        result=("i8", "f32") if grouped else "i8",
                        results=2 if grouped else 1)
        yield _refused(build.done(*(made if grouped else [made])),
                       "quantize.*multiple of")
    for op, x in (("quant_gemv", "K"), ("quant_matmul", "M K")):
        for name, sizes in [("long", {"M": 2, "K": 64, "N": 3, "W": 18}),
                            ("short", {"M": 2, "K": 32, "N": 3, "W": 36}),
                            ("cut", {"M": 2, "K": 32, "N": 3, "W": 17}),
                            ("part", {"M": 2, "K": 16, "N": 3, "W": 18}),
                            ("empty", {"M": 2, "K": 0, "N": 3, "W": 18})]:
            for activations in (None, "q8"):
                build = _start(op, name + (activations or ""), sizes, "quant")
                left = build.input("x", "f32", x, fills.normal())
                w = build.input("w", "i8", "N W", quant_fills.any_bytes())
                yield _refused(build.done(build.op(
                    op, left, w, format=q4, activations=activations)), op)
    base = {"M": 3, "K": 8, "N": 4, "L": 8, "P": 3, "R": 4}
    for name, change in [("inner", {"L": 7}), ("rows", {"P": 2}),
                         ("columns", {"R": 3})]:
        build = _start("int8_matmul", name, {**base, **change}, "quant")
        sa = build.input("sa", "f32", "P", fills.normal())
        sb = build.input("sb", "f32", "R", fills.normal())
        a = build.input("a", "i8", "M K", quant_fills.any_bytes())
        b = build.input("b", "i8", "L N", quant_fills.any_bytes())
        yield _refused(build.done(build.op("int8_matmul", a, b, sa, sb,
                                           result="f32")), "int8_matmul")


def cases():
    yield from _matmuls()
    yield from _linears()
    yield from _elementwise()
    yield from _norms()
    yield from _attentions()
    yield from _ropes()
    yield from _appends()
    yield from _quants()
