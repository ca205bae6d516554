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
# result, in the image that the runtime takes or in the reference.
#
#===----------------------------------------------------------------------===#

import subprocess
import sys

import numpy as np

rng = np.random.default_rng(1)
x = rng.integers(-2, 3, (4, 4)).astype(np.float32)
w = rng.integers(-2, 3, (4, 4)).astype(np.float32)
np.save("x.npy", x)
np.save("w.npy", w)

a, b = x, w
for _ in range(5):
    a, b = b, a + b
EXPECTED = {"products": [x @ w @ w @ w], "fibonacci": [a, b]}

for function, results in EXPECTED.items():
    for image in ([], ["--isa", "reference"]):
        outputs = [f"r{i}.npy" for i in range(len(results))]
        command = ["aik-run", sys.argv[1], "--function", function, "--input",
                   "arg0=@x.npy", "--input", "arg1=@w.npy", *image]
        for index, path in enumerate(outputs):
            command += ["--output", f"result{index}=@{path}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for path, expected in zip(outputs, results):
            result = np.load(path)
            if not np.array_equal(result, expected):
                sys.exit(f"{function} {image}: {path} is\n{result}\nnot\n"
                         f"{expected}")
