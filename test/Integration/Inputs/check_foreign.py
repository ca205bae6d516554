#!/usr/bin/python3
#===- check_foreign.py - Runs foreign.mlir and compares with numpy ----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_foreign.py ARTIFACT
#
# Exits with 1 at the first wrong result, in the image that the runtime takes or
# in the reference. Ops that are not of this dialect take the same road in both,
# so numpy is the judge.
#
#===----------------------------------------------------------------------===#

import subprocess
import sys

import numpy as np

x = np.random.default_rng(1).normal(size=(5, 7)).astype(np.float32)
np.save("x.npy", x)
e = np.exp(x - x.max(axis=1, keepdims=True))
c = np.exp(x[:, 3] - x[:, 3].max())
i = np.arange(300)
EXPECTED = {
    "softmax": e / e.sum(axis=1, keepdims=True),
    "concat": np.concatenate([x, x]),
    "matvec": x @ x[0],
    "split": np.abs(x)[None],
    "stacked": np.broadcast_to(x @ x.T, (3, 5, 5)),
    "column": (c / c.sum())[None],
    "put_column": np.concatenate([x[:, 3:4], x[:, 1:]], 1)[None],
    "reversed": x[::-1, ::-1],
    "wrapped": x[i % 5, (i + 3) % 7],
    "cbrt": np.cbrt(x),
    "asinh": np.arcsinh(x),
    "classes": np.full((5, 7), True),
    "clamp": x,
    "constant": x[0, 0] + np.float32(2.5),
    "scratch": np.exp(x) + x,
    "adds_once": np.broadcast_to(1 + x[:, 0], (64, 5)),
    "passed_on": x[::2].sum(axis=0),
    "constant_place": np.maximum(x.sum(axis=0, keepdims=True), 0),
    "largest_index": np.float32(max(0, np.trunc(x).max())),
    "affine": x[np.arange(5), np.arange(5) % 3].sum(dtype=np.float32),
}

for function, expected in EXPECTED.items():
    for image in ([], ["--isa", "reference"]):
        subprocess.run(["aik-run", sys.argv[1], "--function", function,
                        "--guard", "--input", "arg0=@x.npy", "--output",
                        "result0=@r.npy", *image],
                       check=True, stdout=subprocess.DEVNULL)
        result = np.load("r.npy")
        if result.shape != np.shape(expected) or not np.allclose(
                result, expected, rtol=2e-6, atol=1e-6):
            sys.exit(f"{function} {image}: \n{result}\nnot\n{expected}")
