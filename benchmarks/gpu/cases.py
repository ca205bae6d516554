#!/usr/bin/python3
#===- cases.py - The GPU benchmarks, as data ------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: cases.py FOLDER [--tiny] [GLOB...]    writes the chosen programs
#
# Out: table(), cases each with its program, its inputs, the bytes that it must move and
# the share of a ceiling, or of the best peer's speed, that it is to reach, and
# which peers it is to be ahead of.
# peers.py has what PyTorch does for each `op`, and what is right.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass, field
import fnmatch
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))

import formats      # noqa: E402
import programs     # noqa: E402

BYTES = {"f32": 4, "bf16": 2, "f16": 2, "f8E4M3FN": 1, "i8": 1, "i32": 4}


@dataclass(frozen=True)
class Input:
    name: str
    type: str               # element type
    shape: tuple
    fill: str = "normal"    # how data.py fills it, or a format of formats.py
    stream: bool = False    # from memory: rotated over several sets
    notes: str = ""         # attributes of the argument


@dataclass(frozen=True)
class Case:
    id: str
    op: str             # peers.py knows it by this name
    inputs: tuple
    body: str           # ops, with %name for inputs
    results: tuple      # (value, type)
    reads: int          # bytes, each counted once
    writes: int
    ceiling: str        # copy, read, peer or base: what `target` is a share of
    target: float
    flops: int = 0
    options: dict = field(default_factory=dict)
    #: {a peer of peers.py: our speed over its that is to be reached}
    ahead: dict = field(default_factory=dict)
    #: With the ceiling `base`: a case of ours whose rate per useful flop this
    #: one's is a share of.
    base: object = None

    @property
    def function(self):
        return self.id.replace(".", "_")

    @property
    def bytes(self):
        return self.reads + self.writes

    def program(self):
        arguments = ", ".join(
            f"%{i.name}: {tensor(i.type, *i.shape)}"
            + (f" {{{i.notes}}}" if i.notes else "") for i in self.inputs)
        values = ", ".join(v for v, _ in self.results)
        types = ", ".join(t for _, t in self.results)
        return (f"func.func @{self.function}({arguments}) -> ({types}) {{\n"
                f"{self.body}  return {values} : {types}\n}}\n")


def tensor(type, *dims):
    return f"tensor<{'x'.join(map(str, dims))}x{type}>"


def _line(value, op, operands, types, result, attributes=""):
    return (f"  {value} = aikernel.{op} {operands} {attributes}: "
            f"({', '.join(types)}) -> {result}\n")


def _count(shape):
    total = 1
    for size in shape:
        total *= size
    return total


#===----------------------------------------------------------------------===#
# Rows and elements
#===----------------------------------------------------------------------===#

def _rows(op, rows, columns, target, **ahead):
    """One tensor in, one out, and vectors that are as good as free."""
    x, vector = tensor("bf16", rows, columns), tensor("bf16", columns)
    weight = "aikernel.weight"
    attributes = "{eps = 1.0e-5 : f32} "
    inputs = [Input("x", "bf16", (rows, columns))]
    if op in ("rms_norm", "layer_norm"):
        inputs.append(Input("g", "bf16", (columns,), "gain", notes=weight))
    if op == "layer_norm":
        inputs.append(Input("b", "bf16", (columns,), notes=weight))
    if op == "softmax":
        attributes = "{axis = 1 : i64} "
    if op == "swiglu":
        inputs.append(Input("up", "bf16", (rows, columns)))
        attributes = ""
    types = [x if len(i.shape) == 2 else vector for i in inputs]
    body = _line("%y", op, ", ".join("%" + i.name for i in inputs), types, x,
                 attributes)
    moved = 2 * sum(_count(i.shape) for i in inputs)
    return Case(f"{op}.{rows}x{columns}", op, tuple(inputs), body, (("%y", x),),
                moved, 2 * rows * columns, "copy", target, ahead=ahead)


