#===- suites.py - The benchmarks, as data ---------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Out: lists of Benchmark. Dense ops are the constructors of test/cases, which
# write the program and fill the inputs there too; only sizes are chosen here.
# `tiny` gives the same rows with sizes that take no time, for tests of the
# driver.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass, field, replace
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "test"))

from cases import (activation_cases, attention_cases, chain_cases, emit, fills,
                   linear_cases, norm_cases)
import formats
import programs

_BYTES = {"f32": 4, "bf16": 2, "f16": 2, "int8": 1, "i8": 1, "i32": 4}


@dataclass(frozen=True)
class Benchmark:
    suite: str
    id: str             # unique, without blanks
    op: str             # which method of a contender computes it
    type: str           # f32, bf16, int8 or a format of formats.py
    sizes: dict
    program: str        # the MLIR text
    function: str
    inputs: tuple       # (name, element type, shape, fill)
    flops: float        # of one call; a multiply and an add are two
    bytes: float        # that one call must move at least
    peak: str           # the unit that bounds it: f32, bf16, f16 or int8
    tolerance: float    # of the largest error, relative to the largest value
    stream: tuple = ()  # inputs that come from memory: rotated beyond caches
    options: dict = field(default_factory=dict)
    traffic: str = "read"   # which calibrated bandwidth bounds it, or "copy"

    def described(self):
        """What a worker needs, as plain data."""
        return {"id": self.id, "op": self.op, "type": self.type,
                "sizes": self.sizes, "function": self.function,
                "options": self.options, "stream": list(self.stream),
                "inputs": [(n, t, list(s)) for n, t, s, _ in self.inputs]}


#: The largest error relative to the largest value: rounding of the result and
#: of intermediate values, sums of some thousand terms, q8 activations.
_TOLERANCE = {"f32": 1e-4, "bf16": 2e-2, "f16": 2e-2, "int8": 1e-5}
_QUANT_TOLERANCE = 3e-2


def _from_case(suite, op, case, sizes, type, flops, bytes, peak=None,
               tolerance=None, **more):
    inputs = tuple((i.name, i.type.dtype, i.type.shape, i.fill)
                   for i in case.inputs)
    id = ".".join(w for w in case.id.split(".")
                  if w not in ("static", "bounded", "elementwise", "weight"))
    return Benchmark(suite, id, op, type, sizes, emit.module_text([case]),
                     emit.function_name(case), inputs, flops, bytes,
                     peak or type, tolerance or _TOLERANCE[type], **more)


