#===- network_cases.py - Random pieces of networks -----------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: a seed. Out: a program of the ops that networks consist of, on rows of
# tokens: products with weights of every format beside products of activations,
# attention with and without a cache, norms, gates and residuals, in one
# function. It is large enough for packed and tiled products; what several kinds
# of them do to each other in one kernel or one buffer is found here. Where the
# number of tokens is not known to the program, it runs with several.
#
#===----------------------------------------------------------------------===#

import random

import numpy as np

from cases import fills
from cases.program import Builder
from oracle import quant

_TYPES = ("f32", "f32", "bf16", "f16")
_TOKENS = (1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 33, 40, 70, 130)
#: Query heads, key heads, width of a head.
_HEADS = ((4, 2, 16), (2, 1, 32), (3, 1, 32), (2, 2, 64), (4, 1, 64),
          (2, 1, 128), (5, 5, 24))
_WIDTHS = (64, 96, 128, 160, 256, 256, 272, 512)
_FORMATS = tuple((name,) for name in quant.BLOCKS) + (
    ("i4", 32), ("i4", 128), ("i8", 64))
_CACHE = 150
_STEPS = ("norm", "product", "product", "product", "quantized", "quantized",
          "quantized", "gated", "residual", "residual", "unary", "softmax",
          "attention", "attention", "scores")