def _chain(rows, columns, target):
    """gelu(x) * y + x, each step rounded."""
    t = tensor("bf16", rows, columns)
    body = (_line("%g", "gelu", "%x", [t], t)
            + f"  %m = arith.mulf %g, %y : {t}\n"
            + f"  %r = arith.addf %m, %x : {t}\n")
    return Case(f"elementwise.{rows}x{columns}", "elementwise",
                (Input("x", "bf16", (rows, columns)),
                 Input("y", "bf16", (rows, columns))), body, (("%r", t),),
                4 * rows * columns, 2 * rows * columns, "copy", target)


#===----------------------------------------------------------------------===#
# Products
#===----------------------------------------------------------------------===#

def _gemv(type, n, k, target):
    x, w, y = tensor(type, 1, k), tensor(type, n, k), tensor(type, 1, n)
    return Case(
        f"gemv.{type}.{n}x{k}", "linear",
        (Input("x", type, (1, k)),
         Input("w", type, (n, k), stream=True, notes="aikernel.weight")),
        _line("%y", "linear", "%x, %w", [x, w], y, "{transpose_b} "),
        (("%y", y),), BYTES[type] * (n * k + k), BYTES[type] * n, "copy",
        target, 2 * n * k, ahead={"cublas": 1.0})


def _quant_gemv(name, n, k, target):
    width = formats.row_bytes(name, k)
    x, w, y = tensor("bf16", k), tensor("i8", n, width), tensor("bf16", n)
    return Case(
        f"quant_gemv.{name}.{n}x{k}", "quant_gemv",
        (Input("x", "bf16", (k,)),
         Input("w", "i8", (n, width), name, stream=True,
               notes="aikernel.weight")),
        _line("%y", "quant_gemv", "%x, %w", [x, w], y,
              f"{{format = #aikernel.quant<{name}>, activations = "
              "#aikernel.quant_activations<q8>} "),
        (("%y", y),), n * width + 2 * k, 2 * n, "copy", target, 2 * n * k,
        {"format": name, "n": n, "k": k}, {"torch int4": 1.0})


def _matmul(m, n, k, target, layout="nn"):
    """`t` is for an operand that is transposed: [K, M] and [N, K]."""
    left = (k, m) if layout[0] == "t" else (m, k)
    right = (n, k) if layout[1] == "t" else (k, n)
    a, b, y = tensor("bf16", *left), tensor("bf16", *right), \
        tensor("bf16", m, n)
    flags = ", ".join(f"transpose_{name}" for name, kind in zip("ab", layout)
                      if kind == "t")
    suffix = "" if layout == "nn" else f".{layout}"
    return Case(
        f"matmul.bf16.{m}x{n}x{k}{suffix}", "matmul",
        (Input("a", "bf16", left), Input("b", "bf16", right, "weights")),
        _line("%y", "matmul", "%a, %b", [a, b], y,
              f"{{{flags}}} " if flags else ""), (("%y", y),),
        2 * (m * k + n * k), 2 * m * n, "peer", target, 2 * m * n * k,
        {"layout": layout})


def _linear(m, n, k, target):
    """A layer: weights [N, K], bias, gelu."""
    x, w, b, y = (tensor("bf16", m, k), tensor("bf16", n, k),
                  tensor("bf16", n), tensor("bf16", m, n))
    return Case(
        f"linear_gelu.bf16.{m}x{n}x{k}", "linear_gelu",
        (Input("x", "bf16", (m, k)),
         Input("w", "bf16", (n, k), "weights", notes="aikernel.weight"),
         Input("b", "bf16", (n,), notes="aikernel.weight")),
        f"  %y = aikernel.linear %x, %w bias %b {{activation = "
        f"#aikernel.activation<gelu>, transpose_b}} : ({x}, {w}, {b}) -> {y}\n",
        (("%y", y),), 2 * (m * k + n * k + n), 2 * m * n, "peer", target,
        2 * m * n * k)


