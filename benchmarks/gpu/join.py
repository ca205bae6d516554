#!/usr/bin/env python3
#===- join.py - One file of all that gpu_check.sh found -------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: join.py OUT CASES BENCHMARKS [LAYER...]
#
# In: what runs of run_cases.py printed, and the JSON of run.py and of
# layer.py, as far as there are such files. Out: the JSON of run.py with the
# cases' counts and the layers' times in it.
#
#===----------------------------------------------------------------------===#

import json
import os
import re
import sys


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def join(cases, benchmarks, layers):
    counts = re.findall(r"^(\d+) passed, (\d+) failed", cases, re.MULTILINE)
    tiled = re.findall(r"^(\d+) cases that passed are tile programs", cases,
                       re.MULTILINE)
    return {**benchmarks, "cases": {
        "passed": sum(int(passed) for passed, _ in counts),
        "failed": sum(int(failed) for _, failed in counts),
        "tile_programs": int(tiled[-1]) if tiled else 0}, "layers": layers}


def main(words):
    if len(words) < 3:
        sys.exit("usage: join.py OUT CASES BENCHMARKS [LAYER...]")
    out, cases, benchmarks, *layers = words
    with open(cases) as file:
        joined = join(file.read(), read(benchmarks),
                      [layer for layer in map(read, layers) if layer])
    with open(out, "w") as file:
        json.dump(joined, file)


if __name__ == "__main__":
    main(sys.argv[1:])
