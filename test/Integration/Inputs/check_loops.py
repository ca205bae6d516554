#!/usr/bin/python3
#===- check_loops.py - Runs loops.mlir and compares with numpy --------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_loops.py ARTIFACT
#
# Small integers, so that every result is exact. Exits with 1 at the first wrong
# result, in the image that the runtime takes or in the reference, and at the
# first call that should be refused and is not.
#
#===----------------------------------------------------------------------===#

import subprocess
import sys

import numpy as np

rng = np.random.default_rng(1)


def integers(*shape):
    return rng.integers(-2, 3, shape).astype(np.float32)


def fibonacci(a, b):
    for _ in range(5):
        a, b = b, a + b
    return [a, b]


def layers(x, weights):
    for w in weights:
        x = np.maximum(x @ w, 0)
    return [x]


def until(a, b):
    limit = b[0, 0]
    while a[0, 0] < limit:
        a, b = a + a, a
    return [b, a]


def nested(x, w, n):
    for i in range(n):
        start = x
        for _ in range(2):
            x = (x @ w if i % 2 else start - x) + x
    return [x]


def after(x, w, n):
    s = a = x + w
    for _ in range(n):
        a = a + w + s
    return [a + w, a + w - s]


def swap2(a, b, n):
    for i in range(n):
        for _ in range(i):
            a, b = b, a + b
        a, b = b, a
    return [a, b]


def grid(x, w, n):
    for _ in range(n * n):
        x = x @ w
    return [x]


def residual(x, w, n):
    for _ in range(n):
        y = x
        for _ in range(n):
            y = y @ w
        x = y - x
    return [x]


def summed_rows(x, n):
    for _ in range(n):
        x = np.cumsum(x, 0, dtype=np.float32)
    return [x]


def call(function, inputs, outputs, image):
    command = ["aik-run", sys.argv[1], "--function", function, *image]
    for index, array in enumerate(inputs):
        np.save(f"x{index}.npy", array)
        command += ["--input", f"arg{index}=@x{index}.npy"]
    for index in range(outputs):
        command += ["--output", f"result{index}=@r{index}.npy"]
    return subprocess.run(command, capture_output=True, text=True)


x, w = integers(4, 4), integers(4, 4)
rows, stack = integers(5, 4), integers(6, 4, 4)
counting = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
cube = x @ w @ w @ w
CASES = [
    ("products", [x, w], [cube]),
    ("fibonacci", [x, w], fibonacci(x, w)),
    ("layers", [rows, stack], layers(rows, stack)),
    ("layers", [rows, stack[:0]], [rows]),
    ("layers", [rows[:0], stack], [rows[:0]]),
    ("powers", [x, w], [cube]),
    ("powers", [rows, w], [rows @ w @ w @ w]),
    ("counted_while", [x, w], [cube]),
    ("until", [counting, counting * 9], until(counting, counting * 9)),
    ("until", [counting * 9, counting], until(counting * 9, counting)),
    ("do_while", [rows, w], [rows @ w @ w @ w, np.int64(3)]),
    ("concat", [x, rows, integers(9, 4)], [np.concatenate([x, rows])]),
    ("reversed", [rows, integers(5, 4)], [rows[::-1]]),
    ("nested", [rows, w, np.int64(3)], nested(rows, w, 3)),
    ("nested", [rows, w, np.int64(0)], [rows]),
    ("after", [x, w, np.int64(3)], after(x, w, 3)),
    ("swap2", [x, w, np.int64(4)], swap2(x, w, 4)),
    ("grid", [rows, w, np.int64(2)], grid(rows, w, 2)),
    ("grid", [rows, w, np.int64(0)], [rows]),
    ("residual", [rows, w, np.int64(2)], residual(rows, w, 2)),
    ("rows", [rows, np.int64(3)], summed_rows(rows, 3)),
    ("steps", [rows, np.int64(-3), np.int64(5), np.int64(3)], [rows * 4]),
    ("steps", [rows, np.int64(0), np.int64(2 ** 62), np.int64(2 ** 61)],
     [rows * 3]),
    ("chosen", [x, w, np.int64(2)],
     [4 * np.maximum(x, 0), np.maximum(x, 0)]),
    ("chosen", [x, w, np.int64(1)], [4 * (w - x + w), w - x + w]),
    ("double", [rows, rows * 3], [rows * 6]),
]
REFUSED = [
    ("powers", [x, integers(4, 3)],
     "scf.for: the body changes dimension 1 of tensor 0"),
    ("until", [counting, integers(4, 4) + 9],
     "scf.while: the body changes dimension 0 of tensor 1"),
    ("concat", [x, rows, integers(8, 4)],
     "tensor.insert_slice: the slice reaches out of dimension 0"),
    ("reversed", [rows, integers(4, 4)],
     "tensor.insert_slice: the slice reaches out of dimension 0"),
    ("steps", [rows, np.int64(2 ** 63 - 3), np.int64(2 ** 63 - 1),
               np.int64(2 ** 62)],
     "scf.for: the step leads past the largest number"),
    ("steps", [rows, np.int64(0), np.int64(1), np.int64(0)],
     "scf.for: the step is not positive"),
    ("double", [integers(5000, 4), rows],
     "dimension 0 of argument 0 differs from that of result 0"),
]

for image in ([], ["--isa", "reference"]):
    for function, inputs, expected in CASES:
        run = call(function, inputs, len(expected), image)
        if run.returncode != 0:
            sys.exit(f"{function} {image}: {run.stderr}")
        for index, wanted in enumerate(expected):
            result = np.load(f"r{index}.npy")
            if not np.array_equal(result, wanted):
                sys.exit(f"{function} {image}: result {index} is\n{result}\n"
                         f"not\n{wanted}")
    for function, inputs, sentence in REFUSED:
        run = call(function, inputs, 0, image)
        if run.returncode != 1 or sentence not in run.stderr:
            sys.exit(f"{function} {image}: status {run.returncode}, "
                     f"{run.stderr} does not say '{sentence}'")
