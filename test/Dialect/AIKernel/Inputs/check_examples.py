#!/usr/bin/python3
#===- check_examples.py - Every documented example is also a test -----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_examples.py TD_DIR TEST_DIR
#
# In: the ```mlir examples in the op descriptions of the dialect's .td files.
# Out: one line for each op without an example of itself, and for each line of
# an example that no ops-*.mlir test has word for word; exit status 1 then.
#
#===----------------------------------------------------------------------===#

import pathlib
import re
import sys


def main():
    definitions, tests = map(pathlib.Path, sys.argv[1:3])
    tested = set()
    for path in tests.glob("ops-*.mlir"):
        tested.update(line.strip() for line in path.read_text().splitlines())
    problems, examples = [], 0
    for path in sorted(definitions.glob("*.td")):
        # Text between one def and the next belongs to the first.
        for part in re.split(r"^def ", path.read_text(), flags=re.M)[1:]:
            mnemonic = re.search(r'Op<"([a-z0-9_.]+)"', part)
            if not mnemonic:
                continue
            lines = [line.strip()
                     for block in re.findall(r"```mlir\n(.*?)```", part, re.S)
                     for line in block.splitlines() if line.strip()]
            name = "aikernel." + mnemonic.group(1)
            if not any(name in line for line in lines):
                problems.append(f"{path.name}: {name} has no example")
            problems += [f"{path.name}: not in any ops-*.mlir: {line}"
                         for line in lines if line not in tested]
            examples += len(lines)
    for problem in problems:
        print(problem)
    if examples < 30:
        print(f"only {examples} lines of examples found")
        return 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
