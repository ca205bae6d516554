#===- graph_cases.py - Random programs -----------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: a seed. Out: a case `graph.SEED` of a few ops that use each other's
# results as they come: static and dynamic sizes, several results in any order,
# arguments that are donated to them. What nobody thought of writing down is
# found here. The same seed always gives the same program.
#
#===----------------------------------------------------------------------===#

from dataclasses import replace
import random

from cases import fills
from cases.program import Builder

#: Values stay below this, so that no type overflows.
LARGEST = 300.0

_TYPES = ("f32", "f32", "f32", "f64", "bf16", "f16")
_SIZES = (1, 2, 3, 5, 7, 8, 16, 17, 24, 33)
_UNARY = ("relu", "gelu", "silu", "sigmoid", "tanh", "linalg.abs")
_BINARY = ("arith.addf", "arith.subf", "arith.mulf", "arith.maximumf",
           "swiglu", "geglu")
_STEPS = ("unary", "unary", "binary", "binary", "binary", "matmul", "linear",
          "norm", "softmax", "transpose", "row_max", "spread", "put_row",
          "put_row")


class _Value:
    def __init__(self, name, letters, size):
        self.name, self.letters, self.size = name, letters, size


class _Graph:
    """Puts one program together, op by op."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        choose = self.random.choice
        self.dtype = choose(_TYPES)
        self.sizes = {letter: choose(_SIZES) for letter in "ABC"}
        share = choose((0.0, 0.0, 0.5, 1.0))
        dynamic = "".join(letter for letter in "ABC"
                          if self.random.random() < share)
        self.build = Builder("graph", "graph", f"graph.{seed}", "bounded",
                             self.sizes, dynamic)
        self.values, self.made = [], []
        for letters in self.random.sample(("AB", "BC", "AC", "A", "B", "AA"),
                                          2):
            self.values.append(self.input(letters))

    def input(self, letters):
        name = f"x{len(self.build.case.inputs)}"
        self.build.input(name, self.dtype, " ".join(letters),
                         fills.uniform(-1.5, 1.5))
        return _Value(name, letters, 1.5)

    def operand(self, letters):
        """A value of this shape: mostly one that is there."""
        known = [v for v in self.values if v.letters == letters]
        if known and self.random.random() < 0.85:
            return self.random.choice(known)
        self.values.append(self.input(letters))
        return self.values[-1]

    def add(self, op, operands, letters, size, **attributes):
        if size > LARGEST:
            return
        name = self.build.op(op, *[o.name for o in operands], **attributes)
        self.values.append(_Value(name, letters, size))
        self.made.append(self.values[-1])

    def step(self):
        kind = self.random.choice(_STEPS)
        value = self.random.choice(self.values)
        getattr(self, "_" + kind)(value)

    def _unary(self, x):
        self.add(self.random.choice(_UNARY), [x], x.letters, max(x.size, 1.0))

    def _binary(self, x):
        op = self.random.choice(_BINARY)
        y = self.operand(x.letters)
        size = x.size + y.size if op in ("arith.addf", "arith.subf") else \
            max(x.size, y.size) if op == "arith.maximumf" else x.size * y.size
        self.add(op, [x, y], x.letters, size)

    def _matmul(self, x):
        if len(x.letters) != 2:
            return
        to, turned = self.random.choice("ABC"), self.random.random() < 0.4
        rows, inner = x.letters
        w = self.operand(to + inner if turned else inner + to)
        self.add("matmul", [x, w], rows + to,
                 x.size * w.size * self.sizes[inner], transpose_b=turned)

    def _linear(self, x):
        if len(x.letters) != 2:
            return
        to = self.random.choice("ABC")
        rows, inner = x.letters
        w, b = self.operand(inner + to), self.operand(to)
        self.add("linear", [x, w], rows + to,
                 x.size * w.size * self.sizes[inner] + b.size,
                 groups={"bias": b.name},
                 activation=self.random.choice(("relu", "gelu", "silu")))

    def _norm(self, x):
        last = self.sizes[x.letters[-1]]
        op = self.random.choice(("rms_norm", "layer_norm", "l2_norm"))
        count = {"rms_norm": 1, "layer_norm": 2, "l2_norm": 0}[op]
        more = [self.operand(x.letters[-1]) for _ in range(count)]
        size = last ** 0.5
        for o in more[:1]:
            size *= o.size
        for o in more[1:]:
            size += o.size
        self.add(op, [x] + more, x.letters, size, eps=0.1)

    def _softmax(self, x):
        self.add("softmax", [x], x.letters, 1.0,
                 axis=self.random.randrange(len(x.letters)))

    def _transpose(self, x):
        if len(x.letters) == 2:
            self.add("transpose", [x], x.letters[::-1], x.size)

    def _row_max(self, x):
        if len(x.letters) == 2:
            self.add("row_max", [x], x.letters[:1], x.size)

    def _spread(self, x):
        if len(x.letters) == 2:
            row = self.operand(x.letters[1])
            self.add("spread", [x, row], x.letters, row.size)

    def _put_row(self, x):
        if len(x.letters) == 2:
            row = self.operand(x.letters[1])
            self.add("put_row", [x, row], x.letters, max(x.size, row.size))

    def results(self):
        """The last value and some others, in any order."""
        count = min(self.random.randint(0, 2), len(self.made) - 1)
        chosen = [self.made[-1]] + self.random.sample(self.made[:-1], count)
        self.random.shuffle(chosen)
        return chosen

    def donate(self, results):
        free = set(range(len(results)))
        inputs = self.build.case.inputs
        for place, given in enumerate(inputs):
            fit = [i for i in sorted(free)
                   if self.build.case.types[results[i].name] == given.type]
            if fit and self.random.random() < 0.4:
                free.remove(fit[0])
                inputs[place] = replace(
                    given, attributes=f"aikernel.donate = {fit[0]} : i64")


def graph(seed):
    drawn = _Graph(seed)
    wanted = drawn.random.randint(2, 8)
    while len(drawn.made) < wanted:
        drawn.step()
    results = drawn.results()
    drawn.donate(results)
    return drawn.build.done(*[r.name for r in results])


def cases(first, last):
    """The programs of these seeds, both included."""
    return [graph(seed) for seed in range(first, last + 1)]
