#!/usr/bin/python3
#===- full_disk.py - Compilations under limits on files ------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: full_disk.py AIKC PROGRAM
#
# Compiles in the current folder, which holds the empty folder `tmp`, with a
# limit on the size of files or on their number. Each run ends with 0 and an
# artifact, or with 4, AIK-E0201 and nothing. The last line is
# `N passed, N failed`.
#
#===----------------------------------------------------------------------===#

import os
import resource
import subprocess
import sys


def run(words, limit, value):
    def tighten():
        resource.setrlimit(limit, (value, value))
    done = subprocess.run(words, capture_output=True, text=True,
                          preexec_fn=tighten,
                          env={**os.environ, "TMPDIR": os.path.abspath("tmp")})
    return done.returncode, done.stderr


def judge(status, stderr):
    left = sorted(os.listdir(".")) + os.listdir("tmp")
    if status == 0:
        return left == ["tmp", "x.aikx"] and not stderr
    return status == 4 and left == ["tmp"] and "error: AIK-E0201: " in stderr \
        and stderr.count("error:") == 1 and "\n  hint: " in stderr


def main(words):
    passed = failed = 0
    statuses = set()
    limits = [(resource.RLIMIT_FSIZE, 1 << bits) for bits in range(0, 21, 2)] \
        + [(resource.RLIMIT_NOFILE, count) for count in (4, 5, 6, 7, 8, 64)]
    for limit, value in limits:
        status, stderr = run([words[0], words[1], "-o", "x.aikx"], limit,
                             value)
        good = judge(status, stderr)
        passed, failed = passed + good, failed + (not good)
        statuses.add(status)
        if not good:
            print(f"limit {limit} = {value}: status {status}, "
                  f"{os.listdir('.')}\n{stderr}")
        if os.path.exists("x.aikx"):
            os.remove("x.aikx")
    if statuses != {0, 4}:
        print(f"only the statuses {statuses}")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