def _product(m, n, k, target, residual=False):
    """Weights [N, K], and nothing else or a residual."""
    x, w, y = tensor("bf16", m, k), tensor("bf16", n, k), tensor("bf16", m, n)
    op = "linear_residual" if residual else "linear"
    inputs = [Input("x", "bf16", (m, k)),
              Input("w", "bf16", (n, k), "weights", stream=m <= 64,
                    notes="aikernel.weight")]
    body = _line("%p", "linear", "%x, %w", [x, w], y, "{transpose_b} ")
    if residual:
        inputs.append(Input("r", "bf16", (m, n)))
        body += f"  %y = arith.addf %p, %r : {y}\n"
    moved = 2 * (m * k + n * k + (m * n if residual else 0))
    return Case(f"{op}.bf16.{m}x{n}x{k}", op, tuple(inputs), body,
                (("%y" if residual else "%p", y),), moved, 2 * m * n, "peer",
                target, 2 * m * n * k)


def _scaled_matmul(m, n, k, fast, target):
    """8-bit floats with a scale for each row of both."""
    a, b, s, y = (tensor("f8E4M3FN", m, k), tensor("f8E4M3FN", n, k),
                  tensor("f32", m, n), tensor("bf16", m, n))
    rows, columns = tensor("f32", m), tensor("f32", n)
    maps = ", ".join(f"affine_map<(i, j) -> ({of})>"
                     for of in ("i, j", "i", "j", "i, j"))
    body = (_line("%s", "matmul", "%a, %b", [a, b], s,
                  "{fast, transpose_b} " if fast else "{transpose_b} ")
            + f"  %e = tensor.empty() : {y}\n"
            f"  %y = linalg.generic {{indexing_maps = [{maps}], iterator_types "
            f'= ["parallel", "parallel"]}} ins(%s, %sa, %sb : {s}, {rows}, '
            f"{columns}) outs(%e : {y}) {{\n"
            "  ^bb0(%0: f32, %1: f32, %2: f32, %o: bf16):\n"
            "    %3 = arith.mulf %1, %2 : f32\n"
            "    %4 = arith.mulf %0, %3 : f32\n"
            "    %5 = arith.truncf %4 : f32 to bf16\n"
            "    linalg.yield %5 : bf16\n"
            f"  }} -> {y}\n")
    return Case(
        f"scaled_matmul.{'fast' if fast else 'e4m3'}.{m}x{n}x{k}",
        "scaled_matmul",
        (Input("a", "f8E4M3FN", (m, k)), Input("b", "f8E4M3FN", (n, k)),
         Input("sa", "f32", (m,), "gain"), Input("sb", "f32", (n,), "gain")),
        body, (("%y", y),), m * k + n * k + 4 * (m + n), 2 * m * n, "peer",
        target, 2 * m * n * k, {"fast": fast})


