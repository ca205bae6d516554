#!/usr/bin/python3
#===- check_blocks.py - Counts the instructions of block products --------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_blocks.py [--aikc PATH]
#
# Out: one line per complaint and `N passed, N failed`. For each block format and
# each x86-64 level that multiplies bytes into 16 bits, a product of 64 rows is
# compiled. The innermost loop with `vpmaddubsw` has as many as expected, adds
# pairs as often as 16 bits are full, and no vector in it is on its way to the
# stack.
#
#===----------------------------------------------------------------------===#

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

from check_tiles import count, functions, innermost_loops

#: bytes of a block, its elements, and how often 16 bits are full in a chunk
Format = collections.namedtuple("Format", "bytes elements chunk full")
FORMATS = {
    "q4_0": Format(18, 32, 32, 1), "q4_1": Format(20, 32, 32, 1),
    "q5_0": Format(22, 32, 32, 2), "q5_1": Format(24, 32, 32, 2),
    "q8_0": Format(34, 32, 32, 8), "mxfp4": Format(17, 32, 32, 2),
    "q4_k": Format(144, 256, 32, 1), "q5_k": Format(176, 256, 32, 2),
    "q6_k": Format(210, 256, 16, 2),
}
#: rows of x in registers; of what is spilled, how much may be
LEVELS = {"cpu:x86-64-v3": (4, {"q6_k": 1}), "cpu:x86-64-v4": (8, {})}
COLUMNS, DEPTH = 128, 2048


def program(name):
    row = DEPTH // FORMATS[name].elements * FORMATS[name].bytes
    types = f"tensor<64x{DEPTH}xf32>, tensor<{COLUMNS}x{row}xi8>"
    result = f"tensor<64x{COLUMNS}xf32>"
    return (f"func.func @product(%x: tensor<64x{DEPTH}xf32>, "
            f"%w: tensor<{COLUMNS}x{row}xi8> {{aikernel.weight}}) -> {result} "
            f"{{\n  %y = aikernel.quant_matmul %x, %w {{format = "
            f"#aikernel.quant<{name}>, activations = "
            f"#aikernel.quant_activations<q8>}} : ({types}) -> {result}\n"
            f"  return %y : {result}\n}}\n")


def complaints(code, rows, name, spilled):
    format = FORMATS[name]
    loops = [loop for function, lines in code.items()
             if function.startswith("aik$blockmatmul")
             for loop in innermost_loops(lines)]
    loop = max(loops, key=lambda each: count(each, "vpmaddubsw"), default=[])
    for what, expected in (("vpmaddubsw", format.chunk // 4 * rows),
                           ("vpmaddwd", format.full * rows)):
        if count(loop, what) != expected:
            yield f"{count(loop, what)} of {what}, expected {expected}"
    stored = [line for line in loop
              if re.match(r"vmov\w+ %[xyz]mm\d+, .*\(%rsp", line)]
    if len(stored) > spilled:
        yield f"spills: {stored}"


def compile_for(aikc, target, name):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "product.mlir")
        with open(source, "w") as file:
            file.write(program(name))
        done = subprocess.run(
            [aikc, source, "--emit=asm", "--target=" + target, "-o", "-"],
            capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return functions(done.stdout)


def main():
    parser = argparse.ArgumentParser(prog="check_blocks.py", allow_abbrev=False)
    parser.add_argument("--aikc", default="aikc")
    options = parser.parse_args()
    passed = failed = 0
    for target, (rows, spilled) in LEVELS.items():
        for name in FORMATS:
            try:
                code = compile_for(options.aikc, target, name)
                wrong = list(complaints(code, rows, name, spilled.get(name, 0)))
            except RuntimeError as error:
                wrong = [str(error)]
            passed += not wrong
            failed += bool(wrong)
            for each in wrong:
                print(f"{name} for {target}: {each}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