def _packed(format, scale):
    """Weights of this size in a block format."""
    elements, width = quant.block_of(format)

    def fill(rng, shape, dtype):
        size = shape[:-1] + (shape[-1] // width * elements,)
        return quant.quantize(rng.normal(0, scale, size), format=format)
    return fill


class _Value:
    def __init__(self, name, width):
        self.name, self.width = name, width


class _Network:
    """Puts one program together, op by op; every value is a row per token."""

    def __init__(self, seed, tokens):
        self.random = random.Random(seed)
        self.dtype = self.random.choice(_TYPES)
        self.heads = self.random.choice(_HEADS)
        known = self.random.choice(_TOKENS)
        self.dynamic = self.random.random() < 0.5
        tokens = tokens if self.dynamic else known
        self.build = Builder("network", "network", f"network.{seed}.{tokens}",
                             "bounded", {"M": tokens, "T": _CACHE},
                             "M" if self.dynamic else "")
        self.made, self.caches = [], []
        self.values = [self.input(self.random.choice(_WIDTHS))]

    def input(self, width):
        name = f"x{len(self.build.case.inputs)}"
        self.build.input(name, self.dtype, f"M {width}", fills.normal())
        return _Value(name, width)

    def weight(self, letters, fill, dtype=None, always=False):
        """An argument that is mostly said to be a weight."""
        is_weight = always or self.random.random() < 0.75
        return self.build.input(f"w{len(self.build.case.inputs)}",
                                dtype or self.dtype, letters, fill,
                                "aikernel.weight" if is_weight else "")

    def op(self, op, *operands, **attributes):
        return self.build.op(op, *operands, **attributes)

    def add(self, name, width):
        self.values.append(_Value(name, width))
        self.made.append(self.values[-1])
        return self.values[-1]

    def step(self):
        # Long chains grow from what was made last.
        value = self.values[-1] if self.random.random() < 0.6 else \
            self.random.choice(self.values)
        getattr(self, "_" + self.random.choice(_STEPS))(value)

    def _norm(self, x):
        gain = self.weight(f"{x.width}", fills.uniform(0.5, 1.5))
        if self.random.random() < 0.7:
            made = self.op("rms_norm", x.name, gain, eps=1e-5)
        else:
            shift = self.weight(f"{x.width}", fills.normal(0.1))
            made = self.op("layer_norm", x.name, gain, shift, eps=1e-5)
        return self.add(made, x.width)

    def linear(self, x, width):
        turned = self.random.random() < 0.3
        fill = fills.normal(x.width ** -0.5)
        w = self.weight(f"{width} {x.width}" if turned else
                        f"{x.width} {width}", fill)
        bias = self.weight(f"{width}", fills.normal()) \
            if self.random.random() < 0.3 else None
        kind = self.random.choice((None, None, "relu", "gelu", "silu"))
        return self.op("linear", x.name, w, groups={"bias": bias},
                       activation=kind, transpose_b=turned)

    def quantized(self, x, width):
        """None where no format has blocks that fit."""
        fit = [f for f in _FORMATS if x.width % quant.block_of(f)[0] == 0]
        if not fit:
            return None
        format = self.random.choice(fit)
        elements, bytes = quant.block_of(format)
        blocks, scale = x.width // elements, x.width ** -0.5
        groups, always = {}, self.random.random() < 0.8
        if format[0] in quant.GROUPED:
            limit = 8 if format[0] == "i4" else 127
            fill = fills.ints(127, -128)
            groups["scales"] = self.weight(
                f"{width} {blocks}", fills.normal(2 * scale / limit), "f32",
                always)
        else:
            fill = _packed(format, scale)
        w = self.weight(f"{width} {blocks * bytes}", fill, "i8", always)
        return self.op("quant_matmul", x.name, w, groups=groups,
                       format=format, activations=self.random.choice(
                           ("q8", "q8", "q8", None)))

    def any_product(self, x, width):
        made = self.quantized(x, width) if self.random.random() < 0.5 else \
            None
        return made or self.linear(x, width)

    def _product(self, x):
        width = self.random.choice(_WIDTHS)
        self.add(self.linear(x, width), width)

    def _quantized(self, x):
        width = self.random.choice(_WIDTHS)
        made = self.quantized(x, width)
        if made:
            self.add(made, width)

    def _gated(self, x):
        width = self.random.choice(_WIDTHS)
        sides = [self.any_product(x, width) for _ in range(2)]
        self.add(self.op(self.random.choice(("swiglu", "geglu")), *sides),
                 width)

    def _residual(self, x):
        others = [v for v in self.values if v.width == x.width and v is not x]
        other = self.random.choice(others) if others else self.input(x.width)
        if not others:
            self.values.append(other)
        self.add(self.op("arith.addf", x.name, other.name), x.width)

    def _unary(self, x):
        self.add(self.op(self.random.choice(("silu", "gelu", "relu", "tanh")),
                         x.name), x.width)

    def _softmax(self, x):
        self.add(self.op("softmax", x.name), x.width)

    def _scores(self, x):
        """Tokens beside tokens, and back: a product of two activations."""
        made = self.op("matmul", x.name, x.name, transpose_b=True)
        shares = self.op("softmax", made)
        self.add(self.op("matmul", shares, x.name), x.width)

    def _attention(self, x):
        """Of the norm of x, as in a layer."""
        heads, keys, width = self.heads
        h = self._norm(x)
        q, k, v = (self.op("split_heads", self.any_product(h, n * width),
                           heads=n) for n in (heads, keys, keys))
        start = 0
        use_cache = self.random.random() < 0.4 and not self.caches
        if use_cache:
            start = self.random.choice((0, 3, 20))
        if use_cache or self.random.random() < 0.5:
            tokens = self.build.sizes["M"]
            at = self.build.input(f"p{len(self.build.case.inputs)}", "i32",
                                  "1 M", fills.given(
                                      [start + i for i in range(tokens)]))
            q, k = (self.op("rope", t, at, base=1e4, layout="bshd")
                    for t in (q, k))
        groups = {}
        if use_cache:
            k, v = (self.append(t, keys, width, start) for t in (k, v))
            groups["kv_len"] = self.build.input(
                "n", "i32", "1", fills.constant(start + self.build.sizes["M"]))
        made = self.op("attention", q, k, v, groups=groups, layout="bshd",
                       causal=self.random.random() < 0.6)
        self.add(self.op("merge_heads", made), heads * width)

    def append(self, new, keys, width, start):
        name = f"c{len(self.build.case.inputs)}"
        self.build.input(name, self.dtype, f"1 T {keys} {width}",
                         fills.normal(),
                         f"aikernel.donate = {len(self.caches)} : i64")
        at = self.build.input(name + "_at", "i32", "1", fills.constant(start))
        self.caches.append(self.op("kv_append", name, new, at, layout="bshd"))
        return self.caches[-1]

    def results(self):
        """Caches, the last value and some others."""
        count = min(self.random.randint(0, 2), len(self.made) - 1)
        chosen = [self.made[-1]] + self.random.sample(self.made[:-1], count)
        self.random.shuffle(chosen)
        return self.caches + [v.name for v in chosen]


def network(seed, tokens):
    drawn = _Network(seed, tokens)
    wanted = drawn.random.randint(2, 7)
    while len(drawn.made) < wanted:
        drawn.step()
    return drawn.build.done(*drawn.results())


def networks(seed):
    """The program of a seed with as many tokens as it knows, or several."""
    choice = random.Random(f"tokens {seed}").sample(sorted(set(_TOKENS)), 4)
    found = {}
    for tokens in choice:
        case = network(seed, tokens)
        found[case.id] = case
    return list(found.values())


def cases(first, last):
    """The programs of these seeds, both included."""
    return [case for seed in range(first, last + 1)
            for case in networks(seed)]