def _int4_matmul(m, n, k, target):
    """Rows of x and 4-bit weights with a scale for each 128 of them."""
    x, w, s, y = (tensor("bf16", m, k), tensor("i8", n, k // 2),
                  tensor("bf16", n, k // 128), tensor("bf16", m, n))
    weight = "aikernel.weight"
    return Case(
        f"int4_matmul.{m}x{n}x{k}", "int4_matmul",
        (Input("x", "bf16", (m, k)),
         Input("w", "i8", (n, k // 2), "bytes", stream=True, notes=weight),
         Input("s", "bf16", (n, k // 128), "gain", notes=weight)),
        f"  %y = aikernel.quant_matmul %x, %w scales %s {{format = "
        f"#aikernel.quant<i4, group = 128>}} : ({x}, {w}, {s}) -> {y}\n",
        (("%y", y),), n * k // 2 + n * k // 64 + 2 * m * k, 2 * m * n, "peer",
        target, 2 * m * n * k, {}, {"torch int4": 1.0})


def _int8_matmul(m, n, k, target):
    a, b, y = tensor("i8", m, k), tensor("i8", n, k), tensor("bf16", m, n)
    types = [a, b, tensor("f32", m), tensor("f32", n)]
    return Case(
        f"int8_matmul.{m}x{n}x{k}", "int8_matmul",
        (Input("a", "i8", (m, k), "bytes"), Input("b", "i8", (n, k), "bytes"),
         Input("sa", "f32", (m,), "gain"), Input("sb", "f32", (n,), "gain")),
        _line("%y", "int8_matmul", "%a, %b, %sa, %sb", types, y,
              "{transpose_b} "),
        (("%y", y),), m * k + n * k + 4 * (m + n), 2 * m * n, "peer", target,
        2 * m * n * k)


#===----------------------------------------------------------------------===#
# Attention
#===----------------------------------------------------------------------===#

def _decode(batch, context, target, heads=32, groups=8, width=128):
    q = tensor("bf16", batch, heads, 1, width)
    cache = tensor("bf16", batch, groups, context, width)
    kv = (batch, groups, context, width)
    return Case(
        f"decode.b{batch}.context{context}", "decode",
        (Input("q", "bf16", (batch, heads, 1, width)),
         Input("k", "bf16", kv, stream=True),
         Input("v", "bf16", kv, stream=True)),
        _line("%o", "attention", "%q, %k, %v", [q, cache, cache], q),
        (("%o", q),), 2 * (2 * _count(kv) + batch * heads * width),
        2 * batch * heads * width, "copy", target,
        4 * batch * heads * context * width, ahead={"cudnn": 1.0})


def _seen(sequence, causal, window):
    """Pairs of a query and a key that it sees."""
    if not causal:
        return sequence * sequence
    width = min(window or sequence, sequence)
    return width * (width + 1) // 2 + (sequence - width) * width


def _prefill(batch, sequence, target, causal=True, heads=32, groups=32,
             width=128, window=None, softcap=None, base=None):
    """As many queries as keys."""
    q = tensor("bf16", batch, heads, sequence, width)
    kv = tensor("bf16", batch, groups, sequence, width)
    shape, rows = (batch, groups, sequence, width), batch * heads * sequence
    words = ["causal"] if causal else []
    name = "causal" if causal else "full"
    if softcap:
        words.append(f"softcap = {softcap:.1f} : f32")
        name += f".softcap{softcap}"
    if window:
        words.append(f"window = {window} : i64")
        name += f".window{window}"
    grouped = f".h{heads}x{groups}" if groups != heads else ""
    return Case(
        f"prefill.d{width}.b{batch}.s{sequence}{grouped}.{name}", "prefill",
        (Input("q", "bf16", (batch, heads, sequence, width)),
         Input("k", "bf16", shape), Input("v", "bf16", shape)),
        _line("%o", "attention", "%q, %k, %v", [q, kv, kv], q,
              f"{{{', '.join(words)}}} " if words else ""),
        (("%o", q),), 2 * (rows * width + 2 * _count(shape)), 2 * rows * width,
        "base" if base else "peer", target,
        4 * batch * heads * _seen(sequence, causal, window) * width,
        {"causal": causal, "window": window, "softcap": softcap}, base=base)


def _variants(small):
    """Causal attention whose queries are no whole tiles, or that does more
    than scale its scores, and what is left of the rate without that."""
    short, long = (_prefill(b, small(s), 1.08) for b, s in ((16, 1024),
                                                            (4, 4096)))
    return [_prefill(16, small(1000, 31), 0.85, base=short),
            _prefill(4, small(3333, 29), 0.85, base=long),
            _prefill(4, small(4096), 0.70, window=small(1024, 8), base=long),
            _prefill(4, small(4096), 0.65, softcap=50, base=long)]


def _rope_append(tokens, positions, target, heads=32, groups=8, width=128):
    """Queries and keys turn, keys and values go into caches, in place."""
    q, new = (tensor("bf16", 1, h, tokens, width) for h in (heads, groups))
    cache = tensor("bf16", 1, groups, positions, width)
    pos, rope = f"tensor<1x{tokens}xi32>", "{base = 1.0e4 : f32} "
    body = (_line("%q1", "rope", "%q, %pos", [q, pos], q, rope)
            + _line("%k1", "rope", "%k, %pos", [new, pos], new, rope)
            + _line("%kc1", "kv_append", "%kc, %k1, %at",
                    [cache, new, "tensor<1xi32>"], cache)
            + _line("%vc1", "kv_append", "%vc, %v, %at",
                    [cache, new, "tensor<1xi32>"], cache))
    kv, store = (1, groups, tokens, width), (1, groups, positions, width)
    moved = 2 * tokens * width * (heads + 2 * groups)
    return Case(
        f"rope_append.{tokens}", "rope_append",
        (Input("q", "bf16", (1, heads, tokens, width)), Input("k", "bf16", kv),
         Input("v", "bf16", kv),
         Input("kc", "bf16", store, notes="aikernel.donate = 1 : i64"),
         Input("vc", "bf16", store, notes="aikernel.donate = 2 : i64"),
         Input("pos", "i32", (1, tokens), "positions"),
         Input("at", "i32", (1,), "first")),
        body, (("%q1", q), ("%kc1", cache), ("%vc1", cache)), moved, moved,
        "copy", target)


#: Rows, columns and depth, and the share of cuBLAS' speed that is asked for.
PRODUCTS = (((4096, 14336, 4096), 1.0), ((4096, 4096, 14336), 1.0),
            ((16384, 8192, 8192), 1.0), ((4096,) * 3, 1.0),
            ((8192,) * 3, 1.0), ((2048,) * 3, 0.97),
            ((3992, 4104, 4160), 0.97), ((1000,) * 3, 0.85),
            ((16, 14336, 4096), 0.97), ((64, 8192, 8192), 0.97),
            ((256, 512, 16384), 0.85))


def table(tiny=False):
    """`tiny` has the same cases with sizes that take no time, to try run.py."""
    def small(size, least=32):
        return max(least, size // 128) if tiny else size

    rows, columns, long = small(16384), small(8192), small(131072)
    matrices = ((small(28672), small(8192, 512)),
                (small(14336), small(4096, 256)))
    return [
        _rows("rms_norm", rows, columns, 0.96),
        _rows("layer_norm", rows, columns, 0.96),
        _rows("softmax", rows, columns, 0.96, compiled=2.0),
        _rows("swiglu", rows, columns, 0.96),
        _rows("softmax", small(4096), long, 0.88),
        _rows("rms_norm", small(4096), long, 0.88),
        _chain(rows, columns, 0.95),
        # The smaller matrix takes little longer than its launch.
        *(_gemv(type, n, k, target) for type in ("bf16", "f16", "f32")
          for (n, k), target in zip(matrices, (0.97, 0.92))),
        *(_quant_gemv(name, n, k, target - less)
          for name, target in (("q8_0", 0.93), ("q4_0", 0.85), ("q4_k", 0.78),
                               ("q5_k", 0.78), ("q6_k", 0.78))
          for (n, k), less in zip(matrices, (0, 0.3))),
        _decode(small(16, 2), small(8192), 0.97),
        _decode(1, small(32768), 0.85),
        _prefill(4, small(4096), 1.08, causal=False),
        _prefill(4, small(4096), 1.08),
        _prefill(4, small(4096), 1.08, groups=8),
        _prefill(1, small(16384), 1.08),
        _prefill(16, small(1024), 1.08),
        _prefill(4, small(4096), 1.08, causal=False, width=64),
        _prefill(4, small(4096), 1.08, width=64),
        _prefill(4, small(4096), 1.0, causal=False, heads=16, groups=16,
                 width=256),
        _prefill(4, small(4096), 1.0, heads=16, groups=16, width=256),
        *_variants(small),
        _rope_append(small(8192), small(16384), 0.85),
        *(_matmul(*map(small, sizes), 1.0 if layout == "nn" else 0.97, layout)
          for sizes in ((4096,) * 3, (8192,) * 3)
          for layout in ("nn", "tn", "tt")),
        *(_matmul(*map(small, sizes), 0.97, layout)
          for sizes, _ in PRODUCTS[:3] for layout in ("nn", "tn", "tt")),
        *(_linear(*map(small, sizes), 1.0) for sizes, _ in PRODUCTS[:5]),
        *(_product(*(max(16, size // 64 // 8 * 8) if tiny else size
                     for size in sizes), target)
          for sizes, target in PRODUCTS),
        *(_product(*map(small, sizes), 1.0, residual=True)
          for sizes, _ in PRODUCTS[:5]),
        *(_scaled_matmul(*(small(size),) * 3, fast, 1.0)
          for size in (4096, 8192) for fast in (False, True)),
        *(_int8_matmul(*(small(size),) * 3, 1.0) for size in (4096, 8192)),
        *(_int4_matmul(small(m, min(m, 512)), small(8192, 128),
                       small(8192, 256), target)
          for m, target in ((16, 1.2), (64, 1.2), (256, 1.2), (4096, 0.95))),
    ]


@dataclass(frozen=True)
class Layer:
    """A transformer layer, which layer.py measures: one decode step over
    `context` tokens, or the prefill of `tokens`."""
    d: int = 4096
    heads: int = 32
    groups: int = 8
    hidden: int = 14336
    context: int = 2048
    tokens: int = 1

    @property
    def is_prefill(self):
        return self.tokens > 1

    @property
    def function(self):
        return "layer_prefill" if self.is_prefill else "layer_decode"

    @property
    def id(self):
        return self.function + ".bf16"

    @property
    def width(self):
        return self.d // self.heads

    def weights(self):
        return programs.layer_weights(self.d, self.groups * self.width,
                                      self.hidden)

    @property
    def bytes(self):
        """Of a decode step: weights and caches, each read once."""
        return 2 * (sum(n * k for n, k in self.weights().values())
                    + 2 * self.groups * self.context * self.width)

    @property
    def flops(self):
        """Of a prefill: products, and scores at and below the diagonal."""
        return 2 * self.tokens * sum(n * k for n, k in self.weights().values()) \
            + 2 * self.tokens * (self.tokens + 1) * self.d

    def program(self):
        sizes = self.d, self.heads, self.groups, self.hidden
        if self.is_prefill:
            return programs.layer_prefill("bf16", *sizes, self.tokens)[0]
        return programs.layer_decode("bf16", *sizes, self.context)[0]


def layers(tiny=False):
    """The decode step, then the prefill."""
    if tiny:
        return Layer(256, 8, 2, 512, 64), Layer(256, 4, 2, 512, 0, 80)
    return Layer(), Layer(context=0, tokens=4096)


def chosen(globs, tiny=False, skipped=()):
    def matches(case, patterns):
        return any(fnmatch.fnmatchcase(case.id, p) for p in patterns)
    return [case for case in table(tiny)
            if (not globs or matches(case, globs))
            and not matches(case, skipped)]


def main():
    words = [word for word in sys.argv[1:] if word != "--tiny"]
    if not words or words[0].startswith("-"):
        sys.exit("usage: cases.py FOLDER [--tiny] [GLOB...]")
    os.makedirs(words[0], exist_ok=True)
    tiny = "--tiny" in sys.argv
    for case in [*chosen(words[1:], tiny), *layers(tiny)]:
        with open(os.path.join(words[0], case.id + ".mlir"), "w") as file:
            file.write(case.program())


if __name__ == "__main__":
    main()
