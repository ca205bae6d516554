#!/usr/bin/python3
#===- check_donated.py - Runs donated-memory.mlir ---------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_donated.py ARTIFACT
#
# With a = 0 and b = 1: every function, in place and not, in the image that the
# runtime takes and in the reference. Exits with 1 at the first wrong result.
#
#===----------------------------------------------------------------------===#

import subprocess
import sys

import numpy as np

EXPECTED = {"swap": (1, 0), "one": (-1, 1), "both": (-1, 1)}

for function, expected in EXPECTED.items():
    for image in ([], ["--isa", "reference"]):
        for donate in ([], ["--donate"]):
            subprocess.run(
                ["aik-run", sys.argv[1], "--function", function, "--input",
                 "arg0=zeros", "--input", "arg1=ones", "--output",
                 "result0=@r0.npy", "--output", "result1=@r1.npy", *image,
                 *donate], check=True, stdout=subprocess.DEVNULL)
            for name, value in zip(("r0.npy", "r1.npy"), expected):
                result = np.load(name)
                if not np.all(result == value):
                    sys.exit(f"{function} {image} {donate}: {name} is "
                             f"{result}, not {value}")
