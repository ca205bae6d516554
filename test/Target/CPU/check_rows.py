#!/usr/bin/python3
#===- check_rows.py - Reads the inner loops of row-wise programs ----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_rows.py ASSEMBLY LOAD STORE
#
# In: assembly, and patterns of a load and of a store of a whole vector. Out:
# `N loops over vectors`, and one line for each innermost loop that keeps
# something on the stack, takes a vector apart lane by lane or branches around
# single lanes; exit status 1 if there is one, or no loop over vectors at all.
#
#===----------------------------------------------------------------------===#

import re
import sys

sys.dont_write_bytecode = True
import check_tiles  # noqa: E402

#: A lane that leaves a vector, and a branch on one bit of a mask.
LANE = re.compile(r"mov z\d+\.\w, z\d+\.\w\[[1-9]|[us]?mov [wx]\d+, v\d+\.|"
                  r"tbn?z w\d+, #[0-9]")


def main(path, load, store):
    with open(path) as file:
        code = check_tiles.functions(file.read())
    vectors, wrong = 0, []
    for name, lines in code.items():
        for loop in check_tiles.innermost_loops(lines):
            if not any(re.match(load, line) for line in loop):
                continue
            vectors += any(re.match(store, line) for line in loop)
            wrong += [f"{name}: {line}" for line in loop if LANE.match(line)
                      or check_tiles.touches_stack(line, lines)]
    print("\n".join(wrong + [f"{vectors} loops over vectors"]))
    return 1 if wrong or not vectors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
