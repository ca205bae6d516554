#!/usr/bin/python3
#===- refusals.py - Runs a table of wrong command lines ---------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: refusals.py TOOL < TABLE
#
# In: lines of the form `CASE words | code | exit status | sentence`, where
# words follow the name of a program that compiles, or `ALONE ...`, where they
# are the whole command line. Code and status may be lists, separated by commas.
# Out: one line per case that is not refused exactly so: one coded line, its
# hint, nothing on standard output, no file made or changed. The last line is
# `N passed, N failed`.
#
#===----------------------------------------------------------------------===#

import os
import re
import subprocess
import sys
import tempfile

GOOD = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


def contents(folder):
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.join(path, name)] = None
        for name in files:
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.join(path, name)] = file.read()
    return found


def judge(tool, kind, words, codes, statuses, sentence):
    """What is wrong with the refusal, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "good.mlir"), "w") as file:
            file.write(GOOD)
        os.mkdir(os.path.join(folder, "folder"))
        before = contents(folder)
        start = ["good.mlir"] if kind == "CASE" else []
        run = subprocess.run([tool] + start + words, cwd=folder,
                             stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=60)
        after = contents(folder)
    errors = run.stderr.decode(errors="replace")
    coded = re.findall(r"^[^\n]*error: AIK-E(\d{4}): ", errors, re.M)
    if len(coded) != 1 or int(coded[0]) not in codes:
        return f"codes {coded} instead of {codes}: {errors!r}"
    if run.returncode not in statuses:
        return f"exit status {run.returncode} instead of {statuses}"
    if sentence not in errors:
        return f"{errors!r} does not say {sentence!r}"
    if not re.search(r"^  hint: \S", errors, re.M):
        return f"no hint in {errors!r}"
    if run.stdout:
        return f"{len(run.stdout)} bytes on standard output"
    if before != after:
        return f"files changed: {sorted(set(before) ^ set(after))}"
    return None


def main():
    tool = sys.argv[1]
    passed = failed = 0
    for line in sys.stdin:
        match = re.match(r"(CASE|ALONE)\b(.*)", line)
        if not match:
            continue
        kind, rest = match.groups()
        words, codes, statuses, sentence = [
            part.strip() for part in rest.split("|", 3)]
        problem = judge(tool, kind, words.split(),
                        [int(code) for code in codes.split(",")],
                        [int(status) for status in statuses.split(",")],
                        sentence)
        if problem:
            failed += 1
            print(f"FAIL {line.strip()}\n  {problem}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