def _shrunk(number, tiny, multiple=8):
    return max(multiple, number // 64 // multiple * multiple) if tiny \
        else number


def gemm(tiny):
    squares = (384, 512, 768, 1024, 1536, 2048, 2304)
    shapes = [(n, n, n) for n in squares] + [(512, 4096, 4096)]
    for type in ("f32", "bf16"):
        for m, k, n in (tuple(_shrunk(d, tiny) for d in s) for s in shapes):
            case = linear_cases.matmul((type,) * 3, (m, k, n), "bounded")
            yield _from_case("gemm", "matmul", case, {"M": m, "K": k, "N": n},
                             type, 2 * m * k * n,
                             _BYTES[type] * (m * k + k * n + m * n))
    for m, k, n in (tuple(_shrunk(d, tiny) for d in s) for s in shapes):
        sizes = {"M": m, "K": k, "N": n}
        yield Benchmark(
            "gemm", f"int8_matmul.{m}x{k}x{n}", "int8_matmul", "int8", sizes,
            *programs.int8_matmul(m, k, n),
            (("a", "i8", (m, k), fills.ints(127)),
             ("b", "i8", (k, n), fills.ints(127)),
             ("scale_a", "f32", (m,), fills.uniform(0.5, 1.5)),
             ("scale_b", "f32", (n,), fills.uniform(0.5, 1.5))),
            2 * m * k * n, m * k + k * n + 4 * (m * n + m + n), "int8",
            _TOLERANCE["int8"])


def linear(tiny):
    for type in ("f32", "bf16", "f16"):
        for rows, k, n in ((512, 4096, 4096), (512, 4096, 14336),
                           (32, 4096, 4096)):
            rows, k, n = (_shrunk(d, tiny) for d in (rows, k, n))
            case = linear_cases.linear(
                (type,) * 3, (rows,), k, n, "bounded", bias=False,
                transpose=True, weight=True, tag="weight")
            yield _from_case("linear", "linear", case,
                             {"M": rows, "K": k, "N": n}, type,
                             2 * rows * k * n,
                             _BYTES[type] * (rows * k + k * n + rows * n))


def _quantized(suite, op, name, rows, k, n):
    """Weights [n, k] in a block format, f32 activations."""
    weights = n * formats.row_bytes(name, k)
    x = ((k,) if op == "quant_gemv" else (rows, k))
    return Benchmark(
        suite, f"{op}.{name}.{rows}x{k}x{n}", op, name,
        {"M": rows, "K": k, "N": n}, *programs.quantized(op, name, rows, k, n),
        (("x", "f32", x, fills.normal()),
         ("w", "i8", (n, formats.row_bytes(name, k)),
          lambda rng, shape, dtype: formats.random_weights(name, rng, n, k))),
        2 * rows * k * n, weights + 4 * rows * (k + n), "int8",
        _QUANT_TOLERANCE, ("w",))


def _plain_gemv(type, k, n):
    """One row against f32, f16 or bf16 weights."""
    case = linear_cases.linear((type,) * 3, (1,), k, n, "bounded", bias=False,
                               transpose=True, weight=True, tag="weight")
    return _from_case("gemv", "linear", case, {"M": 1, "K": k, "N": n}, type,
                      2 * k * n, _BYTES[type] * (k * n + k + n), stream=("w",))


_FORMATS = ("q4_0", "q4_1", "q5_0", "q8_0", "q4_k", "q5_k", "q6_k", "mxfp4")


def gemv(tiny):
    n, k = (64, 512) if tiny else (16384, 4096)
    for name in _FORMATS:
        yield _quantized("gemv", "quant_gemv", name, 1, k, n)
    for type in ("f32", "f16", "bf16"):
        yield _plain_gemv(type, k, n)


def gemm_quant(tiny):
    rows, k, n = (8, 512, 64) if tiny else (512, 4096, 4096)
    for name in _FORMATS:
        yield replace(_quantized("gemm-quant", "quant_matmul", name, rows, k,
                                 n), stream=())


def rowwise(tiny):
    rows, columns = (64, 128) if tiny else (8192, 4096)
    count = rows * columns
    size = {"R": rows, "C": columns}
    for type in ("f32", "bf16"):
        moved = 2 * _BYTES[type] * count
        for op, per_element in (("rms_norm", 4), ("layer_norm", 7)):
            yield _from_case("rowwise", op,
                             norm_cases.norm(op, type, (rows, columns)), size,
                             type, per_element * count, moved, "f32",
                             stream=("x",), traffic="copy")
        yield _from_case("rowwise", "softmax",
                         norm_cases.softmax(type, (rows, columns)), size, type,
                         5 * count, moved, "f32", stream=("x",), traffic="copy")
        yield _from_case(
            "rowwise", "swiglu",
            activation_cases.gated("swiglu", None, type, (rows, columns),
                                   fills.normal(), fills.normal(),
                                   "elementwise"),
            size, type, 6 * count, moved * 3 / 2, "f32",
            stream=("gate", "up"), traffic="copy")
    yield Benchmark("rowwise", f"copy.f32.{rows}x{columns}", "copy", "f32",
                    size, *programs.copy(rows, columns),
                    (("x", "f32", (rows, columns), fills.normal()),), 0,
                    8 * count, "f32", 0.0, ("x",), traffic="copy")


def attention(tiny):
    for type in ("f32", "bf16"):
        for heads, length, width in ((16, 1024, 64), (8, 4096, 128)):
            if tiny:
                heads, length, width = 2, 32, 16
            case = attention_cases.attention(
                type, (1, heads, heads, length, length, width, width),
                causal=True)
            # Half of the score matrix; two products of 2 D each per score.
            yield _from_case(
                "attention", "attention", case,
                {"B": 1, "H": heads, "G": heads, "S": length, "D": width},
                type, 2 * heads * length * (length + 1) * width,
                4 * _BYTES[type] * heads * length * width,
                options={"causal": True})
            if tiny:
                break


def layer(tiny):
    d, heads, groups, hidden = (64, 4, 1, 96) if tiny else (2048, 16, 4, 5632)
    tokens, context = (8, 32) if tiny else (512, 2048)
    kv = d * groups // heads
    weights = 2 * d * d + 2 * d * kv + 3 * d * hidden
    sizes = {"D": d, "H": heads, "G": groups, "F": hidden}
    for type in ("f32", "bf16"):
        case = chain_cases.block(type, {"B": 1, "S": tokens, "D": d,
                                        "F": hidden}, "", heads, groups)
        yield _from_case(
            "layer", "layer_prefill", case, {**sizes, "S": tokens}, type,
            2 * tokens * weights + 2 * tokens * (tokens + 1) * d,
            _BYTES[type] * (weights + 2 * tokens * d),
            tolerance=5e-2 if type == "bf16" else 1e-3)
    for name in ("q4_0", "q8_0"):
        d, hidden = (256, 512) if tiny else (d, hidden)
        kv = d * groups // heads
        shapes = programs.layer_weights(d, kv, hidden)
        text, function = programs.layer_decode(name, d, heads, groups, hidden,
                                               context)
        cache = 4 * 2 * context * kv
        stored = sum(n * formats.row_bytes(name, k)
                     for n, k in shapes.values())
        yield Benchmark(
            "layer", f"layer_decode.{name}.d{d}.context{context}",
            "layer_decode", name,
            {"D": d, "H": heads, "G": groups, "F": hidden, "T": context},
            text, function, _decode_inputs(name, d, kv, groups, context,
                                           shapes),
            2 * sum(n * k for n, k in shapes.values()) + 4 * context * d,
            stored + cache, "int8", 2 * _QUANT_TOLERANCE, tuple(shapes))


def _decode_inputs(name, d, kv, groups, context, shapes):
    width = kv // groups
    weights = [(w, "i8", (n, formats.row_bytes(name, k)),
                lambda rng, shape, dtype, n=n, k=k:
                formats.random_weights(name, rng, n, k))
               for w, (n, k) in shapes.items()]
    cache = (1, groups, context, width)
    return (("x", "f32", (1, d), fills.normal()),
            ("pos", "i32", (1, 1), fills.constant(context - 1)),
            ("at", "i32", (1,), fills.constant(context - 1)),
            ("g1", "f32", (d,), fills.uniform(0.5, 1.5)),
            ("g2", "f32", (d,), fills.uniform(0.5, 1.5)),
            ("kc", "f32", cache, fills.normal()),
            ("vc", "f32", cache, fills.normal()), *weights)


def compile_time(tiny):
    """How long a compiler takes over examples/block.mlir."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                        "examples", "block.mlir")
    with open(path) as file:
        text = file.read()
    yield Benchmark("compile", "compile.block", "compile", "f32", {}, text,
                    "block", (), 0, 0, "f32", 0.0)


SUITES = {"gemm": gemm, "linear": linear, "gemv": gemv,
          "gemm-quant": gemm_quant, "rowwise": rowwise,
          "attention": attention, "layer": layer, "compile": compile_time}


def benchmarks(names, tiny=False):
    table = [b for name in names for b in SUITES[name](tiny)]
    unique = {}
    for benchmark in table:     # tiny sizes may coincide
        unique.setdefault(benchmark.id, benchmark)
    return list(unique.values())
