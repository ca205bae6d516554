#!/usr/bin/python3
#===- check_shared.py - Runs shared-results.mlir ----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_shared.py ARTIFACT
#
# With a = 1: every function, in place and not, in the image that the runtime
# takes and in the reference. Exits with 1 at the first wrong result.
#
#===----------------------------------------------------------------------===#

import subprocess
import sys

import numpy as np

A = np.ones(4)
NORMED = A / np.sqrt(np.sum(A * A))


def put(values, *positions):
    values = np.array(values)
    values[list(positions)] = 9
    return values


EXPECTED = {
    ("derived_first",): (put(np.exp(A), 0), np.exp(A)),
    ("siblings",): (put(2 * A, 0), put(2 * A, 1), 2 * A),
    ("normed",): (NORMED + A, NORMED),
    ("donated",): (2 * A, put(2 * A, 0)),
    ("chosen", "--input", "arg1=ones"): (put(2 * A, 0), put(2 * A, 0), 2 * A),
    ("chosen", "--input", "arg1=zeros"): (2 * A, put(2 * A, 0), 2 * A),
}

for (function, *inputs), expected in EXPECTED.items():
    for image in ([], ["--isa", "reference"]):
        for donate in ([], ["--donate"]):
            names = [f"r{i}.npy" for i in range(len(expected))]
            outputs = [word for i, name in enumerate(names)
                       for word in ("--output", f"result{i}=@{name}")]
            subprocess.run(
                ["aik-run", sys.argv[1], "--function", function, "--input",
                 "arg0=ones", *inputs, *outputs, *image, *donate], check=True,
                stdout=subprocess.DEVNULL)
            for name, values in zip(names, expected):
                result = np.load(name)
                if not np.allclose(result, values, rtol=1e-5):
                    sys.exit(f"{function} {inputs} {image} {donate}: {name} is "
                             f"{result}, not {values}")
