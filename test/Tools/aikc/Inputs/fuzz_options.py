#!/usr/bin/python3
#===- fuzz_options.py - Random command lines --------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: fuzz_options.py TOOL COUNT [SEED]
#
# In: pieces of right command lines. Out: each random line that makes aikc
# crash, hang, say nothing about a failure, or leave a file after one. The last
# line is `N passed, N failed`.
#
#===----------------------------------------------------------------------===#

import os
import random
import shlex
import subprocess
import sys
import tempfile

WORDS = [
    "compile", "check", "explain", "doctorx", "targets", "ops", "inspect",
    "good.mlir", "missing.mlir", "folder", "-", "--", "-o", "out", "-o=out",
    "-O0", "-O3", "-O9", "-O", "-h", "-x", "--target", "--target=cpu",
    "--target=cpu,,", "--target=cpu:", "--target=:", "--target=cpu:aarch64+",
    "--target=cpu:x86-64-v3+avx2", "--emit", "--emit=kernel", "--emit=aikx",
    "--emit=", "--compile-to=kernel", "--compile-from=kernel", "--compile-to",
    "--override=kernel:good.mlir", "--override=:", "--override=kernel:",
    "--dump-phases-to=d", "--dump-phases-to=folder", "--save-temps=folder",
    "--time", "--time=json", "--time=", "--remarks", "--trust-input",
    "--fail-on-warnings",
    "--strip-reference", "--max-memory=2", "--max-memory=1000000",
    "--max-time=0.01", "--max-time=1e9", "--max-time=1e-300", "--json",
    "--diagnostics=json", "--diagnostics", "--color=always", "--color",
    "--version", "--help", "AIK-E0001", "all", "rms_norm", "", "\n", "é",
    "\x01", "--=", "--=x", "---", "-=", "--target==", "--emit==kernel",
    "@good.mlir", "x" * 300,
]

GOOD = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
       "  return %x : tensor<4xf32>\n}\n"


def mutate(random_source, word):
    if not word or random_source.random() < 0.85:
        return word
    at = random_source.randrange(len(word))
    kind = random_source.randrange(3)
    if kind == 0:
        return word[:at] + word[at + 1:]
    if kind == 1:
        return word[:at] + chr(random_source.randrange(1, 127)) + word[at:]
    return word[:at] + word[at:] * 2


def judge(tool, words):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "good.mlir"), "w") as file:
            file.write(GOOD)
        os.mkdir(os.path.join(folder, "folder"))
        try:
            run = subprocess.run([tool] + words, cwd=folder, timeout=60,
                                 stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired:
            return "hangs"
        left = sorted(os.listdir(folder))
        inside = os.listdir(os.path.join(folder, "folder"))
    if run.returncode not in (0, 1, 2, 3, 4, 5):
        return f"exit status {run.returncode}: {run.stderr[-300:]!r}"
    if run.returncode and b"AIK-E" not in run.stderr:
        return f"fails without a code: {run.stderr[-300:]!r}"
    if run.returncode and (left != ["folder", "good.mlir"] or inside):
        return f"leaves {left} and {inside}"
    return None


def main():
    tool, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = 0
    for number in range(count):
        source = random.Random(seed * 1000003 + number)
        words = [mutate(source, source.choice(WORDS))
                 for _ in range(source.randrange(1, 7))]
        words = [word for word in words if "\0" not in word]
        problem = judge(tool, words)
        if problem:
            failed += 1
            print(f"FAIL aikc {shlex.join(words)}\n  {problem}")
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
